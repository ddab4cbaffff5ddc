// SPDX-License-Identifier: Zlib
//
// Reads that a thread takes at once, and gives back when it matters.
#include "io/schedule/read_bundle.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "io/back_ends/reads_blocking.hpp"
#include "io/queue/read_core.hpp"
#include "overture/io/handle_cache.hpp"
#include "support/refusing_os.hpp"

namespace overture::read_bundles_test {
namespace {

using io_detail::bundle_moment;
using io_detail::bundle_rules;
using io_detail::bundle_size;

// The whole of the rule, line by line.
TEST(bundle_size, follows_the_table) {
  const bundle_rules rules{
      .reads_max = 8, .share = 4, .span_ns_max = 1'000, .untried_ns = 1'000'000};
  struct row {
    const char* rule;
    bundle_moment now;
    std::size_t size;
  };
  const row table[] = {
      {"no request waits", {0, 1, 10, false}, 1},
      {"few wait", {7, 1, 10, false}, 1},
      {"one in four", {12, 1, 10, false}, 3},
      {"of what there is for each thread", {24, 2, 10, false}, 3},
      {"many wait", {1'000, 2, 10, false}, 8},
      {"as many as fit into the time", {1'000, 2, 250, false}, 4},
      {"long reads", {1'000, 2, 2'000, false}, 1},
      {"nothing is known of the disk", {1'000, 2, 0, false}, 1},
      {"deadlines", {1'000, 2, 10, true}, 1},
      {"no thread is counted", {8, 0, 10, false}, 2},
      {"long reads that the disk may do at a time", {1'000, 2, 2'000, false, 5}, 5},
      {"the same, few wait", {12, 1, 2'000, false, 5}, 3},
      {"the same, deadlines", {1'000, 2, 2'000, true, 5}, 1},
      {"short reads beside it", {1'000, 2, 10, false, 5}, 8},
  };
  for (const row& each : table) EXPECT_EQ(bundle_size(rules, each.now), each.size) << each.rule;
}

// A file whose reads wait until the test lets them through, and which notes their order.
class gated_file final : public source_files, public test::refusing_os {
 public:
  result<open_source> source(source_id) noexcept override { return open_source{this, {1}}; }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }
  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    std::unique_lock hold(lock_);
    begun_.push_back(offset);
    changed_.notify_all();
    changed_.wait(hold, [&] { return allowed_ > 0 && offset != held_back_; });
    --allowed_;
    return bytes.size();
  }
  void allow(std::size_t reads) {
    const std::lock_guard hold(lock_);
    allowed_ += reads;
    changed_.notify_all();
  }
  // Reads there do not end.
  void hold_back(std::uint64_t offset) {
    const std::lock_guard hold(lock_);
    held_back_ = offset;
    changed_.notify_all();
  }
  // The offsets of the reads that have begun, once there are so many.
  std::vector<std::uint64_t> begun(std::size_t count) {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return begun_.size() >= count; });
    return begun_;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::size_t allowed_ = 0;
  std::uint64_t held_back_ = UINT64_MAX;
  std::vector<std::uint64_t> begun_;
};

constexpr bundle_rules eager{.reads_max = 8, .share = 1, .span_ns_max = 1u << 30, .untried_ns = 1};
constexpr std::size_t many = 1'000'000;

read_queue_config plain() {
  read_queue_config config;
  config.memory = &default_allocator();
  config.merge_bytes_max = 0;
  return config;
}

// Nine reads, of which a thread has taken eight and does the first. (What it takes is the same on
// any machine: all are submitted before it looks.)
class read_bundles : public testing::Test {
 protected:
  static constexpr std::size_t count = 9;

  read_bundles() : core_(file_, plain(), eager), requests_(count + 1), left_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      requests_[i].source = {0, 1};
      requests_[i].offset = i;
      requests_[i].destination = {&byte_, 1};
      requests_[i].tag = i;
      requests_[i].counter = &left_;
    }
    core_.submit(std::span(requests_).first(count));
    threads_.emplace_back([this] { io_detail::serve_blocking(core_); });
    (void)file_.begun(1);
  }
  ~read_bundles() override {
    file_.allow(many);
    core_.wait_until_idle();
    core_.stop();
    for (std::thread& each : threads_) each.join();
  }
  std::vector<std::uint64_t> finish() {
    file_.allow(many);
    core_.wait_until_idle();
    return file_.begun(0);
  }

  gated_file file_;
  std::byte byte_{};
  io_detail::read_core core_;
  std::vector<read_request> requests_;
  countdown left_;
  std::vector<std::thread> threads_;
};

TEST_F(read_bundles, are_read_in_the_order_of_the_disk) {
  EXPECT_EQ(core_.stats().reads, 8u);  // or there is nothing to test here
  EXPECT_EQ(finish(), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(left_.is_done());
  EXPECT_EQ(core_.stats().reads, 9u);
  EXPECT_EQ(core_.stats().bytes_in_flight, 0u);
}

TEST_F(read_bundles, let_what_is_more_urgent_go_first) {
  countdown urgent(1);
  requests_[count] = {.source = {0, 1},
                      .offset = 100,
                      .destination = {&byte_, 1},
                      .priority = read_priority::high,
                      .counter = &urgent};
  core_.submit({&requests_[count], 1});
  EXPECT_EQ(core_.stats().queued[static_cast<std::size_t>(read_priority::normal)], 8u);
  const std::vector<std::uint64_t> order = finish();
  ASSERT_EQ(order.size(), count + 1);
  EXPECT_EQ(order[1], 100u);
}

TEST_F(read_bundles, are_recalled_for_a_deadline) {
  requests_[count] = {
      .source = {0, 1}, .offset = 100, .destination = {&byte_, 1}, .deadline_ns = 1};
  core_.submit({&requests_[count], 1});
  // Only the reading thread asks the queue for anything until it has gone on.
  file_.allow(1);
  EXPECT_EQ(file_.begun(2)[1], 100u);
}

TEST_F(read_bundles, keep_their_priority_changeable) {
  EXPECT_TRUE(core_.set_priority(requests_[6], read_priority::high));
  EXPECT_TRUE(core_.set_deadline(requests_[4], 1));
  EXPECT_FALSE(core_.set_priority(requests_[0], read_priority::high));
  const std::vector<std::uint64_t> order = finish();
  EXPECT_EQ(order[1], 4u);
  EXPECT_EQ(order[2], 6u);
}

TEST_F(read_bundles, are_cancelled_before_the_call_returns) {
  EXPECT_TRUE(core_.cancel(requests_[3]));
  EXPECT_EQ(requests_[3].outcome.error().code, errc::cancelled);
  EXPECT_FALSE(core_.cancel(requests_[0]));
  EXPECT_EQ(core_.cancel_tag(~0ull, 5), 1u);
  EXPECT_EQ(left_.left(), count - 2);
  EXPECT_EQ(finish(), (std::vector<std::uint64_t>{0, 1, 2, 4, 6, 7, 8}));
  EXPECT_TRUE(left_.is_done());
}

TEST_F(read_bundles, are_given_up_with_their_source) {
  EXPECT_EQ(core_.close_source({0, 1}, true), count - 1);
  EXPECT_EQ(finish(), (std::vector<std::uint64_t>{0}));
}

TEST_F(read_bundles, do_not_begin_while_the_queue_is_suspended) {
  core_.suspend();
  file_.allow(1);
  while (core_.stats().bytes != 1) std::this_thread::yield();
  EXPECT_EQ(file_.begun(0).size(), 1u);
  EXPECT_EQ(core_.stats().queued[static_cast<std::size_t>(read_priority::normal)], count - 1);
  core_.resume();
  EXPECT_EQ(finish().size(), count);
}

TEST_F(read_bundles, are_left_to_a_thread_that_has_nothing_to_do) {
  file_.hold_back(0);
  file_.allow(count - 1);
  threads_.emplace_back([this] { io_detail::serve_blocking(core_); });
  EXPECT_EQ(file_.begun(count), (std::vector<std::uint64_t>{0, 8, 1, 2, 3, 4, 5, 6, 7}));
  file_.hold_back(UINT64_MAX);
}

TEST_F(read_bundles, report_a_countdown_at_once_though_they_go_on) {
  countdown early(1);
  {
    io_detail::read_core core(file_, plain(), eager);
    std::vector<read_request> some(4);
    countdown late(3);
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i].source = {0, 1};
      some[i].offset = 200 + i;
      some[i].destination = {&byte_, 1};
      some[i].counter = i == 0 ? &early : &late;
    }
    core.suspend();
    core.submit(some);
    core.resume();
    file_.allow(many);
    std::thread reader([&] { io_detail::serve_blocking(core); });
    core.wait_for(early, false);
    core.wait_for(late, false);
    core.wait_until_idle();
    core.stop();
    reader.join();
  }
  EXPECT_TRUE(early.is_done());
}

// One entry for all files, and the end of the last read is not reported yet when the next needs it.
TEST(read_bundles_of_files, never_wait_for_an_entry_that_they_hold) {
  handle_cache files({.open_max = 1});
  std::vector<source_id> sources;
  for (int i = 0; i < 64; ++i) sources.push_back(*files.add("/dev/zero"));
  std::byte byte{};
  std::vector<read_request> requests(640);
  countdown left(640);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].source = sources[i % sources.size()];
    requests[i].offset = i;
    requests[i].destination = {&byte, 1};
    requests[i].counter = &left;
  }
  read_queue_config config = plain();
  config.threads = 1;
  io_detail::read_core core(files, config, eager);
  core.submit(requests);
  std::thread reader([&] { io_detail::serve_blocking(core); });
  left.wait();
  core.wait_until_idle();
  core.stop();
  reader.join();
  for (const read_request& each : requests) EXPECT_TRUE(each.outcome);
}

// For the sanitizers: everything that recalls, against two threads that take.
TEST(read_bundles_of_threads, complete_each_request_once_whatever_happens_to_it) {
  gated_file file;
  file.allow(many);
  io_detail::read_core core(file, plain(), eager);
  std::thread readers[2];
  for (std::thread& each : readers) each = std::thread([&] { io_detail::serve_blocking(core); });
  std::byte byte[4]{};
  std::thread submitters[2];
  for (std::size_t submitter = 0; submitter < 2; ++submitter) {
    submitters[submitter] = std::thread([&, submitter] {
      std::vector<read_request> requests(200);
      for (int round = 0; round < 20; ++round) {
        countdown left(200);
        for (std::size_t i = 0; i < requests.size(); ++i) {
          requests[i] = {.source = {static_cast<std::uint32_t>(i % 7), 1},
                         .offset = i / 2,
                         .destination = {byte + submitter, 1},
                         .tag = submitter,
                         .counter = &left};
        }
        core.submit(requests);
        (void)core.set_priority(requests[150], read_priority::high);
        (void)core.cancel(requests[120]);
        if (round % 3 == 0) (void)core.cancel_tag(~0ull, submitter);
        if (round % 3 == 1) (void)core.close_source({3, 1}, true);
        if (round % 3 == 2) core.suspend();
        core.resume();
        core.wait_for(left, false);
        EXPECT_EQ(left.left(), 0u);
        for (const read_request& each : requests) EXPECT_NE(each.finished_ns, 0u);
      }
    });
  }
  for (std::thread& each : submitters) each.join();
  core.wait_until_idle();
  EXPECT_EQ(core.stats().requests, 8'000u);
  core.stop();
  for (std::thread& each : readers) each.join();
}

}  // namespace
}  // namespace overture::read_bundles_test
