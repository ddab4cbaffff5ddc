#include "io/reads_uring.hpp"

#include <liburing.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace overture::io {
namespace {

// A read in flight, and what the kernel reads while it is.
struct flight {
  read_operation op;
  iovec parts[read_operation::parts_max];
  flight* next_free = nullptr;
};

class uring_reads {
 public:
  uring_reads(read_core& core, unsigned depth) noexcept : core_(core), depth_(depth) {}
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
  void read_rest(flight& of) noexcept;
  void ended(flight& of) noexcept;
  void reap() noexcept;

  read_core& core_;
  unsigned depth_;
  io_uring ring_{};
  bool has_ring_ = false;
  int wake_fd_ = -1;
  std::uint64_t wakes_ = 0;  // the kernel writes it
  flight* flights_ = nullptr;
  flight* free_ = nullptr;
  flight* unopened_ = nullptr;  // waits until another read has ended
  unsigned in_flight_ = 0;
  bool noted_ = false;  // among the sleepers of the core
  bool stopped_ = false;
};

bool uring_reads::set_up() noexcept {
  // Completions are only worked on when this thread asks for them (Linux 6.1); older kernels know
  // nothing of it.
  const unsigned flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  int failure = io_uring_queue_init(depth_ + 1, &ring_, flags);
  if (failure != 0) failure = io_uring_queue_init(depth_ + 1, &ring_, 0);
  if (failure != 0) return false;
  has_ring_ = true;
  // Reads without IORING_FEAT_RW_CUR_POS are those of Linux before 5.6, which lacks IORING_OP_READ.
  if ((ring_.features & IORING_FEAT_RW_CUR_POS) == 0) return false;
  wake_fd_ = eventfd(0, EFD_CLOEXEC);
  if (wake_fd_ < 0) return false;
  void* const place =
      core_.config().memory->allocate(sizeof(flight) * depth_, alignof(flight), memory_tag::io);
  if (!place) return false;
  flights_ = static_cast<flight*>(place);
  for (unsigned i = 0; i < depth_; ++i) {
    flight* const made = ::new (static_cast<void*>(flights_ + i)) flight;
    made->next_free = free_;
    free_ = made;
  }
  return true;
}

uring_reads::~uring_reads() {
  core_.set_waker(nullptr, nullptr);
  if (has_ring_) io_uring_queue_exit(&ring_);
  if (wake_fd_ >= 0) (void)::close(wake_fd_);
  if (!flights_) return;
  for (unsigned i = 0; i < depth_; ++i) flights_[i].~flight();
  core_.config().memory->deallocate(flights_, sizeof(flight) * depth_, alignof(flight),
                                    memory_tag::io);
}

void uring_reads::wake(void* self) noexcept {
  const std::uint64_t one = 1;
  // It can only fail if the counter is full, and then the ring's thread is being woken already.
  [[maybe_unused]] const ssize_t written =
      ::write(static_cast<uring_reads*>(self)->wake_fd_, &one, sizeof one);
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
  io_uring_prep_read(asked, wake_fd_, &wakes_, sizeof wakes_, 0);
  io_uring_sqe_set_data(asked, nullptr);
}

void uring_reads::read_rest(flight& of) noexcept {
  std::span<std::byte> parts[read_operation::parts_max];
  const std::size_t count = of.op.parts(of.op.done, parts);
  for (std::size_t i = 0; i < count; ++i) of.parts[i] = {parts[i].data(), parts[i].size()};
  io_uring_sqe* const asked = entry();
  io_uring_prep_readv(asked, of.op.file.os->descriptor(of.op.file.handle), of.parts,
                      static_cast<unsigned>(count), of.op.offset() + of.op.done);
  io_uring_sqe_set_data(asked, &of);
}

void uring_reads::ended(flight& of) noexcept {
  core_.leave(of.op);
  of.next_free = free_;
  free_ = &of;
}

void uring_reads::begin(flight& of) noexcept {
  // With reads in flight this thread must not wait: it is the one that ends them.
  switch (core_.open(of.op, in_flight_ == 0)) {
    case read_core::opening::open:
      break;
    case read_core::opening::ended:
      return ended(of);
    case read_core::opening::busy:
      unopened_ = &of;
      return;
  }
  // What is no file of the system's, or nothing at all, is not for the ring.
  if (of.op.bytes() == 0 || of.op.file.os->descriptor(of.op.file.handle) < 0) {
    core_.read_here(of.op);
    return ended(of);
  }
  ++in_flight_;
  read_rest(of);
}

void uring_reads::begin_all() noexcept {
  if (unopened_) begin(*std::exchange(unopened_, nullptr));
  while (free_ && !unopened_) {
    flight& next = *free_;
    std::uint32_t word = 0;
    const read_core::turn turn = core_.next_or_note(next.op, noted_, word);
    stopped_ = turn == read_core::turn::stopped;
    if (turn != read_core::turn::found) return;
    free_ = next.next_free;
    begin(next);
  }
}

void uring_reads::reap() noexcept {
  io_uring_cqe* done = nullptr;
  while (io_uring_peek_cqe(&ring_, &done) == 0) {
    auto* const of = static_cast<flight*>(io_uring_cqe_get_data(done));
    const int outcome = done->res;
    io_uring_cqe_seen(&ring_, done);
    if (!of) {
      arm_wake();
    } else if (outcome == -EAGAIN) {
      // The ring will not wait for this file; a thread gets to know why.
      core_.read_here(of->op);
      --in_flight_;
      ended(*of);
    } else if (core_.advance(of->op, outcome)) {
      --in_flight_;
      ended(*of);
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
    if (stopped_ && in_flight_ == 0) return;
    (void)io_uring_submit_and_wait(&ring_, 1);  // EINTR: the next round does it
    reap();
  }
}

}  // namespace

void serve_with_uring(read_core& core, unsigned depth, void (*ready)(void* context, bool verdict),
                      void* context) noexcept {
  uring_reads reads(core, depth);
  const bool verdict = reads.set_up();
  ready(context, verdict);
  if (verdict) reads.serve();
}

}  // namespace overture::io
