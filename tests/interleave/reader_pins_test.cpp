// The shipped reader_pins.cpp: what is replaced is freed when its readers have left, not before.
#include "vfs/reader_pins.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::run;
using interleave::variable;
using vfs::reader_pins;

// Something that readers look at, and that is freed (written) once it has been replaced.
struct replaceable {
  variable<int> first{1};
  variable<int> second{1};
  atomic<variable<int>*> current{&first};

  void read(reader_pins& pins) {
    reader_pins::stripe& here = pins.mine();
    pins.enter(here);
    check(current.load()->read() == 1, "what is read has not been freed");
    (void)pins.leave(here);
  }
  // Returns the epoch after which the old one may be freed.
  std::uint64_t replace(reader_pins& pins) {
    current.exchange(&second);
    return pins.advance();
  }
};

TEST(reader_pins_in_all_interleavings, free_nothing_that_a_reader_may_see) {
  expect_clean_and_complete(interleave::explore({.preemptions = 3}, [] {
    reader_pins pins(default_allocator());
    replaceable what;
    run({[&] { what.read(pins); },
         [&] {
           const std::uint64_t epoch = what.replace(pins);
           if (pins.have_left(epoch)) what.first.write(0);
         }});
  }));
}

TEST(reader_pins_in_all_interleavings, know_two_readers_and_one_who_comes_again) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    reader_pins pins(default_allocator());
    replaceable what;
    run({[&] {
           what.read(pins);
           what.read(pins);
         },
         [&] { what.read(pins); },
         [&] {
           const std::uint64_t epoch = what.replace(pins);
           if (pins.have_left(epoch)) what.first.write(0);
         }});
  }));
}

TEST(reader_pins_in_all_interleavings, tell_the_last_who_leaves_that_there_is_something_to_free) {
  expect_clean_and_complete(interleave::explore({.preemptions = 3}, [] {
    reader_pins pins(default_allocator());
    atomic<std::uint64_t> retired{0};
    bool seen_by_reader = false;
    bool seen_by_writer = false;
    run({[&] {
           reader_pins::stripe& here = pins.mine();
           pins.enter(here);
           const std::uint64_t epoch = pins.leave(here);
           seen_by_reader = epoch != 0 && epoch <= retired.load();
         },
         [&] {
           const std::uint64_t epoch = pins.advance();
           retired.store(epoch);
           seen_by_writer = pins.have_left(epoch);
         }});
    check(seen_by_reader || seen_by_writer, "somebody frees it");
  }));
}

TEST(reader_pins_in_all_interleavings, count_files_closed_on_another_thread) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    reader_pins pins(default_allocator());
    atomic<int> opened{0};
    variable<int> mount(1);
    run({[&] {
           pins.pin(1);
           opened.store(1);
         },
         [&] {
           if (opened.load() == 0) return;
           check(mount.read() == 1, "the mount is there as long as its file is open");
           pins.unpin(1);
         },
         [&] {
           if (opened.load() == 0) return;
           if (pins.unpinned(1)) mount.write(0);
         }});
  }));
}

}  // namespace
}  // namespace overture
