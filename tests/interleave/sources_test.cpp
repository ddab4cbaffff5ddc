// The shipped table of source ids: an id is found with its own file or not at all, while it ends
// and its slot is used again.
#include "vfs/sources.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::vfs_detail {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

source_owner owner(std::uint32_t number) {
  return {{number}, number, nullptr};
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
           check(handle.value == 1 && of.mount.value == 1 && of.entry == 1, "all of one file");
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

}  // namespace
}  // namespace overture::vfs_detail
