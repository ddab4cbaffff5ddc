// SPDX-License-Identifier: Zlib
//
// Cancelling and raising single files, and the priority of a load, while it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "load/load_rig.hpp"
#include "load/priority.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "support/misuse.hpp"

namespace overture::file_control_test {
namespace {

using test::add_files;
using test::counting_sink;
using test::fake_os;
using test::finish;
using test::hang;
using test::load_rig;
using test::outcomes;
using ::testing::ElementsAre;

// Accepts everything, and calls a function on the way.
class calling_decoder final : public decoder {
 public:
  explicit calling_decoder(std::function<void(std::string_view)> call) : call_(std::move(call)) {}
  const char* name() const noexcept override { return "calling"; }
  bool accepts(std::string_view path, std::span<const std::byte>) const noexcept override {
    path_ = path;
    return true;
  }
  result<decoded_asset> decode(std::span<const std::byte>, allocator& memory,
                               parallel_runner&) const noexcept override {
    call_(path_);
    return decoded_asset::make(asset_kind::texture, 10, memory);
  }

 private:
  std::function<void(std::string_view)> call_;
  mutable std::string_view path_;  // for one thread
};

void wait_until(const std::function<bool()>& is_so) {
  const std::uint64_t until_ns = now_ns() + std::chrono::nanoseconds(hang).count();
  while (!is_so()) {
    ASSERT_LT(now_ns(), until_ns);
    std::this_thread::yield();
  }
}

TEST(cancelling_a_file, that_has_not_begun_leaves_it_out) {
  fake_os os;
  add_files(os, 5, 100);
  os.set_cached(true);
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  counting_sink sink;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  ASSERT_TRUE(scope.start());
  EXPECT_EQ(scope.state_of(2), file_state::queued);
  scope.cancel(2);
  scope.cancel(2);
  scope.cancel(600);
  EXPECT_EQ(scope.state_of(2), file_state::cancelled);
  finish(scope);
  EXPECT_THAT(sink.order_, ElementsAre(0, 1, 3, 4));
  EXPECT_EQ(scope.summary().cancelled, 1u);
  EXPECT_EQ(scope.progress().files_done, 5u);
  EXPECT_EQ(scope.progress().fraction, 1.0);
  scope.cancel(3);
  EXPECT_EQ(scope.state_of(3), file_state::ready);
}

TEST(cancelling_a_file, of_all_that_are_left_ends_the_load) {
  fake_os os;
  add_files(os, 4, 100);
  os.set_cached(true);
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  for (entry_index i = 0; i < 4; ++i) scope.cancel(i);
  finish(scope);
  EXPECT_EQ(scope.summary().cancelled, 4u);
  EXPECT_EQ(scope.progress().fraction, 1.0);
}

TEST(cancelling_a_file, whose_read_is_queued_takes_the_read_back) {
  fake_os os;
  add_files(os, 3, 100);
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game"});
  rig.reads.suspend();
  counting_sink sink;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  ASSERT_TRUE(scope.start());
  wait_until([&] { return scope.progress().awaiting_reads == 3; });
  EXPECT_EQ(scope.state_of(1), file_state::reading);
  scope.cancel(1);
  wait_until([&] { return scope.state_of(1) == file_state::cancelled; });
  EXPECT_EQ(rig.reads.stats().cancelled, 1u);
  rig.reads.resume();
  finish(scope);
  EXPECT_EQ(sink.entries_, (std::set<entry_index>{0, 2}));
}

TEST(cancelling_a_file, that_waits_for_memory_ends_it_and_not_the_others) {
  fake_os os;
  add_files(os, 3, 1000);
  os.set_cached(true);
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  memory_ledger ledger(1000);
  bool ticket = false;
  bool other = false;
  ASSERT_TRUE(ledger.take(1000, memory_tag::host, ticket));
  ASSERT_TRUE(ledger.take(1, memory_tag::host, other));  // the ticket
  load_scope scope(rig.files, rig.reads, rig.jobs, {.ledger = &ledger});
  ASSERT_TRUE(scope.start());
  EXPECT_FALSE(scope.wait_for(std::chrono::nanoseconds(0)));
  ASSERT_GE(scope.progress().awaiting_memory, 1u);
  EXPECT_EQ(scope.state_of(0), file_state::reading);
  scope.cancel(0);
  EXPECT_EQ(scope.state_of(0), file_state::cancelled);
  ledger.give_back(1001, memory_tag::host);
  ledger.end_item(other);
  finish(scope);
  EXPECT_EQ(scope.summary().files, 2u);
  EXPECT_EQ(scope.summary().cancelled, 1u);
}

TEST(cancelling_a_file, while_it_is_decoded_keeps_it_from_the_sink) {
  fake_os os;
  add_files(os, 3, 100);
  os.set_cached(true);
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  load_scope* running = nullptr;
  const calling_decoder decoder([&](std::string_view path) {
    if (path != "1.bin") return;
    EXPECT_EQ(running->state_of(1), file_state::decoding);
    running->cancel(1);
  });
  const std::array<const overture::decoder*, 1> decoders{&decoder};
  counting_sink sink;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.decoders = decoders, .sink = &sink});
  running = &scope;
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_THAT(sink.order_, ElementsAre(0, 2));
  EXPECT_EQ(scope.state_of(1), file_state::cancelled);
}

TEST(cancelling_a_file, that_waits_for_the_main_thread_keeps_it_from_the_sink) {
  fake_os os;
  add_files(os, 3, 100);
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game"});
  counting_sink sink;
  sink.one_thread_ = true;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  ASSERT_TRUE(scope.start());
  wait_until([&] { return scope.progress().awaiting_pump == 3; });
  EXPECT_EQ(scope.state_of(0), file_state::finalizing);
  char text[80];
  EXPECT_EQ(std::string(text, explain(scope.progress(), text)),
            "3 files wait for pump() on the main thread");
  scope.cancel(0);
  finish(scope);
  EXPECT_EQ(sink.entries_, (std::set<entry_index>{1, 2}));
}

TEST(cancelling_a_load, keeps_files_that_wait_for_the_main_thread_from_the_sink) {
  fake_os os;
  add_files(os, 3, 100);
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game"});
  counting_sink sink;
  sink.one_thread_ = true;
  {
    load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
    ASSERT_TRUE(scope.start());
    wait_until([&] { return scope.progress().awaiting_pump == 3; });
  }
  EXPECT_EQ(sink.calls_, 0);
}

TEST(ending_a_load, while_a_file_is_decoded_waits_for_the_decoder_and_calls_nothing_back) {
  fake_os os;
  add_files(os, 1, 100);
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game"});
  barricade gate{barricade::raised};
  std::atomic<bool> ended{false};
  const calling_decoder decoder([&](std::string_view) {
    gate.wait();
    ended = true;
  });
  const std::array<const overture::decoder*, 1> decoders{&decoder};
  counting_sink sink;
  std::thread other;
  {
    load_scope scope(rig.files, rig.reads, rig.jobs, {.decoders = decoders, .sink = &sink});
    ASSERT_TRUE(scope.start());
    wait_until([&] { return scope.state_of(0) == file_state::decoding; });
    scope.cancel();
    other = std::thread([&] { gate.lower(); });
  }
  EXPECT_TRUE(ended);
  EXPECT_EQ(sink.calls_, 0);
  other.join();
}

TEST(raising_a_file, begins_it_next_the_last_raised_first) {
  fake_os os;
  add_files(os, 6, 100);
  os.set_cached(true);
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  counting_sink sink;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  ASSERT_TRUE(scope.start());
  scope.raise(3);
  scope.raise(5);
  scope.raise(3);
  scope.raise(4);
  scope.cancel(4);
  finish(scope);
  EXPECT_THAT(sink.order_, ElementsAre(5, 3, 0, 1, 2));
}

TEST(raising_a_file, raises_its_read) {
  fake_os os;
  add_files(os, 3, 100);
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game"});
  rig.reads.suspend();
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  wait_until([&] { return scope.progress().awaiting_reads == 3; });
  scope.raise(1);
  const auto queued = [&](read_priority priority) {
    return rig.reads.stats().queued[static_cast<std::size_t>(priority)];
  };
  EXPECT_EQ(queued(read_priority::high), 1u);
  EXPECT_EQ(queued(read_priority::normal), 2u);
  rig.reads.resume();
  finish(scope);
  EXPECT_EQ(scope.summary().files, 3u);
  scope.raise(1);  // too late
}

TEST(the_priority_of_a_load, is_that_of_its_reads_and_changes_with_it) {
  fake_os os;
  add_files(os, 3, 100);
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game"});
  rig.reads.suspend();
  load_scope scope(rig.files, rig.reads, rig.jobs, {.priority = load_priority::low});
  ASSERT_TRUE(scope.start([](const entry_info& file) {
    return file.path == "0.bin" ? load_priority::low : load_priority::normal;
  }));
  wait_until([&] { return scope.progress().awaiting_reads == 3; });
  const auto queued = [&] {
    const read_queue_stats now = rig.reads.stats();
    return std::vector<std::uint64_t>(std::begin(now.queued), std::end(now.queued));
  };
  EXPECT_THAT(queued(), ElementsAre(0, 1, 2, 0, 0, 0));
  scope.set_priority(load_priority::high);
  EXPECT_THAT(queued(), ElementsAre(0, 0, 0, 1, 2, 0));
  {
    const test::misuse allowed;
    scope.set_priority(load_priority::none);  // not a priority of a load
  }
  EXPECT_THAT(queued(), ElementsAre(0, 0, 0, 1, 2, 0));
  rig.reads.resume();
  finish(scope);
}

// A pool that notes the priorities of its jobs.
class noting_jobs final : public job_system {
 public:
  explicit noting_jobs(job_system& real) : real_(real) {}
  void submit(job work, job_group* group, const job_options& options) noexcept override {
    counts[static_cast<std::size_t>(options.priority)]++;
    real_.submit(std::move(work), group, options);
  }
  void wait(job_group& group) noexcept override { real_.wait(group); }
  bool wait_until(job_group& group, std::uint64_t deadline_ns) noexcept override {
    return real_.wait_until(group, deadline_ns);
  }
  unsigned concurrency() const noexcept override { return real_.concurrency(); }
  void set_idle_reason(const char* reason) noexcept override { real_.set_idle_reason(reason); }

  std::atomic<int> counts[3] = {};

 private:
  job_system& real_;
};

TEST(the_priority_of_a_load, is_that_of_its_jobs) {
  for (const load_priority priority :
       {load_priority::low, load_priority::normal, load_priority::high}) {
    fake_os os;
    add_files(os, 5, 100);
    load_rig rig(os, {.workers = 1});
    rig.mount({"/game"});
    noting_jobs jobs(rig.jobs);
    {
      load_scope scope(rig.files, rig.reads, jobs, {.priority = priority});
      ASSERT_TRUE(scope.start());
      finish(scope);
    }
    const auto used = static_cast<std::size_t>(load_detail::job_priority_of(priority));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(jobs.counts[i] > 0, i == used);
  }
}

TEST(the_priority_of_a_load, and_that_of_a_file_add_up) {
  using enum load_priority;
  struct {
    load_priority load, file;
    job_priority job;
    read_priority read;
  } const table[] = {
      {low, low, job_priority::low, read_priority::low},
      {low, normal, job_priority::low, read_priority::below_normal},
      {low, high, job_priority::normal, read_priority::normal},
      {normal, low, job_priority::low, read_priority::below_normal},
      {normal, normal, job_priority::normal, read_priority::normal},
      {normal, high, job_priority::high, read_priority::high},
      {high, low, job_priority::normal, read_priority::normal},
      {high, normal, job_priority::high, read_priority::high},
      {high, high, job_priority::high, read_priority::maximum},
  };
  for (const auto& each : table) {
    EXPECT_EQ(load_detail::job_priority_of(each.load, each.file), each.job);
    EXPECT_EQ(load_detail::read_priority_of(each.load, each.file), each.read);
  }
}

TEST(two_loads, of_the_same_file_both_load_it) {
  fake_os os;
  add_files(os, 50, 100);
  load_rig rig(os, {.workers = 2});
  rig.mount({"/game"});
  for (int round = 0; round < 20; ++round) {
    const std::array<entry_index, 2> list{7, 9};
    memory_ledger ledger(150);
    load_scope one(rig.files, rig.reads, rig.jobs, {.choice = list, .ledger = &ledger});
    load_scope two(rig.files, rig.reads, rig.jobs, {.choice = list, .ledger = &ledger});
    ASSERT_TRUE(one.start());
    ASSERT_TRUE(two.start());
    two.raise(9);
    one.cancel(7);
    finish(one);
    finish(two);
    EXPECT_EQ(two.summary().files, 2u);
    EXPECT_EQ(one.summary().files + one.summary().cancelled, 2u);
    EXPECT_EQ(one.state_of(9), file_state::ready);
  }
}

}  // namespace
}  // namespace overture::file_control_test
