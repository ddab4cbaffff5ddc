// SPDX-License-Identifier: Zlib
//
// The shipped reader_sleepers.hpp: which sleeper is woken, and that no second one is meanwhile.
#include "io/queue/reader_sleepers.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "overture/io/read_queue.hpp"

namespace overture::io_detail::reader_sleepers_test {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::explore;
using interleave::run;

TEST(reader_sleepers_in_all_interleavings, wakes_no_second_while_one_is_on_its_way) {
  expect_clean_and_complete(explore({}, [] {
    read_inbox inbox;
    read_inbox::receiver received(inbox);
    reader_signal signal;
    reader_sleepers sleepers(signal, received);
    std::uint32_t seen = 0;
    check(sleepers.add(true, seen) && sleepers.add(true, seen), "nothing was submitted");
    read_request request;
    std::uint32_t calls = 0;
    run({[&] { check(inbox.put({&request, 1}, 0, calls), "there is room"); }});
    check(calls == read_inbox::reader, "submit() wakes one");
    check(!sleepers.claim(), "which looks for all that there is");
    sleepers.remove();
    check(sleepers.claim(), "the other can be woken once it has looked");
  }));
}

}  // namespace
}  // namespace overture::io_detail::reader_sleepers_test
