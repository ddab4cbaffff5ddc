// SPDX-License-Identifier: Zlib
#include "overture/io/read_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "overture/sync/barricade.hpp"
#include "overture/sync/countdown.hpp"

namespace overture::read_queue_test {
namespace {

// One source of known bytes. Reads can be held at a gate, made short, or made to fail.
class gated_files final : public source_files, public operating_system {
 public:
  explicit gated_files(std::size_t bytes) : data_(bytes) {
    for (std::size_t i = 0; i < bytes; ++i) data_[i] = static_cast<std::byte>(i * 7 + i / 256);
  }

  barricade gate{barricade::lowered};
  std::atomic<int> reads{0};
  std::atomic<std::size_t> read_bytes_max{SIZE_MAX};
  std::atomic<std::uint64_t> broken_offset{UINT64_MAX};
  bool cached = false;

  static constexpr source_id id{3, 1};
  [[nodiscard]] const std::byte* at(std::size_t offset) const { return data_.data() + offset; }
  // Offsets in the order in which their reads began.
  std::vector<std::uint64_t> order() {
    const std::lock_guard hold(lock_);
    return order_;
  }

  result<open_source> source(source_id asked) noexcept override {
    if (asked != id) return fail(errc::not_found, "no such source", asked);
    return open_source{this, {1}};
  }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }

  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    {
      const std::lock_guard hold(lock_);
      order_.push_back(offset);
    }
    ++reads;
    gate.wait();
    if (offset == broken_offset) return tl::unexpected<error>(os_failure(EIO, "cannot read"));
    if (offset >= data_.size()) return std::size_t{0};
    const std::size_t count = std::min(
        {bytes.size(), data_.size() - static_cast<std::size_t>(offset), read_bytes_max.load()});
    std::memcpy(bytes.data(), at(offset), count);
    return count;
  }
  result<std::size_t> read_cached_at(os_handle handle, std::uint64_t offset,
                                     std::span<std::byte> bytes) noexcept override {
    if (!cached) return fail(errc::busy, "not cached");
    return read_at(handle, offset, bytes);
  }

  result<os_handle> open(const char*) noexcept override { return fail(errc::unsupported, ""); }
  result<os_handle> open_below(os_handle, const char*) noexcept override {
    return fail(errc::unsupported, "");
  }
  void close(os_handle) noexcept override {}
  result<file_status> status(os_handle) noexcept override { return fail(errc::unsupported, ""); }
  result<file_status> status(const char*, bool) noexcept override {
    return fail(errc::unsupported, "");
  }
  result<void> list(const char*,
                    function_ref<void(const folder_entry&) noexcept>) noexcept override {
    return fail(errc::unsupported, "");
  }
  result<std::size_t> canonical_path(const char*, std::span<char>) noexcept override {
    return fail(errc::unsupported, "");
  }
  result<mapping> map(os_handle) noexcept override { return fail(errc::unsupported, ""); }
  void unmap(mapping) noexcept override {}

 private:
  std::mutex lock_;
  std::vector<std::uint64_t> order_;
  std::vector<std::byte> data_;
};

// Runs tasks at once, on whichever thread; remembers the threads.
class inline_executor final : public executor {
 public:
  void execute(task work) noexcept override {
    {
      const std::lock_guard hold(lock_);
      threads_.insert(std::this_thread::get_id());
    }
    work.run(work.context);
  }
  std::set<std::thread::id> threads() {
    const std::lock_guard hold(lock_);
    return threads_;
  }

 private:
  std::mutex lock_;
  std::set<std::thread::id> threads_;
};

struct counted_request {
  std::vector<std::byte> bytes;
  read_request request;
  std::atomic<int> completions{0};

  counted_request(executor& on, std::uint64_t offset, std::size_t size) : bytes(size) {
    request.source = gated_files::id;
    request.offset = offset;
    request.destination = bytes;
    request.on = &on;
    request.done = {[](void* self) { ++static_cast<counted_request*>(self)->completions; }, this};
  }
};

// Lowers a barricade when it has run so many times.
struct countdown_task {
  std::atomic<unsigned> left;
  barricade finished{barricade::raised};

  explicit countdown_task(unsigned count) : left(count) {}
  static void run(void* self) {
    auto& mine = *static_cast<countdown_task*>(self);
    if (mine.left.fetch_sub(1) == 1) mine.finished.lower();
  }
};

TEST(read_queue, reads_exactly_what_was_asked_for) {
  gated_files files(100'000);
  inline_executor on;
  read_queue reads(files, {.threads = 2});
  ASSERT_TRUE(reads.status());
  counted_request a(on, 10, 5000);
  counted_request b(on, 99'000, 1000);
  reads.submit({&a.request, 1});
  reads.submit({&b.request, 1});
  reads.drain();
  EXPECT_TRUE(a.request.outcome);
  EXPECT_TRUE(b.request.outcome);
  EXPECT_EQ(std::memcmp(a.bytes.data(), files.at(10), 5000), 0);
  EXPECT_EQ(std::memcmp(b.bytes.data(), files.at(99'000), 1000), 0);
  EXPECT_EQ(a.completions, 1);
  EXPECT_GE(a.request.started_ns, a.request.queued_ns);
  EXPECT_GE(a.request.finished_ns, a.request.started_ns);
}

TEST(read_queue, short_reads_are_continued) {
  gated_files files(10'000);
  files.read_bytes_max = 7;
  inline_executor on;
  read_queue reads(files, {.threads = 1});
  counted_request a(on, 1, 1000);
  reads.submit({&a.request, 1});
  reads.drain();
  ASSERT_TRUE(a.request.outcome);
  EXPECT_EQ(std::memcmp(a.bytes.data(), files.at(1), 1000), 0);
}

TEST(read_queue, failure_names_source_and_offset_and_the_others_go_on) {
  gated_files files(10'000);
  files.broken_offset = 500;
  inline_executor on;
  read_queue reads(files, {.threads = 1});
  counted_request broken(on, 500, 100);
  counted_request beyond(on, 9'950, 100);
  counted_request good(on, 0, 100);
  counted_request unknown(on, 0, 1);
  unknown.request.source = {77, 1};
  for (counted_request* each : {&broken, &beyond, &unknown, &good}) {
    reads.submit({&each->request, 1});
  }
  reads.drain();
  ASSERT_FALSE(broken.request.outcome);
  EXPECT_EQ(broken.request.outcome.error().code, errc::io);
  EXPECT_EQ(broken.request.outcome.error().os_error, EIO);
  EXPECT_EQ(broken.request.outcome.error().source, gated_files::id);
  EXPECT_EQ(broken.request.outcome.error().offset, 500u);
  ASSERT_FALSE(beyond.request.outcome);
  EXPECT_EQ(beyond.request.outcome.error().code, errc::truncated);
  ASSERT_FALSE(unknown.request.outcome);
  EXPECT_EQ(unknown.request.outcome.error().code, errc::not_found);
  EXPECT_TRUE(good.request.outcome);
  EXPECT_EQ(reads.stats().failed, 3u);
}

TEST(read_queue, higher_priority_is_read_first_and_equal_ones_as_they_lie) {
  gated_files files(10'000);
  files.gate.raise();
  inline_executor on;
  read_queue reads(files, {.threads = 1, .merge_bytes_max = 0});
  counted_request first(on, 1, 1);
  reads.submit({&first.request, 1});
  while (files.reads == 0) std::this_thread::yield();  // the only thread is at the gate now

  std::vector<std::unique_ptr<counted_request>> rest;
  const auto add = [&](std::uint64_t offset, read_priority priority) {
    rest.push_back(std::make_unique<counted_request>(on, offset, 1));
    rest.back()->request.priority = priority;
    reads.submit({&rest.back()->request, 1});
  };
  add(10, read_priority::normal);
  add(20, read_priority::minimum);
  add(30, read_priority::maximum);
  add(40, read_priority::normal);
  add(50, read_priority::high);
  files.gate.lower();
  reads.drain();
  EXPECT_EQ(files.order(), (std::vector<std::uint64_t>{1, 30, 50, 10, 40, 20}));
}

TEST(read_queue, cancel_completes_queued_requests_of_the_tag_before_it_returns) {
  gated_files files(10'000);
  files.gate.raise();
  inline_executor on;
  read_queue reads(files, {.threads = 1});
  counted_request flying(on, 0, 1);
  flying.request.tag = 5;
  reads.submit({&flying.request, 1});
  while (files.reads == 0) std::this_thread::yield();
  counted_request mine(on, 1, 1);
  counted_request other(on, 2, 1);
  mine.request.tag = 5;
  other.request.tag = 6;
  reads.submit({&mine.request, 1});
  reads.submit({&other.request, 1});

  EXPECT_EQ(reads.cancel_tag(~0ull, 5), 1u);
  EXPECT_EQ(mine.completions, 1);
  ASSERT_FALSE(mine.request.outcome);
  EXPECT_EQ(mine.request.outcome.error().code, errc::cancelled);
  EXPECT_EQ(flying.completions, 0);

  files.gate.lower();
  reads.drain();
  EXPECT_TRUE(flying.request.outcome);
  EXPECT_TRUE(other.request.outcome);
  EXPECT_EQ(reads.stats().cancelled, 1u);
}

TEST(read_queue, end_completes_every_request_exactly_once) {
  gated_files files(100'000);
  inline_executor on;
  std::vector<std::unique_ptr<counted_request>> requests;
  {
    read_queue reads(files, {.threads = 3});
    for (unsigned i = 0; i < 500; ++i) {
      requests.push_back(std::make_unique<counted_request>(on, i, 100));
      reads.submit({&requests.back()->request, 1});
    }
  }
  for (const auto& each : requests) {
    EXPECT_EQ(each->completions, 1);
    if (!each->request.outcome) {
      EXPECT_EQ(each->request.outcome.error().code, errc::cancelled);
    }
  }
}

TEST(read_queue, many_threads_submit_batches) {
  gated_files files(100'000);
  inline_executor on;
  read_queue reads(files, {.threads = 4});
  std::vector<std::thread> threads;
  std::atomic<int> completed{0};
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      constexpr unsigned batch = 8;
      for (unsigned round = 0; round < 50; ++round) {
        std::vector<std::byte> room(batch * 64);
        std::vector<read_request> requests(batch);
        countdown_task done{batch};
        for (unsigned i = 0; i < batch; ++i) {
          requests[i].source = gated_files::id;
          requests[i].offset = t * 1000 + round + i;
          requests[i].destination = std::span(room).subspan(i * 64, 64);
          requests[i].on = &on;
          requests[i].done = {countdown_task::run, &done};
        }
        reads.submit(requests);
        done.finished.wait();
        for (unsigned i = 0; i < batch; ++i) {
          EXPECT_EQ(std::memcmp(room.data() + i * 64, files.at(requests[i].offset), 64), 0);
          ++completed;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completed, 4 * 50 * 8);
  EXPECT_EQ(reads.stats().requests, 1600u);
}

TEST(read_queue, cached_bytes_are_read_at_once) {
  gated_files files(1000);
  inline_executor on;
  read_queue reads(files, {.threads = 1});
  counted_request a(on, 5, 100);
  EXPECT_FALSE(reads.read_if_cached(a.request));
  files.cached = true;
  EXPECT_TRUE(reads.read_if_cached(a.request));
  EXPECT_EQ(std::memcmp(a.bytes.data(), files.at(5), 100), 0);
  counted_request beyond(on, 950, 100);
  EXPECT_FALSE(reads.read_if_cached(beyond.request));  // its error comes out of submit()
}

TEST(read_queue, reads_of_one_file_are_under_way_at_once) {
  gated_files files(10'000);
  files.gate.raise();
  read_queue reads(files, {.threads = 2, .merge_bytes_max = 0});
  std::byte bytes[2][10];
  read_request requests[2];
  countdown left(2);
  for (std::size_t i = 0; i < 2; ++i) {
    requests[i] = {
        .source = gated_files::id, .offset = i * 5'000, .destination = bytes[i], .counter = &left};
  }
  reads.submit(requests);
  while (files.reads.load() < 2) std::this_thread::yield();  // neither has ended
  files.gate.lower();
  left.wait();
}

TEST(read_queue, a_thread_that_cannot_go_on_reads_now) {
  gated_files files(1000);
  files.cached = true;
  read_queue reads(files, {.run_by_host = true});
  std::vector<std::byte> bytes(100);
  read_request request{.source = gated_files::id, .offset = 5, .destination = bytes};
  EXPECT_TRUE(reads.read_now(request));
  EXPECT_EQ(std::memcmp(bytes.data(), files.at(5), 100), 0);
  EXPECT_EQ(request.content.size(), 100u);
  EXPECT_EQ(reads.stats().requests, 0u);  // it was in the page cache
  files.cached = false;
  request.offset = 6;
  EXPECT_TRUE(reads.read_now(request));
  EXPECT_EQ(std::memcmp(bytes.data(), files.at(6), 100), 0);
  EXPECT_EQ(reads.stats().requests, 1u);
  request.offset = 950;
  const result<void> beyond = reads.read_now(request);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, errc::truncated);
}

TEST(read_queue, a_host_runs_it_on_a_thread_of_its_own) {
  gated_files files(10'000);
  read_queue reads(files, {.run_by_host = true});
  ASSERT_TRUE(reads.status());
  std::thread own([&] { reads.run(); });
  countdown left(1);
  std::byte bytes[100];
  read_request request{.source = gated_files::id, .offset = 7};
  request.destination = bytes;
  request.counter = &left;
  reads.submit({&request, 1});
  left.wait();
  EXPECT_TRUE(request.outcome);
  EXPECT_EQ(std::memcmp(bytes, files.at(7), 100), 0);
  reads.stop();
  own.join();
}

TEST(read_queue, a_host_that_polls_gets_its_completions_there) {
  gated_files files(10'000);
  read_queue reads(files, {.run_by_host = true, .merge_bytes_max = 0});
  std::byte bytes[3];
  int completions = 0;
  std::vector<read_request> requests(3);
  for (std::size_t i = 0; i < 3; ++i) {
    requests[i].source = gated_files::id;
    requests[i].offset = i;
    requests[i].destination = std::span(bytes).subspan(i, 1);
    requests[i].done = {[](void* count) { ++*static_cast<int*>(count); }, &completions};
  }
  reads.submit(requests);
  EXPECT_EQ(completions, 0);
  EXPECT_EQ(reads.poll(2), 2u);
  EXPECT_EQ(completions, 2);
  EXPECT_EQ(reads.poll(2), 1u);
  EXPECT_EQ(reads.poll(2), 0u);
  EXPECT_EQ(completions, 3);
}

// One drainer at the gate; requests for the same bytes meanwhile get a copy.
TEST(read_queue, completions_that_throw_are_counted_and_the_others_go_on) {
  gated_files files(1000);
  read_queue reads(files, {.run_by_host = true});
  std::byte bytes[2][10];
  int completed = 0;
  read_request requests[2];
  for (int i = 0; i < 2; ++i) {
    requests[i].source = files.id;
    requests[i].offset = static_cast<std::uint64_t>(i) * 500;
    requests[i].destination = bytes[i];
    requests[i].done = {[](void* context) {
                          ++*static_cast<int*>(context);
                          throw std::runtime_error("not ready for it");
                        },
                        &completed};
  }
  reads.submit(requests);
  reads.drain();
  EXPECT_EQ(completed, 2);
  EXPECT_EQ(reads.stats().thrown, 2u);
  EXPECT_TRUE(requests[1].outcome);
}

TEST(read_queue, threads_share_what_is_in_flight) {
  gated_files files(10'000);
  files.gate.raise();
  read_queue reads(files, {.threads = 2});
  inline_executor on;
  counted_request first(on, 100, 50);
  counted_request twin(on, 100, 50);
  reads.submit({&first.request, 1});
  while (files.reads == 0) std::this_thread::yield();
  reads.submit({&twin.request, 1});
  while (reads.stats().shared == 0) std::this_thread::yield();
  files.gate.lower();
  reads.drain();
  EXPECT_EQ(files.reads, 1);
  for (counted_request* each : {&first, &twin}) {
    EXPECT_EQ(each->completions, 1);
    ASSERT_TRUE(each->request.outcome);
    EXPECT_EQ(std::memcmp(each->bytes.data(), files.at(100), 50), 0);
  }
}

}  // namespace
}  // namespace overture::read_queue_test
