#include "io/reads_simulated.hpp"

#include <new>

#include "overture/io/simulated_disc.hpp"

namespace overture::io {

simulated_reads::simulated_reads(read_core& core) noexcept
    : core_(core), disc_(*core.config().disc) {
  static_assert(sizeof busy_ / sizeof busy_[0] == simulated_disc::depth_max);
  void* const place = core.config().memory->allocate(sizeof(read_operation) * disc_.depth(),
                                                     alignof(read_operation), memory_tag::io);
  if (!place) return;
  operations_ = static_cast<read_operation*>(place);
  for (unsigned i = 0; i < disc_.depth(); ++i) ::new (operations_ + i) read_operation;
}

simulated_reads::~simulated_reads() {
  if (!operations_) return;
  for (unsigned i = 0; i < disc_.depth(); ++i) operations_[i].~read_operation();
  core_.config().memory->deallocate(operations_, sizeof(read_operation) * disc_.depth(),
                                    alignof(read_operation), memory_tag::io);
}

void simulated_reads::read_rest(unsigned place) noexcept {
  read_operation& op = operations_[place];
  std::span<std::byte> parts[read_operation::parts_max];
  const std::size_t count = op.parts(op.done, parts);
  disc_.start(place, op.source(), op.offset() + op.done, std::span(parts).first(count));
}

// Gives the free place the next read. False: there is none.
bool simulated_reads::start(unsigned place) noexcept {
  read_operation& op = operations_[place];
  while (core_.next(op)) {
    if (core_.open(op, true) == read_core::opening::open) {
      busy_[place] = true;
      ++busy_count_;
      read_rest(place);
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
    for (unsigned i = 0; i < disc_.depth(); ++i) {
      if (at_once != 0 && busy_count_ >= at_once) break;
      if (!busy_[i] && !start(i)) break;
    }
    if (busy_count_ == 0) break;
    const simulated_disc::ended end = disc_.wait();
    read_operation& op = operations_[end.place];
    if (!core_.advance(op, end.outcome)) {
      read_rest(end.place);
      continue;
    }
    completed_ += op.tally.completed;
    ++ended;
    busy_[end.place] = false;
    --busy_count_;
    core_.leave(op);
  }
  return completed_;
}

}  // namespace overture::io
