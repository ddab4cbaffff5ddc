// SPDX-License-Identifier: Zlib
//
// The shipped read_core.cpp: submit, sleep, wake, complete, through all interleavings of small
// programs.
#include "io/queue/read_core.hpp"
#include "io/back_ends/reads_blocking.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "interleave/explored_reads.hpp"
#include "overture/sync/barricade.hpp"

namespace overture {

namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;
using test::alone;
using test::counted;
using test::here;
using test::one_byte_files;
using test::one_file;

TEST(a_read_queue_in_all_interleavings, loses_no_request) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone());
    counted a(on, 7);
    counted b(on, 8);
    run({[&] { io_detail::serve_blocking(core); },
         [&] {
           core.submit({&a.request, 1});
           core.submit({&b.request, 1});
           core.wait_until_idle();
           check(a.byte == std::byte{7} && b.byte == std::byte{8}, "both were read");
           core.stop();
         }});
    check(a.completions.read() == 1 && b.completions.read() == 1, "each completed once");
  });
}

TEST(a_read_queue_in_all_interleavings, hears_of_two_that_submit_at_once) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone());
    counted a(on, 7);
    counted b(on, 8);
    countdown left(2);
    a.request.counter = b.request.counter = &left;
    run({[&] { io_detail::serve_blocking(core); }, [&] { core.submit({&a.request, 1}); },
         [&] {
           core.submit({&b.request, 1});
           core.wait_for(left, false);
           core.wait_until_idle();
           core.stop();
         }});
    check(a.completions.read() == 1 && b.completions.read() == 1, "each completed once");
  });
}

TEST(a_read_queue_in_all_interleavings, tells_a_host_that_sleeps_of_work) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    read_queue_config config = alone();
    config.run_by_host = true;
    io_detail::read_core core(file, config);
    counted a(on, 7);
    countdown left(1);
    a.request.counter = &left;
    run({[&] { core.submit({&a.request, 1}); },
         [&] {
           io_detail::read_operation op;
           while (!left.is_done()) {
             if (core.take_next(op)) {
               core.runner().perform(op);
               core.leave(op);
             } else {
               core.wait_for(left, true);
             }
           }
         }});
    check(a.completions.read() == 1, "completed once");
  });
}

TEST(a_read_queue_in_all_interleavings, ends_what_it_cannot_queue_with_an_error) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone());
    countdown left(1);
    std::byte byte{};
    read_request request;  // packed, and there is no executor to unpack it
    request.source = {0, 1};
    request.destination = {&byte, 1};
    request.method = compression::deflate;
    request.packed_bytes = 6;
    request.counter = &left;
    run({[&] { io_detail::serve_blocking(core); },
         [&] {
           core.submit({&request, 1});
           core.wait_for(left, false);
           check(!request.outcome && request.outcome.error().code == errc::invalid, "it says why");
           core.wait_until_idle();
           core.stop();
         }});
  });
}

// Ends no read before both have begun.
class two_at_once final : public one_byte_files {
 public:
  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    (void)both_.done();
    both_.wait(interleave::at_once);
    for (std::byte& each : bytes) each = static_cast<std::byte>(offset);
    return bytes.size();
  }

 private:
  countdown both_{2};
};

TEST(a_read_queue_in_all_interleavings, reads_two_at_once_with_two_threads) {
  expect_clean_nearby([] {
    two_at_once file;
    here on;
    read_queue_config config = alone();
    config.threads = 2;
    io_detail::read_core core(file, config);
    counted batch[2] = {{on, 7}, {on, 8}};
    run({[&] { io_detail::serve_blocking(core); }, [&] { io_detail::serve_blocking(core); },
         [&] {
           core.suspend();
           for (counted& each : batch) core.submit({&each.request, 1});
           core.resume();
           core.wait_until_idle();
           core.stop();
         }});
  });
}

TEST(a_read_queue_in_all_interleavings, wakes_a_second_drainer_and_shares_twins) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone());
    counted batch[2] = {{on, 7}, {on, 7}};
    run({[&] { io_detail::serve_blocking(core); }, [&] { io_detail::serve_blocking(core); },
         [&] {
           for (counted& each : batch) core.submit({&each.request, 1});
           core.wait_until_idle();
           core.stop();
         }});
    for (counted& each : batch) {
      check(each.completions.read() == 1 && each.byte == std::byte{7}, "each got its bytes once");
    }
  });
}

TEST(a_read_queue_in_all_interleavings, cancels_or_reads_but_never_both) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone());
    counted a(on, 7);
    run({[&] { io_detail::serve_blocking(core); },
         [&] {
           core.submit({&a.request, 1});
           const bool cancelled = core.cancel_tag(0, 0) == 1;
           core.wait_until_idle();
           check(cancelled != a.request.outcome.has_value(), "one or the other");
           core.stop();
         }});
    check(a.completions.read() == 1, "completed once");
  });
}

// `how` submits the request and lets the queue go on.
void reads_after_a_pause(const std::function<void(io_detail::read_core&, read_request&)>& how) {
  expect_clean_nearby([&how] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone());
    counted a(on, 7);
    run({[&] { io_detail::serve_blocking(core); },
         [&] {
           core.suspend();
           how(core, a.request);
           core.wait_until_idle();
           core.stop();
         }});
    check(a.completions.read() == 1, "completed once");
  });
}

TEST(a_read_queue_in_all_interleavings, goes_on_after_a_pause) {
  reads_after_a_pause([](io_detail::read_core& core, read_request& request) {
    core.submit({&request, 1});
    core.resume();
  });
}

TEST(a_read_queue_in_all_interleavings, hears_of_what_comes_after_a_pause) {
  reads_after_a_pause([](io_detail::read_core& core, read_request& request) {
    core.resume();
    core.submit({&request, 1});
  });
}

TEST(a_read_queue_in_all_interleavings, lets_a_gated_read_through_once_its_barricade_is_lowered) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone());
    barricade door{barricade::raised};
    counted a(on, 7);
    run({[&] { io_detail::serve_blocking(core); }, [&] { door.lower(); },
         [&] {
           core.submit({&a.request, 1}, &door);
           core.wait_until_idle();
           check(a.byte == std::byte{7}, "it was read");
           core.stop();
         }});
    check(a.completions.read() == 1, "completed once");
  });
}

TEST(a_read_queue_in_all_interleavings, cancels_a_gated_read_or_lets_it_through) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone());
    barricade door{barricade::raised};
    counted a(on, 7);
    run({[&] { io_detail::serve_blocking(core); }, [&] { door.lower(); },
         [&] {
           core.submit({&a.request, 1}, &door);
           const bool cancelled = core.cancel_tag(0, 0) == 1;
           core.wait_until_idle();
           check(cancelled != a.request.outcome.has_value(), "one or the other");
           core.stop();
         }});
    check(a.completions.read() == 1, "completed once");
  });
}

// Takes two at once as soon as two wait.
constexpr io_detail::bundle_rules in_pairs{
    .reads_max = 2, .share = 1, .span_ns_max = 1u << 30, .untried_ns = 1};

TEST(a_read_queue_in_all_interleavings, reads_each_of_a_bundle_once_though_a_second_thread_helps) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone(), in_pairs);
    counted batch[3] = {{on, 7}, {on, 8}, {on, 9}};
    run({[&] { io_detail::serve_blocking(core); }, [&] { io_detail::serve_blocking(core); },
         [&] {
           core.suspend();
           for (counted& each : batch) core.submit({&each.request, 1});
           core.resume();
           core.wait_until_idle();
           core.stop();
         }});
    for (const counted& each : batch) {
      check(each.byte == static_cast<std::byte>(each.request.offset), "it was read");
    }
    for (counted& each : batch) check(each.completions.read() == 1, "each completed once");
  });
}

TEST(a_read_queue_in_all_interleavings, cancels_what_was_taken_or_lets_it_be_read) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone(), in_pairs);
    counted batch[3] = {{on, 7}, {on, 8}, {on, 9}};
    run({[&] { io_detail::serve_blocking(core); },
         [&] {
           core.suspend();
           for (counted& each : batch) core.submit({&each.request, 1});
           core.resume();
           const bool cancelled = core.cancel(batch[1].request);
           core.suspend();
           core.resume();
           core.wait_until_idle();
           check(cancelled != batch[1].request.outcome.has_value(), "one or the other");
           core.stop();
         }});
    for (counted& each : batch) check(each.completions.read() == 1, "each completed once");
  });
}

TEST(a_read_queue_in_all_interleavings, counts_a_bundle_down_and_wakes_its_waiter) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone(), in_pairs);
    counted batch[3] = {{on, 7}, {on, 8}, {on, 9}};
    countdown first(1);
    countdown others(2);
    batch[0].request.counter = &first;
    batch[1].request.counter = &others;
    batch[2].request.counter = &others;
    run({[&] { io_detail::serve_blocking(core); },
         [&] {
           core.suspend();
           for (counted& each : batch) core.submit({&each.request, 1});
           core.resume();
           core.wait_for(first, false);
           check(batch[0].byte == std::byte{7}, "it was read");
           core.wait_for(others, false);
           check(batch[1].byte == std::byte{8} && batch[2].byte == std::byte{9}, "both were read");
           core.wait_until_idle();
           core.stop();
         }});
  });
}

TEST(a_read_queue_in_all_interleavings, shares_a_read_that_was_taken_and_may_be_recalled) {
  expect_clean_nearby([] {
    one_file file;
    here on;
    io_detail::read_core core(file, alone(), in_pairs);
    counted batch[4] = {{on, 7}, {on, 8}, {on, 8}, {on, 9}};
    run({[&] { io_detail::serve_blocking(core); }, [&] { io_detail::serve_blocking(core); },
         [&] {
           core.suspend();
           for (counted& each : batch) core.submit({&each.request, 1});
           core.resume();
           (void)core.set_priority(batch[3].request, read_priority::high);
           core.wait_until_idle();
           core.stop();
         }});
    for (counted& each : batch) check(each.completions.read() == 1, "each completed once");
  });
}

}  // namespace
}  // namespace overture
