// SPDX-License-Identifier: Zlib
//
// The shipped read_core.cpp and unpack_queue.cpp with packed requests: what a thread of the queue
// reads, a thread that waits or a task of the executor unpacks.
#include "io/back_ends/reads_blocking.hpp"
#include "io/queue/read_core.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "interleave/explored_reads.hpp"

namespace overture {

namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;
using test::alone;
using test::one_byte_files;
using test::one_file;

// Keeps its tasks until the threads have ended: an executor whose workers are all busy.
class later final : public executor {
 public:
  void execute(task work) noexcept override { tasks_[count_++] = work; }
  void run_all() {
    for (std::size_t i = 0; i < count_; ++i) tasks_[i].run(tasks_[i].context);
  }

 private:
  task tasks_[4];
  std::size_t count_ = 0;
};

class one_packed_file final : public one_byte_files {
 public:
  result<std::size_t> read_at(os_handle, std::uint64_t,
                              std::span<std::byte> bytes) noexcept override {
    for (std::byte& each : bytes) each = std::byte{7};  // as platform.cpp unpacks it
    return bytes.size();
  }
};

TEST(a_read_queue_in_all_interleavings, a_waiter_unpacks_and_is_never_forgotten) {
  expect_clean_nearby([] {
    one_packed_file file;
    later jobs;
    countdown left(1);
    {
      read_queue_config config = alone();
      config.unpack_executor = &jobs;
      io_detail::read_core core(file, config);
      std::byte byte{};
      read_request request;
      request.source = {0, 1};
      request.destination = {&byte, 1};
      request.method = compression::deflate;
      request.packed_bytes = 6;
      request.counter = &left;
      run({[&] { io_detail::serve_blocking(core); },
           [&] {
             core.submit({&request, 1});
             core.wait_for(left, false);
             check(byte == std::byte{7}, "it was unpacked by the waiter");
             core.wait_until_idle();
             core.stop();
           }});
    }
    jobs.run_all();
  });
}

TEST(a_read_queue_in_all_interleavings, goes_on_with_packed_reads_when_the_first_is_unpacked) {
  expect_clean_nearby([] {
    one_packed_file file;
    later jobs;
    countdown left(2);
    {
      read_queue_config config = alone();
      config.unpack_executor = &jobs;
      config.packed_bytes_max = 6;
      io_detail::read_core core(file, config);
      std::byte bytes[2] = {};
      read_request requests[2];
      for (int i = 0; i < 2; ++i) {
        requests[i].source = {0, 1};
        requests[i].offset = std::uint64_t{100} * static_cast<unsigned>(i);
        requests[i].destination = {&bytes[i], 1};
        requests[i].method = compression::deflate;
        requests[i].packed_bytes = 6;
        requests[i].counter = &left;
      }
      run({[&] { io_detail::serve_blocking(core); },
           [&] {
             core.submit(requests);
             core.wait_for(left, false);
             check(bytes[0] == std::byte{7} && bytes[1] == std::byte{7}, "both were unpacked");
             core.wait_until_idle();
             core.stop();
           }});
    }
    jobs.run_all();
  });
}

// Hands its tasks to a thread that runs them until there will be no more.
class handed_over final : public executor {
 public:
  void execute(task work) noexcept override {
    const std::uint32_t place = count_.load(std::memory_order_relaxed);
    tasks_[place] = work;
    count_.store(place + 1, std::memory_order_release);
  }
  void close() { closed_.store(1, std::memory_order_release); }
  void run_all() {
    for (std::uint32_t next = 0;;) {
      const bool closed = closed_.load(std::memory_order_acquire) != 0;
      if (next != count_.load(std::memory_order_acquire)) {
        const task work = tasks_[next++];
        work.run(work.context);
      } else if (closed) {
        return;
      } else {
        interleave::let_others_run();
      }
    }
  }

 private:
  task tasks_[4];
  atomic<std::uint32_t> count_{0};
  atomic<std::uint32_t> closed_{0};
};

TEST(a_read_queue_in_all_interleavings, may_end_while_a_task_of_its_executor_is_on_its_way) {
  expect_clean_nearby([] {
    one_packed_file file;
    handed_over jobs;
    countdown left(1);
    read_queue_config config = alone();
    config.unpack_executor = &jobs;
    std::optional<io_detail::read_core> core(std::in_place, file, config);
    std::byte byte{};
    read_request request;
    request.source = {0, 1};
    request.destination = {&byte, 1};
    request.method = compression::deflate;
    request.packed_bytes = 6;
    request.counter = &left;
    run({[&] { io_detail::serve_blocking(*core); }, [&] { jobs.run_all(); },
         [&] {
           core->submit({&request, 1});
           core->wait_for(left, false);
           check(byte == std::byte{7}, "it was unpacked");
           core->wait_until_idle();
           core->stop();
           interleave::join(1);
           core.reset();
           jobs.close();
         }});
  });
}

}  // namespace
}  // namespace overture
