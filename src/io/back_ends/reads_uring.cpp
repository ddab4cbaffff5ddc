// SPDX-License-Identifier: Zlib
#include "io/back_ends/reads_uring.hpp"

#include <fcntl.h>
#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/back_ends/flights.hpp"
#include "io/back_ends/wake_event.hpp"

namespace overture::io_detail {
namespace {

using opening = operation_runner::opening;

// A read in flight, and what the kernel reads while it is.
struct flight {
  read_operation op;
  iovec parts[read_operation::parts_max];
  flight* next_free = nullptr;
  unsigned slot = 0;  // of the ring's own table of files
  // Of a chain: how many parts have not ended, the outcome of its read, and whether it has room.
  unsigned chained = 0;
  int chain_outcome = 0;
  bool has_room = false;
};

// What has ended, in the low bits of the flight's address.
enum class part : std::uintptr_t { whole, chain_read, chain_other };
constexpr std::uintptr_t part_mask = 3;
static_assert(alignof(flight) > part_mask);

constexpr unsigned chain_length = 3;  // open, read, close

class uring_reads {
 public:
  uring_reads(read_core& core, unsigned depth) noexcept
      : core_(core), runner_(core.runner()), depth_(depth), flights_(core, depth) {}
  ~uring_reads();
  uring_reads(const uring_reads&) = delete;
  uring_reads& operator=(const uring_reads&) = delete;

  [[nodiscard]] bool set_up() noexcept;
  void serve() noexcept;

 private:
  [[nodiscard]] io_uring_sqe* entry() noexcept;
  void arm_wake() noexcept;
  static void wake(void* self) noexcept;
  void begin_all() noexcept;
  void begin(flight& of) noexcept;
  [[nodiscard]] bool begin_chain(flight& of) noexcept;
  void end_chain(flight& of, part which, int outcome) noexcept;
  void register_memory() noexcept;
  [[nodiscard]] int registered(std::span<const std::byte> bytes) const noexcept;
  void prepare_read(io_uring_sqe& asked, flight& of, int file) noexcept;
  static void set_data(io_uring_sqe& asked, flight& of, part which) noexcept;
  void read_rest(flight& of) noexcept;
  void reap() noexcept;

  read_core& core_;
  operation_runner& runner_;
  unsigned depth_;
  io_uring ring_{};
  bool has_ring_ = false;
  wake_event wake_;
  std::uint64_t wakes_ = 0;  // the kernel writes it
  flights<flight> flights_;
  bool has_table_ = false;   // of files of the ring's own, so that it opens them
  bool has_memory_ = false;  // that the kernel keeps in place
};

bool uring_reads::set_up() noexcept {
  // Completions are only worked on when this thread asks for them (Linux 6.1); older kernels lack
  // the flag.
  const unsigned flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  const unsigned entries = chain_length * depth_ + 1;
  int failure = io_uring_queue_init(entries, &ring_, flags);
  if (failure != 0) failure = io_uring_queue_init(entries, &ring_, 0);
  if (failure != 0) return false;
  has_ring_ = true;
  // Reads without IORING_FEAT_RW_CUR_POS are those of Linux before 5.6, which lacks IORING_OP_READ.
  if ((ring_.features & IORING_FEAT_RW_CUR_POS) == 0) return false;
  if (!wake_.open() || !flights_.make()) return false;
  unsigned slot = 0;
  for (flight& each : flights_.all()) each.slot = slot++;
  // Linux 5.19, as chains with files of the ring's own; what is older reads without.
  has_table_ = core_.config().chains && io_uring_register_files_sparse(&ring_, depth_) == 0;
  register_memory();
  return true;
}

void uring_reads::register_memory() noexcept {
  constexpr std::size_t spans_max = 16;
  const std::span<const std::span<std::byte>> wanted = core_.config().registered;
  if (wanted.empty() || wanted.size() > spans_max) return;
  iovec spans[spans_max];
  for (std::size_t i = 0; i < wanted.size(); ++i) spans[i] = {wanted[i].data(), wanted[i].size()};
  has_memory_ = io_uring_register_buffers(&ring_, spans, static_cast<unsigned>(wanted.size())) == 0;
}

// The number of the registered span that has these bytes, or -1.
int uring_reads::registered(std::span<const std::byte> bytes) const noexcept {
  if (!has_memory_) return -1;
  const std::span<const std::span<std::byte>> spans = core_.config().registered;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto from = reinterpret_cast<std::uintptr_t>(spans[i].data());
    if (begin >= from && begin - from <= spans[i].size() &&
        bytes.size() <= spans[i].size() - (begin - from)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

uring_reads::~uring_reads() {
  core_.set_waker(nullptr, nullptr);
  if (has_ring_) io_uring_queue_exit(&ring_);
}

void uring_reads::wake(void* self) noexcept {
  static_cast<uring_reads*>(self)->wake_.set();
}

// There is one for each flight and one for the wake-up, so that it is never full for long.
io_uring_sqe* uring_reads::entry() noexcept {
  io_uring_sqe* free = io_uring_get_sqe(&ring_);
  while (!free) {
    (void)io_uring_submit(&ring_);
    free = io_uring_get_sqe(&ring_);
  }
  return free;
}

void uring_reads::arm_wake() noexcept {
  io_uring_sqe* const asked = entry();
  io_uring_prep_read(asked, wake_.descriptor(), &wakes_, sizeof wakes_, 0);
  io_uring_sqe_set_data(asked, nullptr);
}

void uring_reads::set_data(io_uring_sqe& asked, flight& of, part which) noexcept {
  io_uring_sqe_set_data64(
      &asked, reinterpret_cast<std::uintptr_t>(&of) | static_cast<std::uintptr_t>(which));
}

void uring_reads::prepare_read(io_uring_sqe& asked, flight& of, int file) noexcept {
  std::span<std::byte> parts[read_operation::parts_max];
  const std::size_t count = of.op.parts(of.op.done, parts);
  const std::uint64_t offset = of.op.offset() + of.op.done;
  if (const int span = count == 1 ? registered(parts[0]) : -1; span >= 0) {
    // One read of Linux ends below 2 GiB; the rest is read afterwards.
    const auto bytes = static_cast<unsigned>(std::min<std::size_t>(parts[0].size(), 1u << 30));
    io_uring_prep_read_fixed(&asked, file, parts[0].data(), bytes, offset, span);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) of.parts[i] = {parts[i].data(), parts[i].size()};
  io_uring_prep_readv(&asked, file, of.parts, static_cast<unsigned>(count), offset);
}

void uring_reads::read_rest(flight& of) noexcept {
  io_uring_sqe* const asked = entry();
  prepare_read(*asked, of, of.op.file.os->descriptor(of.op.file.handle));
  set_data(*asked, of, part::whole);
}

// Opens, reads and closes in one go, if the file is to be read once. The close is linked so that it
// happens however the read ends, or the entry in the table would stay taken; each of the three
// posts its end, because one that fails keeps the later ones from running.
bool uring_reads::begin_chain(flight& of) noexcept {
  of.has_room = false;
  if (!has_table_ || of.op.bytes() == 0) return false;
  const char* path = nullptr;
  const opening how = runner_.open_by_path(of.op, path);
  if (how == opening::busy) return false;
  if (!flights_.is_open(of, how)) return true;
  of.has_room = true;
  while (io_uring_sq_space_left(&ring_) < chain_length) (void)io_uring_submit(&ring_);
  io_uring_sqe* const opens = entry();
  // The ring's own files take no O_CLOEXEC; the other flags are those of system_os().
  io_uring_prep_openat_direct(opens, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, of.slot);
  opens->flags |= IOSQE_IO_LINK;
  set_data(*opens, of, part::chain_other);
  io_uring_sqe* const reads = entry();
  prepare_read(*reads, of, static_cast<int>(of.slot));
  reads->flags |= IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK;
  set_data(*reads, of, part::chain_read);
  io_uring_sqe* const closes = entry();
  io_uring_prep_close_direct(closes, of.slot);
  set_data(*closes, of, part::chain_other);
  of.chained = chain_length;
  flights_.begun();
  return true;
}

void uring_reads::end_chain(flight& of, part which, int outcome) noexcept {
  if (which == part::chain_read) of.chain_outcome = outcome;
  if (--of.chained > 0) return;
  flights_.landed();
  if (of.chain_outcome >= 0 && runner_.advance(of.op, of.chain_outcome)) return flights_.ended(of);
  // Reading step by step gets the rest, or finds the error and reports it.
  begin(of);
}

void uring_reads::begin(flight& of) noexcept {
  const bool may_wait = flights_.may_wait();
  const opening how =
      of.has_room ? runner_.open_after_all(of.op, may_wait) : runner_.open(of.op, may_wait);
  if (!flights_.is_open(of, how)) return;
  // The ring cannot read storage other than the system's, nor zero bytes.
  if (of.op.bytes() == 0 || of.op.file.os->descriptor(of.op.file.handle) < 0) {
    runner_.read_here(of.op);
    return flights_.ended(of);
  }
  flights_.begun();
  read_rest(of);
}

void uring_reads::begin_all() noexcept {
  flights_.begin_all([this](flight& of) { begin(of); },
                     [this](flight& taken) {
                       if (!begin_chain(taken)) begin(taken);
                     });
}

void uring_reads::reap() noexcept {
  io_uring_cqe* done = nullptr;
  while (io_uring_peek_cqe(&ring_, &done) == 0) {
    const std::uint64_t data = io_uring_cqe_get_data64(done);
    auto* const of = reinterpret_cast<flight*>(data & ~part_mask);
    const auto which = static_cast<part>(data & part_mask);
    const int outcome = done->res;
    io_uring_cqe_seen(&ring_, done);
    if (!of) {
      arm_wake();
    } else if (which != part::whole) {
      end_chain(*of, which, outcome);
    } else if (outcome == -EAGAIN) {
      // The ring does not wait for this file; a blocking read finds out why.
      runner_.read_here(of->op);
      flights_.landed();
      flights_.ended(*of);
    } else if (runner_.advance(of->op, outcome)) {
      flights_.landed();
      flights_.ended(*of);
    } else {
      read_rest(*of);
    }
  }
}

void uring_reads::serve() noexcept {
  core_.set_waker(wake, this);
  arm_wake();
  for (;;) {
    begin_all();
    if (flights_.are_over()) return;
    (void)io_uring_submit_and_wait(&ring_, 1);  // EINTR: the next round does it
    reap();
  }
}

}  // namespace

void serve_with_uring(read_core& core, unsigned depth, void (*ready)(void* context, bool verdict),
                      void* context) noexcept {
  serve_with<uring_reads>(core, depth, ready, context);
}

}  // namespace overture::io_detail
