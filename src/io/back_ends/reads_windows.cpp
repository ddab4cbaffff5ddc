// SPDX-License-Identifier: Zlib
//
// Many reads in flight on Windows: overlapped, and ended by completion routines, which the system
// runs on this thread while it sleeps. A completion port would do the same, but a file belongs to
// one port for as long as it is open, and several queues may read one archive.
#include <algorithm>
#include <span>

#include "base/system/paths_windows.hpp"
#include "io/back_ends/flights.hpp"
#include "io/back_ends/reads_uring.hpp"

namespace overture::io_detail {
namespace {

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
      : core_(core), runner_(core.runner()), flights_(core, depth) {}
  ~overlapped_reads();
  overlapped_reads(const overlapped_reads&) = delete;
  overlapped_reads& operator=(const overlapped_reads&) = delete;

  [[nodiscard]] bool set_up() noexcept;
  void serve() noexcept;

 private:
  static void wake(void* self) noexcept;
  static void CALLBACK on_read(DWORD code, DWORD bytes, OVERLAPPED* at) noexcept;
  void begin(flight& of) noexcept;
  void read_rest(flight& of) noexcept;

  read_core& core_;
  operation_runner& runner_;
  HANDLE thread_ = nullptr;
  flights<flight> flights_;
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
  if (!flights_.make()) return false;
  for (flight& each : flights_.all()) each.owner = this;
  return true;
}

overlapped_reads::~overlapped_reads() {
  core_.set_waker(nullptr, nullptr);
  if (thread_) (void)CloseHandle(thread_);
}

void overlapped_reads::wake(void* self) noexcept {
  constexpr auto nothing = [](ULONG_PTR) noexcept {};
  (void)QueueUserAPC(nothing, static_cast<overlapped_reads*>(self)->thread_, 0);
}

void overlapped_reads::on_read(DWORD code, DWORD bytes, OVERLAPPED* at) noexcept {
  auto& of = *reinterpret_cast<flight*>(at);
  overlapped_reads& self = *of.owner;
  if (!self.runner_.advance(of.op, outcome_of(code, bytes))) return self.read_rest(of);
  self.flights_.landed();
  self.flights_.ended(of);
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
  flights_.landed();
  flights_.ended(of);
}

void overlapped_reads::begin(flight& of) noexcept {
  if (!flights_.is_open(of, runner_.open(of.op, flights_.may_wait()))) return;
  // Storage other than the system's has no handles, and no byte lies beyond an offset of 63 bits.
  const bool is_far = of.op.end() > std::uint64_t{INT64_MAX};
  if (of.op.bytes() == 0 || is_far || of.op.file.os->descriptor(of.op.file.handle) < 0) {
    runner_.read_here(of.op);
    return flights_.ended(of);
  }
  flights_.begun();
  read_rest(of);
}

void overlapped_reads::serve() noexcept {
  core_.set_waker(wake, this);
  for (;;) {
    const auto begins = [this](flight& of) { begin(of); };
    flights_.begin_all(begins, begins);
    if (flights_.are_over()) return;
    (void)SleepEx(INFINITE, TRUE);
  }
}

}  // namespace

void serve_with_uring(read_core& core, unsigned depth, void (*ready)(void* context, bool verdict),
                      void* context) noexcept {
  serve_with<overlapped_reads>(core, depth, ready, context);
}

}  // namespace overture::io_detail
