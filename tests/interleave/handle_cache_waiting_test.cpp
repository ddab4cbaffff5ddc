// SPDX-License-Identifier: Zlib
//
// The shipped handle_cache.cpp while a thread waits for an entry: what it tells registered readers,
// and what wakes the thread. Readers are stand-ins that say what they are told to say.
#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "overture/base/atomic.hpp"
#include "overture/io/handle_cache.hpp"
#include "support/refusing_os.hpp"

namespace overture::handle_cache_waiting_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

class opening_os final : public test::refusing_os {
 public:
  result<os_handle> open(const char*) noexcept override {
    return os_handle{static_cast<int>(opened_.fetch_add(1)) + 1};
  }
  void close(os_handle) noexcept override { (void)closed_.fetch_add(1); }
  [[nodiscard]] unsigned open_now() const { return opened_.load() - closed_.load(); }

 private:
  atomic<unsigned> opened_{0};
  atomic<unsigned> closed_{0};
};

class told_reader final : public source_reader {
 public:
  bool is_reading(source_id) noexcept override { return reading.load(); }
  bool has_own_files() noexcept override { return false; }
  void notify_every_release(bool wanted) noexcept override { told.store(wanted); }
  reader_counts counts() noexcept override { return {}; }

  atomic<bool> reading{false};
  atomic<bool> told{false};
};

// As many entries as files but one, so that the last file waits for an entry.
struct files_and_readers {
  opening_os os;
  handle_cache cache;
  told_reader reader;
  source_id files[4];

  explicit files_and_readers(std::size_t open_max, unsigned own_files = 0)
      : cache({.open_max = open_max, .reserved_descriptors = 0, .os = &os}),
        files{*cache.add("1"), *cache.add("2"), *cache.add("3"), *cache.add("4")} {
    const source_files::reader_terms terms = cache.add_reader(reader, own_files, 0);
    check(terms.is_known && terms.own_files == own_files, "it is a reader");
  }
  void pin(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) check(cache.pin(files[i]).has_value(), "it opens");
  }
  // The thread that waits, which is the first.
  void wait_for(source_id file) {
    check(cache.pin(file).has_value(), "it is its turn");
    cache.unpin(file);
  }
  void let_it_wait() const {
    while (!interleave::asleep(1)) interleave::let_others_run();
  }
};

TEST(a_handle_cache_in_all_interleavings, asks_readers_for_every_end_while_a_thread_waits) {
  expect_clean_nearby([] {
    files_and_readers of(1);
    of.pin(1);
    run({[&] { of.wait_for(of.files[1]); },
         [&] {
           of.let_it_wait();
           check(of.reader.told.load(), "a read that ends may be what it waits for");
           of.cache.unpin(of.files[0]);
         }});
    check(!of.reader.told.load(), "no longer");
  });
}

TEST(a_handle_cache_in_all_interleavings, asks_a_reader_that_comes_while_a_thread_waits) {
  expect_clean_nearby([] {
    files_and_readers of(1);
    of.pin(1);
    told_reader late;
    run({[&] { of.wait_for(of.files[1]); },
         [&] {
           of.let_it_wait();
           check(of.cache.add_reader(late, 0, 0).is_known, "it is a reader");
           check(late.told.load(), "as the others");
           of.cache.unpin(of.files[0]);
         }});
    check(!late.told.load(), "no longer");
  });
}

TEST(a_handle_cache_in_all_interleavings, gives_a_waiter_the_entry_of_a_reader_that_goes) {
  expect_clean_nearby([] {
    files_and_readers of(4, 1);
    of.pin(3);
    run({[&] { of.wait_for(of.files[3]); },
         [&] {
           of.let_it_wait();
           of.cache.remove_reader(of.reader);
         }});
    check(of.os.open_now() == 4, "nothing was closed for it");
  });
}

TEST(a_handle_cache_in_all_interleavings, gives_a_waiter_the_entry_of_a_file_that_is_closed) {
  expect_clean_nearby([] {
    files_and_readers of(1);
    of.pin(1);
    check(of.cache.borrow(of.files[0], 0).has_value(), "the reader has it too");
    of.reader.reading.store(true);
    of.cache.unpin(of.files[0]);
    run({[&] { of.wait_for(of.files[1]); },
         [&] {
           of.let_it_wait();
           of.reader.reading.store(false);
           of.cache.close_source(of.files[0]);
         }});
    check(of.os.open_now() == 1, "the other");
  });
}

TEST(a_handle_cache_in_all_interleavings, keeps_open_what_is_pinned_again_before_it_closes) {
  expect_clean_nearby([] {
    files_and_readers of(1);
    of.pin(1);
    of.cache.close_source(of.files[0]);
    run({[&] { of.wait_for(of.files[0]); }});
    of.cache.unpin(of.files[0]);
    check(of.os.open_now() == 1, "it is wanted");
  });
}

}  // namespace
}  // namespace overture::handle_cache_waiting_test
