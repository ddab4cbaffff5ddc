// SPDX-License-Identifier: Zlib
//
// What happens where the kernel, or a sandbox, does not allow io_uring.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <thread>

#include "io/opened_files.hpp"
#include "overture/sync/countdown.hpp"
#include "support/temp_folder.hpp"

namespace overture::reads_uring_test {
namespace {

// Runs `body` on a thread, and the threads that it starts, whose io_uring_setup() ends like this.
template <class Body>
void without_uring(int failure, Body body) {
  std::thread([&] {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(failure)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof program[0], program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
      return body(false);
    }
    body(true);
  }).join();
}

TEST(read_queue_without_uring, falls_back_to_threads_in_silence) {
  temp_folder folder;
  opened_files files;
  const source_id file = files.open(folder.write("file", "bytes"));
  for (const int failure : {EPERM, ENOSYS}) {
    without_uring(failure, [&](bool refused) {
      if (!refused) return;  // no seccomp here
      read_queue reads(files, {.backend = read_backend::uring, .threads = 2});
      EXPECT_EQ(reads.backend(), read_backend::threads);
      EXPECT_TRUE(reads.status());
      std::byte bytes[5];
      countdown left(1);
      read_request request{.source = file, .destination = bytes};
      request.counter = &left;
      reads.submit({&request, 1});
      left.wait();
      EXPECT_TRUE(request.outcome);
    });
  }
}

TEST(read_queue_without_uring, lives_with_little_locked_memory) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &before), 0);
  rlimit little = before;
  little.rlim_cur = std::min<rlim_t>(before.rlim_max, 64 * 1'024);
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &little), 0);
  temp_folder folder;
  opened_files files;
  const source_id file = files.open(folder.write("file", "bytes"));
  {
    read_queue reads(files, {.backend = read_backend::uring, .threads = 2});
    EXPECT_TRUE(reads.status());
    std::byte bytes[5];
    countdown left(1);
    read_request request{.source = file, .destination = bytes};
    request.counter = &left;
    reads.submit({&request, 1});
    left.wait();
    EXPECT_TRUE(request.outcome);
  }
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &before), 0);
}
}  // namespace
}  // namespace overture::reads_uring_test
