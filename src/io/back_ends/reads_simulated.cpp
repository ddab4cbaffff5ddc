// SPDX-License-Identifier: Zlib
#include "io/back_ends/reads_simulated.hpp"

#include <new>

#include "overture/io/simulated_disk.hpp"

namespace overture::io_detail {

simulated_reads::simulated_reads(read_core& core) noexcept
    : core_(core), disk_(*core.config().disk) {
  static_assert(sizeof busy_ / sizeof busy_[0] == simulated_disk::depth_max);
  void* const slot = core.config().memory->allocate(sizeof(read_operation) * disk_.depth(),
                                                    alignof(read_operation), memory_tag::io);
  if (!slot) return;
  operations_ = static_cast<read_operation*>(slot);
  for (unsigned i = 0; i < disk_.depth(); ++i) ::new (operations_ + i) read_operation;
}

simulated_reads::~simulated_reads() {
  if (!operations_) return;
  for (unsigned i = 0; i < disk_.depth(); ++i) operations_[i].~read_operation();
  core_.config().memory->deallocate(operations_, sizeof(read_operation) * disk_.depth(),
                                    alignof(read_operation), memory_tag::io);
}

void simulated_reads::read_rest(unsigned slot) noexcept {
  read_operation& op = operations_[slot];
  std::span<std::byte> parts[read_operation::parts_max];
  const std::size_t count = op.parts(op.done, parts);
  disk_.start(slot, op.source(), op.offset() + op.done, std::span(parts).first(count));
}

// Gives the free slot the next read. False: there is none.
bool simulated_reads::start(unsigned slot) noexcept {
  read_operation& op = operations_[slot];
  while (core_.take_next(op)) {
    if (core_.runner().open(op, true) == operation_runner::opening::open) {
      busy_[slot] = true;
      ++busy_count_;
      read_rest(slot);
      return true;
    }
    completed_ += op.tally.completed;
  }
  return false;
}

std::size_t simulated_reads::poll(std::size_t reads_max) noexcept {
  completed_ = 0;
  std::size_t ended = 0;
  while (ended < reads_max) {
    const unsigned at_once = core_.reads_at_once();
    for (unsigned i = 0; i < disk_.depth(); ++i) {
      if (at_once != 0 && busy_count_ >= at_once) break;
      if (!busy_[i] && !start(i)) break;
    }
    if (busy_count_ == 0) break;
    const simulated_disk::ended end = disk_.wait();
    read_operation& op = operations_[end.slot];
    if (!core_.runner().advance(op, end.outcome)) {
      read_rest(end.slot);
      continue;
    }
    completed_ += op.tally.completed;
    ++ended;
    busy_[end.slot] = false;
    --busy_count_;
    core_.leave(op);
  }
  return completed_;
}

}  // namespace overture::io_detail
