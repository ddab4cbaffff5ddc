// SPDX-License-Identifier: Zlib
//
// The shipped handle_cache.cpp under the shipped read_core.cpp, through all interleavings of small
// programs. The cache asks registered readers what they read and counts nothing. Opening, reading
// and closing access one variable for each handle, so that closing during a read is a race.
#include "overture/io/handle_cache.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "io/back_ends/reads_blocking.hpp"
#include "io/queue/read_core.hpp"
#include "support/refusing_os.hpp"

namespace overture::handle_cache_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;
using interleave::variable;

class watched_os final : public test::refusing_os {
 public:
  // Refuses to open more files than that, as if other code had taken the descriptors.
  explicit watched_os(int descriptors = handles_max) : descriptors_(descriptors) {}
  result<os_handle> open(const char* path) noexcept override {
    if (*path == 'X') return fail(errc::not_found, "no such file");
    if (open_now() == descriptors_) {
      tl::unexpected<error> refused = fail(errc::io, "too many open files");
      refused.value().os_error = EMFILE;
      return refused;
    }
    const int handle = opened_.add_one();
    check(handle < handles_max, "opens no more than expected");
    states_[handle].write(is_open);
    return os_handle{handle};
  }
  void close(os_handle handle) noexcept override {
    check(states_[handle.value].read() == is_open, "closed once");
    states_[handle.value].write(is_closed);
    (void)closed_.add_one();
  }
  result<std::size_t> read_at(os_handle handle, std::uint64_t,
                              std::span<std::byte> bytes) noexcept override {
    check(states_[handle.value].read() == is_open, "read while it is open");
    return bytes.size();
  }
  [[nodiscard]] int open_now() const { return opened_.value() - closed_.value(); }
  static constexpr int handles_max = 6;

 private:
  static constexpr int is_open = 1;
  static constexpr int is_closed = 2;
  variable<int> states_[handles_max] = {variable<int>(0), variable<int>(0), variable<int>(0),
                                        variable<int>(0), variable<int>(0), variable<int>(0)};
  const int descriptors_;
  // Neither atomic nor watched, as fibres share a thread.
  class number {
   public:
    OVERTURE_UNWATCHED int add_one() { return ++value_; }
    [[nodiscard]] OVERTURE_UNWATCHED int value() const { return value_; }

   private:
    int value_ = 0;
  };
  number opened_;
  number closed_;
};

buffer_pool shared_pool;

struct reading {
  watched_os os;
  handle_cache cache;
  source_id first;
  source_id second;
  source_id third;
  source_id missing;
  source_id fourth;
  io_detail::read_core core;
  std::byte bytes[3] = {};
  read_request request;
  read_request again;  // of the same file, but not adjacent
  read_request last;

  // The first file is already open.
  explicit reading(std::size_t open_max, int descriptors = watched_os::handles_max,
                   const io_detail::bundle_rules& rules = {})
      : os(descriptors),
        cache({.open_max = open_max, .reserved_descriptors = 0, .os = &os}),
        first(*cache.add("1")),
        second(*cache.add("2")),
        third(*cache.add("3")),
        missing(*cache.add("X")),
        fourth(*cache.add("4")),
        core(cache, config(), rules) {
    check(cache.pin(first).has_value(), "it opens");
    cache.unpin(first);
    request.source = again.source = first;
    request.destination = {&bytes[0], 1};
    again.offset = 5;
    again.destination = {&bytes[1], 1};
    last.source = fourth;
    last.destination = {&bytes[2], 1};
  }
  static read_queue_config config() {
    read_queue_config made;
    made.threads = 1;
    made.memory = &default_allocator();
    made.pool = &shared_pool;
    made.merge_bytes_max = 0;
    return made;
  }
  void end() {
    core.wait_until_idle();
    core.stop();
    check(request.outcome.has_value(), "it was read");
  }
};

TEST(a_handle_cache_in_all_interleavings, evicts_no_entry_during_a_read) {
  expect_clean_nearby([] {
    reading of(1);
    run({[&] { io_detail::serve_blocking(of.core); },
         [&] {
           of.core.submit({&of.request, 1});
           const result<open_source> other = of.cache.pin(of.second);
           check(other.has_value(), "it waits for the entry");
           check(of.os.open_now() == 1, "one at a time");
           of.cache.unpin(of.second);
           of.end();
         }});
  });
}

TEST(a_handle_cache_in_all_interleavings, a_waiter_for_an_entry_hears_of_later_readers) {
  expect_clean_nearby([] {
    reading of(1);
    run({[&] { io_detail::serve_blocking(of.core); }, [&] { io_detail::serve_blocking(of.core); },
         [&] {
           of.core.submit({&of.request, 1});
           of.core.submit({&of.again, 1});
           check(of.cache.pin(of.second).has_value(), "it waits for the entry");
           of.cache.unpin(of.second);
           of.end();
         }});
  });
}

TEST(a_handle_cache_in_all_interleavings, closes_after_a_read_and_before_the_queue_is_idle) {
  expect_clean_nearby([] {
    reading of(1);
    run({[&] { io_detail::serve_blocking(of.core); },
         [&] {
           of.core.submit({&of.request, 1});
           of.cache.close_source(of.first);
           of.end();
           // It was closed, and perhaps opened again for the read.
           check(of.os.open_now() == (of.cache.source(of.first) ? 1 : 0), "nothing is left open");
         }});
  });
}

// A reader has had the file before, so that nothing but its word on what it reads keeps it open.
TEST(a_handle_cache_in_all_interleavings, closes_no_file_that_is_read_again) {
  expect_clean_nearby([] {
    reading of(1);
    run({[&] { io_detail::serve_blocking(of.core); },
         [&] {
           of.core.submit({&of.request, 1});
           of.core.wait_until_idle();
           of.core.submit({&of.again, 1});
           of.cache.close_source(of.first);
           of.end();
         }});
  });
}

TEST(a_handle_cache_in_all_interleavings, two_readers_keep_open_what_is_closed_meanwhile) {
  expect_clean_nearby([] {
    reading of(1);
    run({[&] { io_detail::serve_blocking(of.core); }, [&] { io_detail::serve_blocking(of.core); },
         [&] {
           of.core.submit({&of.request, 1});
           of.core.submit({&of.again, 1});
           of.cache.close_source(of.first);
           of.end();
         }});
  });
}

TEST(a_handle_cache_in_all_interleavings, a_file_read_once_is_closed_by_the_thread_that_opened_it) {
  expect_clean_nearby([] {
    reading of(4);
    of.request.source = of.second;
    run({[&] { io_detail::serve_blocking(of.core); },
         [&] {
           of.core.submit({&of.request, 1});
           of.cache.close_source(of.second);
           of.end();
           check(of.os.open_now() == 1, "the first");
         }});
  });
}

// The process has no descriptor left, so the file that was read must be closed for the other.
TEST(a_handle_cache_in_all_interleavings, takes_no_descriptor_from_a_file_that_is_read) {
  expect_clean_nearby([] {
    reading of(2, 1);
    run({[&] { io_detail::serve_blocking(of.core); },
         [&] {
           of.core.submit({&of.request, 1});
           of.core.wait_until_idle();
           of.core.submit({&of.again, 1});
           check(of.cache.pin(of.second).has_value(), "it waits for the descriptor");
           of.cache.unpin(of.second);
           of.end();
         }});
  });
}

// Takes two at once while a third one waits, and opens the files of both for itself.
constexpr io_detail::bundle_rules in_pairs{.reads_max = 2,
                                           .share = 1,
                                           .span_ns_max = 1u << 30,
                                           .untried_ns = 1,
                                           .files_ahead = 2,
                                           .memory_ns = 0};

// Otherwise a thread without a descriptor would wait for one that no reader gives back.
TEST(a_handle_cache_in_all_interleavings, knows_when_a_reader_has_closed_its_own_files) {
  enum class second : std::uint8_t { is_there, is_missing, is_cancelled };
  for (const second which : {second::is_there, second::is_missing, second::is_cancelled}) {
    expect_clean_nearby([which] {
      reading of(8, watched_os::handles_max, in_pairs);
      of.request.source = of.second;
      of.again.source = which == second::is_missing ? of.missing : of.third;
      run({[&] { io_detail::serve_blocking(of.core); },
           [&] {
             of.core.suspend();
             of.core.submit({&of.request, 1});
             of.core.submit({&of.again, 1});
             of.core.submit({&of.last, 1});
             of.core.resume();
             if (which == second::is_cancelled) (void)of.core.cancel(of.again);
             of.core.wait_until_idle();
             check(!of.core.has_own_files(), "all are closed");
             of.end();
           }});
      check(of.os.open_now() == 1, "the one that was open before");
    });
  }
}

// Threads that pin files themselves, without a queue.
struct pinned_files {
  watched_os os;
  handle_cache cache;
  source_id first;
  source_id second;
  source_id missing;

  explicit pinned_files(std::size_t open_max, int descriptors)
      : os(descriptors),
        cache({.open_max = open_max, .reserved_descriptors = 0, .os = &os}),
        first(*cache.add("1")),
        second(*cache.add("2")),
        missing(*cache.add("X")) {}
  void read(source_id id) {
    std::byte byte{};
    const result<open_source> open = cache.pin(id);
    check(open.has_value(), "it opens");
    (void)open->os->read_at(open->handle, 0, {&byte, 1});
    cache.unpin(id);
  }
};

TEST(a_handle_cache_in_all_interleavings, gives_its_entry_to_one_file_after_the_other) {
  expect_clean_nearby([] {
    pinned_files of(1, 4);
    run({[&] { of.read(of.first); }, [&] { of.read(of.second); }, [&] { of.read(of.first); }});
    check(of.os.open_now() == 1, "one stays open");
  });
}

TEST(a_handle_cache_in_all_interleavings, takes_a_descriptor_from_an_unused_file) {
  expect_clean_nearby([] {
    pinned_files of(2, 1);
    run({[&] { of.read(of.first); }, [&] { of.read(of.second); }, [&] { of.read(of.first); }});
    check(of.os.open_now() == 1, "one stays open");
  });
}

TEST(a_handle_cache_in_all_interleavings, gives_up_the_entry_of_a_file_that_cannot_be_opened) {
  expect_clean_nearby([] {
    pinned_files of(1, 4);
    const auto fail_to_open = [&of] {
      const result<open_source> open = of.cache.pin(of.missing);
      check(!open && open.error().code == errc::not_found, "it is not there");
    };
    run({[&] { of.read(of.first); }, fail_to_open, fail_to_open});
  });
}

TEST(a_handle_cache_in_all_interleavings, closes_a_file_after_those_who_have_pinned_it) {
  expect_clean_nearby([] {
    pinned_files of(1, 4);
    run({[&] { of.read(of.first); },
         [&] {
           of.cache.close_source(of.first);
           of.read(of.first);
         },
         [&] { of.cache.close_source(of.first); }});
    of.cache.close_source(of.first);
    check(of.os.open_now() == 0, "it is closed");
  });
}

}  // namespace
}  // namespace overture::handle_cache_test
