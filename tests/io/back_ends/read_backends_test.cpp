// SPDX-License-Identifier: Zlib
//
// What every way of reading has to do, on real files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "io/opened_files.hpp"
#include "overture/io/handle_cache.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/sync/countdown.hpp"
#include "support/platform.hpp"
#include "support/temp_folder.hpp"

namespace overture::read_backends_test {
namespace {

struct way_of_reading {
  const char* name;
  read_backend backend;
  bool cached;  // files are opened when they are read, or were before
};

// Files of one of two kinds.
class some_files {
 public:
  explicit some_files(bool cached) : cached_(cached) {}
  source_id open(const std::string& path) {
    return cached_ ? cache_.add(path).value_or(source_id{}) : opened_.open(path);
  }
  operator source_files&() {  // NOLINT(google-explicit-constructor): it stands for them
    return cached_ ? static_cast<source_files&>(cache_) : opened_;
  }

 private:
  bool cached_;
  opened_files opened_;
  handle_cache cache_;
};

class read_backend_test : public testing::TestWithParam<way_of_reading> {
 protected:
  void SetUp() override {
    const read_queue probe(files, how());
    if (probe.backend() != GetParam().backend) {
      GTEST_SKIP() << "the kernel does not allow io_uring here";
    }
  }
  static read_queue_config how() { return {.backend = GetParam().backend}; }
  result<void> read_one(read_queue& reads, source_id source, std::uint64_t offset,
                        std::span<std::byte> bytes) {
    countdown left(1);
    read_request request{.source = source, .offset = offset, .destination = bytes};
    request.counter = &left;
    reads.submit({&request, 1});
    left.wait();
    reads.drain();
    return request.outcome;
  }

  temp_folder folder;
  some_files files{GetParam().cached};
};

std::string some_text(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::mt19937 chance(3);
  for (char& each : text) each = static_cast<char>(chance());
  return text;
}

TEST_P(read_backend_test, reads_many_pieces_of_many_files) {
  const std::string text = some_text(300'000);
  constexpr std::size_t file_count = 4;
  for (std::size_t i = 0; i < file_count; ++i) {
    (void)files.open(folder.write("file" + std::to_string(i), text));
  }
  read_queue reads(files, how());
  std::mt19937 chance(5);
  constexpr std::size_t count = 2'000;
  std::vector<std::vector<std::byte>> room(count);
  std::vector<read_request> requests(count);
  countdown left(count);
  for (std::size_t i = 0; i < count; ++i) {
    room[i].resize(1 + chance() % 5'000);
    requests[i].source = {static_cast<std::uint32_t>(chance() % file_count), 1};
    requests[i].offset = chance() % (text.size() - room[i].size());
    requests[i].destination = room[i];
    requests[i].priority = static_cast<read_priority>(chance() % 6);
    requests[i].counter = &left;
  }
  for (std::size_t i = 0; i < count; i += 50) reads.submit({&requests[i], 50});
  left.wait();
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(requests[i].outcome);
    ASSERT_EQ(std::memcmp(room[i].data(), text.data() + requests[i].offset, room[i].size()), 0);
  }
  reads.drain();
  EXPECT_LT(reads.stats().reads, count) << "neighbours are read together";
}

TEST_P(read_backend_test, a_file_over_four_gigabytes) {
  const std::string path = folder / "sparse";
  const std::uint64_t at = (std::uint64_t{5} << 30) + 12'345;
  {
    std::ofstream out(path, std::ios::binary);
    out.seekp(static_cast<std::streamoff>(at));
    out << "far away";
    if (!out.flush()) GTEST_SKIP() << "no sparse files here";
  }
  const source_id file = files.open(path);
  read_queue reads(files, how());
  std::byte bytes[8];
  ASSERT_TRUE(read_one(reads, file, at, bytes));
  EXPECT_EQ(std::memcmp(bytes, "far away", 8), 0);
  ASSERT_TRUE(read_one(reads, file, at - 8, bytes));
  EXPECT_EQ(std::memcmp(bytes, "\0\0\0\0\0\0\0\0", 8), 0);
  const result<void> beyond = read_one(reads, file, at + 1, bytes);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, errc::truncated);
  EXPECT_EQ(beyond.error().source, file);
}

TEST_P(read_backend_test, what_is_not_a_file_fails_and_delays_no_other_read) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const source_id good = files.open(folder.write("good", "12345678"));
  const source_id pipe = files.open(fifo);
  const source_id directory = files.open(folder.path().string());
  ASSERT_TRUE(pipe.valid());
  ASSERT_TRUE(directory.valid());
  read_queue reads(files, how());
  std::byte bytes[8];
  for (const source_id bad : {pipe, directory}) {
    const result<void> read = read_one(reads, bad, 0, bytes);
    ASSERT_FALSE(read);
    // A FIFO without a writer is empty on some systems.
    EXPECT_TRUE(read.error().os_error != 0 || read.error().code == errc::truncated);
    EXPECT_EQ(read.error().source, bad);
    EXPECT_TRUE(read_one(reads, good, 0, bytes));
  }
  const result<void> unknown = read_one(reads, {77, 1}, 0, bytes);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, errc::not_found);
  EXPECT_TRUE(read_one(reads, good, 8, {}));
}

TEST_P(read_backend_test, files_of_proc_read_what_they_have) {
  const source_id file = files.open("/proc/self/cmdline");
  if (!file.valid()) GTEST_SKIP() << "no /proc here";
  read_queue reads(files, how());
  std::byte bytes[4];
  EXPECT_TRUE(read_one(reads, file, 0, bytes));
  std::vector<std::byte> too_much(1 << 20);
  const result<void> read = read_one(reads, file, 0, too_much);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errc::truncated);
}

TEST_P(read_backend_test, ends_with_requests_in_flight_and_queued) {
  const std::string text = some_text(1 << 20);
  const source_id file = files.open(folder.write("file", text));
  for (int round = 0; round < 20; ++round) {
    std::vector<std::byte> room(200 * 1'000);
    std::vector<read_request> requests(200);
    countdown left(200);
    {
      read_queue_config config = how();
      config.merge_bytes_max = 0;
      read_queue reads(files, config);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        requests[i].source = file;
        requests[i].offset = i * 5'000;
        requests[i].destination = std::span(room).subspan(i * 1'000, 1'000);
        requests[i].counter = &left;
      }
      reads.submit(requests);
    }
    ASSERT_TRUE(left.is_done());
    for (const read_request& each : requests) {
      if (each.outcome) {
        ASSERT_EQ(std::memcmp(each.destination.data(), text.data() + each.offset, 1'000), 0);
      } else {
        ASSERT_EQ(each.outcome.error().code, errc::cancelled);
      }
    }
  }
}

// Each is read once, so a ring opens, reads and closes it by one chain.
TEST_P(read_backend_test, reads_many_files_of_which_some_are_missing_or_too_short) {
  constexpr std::size_t count = 300;
  const std::string text = some_text(9'000);
  std::vector<source_id> sources;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "file" + std::to_string(i);
    if (i % 10 == 3) {
      sources.push_back(files.open((folder.path() / name).string()));
    } else {
      sources.push_back(files.open(folder.write(name, text.substr(i, i % 10 == 7 ? 50 : 5'000))));
    }
  }
  // Half of all destinations, as a host's own room would be.
  std::vector<std::byte> room(count * 5'000);
  const std::span<std::byte> kept = std::span(room).first(room.size() / 2);
  read_queue_config config = how();
  config.registered = {&kept, 1};
  read_queue reads(files, config);
  std::vector<read_request> requests(2 * count);
  countdown left(2 * count);
  for (std::size_t i = 0; i < requests.size(); ++i) {  // two halves of each, read together
    const std::size_t at = i / 2;
    requests[i].source = sources[at];
    requests[i].offset = i % 2 * 2'500;
    requests[i].destination = std::span(room).subspan(i * 2'500, 2'500);
    requests[i].counter = &left;
  }
  reads.submit(requests);
  left.wait();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const result<void>& outcome = requests[i].outcome;
    const std::size_t at = i / 2;
    if (at % 10 == 3) {
      ASSERT_FALSE(outcome);
      EXPECT_EQ(outcome.error().code, errc::not_found);
    } else if (at % 10 == 7) {
      ASSERT_FALSE(outcome);
      EXPECT_EQ(outcome.error().code, errc::truncated);
      EXPECT_EQ(outcome.error().source, sources[at]);
    } else {
      ASSERT_TRUE(outcome) << at;
      ASSERT_EQ(
          std::memcmp(requests[i].destination.data(), text.data() + at + i % 2 * 2'500, 2'500), 0);
    }
  }
  reads.drain();
}

TEST_P(read_backend_test, wakes_from_sleep_for_each_of_many_threads) {
  const source_id file = files.open(folder.write("file", some_text(10'000)));
  read_queue reads(files, how());
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 200; ++i) {
        std::byte byte{};
        countdown left(1);
        read_request request{.source = file, .offset = (t * 1'000 + i * 7) % 10'000};
        request.destination = {&byte, 1};
        request.counter = &left;
        reads.submit({&request, 1});
        left.wait();
        EXPECT_TRUE(request.outcome);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(reads.stats().requests, 600u);
}

INSTANTIATE_TEST_SUITE_P(
    All, read_backend_test,
    testing::Values(way_of_reading{"threads", read_backend::threads, false},
                    way_of_reading{"uring", read_backend::uring, false},
                    way_of_reading{"threads_opening", read_backend::threads, true},
                    way_of_reading{"uring_opening", read_backend::uring, true}),
    [](const testing::TestParamInfo<way_of_reading>& which) { return which.param.name; });

}  // namespace
}  // namespace overture::read_backends_test
