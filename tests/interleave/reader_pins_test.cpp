// SPDX-License-Identifier: Zlib
//
// The shipped reader_pins.cpp: what is replaced is freed once its readers have left, not before.
// With plain stores and a fence of all threads, and with read-modify-writes; the third thread
// always shares its stripe.
#include "vfs/mounts/reader_pins.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::reader_pins_test {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::expect_clean_nearby;
using interleave::run;
using interleave::variable;
using vfs_detail::reader_pins;

// Something that readers read, and that is freed (written to) once it was replaced.
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
    const std::uint64_t epoch = pins.advance();
    pins.fence();
    return epoch;
  }
};

// One thread reads, `times` times, and one replaces what it reads.
interleave::outcome read_and_replace(bool has_heavy_fence, int times,
                                     const interleave::bounds& limits) {
  return interleave::explore(limits, [=] {
    reader_pins pins(default_allocator(), has_heavy_fence);
    replaceable what;
    run({[&] {
           for (int i = 0; i < times; ++i) what.read(pins);
         },
         [&] {
           const std::uint64_t epoch = what.replace(pins);
           if (pins.have_left(epoch)) what.first.write(0);
         }});
  });
}

class reader_pins_in_all_interleavings : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(by, reader_pins_in_all_interleavings, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "stores" : "exchanges"; });

TEST_P(reader_pins_in_all_interleavings, free_nothing_that_a_reader_may_see) {
  expect_clean_and_complete(read_and_replace(GetParam(), 1, {.preemptions = 3}));
  expect_clean_and_complete(read_and_replace(GetParam(), 2, {.preemptions = 2}));
}

TEST_P(reader_pins_in_all_interleavings, count_no_epoch_as_left_before_its_fence) {
  expect_clean_and_complete(interleave::explore({}, [] {
    reader_pins pins(default_allocator(), GetParam());
    run({[&] {
      const std::uint64_t epoch = pins.advance();
      check(!pins.have_left(epoch), "readers may not have seen the change");
      pins.fence();
      check(pins.have_left(epoch), "there are no readers");
    }});
  }));
}

TEST(reader_pins_without_their_fence, free_what_a_reader_sees) {
  const interleave::outcome seen = read_and_replace(true, 1, {.heavy_fences = false});
  EXPECT_NE(seen.failure.find("a race"), std::string::npos);
}

TEST_P(reader_pins_in_all_interleavings, know_two_readers_and_one_that_comes_again) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    reader_pins pins(default_allocator(), GetParam());
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

// Threads for which there is no memory share a stripe.
class no_memory final : public allocator {
 public:
  void* allocate(std::size_t, std::size_t, memory_tag) noexcept override { return nullptr; }
  void deallocate(void*, std::size_t, std::size_t, memory_tag) noexcept override {}
};

TEST_P(reader_pins_in_all_interleavings, know_readers_that_share_a_stripe) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2, .deviations = 3}, [] {
    no_memory none;
    reader_pins pins(none, GetParam());
    replaceable what;
    run({[&] { what.read(pins); }, [&] { what.read(pins); },
         [&] {
           const std::uint64_t epoch = what.replace(pins);
           if (pins.have_left(epoch)) what.first.write(0);
         }});
  }));
}

// The third thread and the fourth have the last slot.
TEST_P(reader_pins_in_all_interleavings, make_one_stripe_for_threads_that_share_a_slot) {
  expect_clean_nearby([] {
    reader_pins pins(default_allocator(), GetParam());
    replaceable what;
    run({[&] {
           const std::uint64_t epoch = what.replace(pins);
           if (pins.have_left(epoch)) what.first.write(0);
         },
         [] {}, [&] { what.read(pins); }, [&] { what.read(pins); }});
  });
}

TEST_P(reader_pins_in_all_interleavings, know_the_outer_one_of_nested_readers) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    reader_pins pins(default_allocator(), GetParam());
    replaceable what;
    run({[&] {
           reader_pins::stripe& here = pins.mine();
           pins.enter(here);
           variable<int>* const seen = what.current.load();
           what.read(pins);
           check(seen->read() == 1, "the end of the inner one does not end the outer one");
           (void)pins.leave(here);
         },
         [&] {
           const std::uint64_t epoch = what.replace(pins);
           if (pins.have_left(epoch)) what.first.write(0);
         }});
  }));
}

// A leaving reader looks for something to free, and a thread that replaces looks for readers.
interleave::outcome leave_and_retire(bool has_heavy_fence, const interleave::bounds& limits) {
  return interleave::explore(limits, [=] {
    reader_pins pins(default_allocator(), has_heavy_fence);
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
           pins.fence();
           seen_by_writer = pins.have_left(epoch);
         }});
    check(seen_by_reader || seen_by_writer, "one of the two frees it");
  });
}

TEST_P(reader_pins_in_all_interleavings, tell_the_last_reader_that_there_is_something_to_free) {
  expect_clean_and_complete(leave_and_retire(GetParam(), {.preemptions = 3}));
}

TEST(reader_pins_without_their_fence, leave_something_unfreed) {
  const interleave::outcome seen = leave_and_retire(true, {.heavy_fences = false});
  EXPECT_NE(seen.failure.find("one of the two frees it"), std::string::npos);
}

TEST_P(reader_pins_in_all_interleavings, count_files_closed_on_another_thread) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    reader_pins pins(default_allocator(), GetParam());
    atomic<int> opened{0};
    variable<int> mount(1);
    bool is_closed = false;
    run({[&] {
           pins.pin(1);
           opened.store(1);
         },
         [&] {
           if (opened.load() == 0) return;
           check(mount.read() == 1, "the mount is there as long as its file is open");
           pins.unpin(1);
           is_closed = true;
         },
         [&] {
           if (opened.load() == 0) return;
           if (pins.unpinned(1)) mount.write(0);
         }});
    check(pins.unpinned(1) == is_closed, "all are counted");
  }));
}

}  // namespace
}  // namespace overture::reader_pins_test
