// SPDX-License-Identifier: Zlib
//
// Start packs: the format, what is read ahead, and what a pack may not do.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "overture/base/thread.hpp"
#include "start_pack/pack_reader.hpp"
#include "start_pack/pack_writer.hpp"
#include "start_pack/settling.hpp"
#include "support/failing_allocator.hpp"
#include "support/fake_os.hpp"

namespace overture::start_pack::start_pack_test {
namespace {

constexpr const char* place = "/cache/game.pack";
constexpr identity real{1, 2, 3, 4};

struct source {
  std::string path;
  std::string name;
  std::string content;
};

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::vector<source> some_files() {
  std::vector<source> files;
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    files.push_back({"/games/" + number + ".png", "", std::string(1000, static_cast<char>(i * 7))});
  }
  files.push_back({"/games/mod.zip", "maps/rome", std::string(100'000, 'r')});
  files.push_back({"/games/mod.zip", "empty", ""});
  return files;
}

void write(test::fake_os& os, const std::vector<source>& files) {
  os.add_folder("/cache");
  const result<os_handle> file = os.create(place);
  ASSERT_TRUE(file);
  pack_writer writer(os, *file, default_allocator());
  for (const source& each : files) {
    ASSERT_TRUE(writer.add(each.path, each.name, real, bytes_of(each.content)));
  }
  ASSERT_TRUE(writer.finish("/usr/games/game"));
  os.close(*file);
}

result<pack_index> read_index(test::fake_os& os, allocator& memory = default_allocator()) {
  const result<os_handle> file = os.open(place);
  if (!file) return tl::unexpected(file.error());
  result<pack_index> made = pack_index::read(os, *file, memory);
  os.close(*file);
  return made;
}

class open_pack {
 public:
  explicit open_pack(test::fake_os& os, const reader_config& config = {}) {
    const result<os_handle> file = os.open(place);
    EXPECT_TRUE(file);
    const result<pack_reader*> opened =
        pack_reader::open(os, *file, default_thread_factory(), default_allocator(), config);
    EXPECT_TRUE(opened);
    if (opened) reader = *opened;
  }
  ~open_pack() {
    if (reader) reader->close();
  }
  open_pack(const open_pack&) = delete;
  open_pack& operator=(const open_pack&) = delete;

  [[nodiscard]] std::string take(const source& file) const {
    const result<blob> content = reader->take(file.path, file.name, real);
    if (!content) return std::string("error: ") + to_string(content.error().code);
    return {reinterpret_cast<const char*>(content->data()), content->size()};
  }

  pack_reader* reader = nullptr;
};

TEST(start_pack, has_what_was_written_in_that_order) {
  test::fake_os os;
  write(os, some_files());
  const result<pack_index> index = read_index(os);
  ASSERT_TRUE(index) << index.error().reason;
  EXPECT_EQ(index->program(), "/usr/games/game");
  ASSERT_EQ(index->entries().size(), 22u);
  std::uint64_t end = header_bytes;
  for (const entry& each : index->entries()) {
    EXPECT_EQ(each.offset, end);
    end += each.packed_bytes;
  }
  EXPECT_EQ(index->entries()[20].name, "maps/rome");
  EXPECT_EQ(index->entries()[20].packing, method::deflate) << "packed to less than half";
  EXPECT_EQ(index->entries()[0].packing, method::stored);
  EXPECT_EQ(index->find("/games/7.png", ""), 7u);
  EXPECT_EQ(index->find("/games/7.png", "x"), pack_index::none);
  EXPECT_EQ(index->find("/games/mod.zip", "empty"), 21u);
}

TEST(start_pack, gives_each_file_in_any_order_and_as_often_as_asked) {
  test::fake_os os;
  const std::vector<source> files = some_files();
  write(os, files);
  const open_pack pack(os);
  for (const source& each : files) EXPECT_EQ(pack.take(each), each.content) << each.path;
  for (std::size_t i = files.size(); i-- > 0;) EXPECT_EQ(pack.take(files[i]), files[i].content);
}

TEST(start_pack, does_not_have_a_file_that_has_changed_or_is_missing) {
  test::fake_os os;
  write(os, some_files());
  const open_pack pack(os);
  for (const identity& other :
       {identity{9, 2, 3, 4}, identity{1, 9, 3, 4}, identity{1, 2, 9, 4}, identity{1, 2, 3, 9}}) {
    const result<blob> changed = pack.reader->take("/games/1.png", "", other);
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().code, errc::not_found);
  }
  EXPECT_EQ(pack.take({"/games/none", "", ""}), "error: not_found");
}

TEST(start_pack, is_read_by_several_threads_at_once) {
  test::fake_os os;
  const std::vector<source> files = some_files();
  write(os, files);
  const open_pack pack(os, {.ahead_bytes_max = 3000, .wait_bytes_max = 5000});
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < files.size(); ++i) {
        const source& file = files[(i * (t + 1)) % files.size()];
        EXPECT_EQ(pack.take(file), file.content);
      }
    });
  }
  for (std::thread& each : threads) each.join();
}

// Nothing is taken before the last file: the thread may hold three of them.
TEST(start_pack, holds_no_more_than_it_may_and_gives_up_what_is_not_wanted) {
  test::fake_os os;
  const std::vector<source> files = some_files();
  write(os, files);
  const open_pack pack(os, {.ahead_bytes_max = 3000, .wait_bytes_max = 1 << 20});
  EXPECT_EQ(pack.take(files[19]), files[19].content);
  EXPECT_EQ(pack.take(files[0]), files[0].content) << "read again";
  EXPECT_EQ(pack.take(files[20]), files[20].content) << "alone larger than what may be held";
}

TEST(start_pack, that_is_closed_at_once_ends) {
  test::fake_os os;
  write(os, some_files());
  for (int i = 0; i < 50; ++i) const open_pack pack(os, {.ahead_bytes_max = 1000});
  EXPECT_EQ(os.open_handles(), 0u);
}

TEST(start_pack, with_damaged_data_fails_for_that_file_alone) {
  test::fake_os os;
  const std::vector<source> files = some_files();
  write(os, files);
  std::string bytes = *os.content(place);
  bytes[header_bytes + 5 * 1000 + 1] ^= 1;
  os.add_file(place, bytes);
  const open_pack pack(os);
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(pack.take(files[i]), i == 5 ? "error: corrupt" : files[i].content);
  }
}

TEST(start_pack, damaged_anywhere_gives_right_bytes_or_errors) {
  test::fake_os os;
  const std::vector<source> files = {{"/a", "", "hello"}, {"/b", "c", std::string(5000, 'c')}};
  write(os, files);
  const std::string whole = *os.content(place);
  const auto check = [&](const std::string& bytes) {
    os.add_file(place, bytes);
    const result<os_handle> file = os.open(place);
    const result<pack_reader*> opened =
        pack_reader::open(os, *file, default_thread_factory(), default_allocator());
    if (!opened) return;
    for (const source& each : files) {
      const result<blob> content = (*opened)->take(each.path, each.name, real);
      if (!content) continue;
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(content->data()), content->size()),
                each.content);
    }
    (*opened)->close();
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    check(bytes);
    check(whole.substr(0, at));
  }
  check(whole + "more");
  EXPECT_EQ(os.open_handles(), 0u);
}

// Comparing each with all would take hours.
TEST(start_pack, may_have_one_name_very_often) {
  test::fake_os os;
  write(os, std::vector<source>(300'000, {"/a", "", ""}));
  const result<pack_index> index = read_index(os);
  ASSERT_TRUE(index);
  EXPECT_EQ(index->find("/a", ""), 0u);
}

TEST(start_pack, without_memory_is_an_error) {
  test::fake_os os;
  write(os, some_files());
  for (std::uint64_t call = 0;; ++call) {
    failing_allocator memory(call);
    const result<pack_index> index = read_index(os, memory);
    if (memory.refusals() == 0) break;
    ASSERT_FALSE(index);
    EXPECT_EQ(index.error().code, errc::out_of_memory);
  }
}

TEST(start_pack, that_cannot_be_written_is_none) {
  for (std::uint64_t call = 0;; ++call) {
    test::fake_os os;
    os.add_folder("/cache");
    const result<os_handle> file = os.create(place);
    os.fail_call(test::os_call::write, call, ENOSPC);
    pack_writer writer(os, *file, default_allocator());
    bool done = true;
    for (const source& each : some_files()) {
      done = done && writer.add(each.path, each.name, real, bytes_of(each.content)).has_value();
    }
    done = done && writer.finish("/usr/games/game").has_value();
    os.close(*file);
    EXPECT_EQ(read_index(os).has_value(), done) << call;
    if (done) break;
  }
}

TEST(settling, takes_two_seconds_after_the_last_change) {
  constexpr std::int64_t second = 1'000'000'000;
  constexpr std::int64_t now = 1'700'000'000 * second;
  EXPECT_EQ(settles_in_ns(now - 3 * second, now), 0);
  EXPECT_EQ(settles_in_ns(now - 2 * second, now), 0);
  EXPECT_EQ(settles_in_ns(now - 2 * second + 1, now), 1);
  EXPECT_EQ(settles_in_ns(now, now), 2 * second);
  EXPECT_EQ(settles_in_ns(now + second, now), 3 * second) << "another machine's clock";
  EXPECT_GT(settles_in_ns(INT64_MAX, now), 2 * second);
  EXPECT_EQ(settles_in_ns(INT64_MIN, now), 0);
  EXPECT_GT(settles_in_ns(0, now), 2 * second) << "unknown";
}

TEST(start_pack, does_not_take_a_file_that_is_too_large) {
  test::fake_os os;
  os.add_folder("/cache");
  const result<os_handle> file = os.create(place);
  pack_writer writer(os, *file, default_allocator());
  const std::vector<std::byte> large(entry_bytes_max + 1);
  const result<void> added = writer.add("/large", "", real, large);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, errc::limit);
  EXPECT_EQ(writer.entry_count(), 0u);
  os.close(*file);
}

}  // namespace
}  // namespace overture::start_pack::start_pack_test
