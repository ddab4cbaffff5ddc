// SPDX-License-Identifier: Zlib
#include "copies/plug_in.hpp"

#include "base/threads/thread_slot.hpp"
#include "overture/io/simulated_disk.hpp"
#include "overture/jobs/coroutine.hpp"
#include "overture/jobs/parallel.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture::test {
namespace {

constexpr errc none = static_cast<errc>(UINT8_MAX);

co_task<> pass(barricade& door, std::atomic<int>& passed) {
  co_await door;
  ++passed;
}

errc await(barricade& door, job_system& jobs, std::atomic<int>& passed) noexcept {
  const auto begun = spawn(jobs, pass(door, passed));
  return begun ? none : begun.error().code;
}

bool works() noexcept {
  thread_pool jobs{{.workers = 2}};
  std::atomic<int> passed{0};
  barricade door{barricade::raised};
  if (await(door, jobs, passed) != none) return false;
  door.lower();
  while (passed == 0) (void)jobs.try_help();
  std::atomic<std::size_t> sum{0};
  parallel_for(jobs, 0, 100, [&](std::size_t i) { sum += i; });
  if (sum != 4950) return false;

  simulated_disk disk;
  const source_id file = *disk.add_file(1000);
  read_queue reads{disk, {.disk = &disk}};
  std::byte bytes[100];
  read_request request;
  request.source = file;
  request.destination = bytes;
  reads.submit({&request, 1});
  reads.drain();
  return request.outcome.has_value() && disk.holds(file, 0, bytes);
}

job_system& pool() noexcept {
  static thread_pool instance;
  return instance;
}

read_queue& queue() noexcept {
  static simulated_disk disk;
  static read_queue instance{disk, {.disk = &disk}};
  return instance;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const plug_in_calls overture_test_plug_in;
const plug_in_calls overture_test_plug_in{base_detail::thread_slot, await, works, pool, queue};

}  // namespace overture::test
