// SPDX-License-Identifier: Zlib
//
// The platform functions that the library needs, as the explorer provides them.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/threads/processor.hpp"
#include "base/threads/thread_slot.hpp"
#include "interleave/explorer.hpp"
#include "interleave/steps.hpp"
#include "io/files/block_work_here.hpp"
#include "io/files/descriptor_limit.hpp"
#include "io/unpack/unpack_plan.hpp"
#include "jobs/sleep/this_thread.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/os.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/wait_observer.hpp"
#include "sync/asymmetric_fence.hpp"
#include "sync/wait.hpp"
#include "vfs/mounts/sizes.hpp"

namespace {

// One for each fibre.
overture::wait_observer* observers[8];

}  // namespace

void interleave::begin_threads_anew() noexcept {
  overture::sync_detail::begin_waits_anew();
  for (auto& each : observers) each = nullptr;
  for (auto& each : overture::jobs_detail::of_fibres) each = {};
}

namespace overture {

wait_observer* set_wait_observer(wait_observer* observer) noexcept {
  return std::exchange(observers[interleave::this_thread()], observer);
}
wait_observer* current_wait_observer() noexcept {
  return observers[interleave::this_thread()];
}
void remove_wait_observer(wait_observer& gone) noexcept {
  wait_observer** link = &observers[interleave::this_thread()];
  while (*link != nullptr && *link != &gone) link = &(*link)->next;
  if (*link != nullptr) *link = gone.next;
}

void yield_thread() noexcept {
  interleave::yield();
}

// Time passes when the explorer lets a sleeper's run out.
OVERTURE_UNWATCHED std::uint64_t now_ns() noexcept {
  return sync_detail::clock_ns;
}

std::uint64_t thread_cpu_ns() noexcept {
  return 0;
}

// Threads 0 and 2 share one, 1 and 3 the other, so that a wake finds sleepers on both.
unsigned base_detail::this_processor() noexcept {
  return static_cast<unsigned>(interleave::this_thread()) % 2;
}

unsigned processor_count() noexcept {
  return 1;
}

void base_detail::sharpen_timers() noexcept {}

bool sync_detail::register_heavy_fence() noexcept {
  return interleave::system_has_fences;
}
bool sync_detail::heavy_fence() noexcept {
  interleave::fence_all_threads();
  return true;
}

// The shipped one takes one slot for all fibres, and the first execution would differ. As there,
// the last slot is for all threads that come late.
std::uint32_t base_detail::thread_slot() noexcept {
  return std::min(static_cast<std::uint32_t>(interleave::this_thread()),
                  std::uint32_t{vfs_detail::pin_stripes_max - 1});
}

// Tests provide their own.
operating_system& system_os() noexcept {
  std::abort();
}

std::size_t io_detail::descriptors_left() noexcept {
  return 8;
}

// The explorer runs the threads; tests provide a factory that notes what to run.
thread_factory& default_thread_factory() noexcept {
  class none final : public thread_factory {
   public:
    result<thread_handle> start(const thread_options&, void (*)(void*) noexcept, void*) override {
      return fail(errc::unsupported, "no threads here");
    }
    void join(thread_handle) noexcept override {}
  };
  static none instance;
  return instance;
}

// A pool without its free lists, which have more atomics than the explorer can track.
buffer_pool::buffer_pool(const buffer_pool_config& config) noexcept : config_(config) {}
buffer_pool::~buffer_pool() = default;
result<blob> buffer_pool::take(std::size_t bytes) noexcept {
  blob made;
  made.pool_ = this;
  made.data_ = new std::byte[bytes];
  made.size_ = bytes;
  return made;
}
void blob::reset() noexcept {
  delete[] data_;
  pool_ = nullptr;
  data_ = nullptr;
  size_ = 0;
}

// Unpacks without a library: packed data begins with the unpacked bytes.
unpacker::~unpacker() = default;
result<void> unpacker::unpack(compression, std::span<const std::byte> packed,
                              std::span<std::byte> bytes) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = packed[i];
  return {};
}

namespace io_detail {

// Fibres share a thread, and no test asks.
block_work* block_work_here() noexcept {
  return nullptr;
}
block_work_scope::block_work_scope(block_work&) noexcept : before_(nullptr) {}
block_work_scope::~block_work_scope() {
  (void)before_;
}

void unpack_plan::make(compression, std::span<const std::byte> packed, std::size_t bytes) noexcept {
  count_ = 1;
  parts_[0] = {0, packed.size(), 0, bytes};
}
result<void> unpack_plan::unpack(std::size_t, unpacker& tables, compression method,
                                 std::span<const std::byte> packed,
                                 std::span<std::byte> bytes) const noexcept {
  return tables.unpack(method, packed, bytes);
}
bool unpack_plan::holds(std::span<const std::byte>) const noexcept {
  return true;
}

}  // namespace io_detail

}  // namespace overture
