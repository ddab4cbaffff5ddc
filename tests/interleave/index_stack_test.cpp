// SPDX-License-Identifier: Zlib
//
// The shipped index_stack.hpp: what it hands over, it hands to one thread, with all that was
// written.
#include "base/index_stack.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::base_detail::index_stack_test {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::expect_clean_nearby;
using interleave::run;
using interleave::variable;

struct table {
  explicit table(std::uint32_t count) {
    for (std::uint32_t i = count; i-- > 0;) push(i);
  }
  [[nodiscard]] std::uint32_t pop() { return free.pop(of); }
  void push(std::uint32_t index) { free.push(index, of); }
  // Pops one, uses it and pushes it back.
  void use() {
    const std::uint32_t mine = pop();
    if (mine == index_stack::none) return;
    used[mine].write(used[mine].read() + 1);
    push(mine);
  }

  index_stack free;
  atomic<std::uint32_t> links[2] = {};
  variable<int> used[2] = {variable<int>(0), variable<int>(0)};
  std::function<atomic<std::uint32_t>&(std::uint32_t)> of =
      [this](std::uint32_t index) -> atomic<std::uint32_t>& { return links[index]; };
};

TEST(an_index_stack_in_all_interleavings, gives_each_number_to_one_thread_with_what_it_stands_for) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2, .deviations = 3}, [] {
    table both(2);
    run({[&] { both.use(); },
         [&] {
           both.use();
           both.use();
         }});
    check(both.pop() == 0 || both.pop() == 0, "both are there");
  }));
}

// One thread pops and looks at a link while the other takes both and returns them the other way.
TEST(an_index_stack_in_all_interleavings,
     does_not_take_a_number_that_was_away_for_one_that_stayed) {
  expect_clean_nearby([] {
    table both(2);
    bool out[2] = {};
    run({[&] {
           const std::uint32_t mine = both.pop();
           if (mine != index_stack::none) both.used[mine].write(1);
         },
         [&] {
           const std::uint32_t first = both.pop();
           const std::uint32_t second = both.pop();
           if (first != index_stack::none) both.used[first].write(2);
           if (second != index_stack::none) out[second] = true;  // it stays away
           if (first != index_stack::none) both.push(first);
         }});
    for (std::uint32_t left = both.pop(); left != index_stack::none; left = both.pop()) {
      check(!out[left], "a number that is away is not there");
    }
  });
}

}  // namespace
}  // namespace overture::base_detail::index_stack_test
