// SPDX-License-Identifier: Zlib
#include "io/back_ends/reads_blocking.hpp"

#include <algorithm>
#include <new>

#include "overture/base/prefetch.hpp"

namespace overture::io_detail {

namespace {

using opening = operation_runner::opening;

// Fetches what a read needs of its requests, which the submitting thread has written.
void fetch(const read_operation& op) noexcept {
  const auto* const request = reinterpret_cast<const std::byte*>(op.members()[0]);
  for (std::size_t at = 0; at < sizeof(read_request); at += 64) prefetch_to_write(request + at);
}

// The requests of reads that have not been claimed are not touched: they may be recalled.
void open_ahead(file_access& files, read_bundle& of) noexcept {
  constexpr std::uint64_t bytes_max = 1u << 18;  // more keep a disk busy by themselves
  const bool first_is_view = of.at(0).members()[0]->into == read_into::view;
  const std::size_t end = std::min(of.permits, of.taken());
  for (std::size_t i = first_is_view ? 1 : 0; i < end; ++i) {
    read_operation& op = of.at(i);
    if (op.overflows() || op.bytes() > bytes_max) continue;
    of.files_ahead.fetch_add(1, std::memory_order_relaxed);
    if (!files.open_ahead(op)) of.files_ahead.fetch_sub(1, std::memory_order_release);
  }
}

// Of reads that were recalled.
void close_ahead(file_access& files, read_bundle& of) noexcept {
  for (std::size_t i = of.current_index() + 1; i < of.taken(); ++i) {
    if (files.close_ahead(of.at(i))) of.files_ahead.fetch_sub(1, std::memory_order_release);
  }
}

void read_current(read_core& core, read_bundle& of) noexcept {
  operation_runner& runner = core.runner();
  read_operation& op = of.current();
  const bool is_ahead = op.ahead.os != nullptr;
  op.counts = &of.counts;
  // Ended reads of the bundle are not reported yet, and a thread may be waiting for them. So this
  // one must not wait until it has reported them.
  opening how = runner.open(op, of.current_index() == of.retired);
  if (how == opening::busy) {
    core.settle(of);
    how = runner.open(op, true);
  }
  if (is_ahead) of.files_ahead.fetch_sub(1, std::memory_order_release);
  if (how == opening::open) runner.read_here(op);
}

// Does all the reads that it can claim.
void perform(read_core& core, read_bundle& of) noexcept {
  if (of.permits > 1) open_ahead(core.runner().files(), of);
  for (;;) {
    read_operation& op = of.current();
    if (const read_operation* const next = of.likely_next()) fetch(*next);
    read_current(core, of);
    const std::uint64_t ended_ns = op.ended_ns;
    // If more urgent requests were submitted meanwhile, the rest is recalled.
    core.drain_inbox();
    const bool claimed = of.claim_next();
    if (claimed) {
      for (read_request* const member : of.current().members()) member->started_ns = ended_ns;
    }
    const bool counts_on = claimed && of.current().members()[0]->counter == of.counts.counter();
    if (!counts_on && of.counts.flush()) op.tally.brought_to_zero = true;
    if (!claimed) {
      if (of.files_ahead.load(std::memory_order_relaxed) != 0) {
        close_ahead(core.runner().files(), of);
      }
      return;
    }
    // A waiter, or a thread that unpacks, must be told now.
    if (op.tally.brought_to_zero || op.tally.put_to_unpack != 0) core.settle(of);
  }
}

}  // namespace

void serve_blocking(read_core& core) noexcept {
  allocator& memory = *core.config().memory;
  const std::size_t wanted = core.bundle_reads();
  read_operation alone;
  void* const room =
      memory.allocate(sizeof(read_operation) * wanted, alignof(read_operation), memory_tag::io);
  auto* const reads = static_cast<read_operation*>(room);
  for (std::size_t i = 0; room && i < wanted; ++i)
    ::new (static_cast<void*>(reads + i)) read_operation;
  read_bundle mine(room ? reads : &alone, room ? wanted : 1);
  core.add_bundle(mine);
  while (core.take_next_or_sleep(mine)) {
    perform(core, mine);
    (void)core.runner().unpack_here();
  }
  core.remove_bundle(mine);
  if (!room) return;
  for (std::size_t i = 0; i < wanted; ++i) reads[i].~read_operation();
  memory.deallocate(room, sizeof(read_operation) * wanted, alignof(read_operation), memory_tag::io);
}

}  // namespace overture::io_detail
