// SPDX-License-Identifier: Zlib
#include "io/queue/unpack_queue.hpp"

#include <utility>

#include "base/vec.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"
#include "sync/wait.hpp"

namespace overture::io_detail {
using namespace base_detail;

unpack_queue* unpack_queue::make(allocator& memory) noexcept {
  return make_object<unpack_queue>(memory, memory_tag::io, memory);
}

unpack_queue::~unpack_queue() {
  while (spare_) {
    tables* const first = std::exchange(spare_, spare_->next);
    destroy_object(memory_, memory_tag::io, first);
  }
}

void unpack_queue::retire() noexcept {
  for (;;) {
    std::uint32_t seen = 0;
    {
      const sync_detail::scoped_lock hold(lock_);
      retired_ = true;
      if (working_ == 0) break;
      seen = left_word_.load(std::memory_order_relaxed);
    }
    const observed_wait waiting(wait_reasons::drain);
    (void)sync_detail::address_wait(left_word_, seen, 0);
  }
  drop_reference();
}

void unpack_queue::drop_reference() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  destroy_object(memory_, memory_tag::io, this);
}

bool unpack_queue::enter() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  if (!retired_) ++working_;
  return !retired_;
}

// --- Units come ----------------------------------------------------------------------------------

void unpack_queue::put(packed_item& item) noexcept {
  executor* const on = item.on;
  item.next = nullptr;
  item.holds = on ? 1 : 0;
  {
    const sync_detail::scoped_lock hold(lock_);
    (last_ ? last_->next : first_) = &item;
    last_ = &item;
  }
  if (!on) return;
  // The executor lives until the request has completed, which needs this item to be let go first.
  post(*on, 1);
  if (let_go(item)) (void)item.owner->unpacked(item);
}

void unpack_queue::post(executor& on, std::uint32_t tasks) noexcept {
  references_.fetch_add(tasks, std::memory_order_relaxed);
  for (; tasks > 0; --tasks) on.execute({run_task, this});
}

void unpack_queue::run_task(void* self) noexcept {
  auto& mine = *static_cast<unpack_queue*>(self);
  std::size_t completed = 0;
  (void)mine.work(completed);
  mine.drop_reference();
}

bool unpack_queue::has_work() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return first_ != nullptr;
}

// --- Units go ------------------------------------------------------------------------------------

bool unpack_queue::take(unit& taken) noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    if (!first_) return false;
    packed_item& item = *first_;
    taken.item = &item;
    taken.part = item.next_part++;
    if (item.next_part == item.part_count) {
      first_ = item.next;
      if (!first_) last_ = nullptr;
    }
    ++item.holds;
    ++working_;
    if (spare_) taken.with = std::exchange(spare_, spare_->next);
  }
  if (!taken.with) taken.with = make_object<tables>(memory_, memory_tag::io);
  return true;
}

bool unpack_queue::work(std::size_t& completed) noexcept {
  unit taken;
  if (!take(taken)) return false;
  packed_item& item = *taken.item;
  const result<void> outcome = unpack(taken);
  bool is_last = false;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (!outcome && taken.part < item.failed_part) {
      item.failed_part = taken.part;
      item.first_error = outcome.error();
    }
    is_last = --item.parts_left == 0;
  }
  if (is_last) judge(item, taken.with);
  if (let_go(item)) completed += item.owner->unpacked(item);
  leave(taken);
  return true;
}

result<void> unpack_queue::unpack(const unit& taken) noexcept {
  packed_item& item = *taken.item;
  read_request& request = *item.request;
  if (!taken.with) return fail(errc::out_of_memory, "out of memory for unpacking the file");
  if (!item.is_planned) {
    if (result<void> room = item.owner->take_destination(request); !room) return room;
    plan(item);
  }
  const zone work("unpack", {request.subject, item.plan.part(taken.part).bytes});
  return item.plan.unpack(taken.part, taken.with->unpack, request.method, item.packed,
                          request.destination);
}

// The first thread that takes an item decides whether others can help.
void unpack_queue::plan(packed_item& item) noexcept {
  item.is_planned = true;
  item.plan.make(item.request->method, item.packed, item.request->destination.size());
  const auto parts = static_cast<std::uint32_t>(item.plan.part_count());
  if (parts == 1) return;
  {
    const sync_detail::scoped_lock hold(lock_);
    item.part_count = parts;
    item.parts_left = parts;
    item.next = first_;
    first_ = &item;
    if (!last_) last_ = &item;
  }
  if (item.on) post(*item.on, parts - 1);
}

void unpack_queue::judge(packed_item& item, tables* with) noexcept {
  const read_request& request = *item.request;
  const bool failed = item.failed_part != UINT32_MAX;
  if (failed && item.part_count > 1 && with && request.method == compression::lz4) {
    // Blocks may be shorter than writers make them, which one thread alone can follow.
    const result<void> whole =
        with->unpack.unpack(request.method, item.packed, request.destination);
    if (whole) item.failed_part = UINT32_MAX;
  }
  if (!failed && item.is_planned && !item.plan.holds(request.destination)) {
    item.failed_part = 0;
    item.first_error = error{errc::corrupt, 0, "the content does not match its checksum"};
  }
  if (item.failed_part == UINT32_MAX) return;
  item.first_error.source = request.source;
  if (item.first_error.code == errc::out_of_memory) return;
  item.first_error.offset = request.offset;
  if (item.is_planned) item.first_error.offset += item.plan.part(item.failed_part).packed_begin;
}

bool unpack_queue::let_go(packed_item& item) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return --item.holds == 0 && item.parts_left == 0;
}

void unpack_queue::leave(const unit& done) noexcept {
  bool wake = false;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (done.with) {
      done.with->next = spare_;
      spare_ = done.with;
    }
    wake = --working_ == 0 && retired_;
    if (wake) left_word_.fetch_add(1, std::memory_order_relaxed);
  }
  if (wake) sync_detail::address_wake_all(&left_word_);
}

}  // namespace overture::io_detail
