// SPDX-License-Identifier: Zlib
//
// The shipped unpack_queue.cpp without its read queue: its end waits for the threads in it.
#include "io/queue/unpack_queue.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::io_detail::unpack_queue_test {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::explore;
using interleave::run;
using interleave::variable;

// What lives as long as the read queue: a thread may use it between enter() and leave().
void visit(unpack_queue& queue, const variable<int>& of_the_read_queue) {
  if (queue.enter()) {
    (void)of_the_read_queue.read();
    queue.leave();
  }
  queue.drop_reference();
}

TEST(an_unpack_queue_in_all_interleavings, ends_after_the_threads_that_are_in_it) {
  expect_clean_and_complete(explore({.preemptions = 3, .deviations = 3}, [] {
    unpack_queue* const queue = unpack_queue::make(default_allocator());
    check(queue != nullptr, "there is memory");
    queue->add_reference();
    queue->add_reference();
    variable<int> of_the_read_queue(1);
    run({[&] { visit(*queue, of_the_read_queue); }, [&] { visit(*queue, of_the_read_queue); },
         [&] {
           queue->retire();
           of_the_read_queue.write(0);
         }});
  }));
}

}  // namespace
}  // namespace overture::io_detail::unpack_queue_test
