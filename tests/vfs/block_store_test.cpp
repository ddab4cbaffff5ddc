#include "vfs/formats/block_store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::vfs {
namespace {

// Block n is so many times the letter 'a' + n. What is packed is the letter, in a file.
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
  bool only_first = false;  // writes one byte of a block, so that the others cost no memory
  std::atomic<int> unpacked{0};
  std::atomic<bool> held{false};
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

TEST_F(block_store_test, has_its_blocks_side_by_side) {
  letters& blocks = make({3, 1, 4});
  EXPECT_EQ(read(blocks, 0, 8), "aaabcccc");
  EXPECT_EQ(read(blocks, 2, 3), "abc");
  EXPECT_EQ(read(blocks, 7, 1), "c");
  EXPECT_EQ(read(blocks, 7, 2), "error: truncated");
  EXPECT_EQ(read(blocks, 8, 1), "error: truncated");
  EXPECT_EQ(read(blocks, UINT64_MAX, 1), "error: truncated");
  EXPECT_EQ(blocks.status(os_handle{1})->size, 8u);
}

TEST_F(block_store_test, unpacks_a_block_once_for_all_its_readers) {
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

TEST_F(block_store_test, says_busy_to_a_reader_that_must_not_wait) {
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
TEST_F(block_store_test, is_busy_while_the_packed_bytes_are_on_the_disk) {
  letters& blocks = make({10});
  std::byte byte{};
  EXPECT_EQ(blocks.read_cached_at(os_handle{1}, 0, {&byte, 1}).error().code, errc::busy);
  EXPECT_EQ(read(blocks, 0, 2), "aa") << "to fail so is not for ever";
  EXPECT_EQ(blocks.read_cached_at(os_handle{1}, 9, {&byte, 1}).value_or(0), 1u);
}

TEST_F(block_store_test, gives_what_comes_before_the_damage_and_tries_once) {
  letters& blocks = make({10, 10});
  blocks.broken = 0;
  EXPECT_EQ(read(blocks, 0, 5), "aaaaa");
  EXPECT_EQ(read(blocks, 1, 5), "error: corrupt");
  EXPECT_EQ(read(blocks, 9, 1), "error: corrupt");
  EXPECT_EQ(read(blocks, 10, 2), "bb");
  EXPECT_EQ(blocks.unpacked, 2);
}

TEST_F(block_store_test, tries_once_what_cannot_be_read_at_all) {
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

TEST_F(block_store_test, reads_what_is_not_packed_where_it_lies) {
  letters& blocks = make({2});
  EXPECT_EQ(blocks.add_stored(20, 3).value_or(0), 2u);
  EXPECT_EQ(read(blocks, 0, 6), "aadefg");
  EXPECT_EQ(read(blocks, 10, 12), alphabet.substr(11, 12));
  EXPECT_EQ(blocks.kept_bytes(), 2u);
}

TEST_F(block_store_test, without_memory_says_so_and_tries_again) {
  failing_allocator short_of_it(1);
  {
    letters blocks(short_of_it, os, file, {10});
    EXPECT_EQ(read(blocks, 0, 1), "error: out_of_memory");
    EXPECT_EQ(read(blocks, 0, 1), "a");
  }
  EXPECT_EQ(short_of_it.live_bytes(), 0);
}

TEST_F(block_store_test, gives_back_all_memory) {
  EXPECT_EQ(read(make({100, 100}), 50, 100), std::string(50, 'a') + std::string(50, 'b'));
  store.reset();
  EXPECT_EQ(memory.total().bytes, 0u);
}

}  // namespace
}  // namespace overture::vfs
