// SPDX-License-Identifier: Zlib
//
// Many reads in flight on Windows: overlapped, and ended by completion routines, which the system
// runs on this thread while it sleeps. A completion port would do the same, but a file belongs to
// one port for as long as it is open, and several queues may read one archive.
#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "base/system/paths_windows.hpp"
#include "io/back_ends/reads_uring.hpp"

namespace overture::io_detail {
namespace {

using opening = operation_runner::opening;

class overlapped_reads;

struct flight {
  OVERLAPPED at{};  // first: the system hands back its address
  overlapped_reads* owner = nullptr;
  flight* next_free = nullptr;
  read_operation op;
};

class overlapped_reads {
 public:
  overlapped_reads(read_core& core, unsigned depth) noexcept
      : core_(core), runner_(core.runner()), depth_(depth) {}
  ~overlapped_reads();
  overlapped_reads(const overlapped_reads&) = delete;
  overlapped_reads& operator=(const overlapped_reads&) = delete;

  [[nodiscard]] bool set_up() noexcept;
  void serve() noexcept;

 private:
  static void wake(void* self) noexcept;
  static void CALLBACK on_read(DWORD code, DWORD bytes, OVERLAPPED* at) noexcept;
  void begin_all() noexcept;
  void begin(flight& of) noexcept;
  void read_rest(flight& of) noexcept;
  void ended(flight& of) noexcept;

  read_core& core_;
  operation_runner& runner_;
  unsigned depth_;
  HANDLE thread_ = nullptr;
  flight* flights_ = nullptr;
  flight* free_ = nullptr;
  flight* unopened_ = nullptr;  // wait until another read has ended
  unsigned in_flight_ = 0;
  bool enlisted_ = false;  // among the sleepers of the core
  bool stopped_ = false;
};

std::int64_t outcome_of(DWORD code, DWORD bytes) noexcept {
  if (code == ERROR_SUCCESS) return bytes;
  return code == ERROR_HANDLE_EOF ? 0 : -std::int64_t{base_detail::errno_of(code)};
}

bool overlapped_reads::set_up() noexcept {
  const HANDLE process = GetCurrentProcess();
  if (!DuplicateHandle(process, GetCurrentThread(), process, &thread_, THREAD_SET_CONTEXT, FALSE,
                       0)) {
    return false;
  }
  void* const room =
      core_.config().memory->allocate(sizeof(flight) * depth_, alignof(flight), memory_tag::io);
  if (!room) return false;
  flights_ = static_cast<flight*>(room);
  for (unsigned i = 0; i < depth_; ++i) {
    flight* const made = ::new (static_cast<void*>(flights_ + i)) flight;
    made->owner = this;
    made->next_free = std::exchange(free_, made);
  }
  return true;
}

overlapped_reads::~overlapped_reads() {
  core_.set_waker(nullptr, nullptr);
  if (thread_) (void)CloseHandle(thread_);
  if (!flights_) return;
  for (unsigned i = 0; i < depth_; ++i) flights_[i].~flight();
  core_.config().memory->deallocate(flights_, sizeof(flight) * depth_, alignof(flight),
                                    memory_tag::io);
}

void overlapped_reads::wake(void* self) noexcept {
  constexpr auto nothing = [](ULONG_PTR) noexcept {};
  (void)QueueUserAPC(nothing, static_cast<overlapped_reads*>(self)->thread_, 0);
}

void overlapped_reads::on_read(DWORD code, DWORD bytes, OVERLAPPED* at) noexcept {
  auto& of = *reinterpret_cast<flight*>(at);
  overlapped_reads& self = *of.owner;
  if (!self.runner_.advance(of.op, outcome_of(code, bytes))) return self.read_rest(of);
  --self.in_flight_;
  self.ended(of);
}

// Only into the first of the buffers; the others are next, as after a short read.
void overlapped_reads::read_rest(flight& of) noexcept {
  constexpr std::size_t bytes_max = 1u << 30;
  std::span<std::byte> parts[read_operation::parts_max];
  for (;;) {
    (void)of.op.parts(of.op.done, parts);
    const std::uint64_t offset = of.op.offset() + of.op.done;
    of.at = {};
    of.at.Offset = static_cast<DWORD>(offset);
    of.at.OffsetHigh = static_cast<DWORD>(offset >> 32);
    auto* const file = reinterpret_cast<HANDLE>(
        static_cast<std::intptr_t>(of.op.file.os->descriptor(of.op.file.handle)));
    const auto wanted = static_cast<DWORD>(std::min(parts[0].size(), bytes_max));
    if (ReadFileEx(file, parts[0].data(), wanted, &of.at, on_read)) return;
    if (runner_.advance(of.op, outcome_of(GetLastError(), 0))) break;
  }
  --in_flight_;
  ended(of);
}

void overlapped_reads::ended(flight& of) noexcept {
  core_.leave(of.op);
  of.next_free = std::exchange(free_, &of);
}

void overlapped_reads::begin(flight& of) noexcept {
  // With reads in flight this thread must not wait: it is the one that ends them.
  switch (runner_.open(of.op, in_flight_ == 0)) {
    case opening::open:
      break;
    case opening::ended:
      return ended(of);
    case opening::busy:
      of.next_free = std::exchange(unopened_, &of);
      return;
  }
  // Storage other than the system's has no handles, and no byte lies beyond an offset of 63 bits.
  const bool is_far = of.op.end() > std::uint64_t{INT64_MAX};
  if (of.op.bytes() == 0 || is_far || of.op.file.os->descriptor(of.op.file.handle) < 0) {
    runner_.read_here(of.op);
    return ended(of);
  }
  ++in_flight_;
  read_rest(of);
}

void overlapped_reads::begin_all() noexcept {
  while (flight* const first = unopened_) {
    unopened_ = first->next_free;
    begin(*first);
    if (unopened_ == first) break;
  }
  while (free_ && !unopened_) {
    flight& taken = *free_;
    const read_core::look_outcome outcome = core_.take_next_or_enlist(taken.op, enlisted_);
    stopped_ = outcome == read_core::look_outcome::stopped;
    if (outcome != read_core::look_outcome::found) return;
    free_ = taken.next_free;
    begin(taken);
  }
}

void overlapped_reads::serve() noexcept {
  core_.set_waker(wake, this);
  for (;;) {
    begin_all();
    if (stopped_ && in_flight_ == 0) return;
    (void)SleepEx(INFINITE, TRUE);
  }
}

}  // namespace

void serve_with_uring(read_core& core, unsigned depth, void (*ready)(void* context, bool verdict),
                      void* context) noexcept {
  overlapped_reads reads(core, depth);
  const bool verdict = reads.set_up();
  ready(context, verdict);
  if (verdict) reads.serve();
}

}  // namespace overture::io_detail
