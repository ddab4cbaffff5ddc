// SPDX-License-Identifier: Zlib
//
// The shipped reads_uring.cpp over a fake ring, whose kernel is one of the threads.
#include "io/back_ends/reads_uring.hpp"

#include <gtest/gtest.h>
#include <liburing.h>

#include <functional>
#include <iterator>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "support/refusing_os.hpp"

namespace overture::reads_uring_test {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::expect_clean_nearby;
using interleave::explore;
using interleave::fake_kernel;
using interleave::run;
using interleave::variable;

// One file, open or to be opened by the ring.
class ring_file final : public source_files, public test::refusing_os {
 public:
  explicit ring_file(bool by_path) : by_path_(by_path) {}
  result<open_source> source(source_id) noexcept override { return open_source{this, {1}}; }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }
  reader_terms add_reader(source_reader&, unsigned, unsigned) noexcept override {
    return {by_path_, 0};
  }
  const char* path_to_open(source_id, std::uint64_t) noexcept override { return "file"; }
  int descriptor(os_handle) noexcept override { return 7; }
  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    for (std::byte& each : bytes) each = static_cast<std::byte>(offset++);
    return bytes.size();
  }

 private:
  bool by_path_;
};

class here final : public executor {
 public:
  void execute(task work) noexcept override { work.run(work.context); }
};

// Not under test, and has more atomics than the explorer can track: created before it runs.
buffer_pool shared_pool;

struct ring_of_reads {
  fake_kernel kernel;
  ring_file file;
  here on;
  io_detail::read_core core;
  static constexpr int requests_max = 4;
  std::byte bytes[requests_max][2] = {};
  read_request requests[requests_max];
  variable<int> completions{0};

  explicit ring_of_reads(bool by_path = false) : file(by_path), core(file, config()) {
    interleave::kernel_of_ring = &kernel;
    for (int i = 0; i < requests_max; ++i) {
      requests[i].source = {0, 1};
      requests[i].offset = 7u + static_cast<unsigned>(i);
      requests[i].destination = bytes[i];
      requests[i].on = &on;
      requests[i].done = {[](void* self) {
                            auto& mine = *static_cast<ring_of_reads*>(self);
                            mine.completions.write(mine.completions.read() + 1);
                          },
                          this};
    }
  }
  static read_queue_config config() {
    read_queue_config made;
    made.backend = read_backend::uring;
    made.depth = 2;
    made.memory = &default_allocator();
    made.pool = &shared_pool;
    made.merge_bytes_max = 0;
    return made;
  }
  void serve() {
    io_detail::serve_with_uring(
        core, 2, [](void*, bool verdict) { check(verdict, "there is a ring"); }, nullptr);
  }
  // On the thread that has submitted.
  void end() {
    core.wait_until_idle();
    core.stop();
  }
  void check_read(int which) {
    check(requests[which].outcome.has_value(), "it was read");
    for (std::size_t i = 0; i < std::size(bytes[which]); ++i) {
      check(bytes[which][i] == static_cast<std::byte>(requests[which].offset + i), "all of it");
    }
  }
};

using preparation = std::function<void(fake_kernel&)>;

// The ring, its kernel and a thread that submits.
void read_some(int count, bool by_path, const preparation& prepare) {
  ring_of_reads of(by_path);
  prepare(of.kernel);
  run({[&] { of.serve(); }, [&] { of.kernel.work(); },
       [&] {
         for (int i = 0; i < count; ++i) of.core.submit({&of.requests[i], 1});
         of.end();
         for (int i = 0; i < count; ++i) of.check_read(i);
       }});
  check(of.completions.read() == count, "each completed once");
}
void read_two(bool by_path, const preparation& prepare) {
  read_some(2, by_path, prepare);
}
void reads(bool by_path, const preparation& prepare) {
  expect_clean_nearby([&] { read_two(by_path, prepare); });
}
// The same threads, of which one takes another turn.
void reads_in_spite_of(bool by_path, const preparation& prepare) {
  expect_clean_and_complete(explore({.deviations = 1}, [&] { read_two(by_path, prepare); }));
}

TEST(a_ring_in_all_interleavings, reads_what_comes_while_it_sleeps_or_works) {
  reads(false, [](fake_kernel&) {});
}

TEST(a_ring_in_all_interleavings, takes_ends_in_any_order) {
  reads(false, [](fake_kernel& kernel) { kernel.of = fake_kernel::order::newest_first; });
}

// Twice as many as are in flight at a time.
TEST(a_ring_in_all_interleavings, reads_what_has_to_wait_for_others) {
  expect_clean_nearby([] { read_some(4, false, [](fake_kernel&) {}); });
}

TEST(a_ring_in_all_interleavings, reads_the_rest_of_what_ends_early) {
  for (const int outcome : {1, -EINTR, -EAGAIN}) {
    reads_in_spite_of(false, [outcome](fake_kernel& kernel) { kernel.first_read = outcome; });
  }
}

TEST(a_ring_in_all_interleavings, opens_reads_and_closes_in_one_go) {
  reads(true, [](fake_kernel&) {});
}

TEST(a_ring_in_all_interleavings, reads_step_by_step_what_fails_in_one_go) {
  reads_in_spite_of(true, [](fake_kernel& kernel) { kernel.opens = false; });
  for (const int outcome : {1, -EIO}) {
    reads_in_spite_of(true, [outcome](fake_kernel& kernel) { kernel.first_read = outcome; });
  }
}

TEST(a_ring_in_all_interleavings, cancels_or_reads_but_never_both) {
  expect_clean_nearby([] {
    ring_of_reads of;
    run({[&] { of.serve(); }, [&] { of.kernel.work(); },
         [&] {
           of.core.submit({&of.requests[0], 1});
           const bool cancelled = of.core.cancel_tag(0, 0) == 1;
           of.end();
           check(cancelled != of.requests[0].outcome.has_value(), "one or the other");
         }});
    check(of.completions.read() == 1, "completed once");
  });
}

TEST(a_ring_in_all_interleavings, ends_while_it_has_nothing_to_do) {
  expect_clean_nearby([] {
    ring_of_reads of;
    run({[&] { of.serve(); }, [&] { of.kernel.work(); }, [&] { of.core.stop(); }});
  });
}

TEST(a_ring_in_all_interleavings, ends_after_what_was_submitted_before) {
  expect_clean_nearby([] {
    ring_of_reads of;
    run({[&] { of.serve(); }, [&] { of.kernel.work(); },
         [&] {
           of.core.submit({&of.requests[0], 1});
           of.core.stop();
         }});
    check(of.completions.read() == 1, "completed once");
  });
}

TEST(a_ring_in_all_interleavings, hears_of_the_end_of_a_pause) {
  expect_clean_nearby([] {
    ring_of_reads of;
    run({[&] { of.serve(); }, [&] { of.kernel.work(); },
         [&] {
           of.core.suspend();
           of.core.submit({&of.requests[0], 1});
           of.core.resume();
           of.end();
           of.check_read(0);
         }});
  });
}

}  // namespace
}  // namespace overture::reads_uring_test
