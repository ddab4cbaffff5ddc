// SPDX-License-Identifier: Zlib
//
// The shipped descriptor pool: more files than descriptors, opened, used, closed and waited for,
// through all interleavings of small programs.
#include "vfs/mounts/descriptor_pool.hpp"

#include <gtest/gtest.h>

#include <array>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/sync/countdown.hpp"
#include "support/refusing_os.hpp"

namespace overture::vfs_detail::descriptor_pool_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;
using interleave::variable;

// One handle for each path, "0" and so on. Using and closing it are accesses to one piece of data.
class watched_os final : public test::refusing_os {
 public:
  result<os_handle> open(const char* path) noexcept override {
    const auto file = static_cast<std::size_t>(*path - '0');
    if (file == 2 && slow != nullptr) slow->wait(interleave::at_once);
    check(now_open_.fetch_add(1) < 2, "there are two descriptors");
    open_[file].write(open_[file].read() + 1);
    return os_handle{static_cast<std::int64_t>(file) + 1};
  }
  void close(os_handle handle) noexcept override {
    auto& open = open_[file_of(handle)];
    check(open.read() == 1, "closed once");
    open.write(0);
    now_open_.fetch_sub(1);
  }
  using refusing_os::status;
  result<file_status> status(os_handle handle) noexcept override {
    return status_of(file_of(handle));
  }
  static file_status status_of(std::uint64_t file) {
    file_status status;
    status.kind = file_kind::file;
    status.number = file;
    return status;
  }
  void use(os_handle handle) { check(open_[file_of(handle)].read() == 1, "it is open"); }
  [[nodiscard]] int open_now() const { return now_open_.load(); }

  barricade* slow = nullptr;  // opening file 2 takes until it is lowered

 private:
  static std::size_t file_of(os_handle handle) {
    return static_cast<std::size_t>(handle.value - 1);
  }

  atomic<int> now_open_{0};
  std::array<variable<int>, 4> open_{variable<int>(0), variable<int>(0), variable<int>(0),
                                     variable<int>(0)};
};

struct parked_files {
  parked_files() {
    (void)pool.claim();  // as mounting does first
    const char* const names[] = {"0", "1", "2", "3"};
    for (std::size_t i = 0; i < files.size(); ++i) {
      check(files[i].begin(pool, os, names[i], watched_os::status_of(i)).has_value(), "parked");
    }
  }
  void use(std::size_t number) {
    const result<os_handle> handle = files[number].pin(true);
    check(handle.has_value(), "it is opened");
    os.use(*handle);
    files[number].unpin();
  }
  watched_os os;
  descriptor_pool pool;
  std::array<parked_file, 4> files{
      parked_file(default_allocator()), parked_file(default_allocator()),
      parked_file(default_allocator()), parked_file(default_allocator())};
};

TEST(a_descriptor_pool_in_all_interleavings, shares_one_descriptor_between_users_of_a_file) {
  expect_clean_nearby([] {
    parked_files of;
    run({[&] { of.use(0); }, [&] { of.use(0); }});
    check(of.os.open_now() == 1, "it was opened once");
  });
}

TEST(a_descriptor_pool_in_all_interleavings, opens_three_files_with_two_descriptors) {
  expect_clean_nearby([] {
    parked_files of;
    run({[&] { of.use(0); }, [&] { of.use(1); }, [&] { of.use(2); }});
    check(of.os.open_now() == 2, "two are kept open");
  });
}

// All descriptors are in use until the last one is given back, which lets two waiters go on: those
// of one file share it.
TEST(a_descriptor_pool_in_all_interleavings, tells_all_that_wait_of_a_descriptor) {
  expect_clean_nearby([] {
    parked_files of;
    const result<os_handle> first = of.files[0].pin(true);
    const result<os_handle> second = of.files[1].pin(true);
    check(first.has_value() && second.has_value(), "all are in use");
    run({[&] { of.use(2); }, [&] { of.use(2); }, [&] { of.files[0].unpin(); }});
    of.files[1].unpin();
  });
}

TEST(a_descriptor_pool_in_all_interleavings, closes_a_file_that_ends) {
  expect_clean_nearby([] {
    parked_files of;
    run({[&] {
           of.use(0);
           of.files[0].close(parked_file::root);
         },
         [&] { of.use(1); }, [&] { of.use(2); }});
    check(of.os.open_now() <= 2, "no more than there are");
  });
}

// Each keeps the file in use until all have it.
TEST(a_descriptor_pool_in_all_interleavings, tells_all_that_wait_of_an_opened_file) {
  expect_clean_nearby([] {
    parked_files of;
    countdown users(3);
    const auto use = [&] {
      check(of.files[0].pin(true).has_value(), "it is opened");
      users.done();
      users.wait(interleave::at_once);
      of.files[0].unpin();
    };
    run({use, use, use});
  });
}

// One waits for a file that is being opened, the other for a descriptor: the one that is given back
// is of use to the second only.
TEST(a_descriptor_pool_in_all_interleavings, tells_the_waiter_that_can_use_a_descriptor) {
  expect_clean_nearby([] {
    parked_files of;
    barricade opened{barricade::raised};
    of.os.slow = &opened;
    check(of.files[0].pin(true).has_value(), "one of two descriptors is in use");
    run({[&] { of.use(2); }, [&] { of.use(2); },
         [&] {
           of.use(3);
           opened.lower();
         },
         [&] { of.files[0].unpin(); }});
  });
}

// All but one descriptor stay in use, and nothing but the end of the file lets the other thread on.
TEST(a_descriptor_pool_in_all_interleavings, tells_a_waiter_that_a_file_has_ended) {
  expect_clean_nearby([] {
    parked_files of;
    of.use(0);
    check(of.files[1].pin(true).has_value(), "it stays open");
    run({[&] { of.files[0].close(parked_file::root); }, [&] { of.use(2); }});
    of.files[1].unpin();
  });
}

}  // namespace
}  // namespace overture::vfs_detail::descriptor_pool_test
