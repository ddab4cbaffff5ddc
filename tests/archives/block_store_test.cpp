// SPDX-License-Identifier: Zlib
#include "archives/block_store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "io/files/block_work_here.hpp"
#include "overture/sync/wait_observer.hpp"
#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::archives_detail::block_store_test {
namespace {

// Block n consists of the letter 'a' + n, repeated. It is packed as one letter, in a file.
class letters final : public block_store {
 public:
  letters(allocator& memory, operating_system& os, const owned_handle& file,
          std::vector<std::uint64_t> sizes)
      : block_store(memory, os, file) {
    for (const std::uint64_t size : sizes) EXPECT_TRUE(add_block(size));
  }

  result<void> unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                      std::size_t& made) noexcept override {
    ++unpacked;
    while (held.load()) std::this_thread::yield();
    std::this_thread::sleep_for(takes);
    std::byte letter{};
    if (result<void> read = read_packed(number, {&letter, 1}, how); !read) return read;
    made = number == broken ? to.size() / 2 : to.size();
    std::fill_n(to.begin(), only_first ? 1 : made, letter);
    if (number == broken) return fail(errc::corrupt, "broken for the test");
    return {};
  }
  using block_store::add_block;
  using block_store::add_stored;

  std::uint32_t broken = UINT32_MAX;
  bool only_first = false;  // writes one byte of a block, so that untouched pages cost no memory
  std::atomic<int> unpacked{0};
  std::atomic<bool> held{false};
  std::chrono::milliseconds takes{0};
};

struct block_store_test : ::testing::Test {
  std::string read(letters& from, std::uint64_t offset, std::size_t bytes) {
    std::string text(bytes, '?');
    const std::span<char> room(text.data(), text.size());
    const result<void> done = read_fully(from, os_handle{1}, offset, std::as_writable_bytes(room));
    return done ? text : std::string("error: ") + to_string(done.error().code);
  }
  letters& make(std::vector<std::uint64_t> sizes) {
    store = std::make_unique<letters>(memory, os, file, std::move(sizes));
    return *store;
  }

  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz";
  memory_file_os os{alphabet};
  owned_handle file{os, *os.open("")};
  tracking_allocator memory;
  std::unique_ptr<letters> store;
};

TEST_F(block_store_test, places_blocks_next_to_each_other) {
  letters& blocks = make({3, 1, 4});
  EXPECT_EQ(read(blocks, 0, 8), "aaabcccc");
  EXPECT_EQ(read(blocks, 2, 3), "abc");
  EXPECT_EQ(read(blocks, 7, 1), "c");
  EXPECT_EQ(read(blocks, 7, 2), "error: truncated");
  EXPECT_EQ(read(blocks, 8, 1), "error: truncated");
  EXPECT_EQ(read(blocks, UINT64_MAX, 1), "error: truncated");
  EXPECT_EQ(blocks.status(os_handle{1})->size, 8u);
}

TEST_F(block_store_test, unpacks_a_block_once_for_all_readers) {
  letters& blocks = make({1000, 1000});
  std::vector<std::thread> readers;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      for (std::uint64_t at = 0; at < 1000; at += 10) {
        if (read(blocks, at, 5) == "aaaaa") ++right;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(right, 400);
  EXPECT_EQ(blocks.unpacked, 1);
  EXPECT_EQ(blocks.unpacked_count(), 1u);
}

TEST_F(block_store_test, is_busy_for_a_reader_that_must_not_wait) {
  letters& blocks = make({10});
  blocks.held = true;
  std::thread first([&] { EXPECT_EQ(read(blocks, 0, 1), "a"); });
  while (blocks.unpacked == 0) std::this_thread::yield();
  std::byte byte{};
  EXPECT_EQ(blocks.read_cached_at(os_handle{1}, 0, {&byte, 1}).error().code, errc::busy);
  std::thread second([&] { EXPECT_EQ(read(blocks, 1, 2), "aa"); });
  blocks.held = false;
  first.join();
  second.join();
  EXPECT_EQ(blocks.read_cached_at(os_handle{1}, 0, {&byte, 1}).value_or(0), 1u);
  EXPECT_EQ(blocks.unpacked, 1);
}

// The memory_file_os does not know what is cached, so it says busy.
// Whoever unpacks has read the packed bytes; whoever comes later has only copied.
TEST_F(block_store_test, tells_a_reader_what_it_did_for_its_block) {
  using namespace std::chrono_literals;
  letters& blocks = make({10, 10});
  blocks.takes = 2ms;
  block_work first;
  block_work second;
  {
    const io_detail::block_work_scope noted(first);
    EXPECT_EQ(read(blocks, 0, 4), "aaaa");
    {
      const io_detail::block_work_scope inner(second);
      EXPECT_EQ(read(blocks, 4, 4), "aaaa");
    }
  }
  EXPECT_EQ(read(blocks, 10, 1), "b") << "where no reader asks, too";
  EXPECT_TRUE(first.used);
  EXPECT_EQ(first.packed_bytes, 1u);
  EXPECT_GE(first.unpack_ns, 2'000'000u);
  EXPECT_EQ(first.wait_ns, 0u);
  EXPECT_TRUE(second.used);
  EXPECT_EQ(second.packed_bytes + second.packed_ns + second.unpack_ns + second.wait_ns, 0u);
}

TEST_F(block_store_test, keeps_reading_the_packed_bytes_apart_from_unpacking) {
  using namespace std::chrono_literals;
  os.set_read_time(20ms);
  letters& blocks = make({10});
  block_work work;
  const std::uint64_t begin_ns = now_ns();
  {
    const io_detail::block_work_scope noted(work);
    EXPECT_EQ(read(blocks, 0, 1), "a");
  }
  const std::uint64_t all_ns = now_ns() - begin_ns;
  EXPECT_GE(work.packed_ns, 20'000'000u);
  EXPECT_LE(work.unpack_ns + work.packed_ns, all_ns);
}

TEST_F(block_store_test, tells_nothing_of_bytes_that_are_in_no_block) {
  letters& blocks = make({});
  ASSERT_TRUE(blocks.add_stored(20, 3));
  block_work work;
  {
    const io_detail::block_work_scope noted(work);
    EXPECT_EQ(read(blocks, 0, 2), "de");
  }
  EXPECT_FALSE(work.used);
  EXPECT_EQ(work.packed_bytes, 0u);
}

// Notes why its thread waits.
class wait_listener final : public wait_observer {
 public:
  explicit wait_listener(std::atomic<bool>& begun) : begun_(begun) { set_wait_observer(this); }
  ~wait_listener() override { set_wait_observer(nullptr); }
  void wait_begins(const char* reason) noexcept override {
    reasons.insert(reason);
    if (reason == std::string_view(wait_reasons::solid_block)) begun_ = true;
  }
  void wait_ends() noexcept override {}
  std::set<std::string> reasons;

 private:
  std::atomic<bool>& begun_;
};

TEST_F(block_store_test, says_that_a_reader_waits_for_another_that_unpacks) {
  letters& blocks = make({10});
  blocks.held = true;
  std::thread first([&] { EXPECT_EQ(read(blocks, 0, 1), "a"); });
  while (blocks.unpacked == 0) std::this_thread::yield();
  std::atomic<bool> waits{false};
  std::thread second([&] {
    const wait_listener listens(waits);
    block_work work;
    {
      const io_detail::block_work_scope noted(work);
      EXPECT_EQ(read(blocks, 1, 2), "aa");
    }
    EXPECT_GT(work.wait_ns, 0u);
    EXPECT_EQ(work.unpack_ns + work.packed_bytes, 0u);
    EXPECT_TRUE(listens.reasons.contains(wait_reasons::solid_block));
  });
  while (!waits) std::this_thread::yield();  // without the reason for ever
  blocks.held = false;
  first.join();
  second.join();
}

TEST_F(block_store_test, is_busy_while_the_packed_bytes_are_not_cached) {
  letters& blocks = make({10});
  std::byte byte{};
  block_work work;
  for (int i = 0; i < 2; ++i) {
    const io_detail::block_work_scope noted(work);
    EXPECT_EQ(blocks.read_cached_at(os_handle{1}, 0, {&byte, 1}).error().code, errc::busy);
    EXPECT_EQ(blocks.unpacked, 1) << "one try tells";
  }
  EXPECT_EQ(work.unpack_ns, 0u) << "a try that found nothing is not unpacking";
  EXPECT_EQ(work.packed_bytes, 0u);
  EXPECT_EQ(read(blocks, 0, 2), "aa") << "to fail so is not for ever";
  EXPECT_EQ(blocks.read_cached_at(os_handle{1}, 9, {&byte, 1}).value_or(0), 1u);
}

TEST_F(block_store_test, reads_what_precedes_the_damage_and_unpacks_once) {
  letters& blocks = make({10, 10});
  blocks.broken = 0;
  EXPECT_EQ(read(blocks, 0, 5), "aaaaa");
  EXPECT_EQ(read(blocks, 1, 5), "error: corrupt");
  EXPECT_EQ(read(blocks, 9, 1), "error: corrupt");
  EXPECT_EQ(read(blocks, 10, 2), "bb");
  EXPECT_EQ(blocks.unpacked, 2);
}

TEST_F(block_store_test, unpacks_a_wholly_broken_block_once) {
  letters& blocks = make({1});
  blocks.broken = 0;
  EXPECT_EQ(read(blocks, 0, 1), "error: corrupt");
  EXPECT_EQ(read(blocks, 0, 1), "error: corrupt");
  EXPECT_EQ(blocks.unpacked, 1);
  EXPECT_EQ(blocks.kept_bytes(), 0u);
}

TEST_F(block_store_test, keeps_no_more_than_the_limit) {
  constexpr std::uint64_t size = limits::blocks_kept_bytes / 4;
  letters& blocks = make(std::vector<std::uint64_t>(8, size));
  blocks.only_first = true;
  std::uint64_t most = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < 8; ++i) {
      EXPECT_EQ(read(blocks, i * size, 1), std::string(1, static_cast<char>('a' + i)));
      most = std::max(most, blocks.kept_bytes());
    }
  }
  EXPECT_EQ(most, limits::blocks_kept_bytes);
  EXPECT_LE(memory.total().peak_bytes, limits::blocks_kept_bytes + 100'000);
  EXPECT_GT(blocks.unpacked, 8);
}

TEST_F(block_store_test, refuses_a_block_beyond_the_limit) {
  letters& blocks = make({});
  EXPECT_EQ(blocks.add_block(limits::block_bytes_max + 1).error().code, errc::limit);
  EXPECT_TRUE(blocks.add_stored(std::uint64_t{1} << 40, 0)) << "what is not packed needs no memory";
}

TEST_F(block_store_test, reads_stored_data_directly) {
  letters& blocks = make({2});
  EXPECT_EQ(blocks.add_stored(20, 3).value_or(0), 2u);
  EXPECT_EQ(read(blocks, 0, 6), "aadefg");
  EXPECT_EQ(read(blocks, 10, 12), alphabet.substr(11, 12));
  EXPECT_EQ(blocks.kept_bytes(), 2u);
}

TEST_F(block_store_test, says_where_stored_data_lies_in_one_piece) {
  letters& blocks = make({2});
  ASSERT_TRUE(blocks.add_stored(5, 3));   // from 2 on
  ASSERT_TRUE(blocks.add_stored(5, 8));   // from 7 on, right behind it
  ASSERT_TRUE(blocks.add_stored(5, 20));  // from 12 on, elsewhere
  EXPECT_EQ(blocks.stored_at(2, 5).value_or(0), 3u);
  EXPECT_EQ(blocks.stored_at(4, 8).value_or(0), 5u) << "in two blocks";
  EXPECT_EQ(blocks.stored_at(16, 1).value_or(0), 24u);
  EXPECT_STREQ(blocks.stored_at(11, 2).error().reason, "the file is in several pieces");
  for (const auto& [offset, bytes] : {std::pair(0u, 2u), std::pair(1u, 2u), std::pair(16u, 2u)}) {
    EXPECT_EQ(blocks.stored_at(offset, bytes).error().code, errc::unsupported) << offset;
  }
}

TEST_F(block_store_test, without_memory_fails_and_retries_later) {
  failing_allocator short_of_it(2);
  {
    letters blocks(short_of_it, os, file, {10});
    EXPECT_EQ(read(blocks, 0, 1), "error: out_of_memory");
    EXPECT_EQ(read(blocks, 0, 1), "a");
  }
  EXPECT_EQ(short_of_it.live_bytes(), 0);
}

TEST_F(block_store_test, frees_all_memory) {
  EXPECT_EQ(read(make({100, 100}), 50, 100), std::string(50, 'a') + std::string(50, 'b'));
  store.reset();
  EXPECT_EQ(memory.total().bytes, 0u);
}

struct counted_blocks : block_store_test {
  static constexpr std::uint64_t mib = 1u << 20;
  letters& make_counted(std::vector<std::uint64_t> sizes) {
    letters& made = make(std::move(sizes));
    made.use_ledger(ledger);
    return made;
  }
  ~counted_blocks() override {
    store.reset();
    EXPECT_EQ(ledger.used(), 0u);
  }
  memory_ledger ledger{4 * mib};
};

TEST_F(counted_blocks, are_evicted_when_the_ledger_is_short_of_room) {
  letters& blocks = make_counted({2 * mib, 2 * mib, 3 * mib});
  EXPECT_EQ(read(blocks, 0, 1), "a");
  EXPECT_EQ(read(blocks, 2 * mib, 1), "b");
  EXPECT_EQ(ledger.used(), 4 * mib);
  EXPECT_EQ(read(blocks, 4 * mib, 1), "c");
  EXPECT_EQ(ledger.used(), 3 * mib);
  EXPECT_EQ(blocks.kept_bytes(), 3 * mib);
  bool ticket = false;
  EXPECT_TRUE(ledger.take(4 * mib, memory_tag::load, ticket));
  EXPECT_FALSE(ticket);
  EXPECT_EQ(blocks.kept_bytes(), 0u);
  ledger.give_back(4 * mib, memory_tag::load);
}

TEST_F(counted_blocks, fail_readers_that_cannot_wait_but_not_for_ever) {
  letters& blocks = make_counted({2 * mib, 3 * mib, 10});
  bool ticket = false;
  ASSERT_TRUE(ledger.take(5 * mib, memory_tag::load, ticket));
  EXPECT_EQ(read(blocks, 0, 1), "error: limit");
  EXPECT_EQ(read(blocks, 5 * mib, 1), "c") << "small ones are never refused";
  ledger.give_back(5 * mib, memory_tag::load);
  ledger.end_item(ticket);
  EXPECT_EQ(read(blocks, 0, 1), "a");
}

TEST_F(counted_blocks, are_held_with_room_that_was_taken_for_them) {
  letters& blocks = make_counted({2 * mib, 3 * mib});
  EXPECT_EQ(blocks.missing_room(1), 2 * mib);
  ledger.add(2 * mib, memory_tag::vfs);
  bool ticket = false;
  EXPECT_TRUE(blocks.hold_block(0, 2 * mib, ticket));
  EXPECT_EQ(blocks.missing_room(1), 0u) << "the second file finds the room taken";
  EXPECT_TRUE(blocks.hold_block(1, 0, ticket));
  ledger.add(2 * mib, memory_tag::vfs);
  EXPECT_TRUE(blocks.hold_block(2, 2 * mib, ticket)) << "of two that took room, one gets it back";
  EXPECT_EQ(ledger.used(), 2 * mib);
  EXPECT_EQ(read(blocks, 0, 2), "aa");
  // A held block is not evicted.
  ledger.add(10 * mib, memory_tag::load);
  EXPECT_TRUE(ledger.take(mib, memory_tag::load, ticket));
  EXPECT_EQ(blocks.kept_bytes(), 2 * mib);
  ledger.give_back(11 * mib, memory_tag::load);
  ledger.end_item(ticket);
  for (int i = 0; i < 3; ++i) blocks.release_block(0);
  blocks.reclaim(1);
  EXPECT_EQ(blocks.kept_bytes(), 0u);
  EXPECT_FALSE(blocks.hold_block(0, 0, ticket)) << "it was evicted, so room must be taken again";
}

TEST_F(counted_blocks, give_room_back_if_they_are_never_read) {
  letters& blocks = make_counted({2 * mib});
  ledger.add(2 * mib, memory_tag::vfs);
  bool ticket = false;
  ASSERT_TRUE(blocks.hold_block(0, 2 * mib, ticket));
  blocks.release_block(0);
  EXPECT_EQ(ledger.used(), 0u);
}

TEST_F(counted_blocks, keep_the_ticket_while_other_files_hold_them) {
  letters& blocks = make_counted({6 * mib});
  bool ticket = false;
  ASSERT_TRUE(ledger.take(6 * mib, memory_tag::vfs, ticket));
  ASSERT_TRUE(ticket);
  EXPECT_TRUE(blocks.hold_block(0, 6 * mib, ticket));
  EXPECT_FALSE(ticket) << "the block has it";
  EXPECT_TRUE(blocks.hold_block(1, 0, ticket));
  EXPECT_TRUE(blocks.has_ticket(1));
  EXPECT_EQ(read(blocks, 0, 1), "a");
  blocks.release_block(0);
  bool other = false;
  EXPECT_FALSE(ledger.take(1, memory_tag::vfs, other));
  blocks.release_block(1);
  EXPECT_TRUE(ledger.take(1, memory_tag::vfs, other));
  EXPECT_FALSE(other) << "the idle block was evicted";
  ledger.give_back(1, memory_tag::vfs);
}

TEST_F(counted_blocks, leave_the_ticket_to_a_caller_whose_room_is_not_needed) {
  letters& blocks = make_counted({2 * mib});
  bool none = false;
  ledger.add(2 * mib, memory_tag::vfs);
  ASSERT_TRUE(blocks.hold_block(0, 2 * mib, none));
  bool ticket = false;
  ASSERT_TRUE(ledger.take(4 * mib, memory_tag::vfs, ticket));
  ASSERT_TRUE(ticket);
  EXPECT_TRUE(blocks.hold_block(1, 4 * mib, ticket));
  EXPECT_TRUE(ticket);
  EXPECT_FALSE(blocks.has_ticket(1));
  EXPECT_EQ(ledger.used(), 2 * mib);
  ledger.end_item(ticket);
  for (int i = 0; i < 2; ++i) blocks.release_block(0);
}

TEST_F(counted_blocks, give_room_back_if_they_are_damaged_or_not_cached) {
  letters& blocks = make_counted({2 * mib, 2 * mib});
  std::byte byte{};
  EXPECT_EQ(blocks.read_cached_at(os_handle{1}, 0, {&byte, 1}).error().code, errc::busy);
  EXPECT_EQ(ledger.used(), 0u);
  blocks.broken = 0;
  EXPECT_EQ(read(blocks, 0, 1), "a");
  EXPECT_EQ(read(blocks, 2 * mib - 1, 1), "error: corrupt");
  EXPECT_EQ(ledger.used(), 2 * mib);
}

}  // namespace
}  // namespace overture::archives_detail::block_store_test
