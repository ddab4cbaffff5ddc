// SPDX-License-Identifier: Zlib
//
// The shipped block store: one thread unpacks a block and others wait for it, are refused, or find
// it damaged, through all interleavings.
#include "archives/block_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "support/refusing_os.hpp"

namespace overture::archives_detail::block_store_test {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::expect_clean_nearby;
using interleave::run;

constexpr std::byte letter{7};

// Gives large blocks little memory: no test touches what lies past their first bytes.
class frugal_memory : public allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    return default_allocator().allocate(std::min(bytes, most), alignment, tag);
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    default_allocator().deallocate(memory, std::min(bytes, most), alignment, tag);
  }

 private:
  static constexpr std::size_t most = 4096;
};
frugal_memory frugal;

class memory_for_one_block final : public frugal_memory {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    if (is_block(bytes)) check(blocks_.fetch_add(1) == 0, "one block at a time");
    return frugal_memory::allocate(bytes, alignment, tag);
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    if (is_block(bytes)) blocks_.fetch_sub(1);
    frugal_memory::deallocate(memory, bytes, alignment, tag);
  }

 private:
  static bool is_block(std::size_t bytes) { return bytes > block_store::small_bytes; }

  atomic<int> blocks_{0};
};

// Two blocks of one letter, of which the first may be damaged in its second half.
class letters final : public block_store {
 public:
  explicit letters(bool damaged, std::uint64_t bytes = block_bytes, allocator& memory = frugal)
      : block_store(memory, none_, no_file_), damaged_(damaged) {
    for (int i = 0; i < 2; ++i) check(add_block(bytes).has_value(), "added");
  }
  // From now on what is packed is not in the page cache.
  void make_cold() { cold_ = true; }
  result<void> unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                      std::size_t& made) noexcept override {
    if (cold_ && how == reading::at_once) return fail(errc::busy, "not in the page cache");
    unpacked_.fetch_add(1);
    const bool whole = number != 0 || !damaged_;
    made = whole ? to.size() : to.size() / 2;
    for (std::size_t i = 0; i < std::min<std::size_t>(made, block_bytes); ++i) to[i] = letter;
    if (!whole) return fail(errc::corrupt, "damaged");
    return {};
  }
  void read(std::uint64_t offset) {
    std::byte byte{};
    const result<std::size_t> done = read_at(os_handle{1}, offset, {&byte, 1});
    check(done.has_value() && byte == letter, "it is read");
  }
  [[nodiscard]] int unpacked() const { return unpacked_.load(); }
  static constexpr std::uint64_t block_bytes = 8;

 private:
  test::refusing_os none_;
  owned_handle no_file_;
  bool damaged_;
  bool cold_ = false;
  atomic<int> unpacked_{0};
};

TEST(a_block_store_in_all_interleavings, unpacks_a_block_once_for_all_who_read_it) {
  expect_clean_nearby([] {
    letters blocks(false);
    run({[&] { blocks.read(0); }, [&] { blocks.read(7); }, [&] { blocks.read(3); }});
    check(blocks.unpacked() == 1, "once");
  });
}

TEST(a_block_store_in_all_interleavings, unpacks_two_blocks_at_once) {
  expect_clean_nearby([] {
    letters blocks(false);
    run({[&] { blocks.read(0); }, [&] { blocks.read(8); }});
    check(blocks.unpacked() == 2 && blocks.kept_bytes() == 16, "each once");
  });
}

// The two exceed what is kept.
TEST(a_block_store_in_all_interleavings, evicts_no_block_that_is_read) {
  expect_clean_nearby([] {
    constexpr std::uint64_t large = limits::blocks_kept_bytes / 2 + 1;
    letters blocks(false, large);
    run({[&] { blocks.read(0); }, [&] { blocks.read(large); }});
    check(blocks.unpacked() == 2, "each once");
  });
}

TEST(a_block_store_in_all_interleavings, is_busy_only_while_another_thread_unpacks) {
  expect_clean_nearby([] {
    letters blocks(false);
    run({[&] { blocks.read(0); },
         [&] {
           std::byte byte{};
           const result<std::size_t> read = blocks.read_cached_at(os_handle{1}, 0, {&byte, 1});
           check(read ? byte == letter : read.error().code == errc::busy, "read, or busy");
         }});
  });
}

// A file that is past the budget takes room for its block; who reads the block must not wait.
TEST(a_block_store_in_all_interleavings, takes_over_the_ticket_with_which_its_block_was_admitted) {
  expect_clean_and_complete(interleave::explore({}, [] {
    constexpr std::uint64_t large = block_store::small_bytes + 1;
    memory_ledger ledger(large / 2);
    {
      letters blocks(false, large);
      blocks.use_ledger(ledger);
      run({[&] {
        bool ticket = false;
        const std::uint64_t room = blocks.missing_room(0);
        check(ledger.take(room, memory_tag::vfs, ticket) && ticket, "past the limit");
        check(blocks.hold_block(0, room, ticket) && !ticket, "the block has it now");
        check(blocks.has_ticket(0), "until it is released");
        blocks.release_block(0);
        check(!blocks.has_ticket(0), "no longer");
        check(ledger.take(room, memory_tag::vfs, ticket) && ticket, "the next may have it");
        ledger.give_back(room, memory_tag::vfs);
        ledger.end_item(ticket);
      }});
    }
    check(ledger.used() == 0, "all room was given back");
  }));
}

// The pipeline that holds the block has room for it once.
TEST(a_block_store_in_all_interleavings, frees_what_it_could_not_unpack_before_another_begins) {
  expect_clean_nearby([] {
    constexpr std::uint64_t large = block_store::small_bytes + 1;
    memory_ledger ledger(4 * large);
    memory_for_one_block memory;
    {
      letters blocks(false, large, memory);
      blocks.use_ledger(ledger);
      blocks.make_cold();
      bool ticket = false;
      const std::uint64_t room = blocks.missing_room(0);
      check(ledger.take(room, memory_tag::vfs, ticket), "there is room");
      check(blocks.hold_block(0, room, ticket), "the block has it");
      run({[&] { blocks.read(0); },
           [&] {
             std::byte byte{};
             const result<std::size_t> read = blocks.read_cached_at(os_handle{1}, 0, {&byte, 1});
             check(read ? byte == letter : read.error().code == errc::busy, "read, or busy");
           }});
      blocks.release_block(0);
    }
    check(ledger.used() == 0, "all room was given back");
  });
}

TEST(a_block_store_in_all_interleavings, tells_all_readers_of_damage) {
  expect_clean_nearby([] {
    letters blocks(true);
    const auto read_damaged = [&blocks] {
      std::byte byte{};
      const result<std::size_t> read = blocks.read_at(os_handle{1}, 6, {&byte, 1});
      check(!read && read.error().code == errc::corrupt, "the second half is damaged");
    };
    run({[&] { blocks.read(0); }, read_damaged, read_damaged});
    check(blocks.unpacked() == 1, "once");
  });
}

}  // namespace
}  // namespace overture::archives_detail::block_store_test
