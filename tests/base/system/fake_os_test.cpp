// SPDX-License-Identifier: Zlib
//
// Features of the fake that a real operating system lacks.
#include "support/fake_os.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

namespace overture::test::fake_os_test {
namespace {

result<std::string> read_file(operating_system& os, const char* path, std::size_t size) {
  const result<os_handle> file = os.open(path);
  if (!file) return tl::unexpected<error>(file.error());
  std::string text(size, '\0');
  const auto done = read_fully(os, *file, 0, std::as_writable_bytes(std::span{text}));
  os.close(*file);
  if (!done) return tl::unexpected<error>(done.error());
  return text;
}

class fake_os_test : public ::testing::Test {
 protected:
  fake_os_test() { os.add_file("/game/one.txt", "0123456789"); }
  result<std::string> read() { return read_file(os, "/game/one.txt", 10); }

  fake_os os;
};

TEST_F(fake_os_test, calls_are_counted_by_kind) {
  ASSERT_TRUE(read());
  (void)os.status("/game", true);
  (void)os.list("/game", [](const folder_entry&) noexcept {});
  EXPECT_EQ(os.calls(os_call::open), 1u);
  EXPECT_EQ(os.calls(os_call::read), 1u);
  EXPECT_EQ(os.calls(os_call::close), 1u);
  EXPECT_EQ(os.calls(os_call::status), 1u);
  EXPECT_EQ(os.calls(os_call::list), 1u);
  EXPECT_EQ(os.calls(), 5u);
  os.reset_plan();
  EXPECT_EQ(os.calls(), 0u);
}

TEST_F(fake_os_test, a_planned_call_fails_with_its_errno_and_no_other) {
  os.fail_call(os_call::open, 1, EMFILE);
  EXPECT_TRUE(read());
  const auto second = read();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, errc::limit);
  EXPECT_EQ(second.error().os_error, EMFILE);
  EXPECT_TRUE(read());
}

TEST_F(fake_os_test, several_calls_in_a_row_can_fail) {
  os.fail_call(os_call::read, 1, EIO, 2);
  EXPECT_TRUE(read());
  EXPECT_EQ(read().error().code, errc::io);
  EXPECT_EQ(read().error().code, errc::io);
  EXPECT_TRUE(read());
  os.fail_call(os_call::read, 0, EIO, UINT64_MAX);
  EXPECT_FALSE(read());
  EXPECT_EQ(os.open_handles(), 0u);
}

TEST_F(fake_os_test, each_kind_of_call_can_fail) {
  const os_handle folder = *os.open("/game");
  const os_handle file = *os.open("/game/one.txt");
  os.fail_call(os_call::any, os.calls(), EACCES, UINT64_MAX);
  std::array<std::byte, 1> bytes{};
  std::array<char, 100> text{};
  EXPECT_EQ(os.open("/game").error().code, errc::permission);
  EXPECT_EQ(os.open_below(folder, "one.txt").error().code, errc::permission);
  EXPECT_EQ(os.status(file).error().code, errc::permission);
  EXPECT_EQ(os.status("/game", true).error().code, errc::permission);
  EXPECT_EQ(os.read_at(file, 0, bytes).error().code, errc::permission);
  EXPECT_EQ(os.read_cached_at(file, 0, bytes).error().code, errc::permission);
  EXPECT_EQ(os.list("/game", [](const folder_entry&) noexcept {}).error().code, errc::permission);
  EXPECT_EQ(os.canonical_path("/game", text).error().code, errc::permission);
  EXPECT_EQ(os.map(file).error().code, errc::permission);
  os.close(file);
  os.close(folder);
  EXPECT_EQ(os.open_handles(), 0u);
}

TEST_F(fake_os_test, every_call_of_a_task_can_fail_in_turn) {
  ASSERT_TRUE(read());
  const std::uint64_t calls = os.calls();
  int failures = 0;
  for (std::uint64_t i = 0; i < calls; ++i) {
    os.reset_plan();
    os.fail_call(os_call::any, i, EIO);
    if (!read()) ++failures;
    EXPECT_EQ(os.open_handles(), 0u);
  }
  EXPECT_EQ(failures, 2);  // close() cannot fail
}

TEST_F(fake_os_test, an_interrupted_call_goes_on) {
  os.fail_call(os_call::read, 0, EINTR);
  EXPECT_EQ(read().value_or(""), "0123456789");
  EXPECT_EQ(os.interrupted_calls(), 1u);
}

TEST_F(fake_os_test, reads_can_be_short) {
  os.shorten_reads(3);
  EXPECT_EQ(read().value_or(""), "0123456789");
  EXPECT_EQ(os.calls(os_call::read), 4u);
}

TEST_F(fake_os_test, one_read_can_be_short) {
  os.shorten_reads(1, 1, 1);
  EXPECT_TRUE(read());
  EXPECT_EQ(os.calls(os_call::read), 1u);
  EXPECT_EQ(read().value_or(""), "0123456789");
  EXPECT_EQ(os.calls(os_call::read), 3u);
}

TEST_F(fake_os_test, reads_are_short_at_random_and_the_same_for_one_seed) {
  const std::string bytes(1000, 'x');
  std::vector<std::uint64_t> reads;
  for (const std::uint64_t seed : {1u, 1u, 2u, 3u, 4u}) {
    fake_os random;
    random.add_file("/file", bytes);
    random.shorten_reads_at_random(seed);
    EXPECT_EQ(read_file(random, "/file", bytes.size()).value_or(""), bytes);
    reads.push_back(random.calls(os_call::read));
  }
  EXPECT_GT(reads[0], 1u);
  EXPECT_EQ(reads[0], reads[1]);
  EXPECT_NE(reads, std::vector<std::uint64_t>(reads.size(), reads[0]));
}

TEST_F(fake_os_test, a_file_can_vanish_before_it_is_opened) {
  os.at_call(os_call::open, 0, [&] { os.remove("/game/one.txt"); });
  EXPECT_EQ(read().error().code, errc::not_found);
}

TEST_F(fake_os_test, a_file_can_shrink_between_two_reads) {
  os.shorten_reads(4);
  os.at_call(os_call::read, 1, [&] { os.truncate("/game/one.txt", 6); });
  const auto text = read();
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, errc::truncated);
  EXPECT_EQ(text.error().offset, 6u);
}

TEST_F(fake_os_test, a_replaced_file_stays_readable_through_its_handles) {
  const os_handle old = *os.open("/game/one.txt");
  const auto mapped = os.map(old);
  os.add_file("/game/one.txt", "new");
  EXPECT_EQ(read_file(os, "/game/one.txt", 3).value_or(""), "new");
  std::array<std::byte, 1> first{};
  EXPECT_EQ(os.read_at(old, 0, first).value_or(0), 1u);
  EXPECT_EQ(first[0], std::byte{'0'});
  EXPECT_EQ(mapped->data[9], std::byte{'9'});
  EXPECT_NE(os.status(old)->mtime_ns, os.status("/game/one.txt", true)->mtime_ns);
  os.unmap(*mapped);
  os.close(old);
}

TEST_F(fake_os_test, an_appended_file_grows_under_its_handles) {
  const os_handle file = *os.open("/game/one.txt");
  const std::int64_t before = os.status(file)->mtime_ns;
  os.append("/game/one.txt", "abc");
  EXPECT_EQ(os.status(file)->size, 13u);
  EXPECT_GT(os.status(file)->mtime_ns, before);
  os.close(file);
}

TEST_F(fake_os_test, removing_a_folder_removes_what_lies_below_it_only) {
  os.add_file("/game2/two.txt", "2");
  os.remove("/game");
  EXPECT_EQ(os.status("/game/one.txt", true).error().code, errc::not_found);
  EXPECT_TRUE(os.status("/game2/two.txt", true));
}

TEST_F(fake_os_test, a_folder_that_is_added_again_keeps_its_files) {
  os.add_folder("/game");
  EXPECT_TRUE(read());
}

TEST_F(fake_os_test, changing_what_is_no_file_is_a_mistake_of_the_test) {
  EXPECT_THROW(os.truncate("/game", 0), std::invalid_argument);
  EXPECT_THROW(os.append("/missing", "x"), std::invalid_argument);
}

TEST_F(fake_os_test, the_hook_hears_of_every_call_before_it_happens) {
  std::vector<os_call_info> heard;
  os.before_each_call([&](const os_call_info& call) {
    heard.push_back(call);
    if (call.kind == os_call::open) os.add_file("/game/one.txt", "ABCDEFGHIJ");  // no deadlock
  });
  EXPECT_EQ(read().value_or(""), "ABCDEFGHIJ");
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0].path, "/game/one.txt");
  EXPECT_EQ(heard[1].kind, os_call::read);
  EXPECT_EQ(heard[1].path, "/game/one.txt");
  EXPECT_EQ(heard[1].index, 0u);
  EXPECT_EQ(heard[1].total_index, 1u);
  EXPECT_EQ(heard[1].size, 10u);
  EXPECT_EQ(heard[2].kind, os_call::close);
}

TEST_F(fake_os_test, cached_reads_follow_the_switch) {
  const os_handle file = *os.open("/game/one.txt");
  std::array<std::byte, 4> bytes{};
  EXPECT_EQ(os.read_cached_at(file, 0, bytes).error().code, errc::busy);
  os.set_cached(true);
  EXPECT_EQ(os.read_cached_at(file, 8, bytes).value_or(0), 2u);
  EXPECT_EQ(os.calls(os_call::read_cached), 2u);
  EXPECT_EQ(os.calls(os_call::read), 0u);
  os.close(file);
}

TEST_F(fake_os_test, leaks_and_misuses_are_known) {
  const os_handle file = *os.open("/game/one.txt");
  const auto mapped = os.map(file);
  EXPECT_EQ(os.open_handles(), 1u);
  EXPECT_EQ(os.open_mappings(), 1u);
  os.unmap(*mapped);
  os.close(file);
  EXPECT_EQ(os.open_handles(), 0u);
  EXPECT_EQ(os.open_mappings(), 0u);
  EXPECT_EQ(os.misuses(), 0u);

  std::array<std::byte, 1> bytes{};
  os.close(file);
  EXPECT_EQ(os.read_at(file, 0, bytes).error().os_error, EBADF);
  os.unmap(*mapped);
  EXPECT_EQ(os.misuses(), 3u);
}

TEST_F(fake_os_test, threads_use_it_at_once) {
  os.shorten_reads_at_random(5);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const std::string path = "/game/" + std::to_string(t);
      for (int i = 0; i < 100; ++i) {
        os.add_file(path, std::to_string(i));
        EXPECT_EQ(read().value_or(""), "0123456789");
        os.remove(path);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(os.calls(os_call::open), 400u);
  EXPECT_EQ(os.open_handles(), 0u);
}

}  // namespace
}  // namespace overture::test::fake_os_test
