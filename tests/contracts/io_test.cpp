// SPDX-License-Identifier: Zlib
//
// Contracts of io.
#include <memory>

#include "contracts/says.hpp"
#include "overture/io/handle_cache.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/io/simulated_disk.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture::io_test {
namespace {

using test::expect_says;

TEST(read_queue_contract, ends_before_its_files) {
  constexpr const char* files_left =
      "the files of a read_queue were destroyed before it: destroy the read_queue first";
  expect_says(
      [&] {
        auto files = std::make_unique<handle_cache>();
        const read_queue reads(*files, {.threads = 1});
        files.reset();
      },
      files_left);
  expect_says(
      [&] {
        auto disk = std::make_unique<simulated_disk>();
        const read_queue reads(*disk, {.run_by_host = true});
        disk.reset();
      },
      files_left);
}

TEST(read_queue_contract, ends_before_what_its_config_points_to) {
  handle_cache files;
  expect_says(
      [&] {
        auto jobs = std::make_unique<thread_pool>();
        const read_queue reads(files, {.threads = 1, .unpack_executor = jobs.get()});
        jobs.reset();
      },
      "a job system was destroyed while a read_queue unpacks on it: destroy the read_queue first");
  expect_says(
      [&] {
        auto jobs = std::make_unique<thread_pool>();
        const read_queue reads(files, {.threads = 1, .wake_ahead = jobs.get()});
        jobs.reset();
      },
      "a job system was destroyed while a read_queue tells it of reads (wake_ahead): destroy the "
      "read_queue first");
  expect_says(
      [&] {
        auto disk = std::make_unique<simulated_disk>();
        const read_queue reads(files, {.disk = disk.get()});
        disk.reset();
      },
      "a simulated_disk was destroyed while a read_queue reads from it: destroy the read_queue "
      "first");
}

TEST(read_queue_contract, drains_only_while_it_reads) {
  handle_cache files;
  read_queue reads(files, {.threads = 1});
  reads.suspend();
  expect_says([&] { reads.drain(); },
              "read_queue::drain() was called while the queue is suspended, so it would never "
              "return: resume() first");
  reads.resume();
  reads.drain();
}

TEST(read_queue_contract, waits_for_read_now_by_itself) {
  handle_cache files;
  read_queue reads(files, {.threads = 1});
  countdown left(1);
  read_request request{.counter = &left};
  expect_says([&] { (void)reads.read_now(request); },
              "a request for read_now() has a completion of its own: leave `on`, `done` and "
              "`counter` unset, the call waits by itself");
}

}  // namespace
}  // namespace overture::io_test
