// SPDX-License-Identifier: Zlib
//
// The shipped table of source ids: an id is found with its own file or not at all, while it ends
// and its slot is used again.
#include "vfs/mounts/sources.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "support/refusing_os.hpp"

namespace overture::vfs_detail::sources_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

test::refusing_os of_odd_files;

source_owner owner(std::uint32_t number) {
  return {{number}, number, number % 2 != 0 ? &of_odd_files : nullptr};
}

TEST(source_ids_in_all_interleavings, lead_to_their_own_file_or_to_none) {
  expect_clean_nearby([] {
    source_table table(default_allocator());
    const source_id old = *table.add(os_handle{1}, owner(1));
    run({[&] {
           check(table.remove(old).value == 1, "its handle");
           const source_id fresh = *table.add(os_handle{2}, owner(2));
           check(fresh.index == old.index, "the slot is used again");
         },
         [&] {
           os_handle handle;
           source_owner of;
           if (!table.find(old, handle, of)) return;
           check(
               handle.value == 1 && of.mount.value == 1 && of.entry == 1 && of.os == &of_odd_files,
               "all of one file");
         }});
  });
}

TEST(source_ids_in_all_interleavings, are_given_to_one_file_each) {
  expect_clean_nearby([] {
    source_table table(default_allocator());
    table.remove(*table.add(os_handle{9}, owner(9)));
    const auto use = [&table](std::uint32_t number) {
      const source_id mine = *table.add(os_handle{number}, owner(number));
      os_handle handle;
      source_owner of;
      check(table.find(mine, handle, of) && of.entry == number, "its own file");
      check(table.remove(mine).value == number, "its own handle");
    };
    run({[&] { use(1); }, [&] { use(2); }});
  });
}

// The table has chunks of two.
TEST(source_ids_in_all_interleavings, are_given_to_one_file_each_while_the_table_grows) {
  expect_clean_nearby([] {
    source_table table(default_allocator());
    const auto use = [&table](std::uint32_t number) {
      const source_id mine[] = {*table.add(os_handle{number}, owner(number)),
                                *table.add(os_handle{number + 1}, owner(number + 1))};
      for (const source_id& one : mine) {
        os_handle handle;
        source_owner of;
        check(table.find(one, handle, of) && of.entry == number++, "its own file");
      }
    };
    run({[&] { use(1); }, [&] { use(3); }});
  });
}

// Whoever hears of an id in no order with its file still finds the right one or none.
TEST(source_ids_in_all_interleavings, lead_from_a_new_chunk_to_their_own_file_or_to_none) {
  expect_clean_nearby([] {
    source_table table(default_allocator());
    atomic<std::uint32_t> known{0};
    for (std::uint32_t i = 0; i < source_chunk_slots; ++i) (void)*table.add(os_handle{9}, owner(9));
    run({[&] {
           const source_id added = *table.add(os_handle{1}, owner(1));
           check(added.generation == 1, "the first file of its slot");
           known.store(added.index, std::memory_order_relaxed);
         },
         [&] {
           const std::uint32_t index = known.load(std::memory_order_relaxed);
           os_handle handle;
           source_owner of;
           if (index == 0 || !table.find({index, 1}, handle, of)) return;
           check(
               handle.value == 1 && of.mount.value == 1 && of.entry == 1 && of.os == &of_odd_files,
               "all of one file");
         }});
  });
}

TEST(source_ids_in_all_interleavings, are_refused_once_the_table_is_full) {
  expect_clean_nearby([] {
    source_table table(default_allocator());
    constexpr std::uint32_t all = source_chunk_slots * source_chunks_max;
    for (std::uint32_t i = 0; i < all; ++i) (void)*table.add(os_handle{9}, owner(9));
    const auto refused = [&table] {
      check(table.add(os_handle{1}, owner(1)).error().code == errc::limit, "too many");
    };
    run({refused, refused});
    refused();
  });
}

}  // namespace
}  // namespace overture::vfs_detail::sources_test
