#include "jobs/pool_state.hpp"

namespace overture {
namespace {

// A worker keeps that many free records before it gives half of them back.
constexpr std::uint32_t free_records_max = 128;
// So many jobs from outside a worker takes at once: few enough that others find some too.
constexpr std::uint32_t take_at_once = 16;
static_assert(take_at_once <= job_deque::first_capacity, "a worker takes them with an empty deque");
// So many records that have run may hang in a stack before somebody cleans it up.
constexpr std::uint32_t dead_records_max = 32;

}  // namespace

void few_groups::wake_waiters(parking& sleepers) const noexcept {
  if (count_ == 0 || !sleepers.has_waiters()) return;
  if (count_ > most) return sleepers.wake_waiters(nullptr);
  for (std::size_t i = 0; i < count_; ++i) sleepers.wake_waiters(groups_[i]);
}

job_record* pool_state::take_record(pool_worker* self) noexcept {
  if (self == nullptr) return slab.take(1).first;
  record_chain& own = self->free_records;
  if (own.first == nullptr) own = slab.take(free_records_max / 2);
  job_record* const record = own.first;
  if (record != nullptr) {
    own.first = slab.next_of(*record);
    --own.count;
  }
  return record;
}

void pool_state::free_record(pool_worker* self, job_record& record) noexcept {
  if (self == nullptr) return slab.give_back(record);
  record_chain& own = self->free_records;
  if (own.count == free_records_max) {
    record_chain surplus;
    while (surplus.count < free_records_max / 2) {
      job_record& taken = *own.first;
      own.first = slab.next_of(taken);
      --own.count;
      surplus.append(taken);
    }
    slab.give_back(surplus);
  }
  record.next.store(own.first != nullptr ? own.first->index : no_record, std::memory_order_relaxed);
  own.first = &record;
  ++own.count;
}

void pool_state::push(pool_worker* self, job_record& record, job&& work,
                      job_group* group) noexcept {
  // Room first: an armed record may be run by anybody at once, so there is no way back.
  if (self != nullptr && self->deque.make_room()) {
    record.arm(std::move(work), group, 0);
    self->deque.push(record);
  } else {
    record.arm(std::move(work), group, job_record::linked);
    arrivals.push(record);
  }
  sleepers.work_added(group);
}

void pool_state::unlink(job_record& record) noexcept {
  if (record.unlink()) slab.give_back(record);
}

job_record* pool_state::take_own(pool_worker& self) noexcept {
  job_deque& deque = self.deque;
  while (!deque.empty()) {
    // What this worker's jobs have submitted runs newest first, while its data is in the cache;
    // what came from outside runs in the order it came.
    job_record* const hint = deque.bottom() > self.arrivals_end ? deque.pop() : deque.steal();
    if (hint != nullptr && hint->claim()) return hint;
  }
  return nullptr;
}

job_record* pool_state::take_arrived(pool_worker& self) noexcept {
  for (;;) {
    const record_chain chain = queue.pop(slab, take_at_once);
    if (chain.first == nullptr) {
      if (!turn_arrivals()) return nullptr;
      continue;
    }
    job_record* mine = nullptr;
    few_groups moved;
    for (job_record* record = chain.first; record != nullptr;) {
      job_record* const next = slab.next_of(*record);  // before unlink(): then it may be free
      const job_group* const group = record->group.load(std::memory_order_relaxed);
      if (record->unlink()) {
        free_record(&self, *record);
      } else if (mine == nullptr) {
        if (record->claim()) mine = record;
      } else {
        moved.add(group);
        self.deque.push(*record);
      }
      record = next;
    }
    self.arrivals_end = self.deque.bottom();
    moved.wake_waiters(sleepers);
    if (mine != nullptr) return mine;
  }
}

job_record* pool_state::steal(pool_worker& self) noexcept {
  self.random = self.random * 1664525u + 1013904223u;
  const unsigned first = (self.random >> 16) % workers_made;
  for (unsigned i = 0; i < workers_made; ++i) {
    pool_worker& victim = workers[(first + i) % workers_made];
    if (&victim == &self) continue;
    while (job_record* const hint = victim.deque.steal()) {
      if (!hint->claim()) continue;
      self.jobs_stolen.add(1);
      return hint;
    }
  }
  return nullptr;
}

job_record* pool_state::take_any() noexcept {
  while (!queue.empty() || turn_arrivals()) {
    job_record* const record = queue.pop(slab, 1).first;
    if (record == nullptr) continue;
    if (record->unlink()) {
      slab.give_back(*record);
    } else if (record->claim()) {
      return record;
    }
  }
  for (unsigned i = 0; i < workers_made; ++i) {
    while (job_record* const hint = workers[i].deque.steal()) {
      if (hint->claim()) return hint;
    }
  }
  return nullptr;
}

job_record* pool_state::find_of(pool_worker* self, const job_group* group) noexcept {
  if (self != nullptr) {
    if (job_record* const own = claim_in_deque(*self, group)) return own;
  }
  if (queue.empty()) turn_arrivals();
  if (job_record* const waiting = claim_in_stack(queue, group)) return waiting;
  if (job_record* const arrived = claim_in_stack(arrivals, group)) return arrived;
  for (unsigned i = 0; i < workers_made; ++i) {
    if (&workers[i] == self) continue;
    if (job_record* const found = workers[i].deque.claim_of(group, false)) return found;
  }
  return nullptr;
}

job_record* pool_state::claim_in_deque(pool_worker& self, const job_group* group) noexcept {
  while (job_record* const newest = self.deque.peek()) {
    if (newest->is_queued() && newest->group.load(std::memory_order_relaxed) != group) {
      // Somebody else's job lies on top. It stays there; look below it.
      return self.deque.claim_of(group, true);
    }
    // Mine, or a hint that nobody needs any more: either way it is taken off.
    job_record* const taken = self.deque.pop();
    if (taken != nullptr && taken->claim_of(group)) return taken;
  }
  return nullptr;
}

job_record* pool_state::claim_in_stack(record_stack& stack, const job_group* group) noexcept {
  for (;;) {
    record_stack::head top = stack.top();
    while (!top.empty() && !slab.at(top.index()).is_queued()) {
      if (stack.pop_exactly(slab, top)) unlink(slab.at(top.index()));
      top = stack.top();
    }
    if (top.empty()) return nullptr;
    std::uint32_t dead = 0;
    std::uint32_t live = 0;
    const std::uint32_t most = slab.size();  // a walk over links that change may run in circles
    for (job_record* record = &slab.at(top.index()); record != nullptr && dead + live < most;
         record = slab.next_of(*record)) {
      if (record->claim_of(group)) return record;
      ++(record->is_queued() ? live : dead);
    }
    // If nothing was taken out meanwhile this has seen every record, else it may have strayed.
    if (stack.top().removals() != top.removals()) continue;
    if (dead > dead_records_max && dead > live) prune(stack);
    return nullptr;
  }
}

void pool_state::prune(record_stack& stack) noexcept {
  record_chain kept;
  few_groups moved;
  const record_chain all = stack.take_all(slab);
  for (job_record* record = all.first; record != nullptr;) {
    job_record* const next = slab.next_of(*record);
    if (record->is_queued()) {
      moved.add(record->group.load(std::memory_order_relaxed));
      kept.append(*record);
    } else {
      unlink(*record);
    }
    record = next;
  }
  if (kept.first == nullptr) return;
  stack.push(kept);
  moved.wake_waiters(sleepers);
  sleepers.work_added(nullptr);
}

bool pool_state::turn_arrivals() noexcept {
  record_chain turned;
  few_groups moved;
  const record_chain newest_first = arrivals.take_all(slab);
  for (job_record* record = newest_first.first; record != nullptr;) {
    job_record* const next = slab.next_of(*record);
    if (record->is_queued()) {
      moved.add(record->group.load(std::memory_order_relaxed));
      record->next.store(turned.first != nullptr ? turned.first->index : no_record,
                         std::memory_order_release);
      if (turned.last == nullptr) turned.last = record;
      turned.first = record;
      ++turned.count;
    } else {
      unlink(*record);
    }
    record = next;
  }
  if (turned.first != nullptr) {
    queue.push(turned);
    moved.wake_waiters(sleepers);
    sleepers.work_added(nullptr);
  }
  return newest_first.first != nullptr;
}

bool pool_state::work_visible() const noexcept {
  if (!queue.empty() || !arrivals.empty()) return true;
  for (unsigned i = 0; i < workers_made; ++i) {
    if (!workers[i].deque.empty()) return true;
  }
  return false;
}

}  // namespace overture
