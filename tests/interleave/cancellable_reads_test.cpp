// SPDX-License-Identifier: Zlib
//
// The shipped hand-over between a loader that submits and a host that cancels.
#include "load/cancellable_reads.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "io/queue/read_core.hpp"
#include "support/refusing_os.hpp"

namespace overture::load_detail::cancellable_reads_test {
namespace {

using interleave::check;
using interleave::run;

class no_files final : public source_files, public test::refusing_os {
 public:
  result<open_source> source(source_id) noexcept override { return open_source{this, {1}}; }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }
};

class here final : public executor {
 public:
  void execute(task work) noexcept override { work.run(work.context); }
};

// Not under test, and has more atomics than the explorer can track: created before it runs.
buffer_pool shared_pool;

void submit_beside_a_cancel(bool of_file) {
  no_files files;
  here on;
  read_queue_config config;
  config.memory = &default_allocator();
  config.pool = &shared_pool;
  io_detail::read_core core(files, config);
  core.suspend();
  cancellable_reads reads;
  std::byte byte{};
  int completions = 0;
  read_request request;
  request.source = {0, 1};
  request.destination = {&byte, 1};
  request.on = &on;
  request.done = {[](void* count) { ++*static_cast<int*>(count); }, &completions};
  file_wishes wishes;
  const auto priority = [] { return read_priority::normal; };
  run({[&] { reads.submit(core, request, 7, wishes, priority); },
       [&] { of_file ? reads.cancel_file(core, 7, wishes) : reads.cancel(core); }});
  check(completions == 1, "the read has ended, once");
  check(!request.outcome && request.outcome.error().code == errc::cancelled, "as cancelled");
}

TEST(a_read_submitted_beside_a_cancel_in_all_interleavings, ends_in_a_suspended_queue) {
  for (const bool of_file : {false, true}) {
    const auto program = [of_file] { submit_beside_a_cancel(of_file); };
    interleave::expect_clean_and_complete(
        interleave::explore({.preemptions = 2, .stale_loads = 1, .early_returns = 0}, program));
    interleave::expect_clean(interleave::explore(
        {.stale_loads = 4, .early_returns = 2, .random = interleave::some}, program));
  }
}

// Whichever comes first, the read has the new priority, or is past it.
TEST(a_read_submitted_beside_a_new_priority_in_all_interleavings, has_it) {
  const auto program = [] {
    no_files files;
    here on;
    read_queue_config config;
    config.memory = &default_allocator();
    config.pool = &shared_pool;
    io_detail::read_core core(files, config);
    core.suspend();
    cancellable_reads reads;
    std::byte byte{};
    read_request request;
    request.source = {0, 1};
    request.destination = {&byte, 1};
    request.on = &on;
    request.done = {[](void*) {}, nullptr};
    file_wishes wishes;
    atomic<std::uint32_t> wanted{static_cast<std::uint32_t>(read_priority::normal)};
    const auto priority = [&] {
      return static_cast<read_priority>(wanted.load(std::memory_order_relaxed));
    };
    run({[&] { reads.submit(core, request, 7, wishes, priority); },
         [&] {
           wanted.store(static_cast<std::uint32_t>(read_priority::high), std::memory_order_relaxed);
           reads.change_priority(core, 7, wishes, read_priority::high);
         }});
    check(request.priority == read_priority::high, "the read has the new priority");
    check(core.cancel(request), "and waits still");
  };
  interleave::expect_clean_and_complete(
      interleave::explore({.preemptions = 2, .stale_loads = 1, .early_returns = 0}, program));
  interleave::expect_clean(interleave::explore(
      {.stale_loads = 4, .early_returns = 2, .random = interleave::some}, program));
}

}  // namespace
}  // namespace overture::load_detail::cancellable_reads_test
