#include "jobs/pool_state.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace overture {
namespace {

// So many jobs from outside a worker takes at once: few enough that others find some too.
constexpr std::uint32_t take_at_once = 32;
constexpr std::size_t push_at_once = 64;
static_assert(take_at_once <= job_deque::first_capacity, "a worker takes them with an empty deque");

// So many records that have run may hang in a stack before somebody cleans it up.
constexpr std::uint32_t dead_records_max = 32;

}  // namespace

void few_groups::wake_waiters(parking& sleepers) const noexcept {
  if (count_ == 0 || !sleepers.has_waiters()) return;
  if (count_ > most) return sleepers.wake_waiters(nullptr);
  for (std::size_t i = 0; i < count_; ++i) sleepers.wake_waiters(groups_[i]);
}

job_record* pool_state::take_record(pool_place* self) noexcept {
  pool_place* const lane = self == nullptr ? borrow_lane() : self;
  if (lane == nullptr) {
    free_records own;
    job_record* const record = own.take(slab);
    own.give_all_back(slab);
    return record;
  }
  job_record* const record = lane->spare_records.take(slab);
  if (self == nullptr) lane->borrowed.store(false, std::memory_order_release);
  return record;
}

void pool_state::free_record(pool_place* self, job_record& record) noexcept {
  if (self == nullptr) return slab.give_back(record);
  self->spare_records.give_back(slab, record);
}

injector& pool_state::queue_of(job_priority priority) noexcept {
  switch (priority) {
    case job_priority::high:
      return urgent;
    case job_priority::low:
      return background;
    case job_priority::normal:
      break;
  }
  return jobs;
}

void pool_state::push(pool_place* self, job_record& record, job&& work, job_group* group,
                      const job_options& options) noexcept {
  if (group != nullptr) group->begin_job();
  // Room first: an armed record may be run by anybody at once, so there is no way back.
  if (self != nullptr && options.priority == job_priority::normal && self->deque.make_room()) {
    record.arm(std::move(work), group, options, job_record::usual);
    self->deque.push(record);
    sleepers.work_added(group);
    return;
  }
  // An armed job may run, and end what the options lie in.
  injector& into = queue_of(options.priority);
  record.arm(std::move(work), group, options, into.linked_here());
  publish(into, {&record, &record, 1}, group);
}

bool pool_state::push_from_outside(std::span<job> work, job_group* group,
                                   const job_options& options) noexcept {
  pool_place* const lane = borrow_lane();
  if (lane == nullptr) return false;
  // Its jobs start in the order they came, whoever takes them.
  const bool room = lane->deque.make_room(work.size());
  std::array<job_record*, push_at_once> records;
  const std::span wanted = std::span(records).first(room ? work.size() : 0);
  const std::size_t count = lane->spare_records.take_several(slab, wanted);
  if (count != 0) {
    const job_terms terms(options);
    // An armed record may be run by anybody at once, so the group knows of all of them before.
    if (group != nullptr) group->begin_job(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      records[i]->arm(std::move(work[i]), group, terms, job_record::usual);
    }
    lane->deque.push_all({records.data(), count});
  }
  lane->deque.mark_arrivals();
  lane->borrowed.store(false, std::memory_order_release);
  if (count != 0) sleepers.work_added(group);
  for (job& each : work.subspan(count)) run_now(std::move(each), group, options);
  return true;
}

void pool_state::publish(injector& into, const record_chain& newest_first,
                         const job_group* group) noexcept {
  into.arrivals.push(newest_first);
  if (&into == &main_jobs || (&into == &background && !background_has_room())) {
    // No worker may take it now: whoever waits may be the one thread that can.
    if (group != nullptr) sleepers.wake_waiters(group);
    return;
  }
  sleepers.work_added(group);
}

void pool_state::push_all(std::span<job> work, job_group* group,
                          const job_options& options) noexcept {
  pool_place* const self = this_place();
  if (self == nullptr && options.priority == job_priority::normal) {
    while (!work.empty()) {
      const std::size_t count = work.size() < push_at_once ? work.size() : push_at_once;
      if (!push_from_outside(work.first(count), group, options)) break;
      work = work.subspan(count);
    }
  }
  injector& into = queue_of(options.priority);
  free_records by_itself;
  free_records& from = self != nullptr ? self->spare_records : by_itself;
  const job_terms terms(options);
  while (!work.empty()) {
    constexpr std::size_t at_once = 1024;  // so that others may begin with the first
    record_chain newest_first;
    while (newest_first.count < at_once && newest_first.count < work.size()) {
      job_record* const record = from.take(slab);
      if (record == nullptr) break;
      newest_first.prepend(*record);
    }
    if (newest_first.count == 0) break;
    if (group != nullptr) group->begin_job(newest_first.count);
    const std::span<job> queued = work.first(newest_first.count);
    std::size_t last = queued.size();
    for (job_record* record = newest_first.first; last != 0; record = slab.next_of(*record)) {
      record->arm(std::move(queued[--last]), group, terms, into.linked_here());
    }
    work = work.subspan(queued.size());
    publish(into, newest_first, group);
  }
  by_itself.give_all_back(slab);
  for (job& each : work) run_now(std::move(each), group, options);
}

void pool_state::unlink(job_record& record) noexcept {
  if (record.unlink()) slab.give_back(record);
}

job_record* pool_state::take_own(pool_place& self) noexcept {
  job_deque& deque = self.deque;
  while (!deque.empty()) {
    // What this worker's jobs have submitted runs newest first, while its data is in the cache;
    // what came from outside runs in the order it came.
    if (!deque.has_own()) return deque.claim_arrival();
    const job_hint newest = deque.pop();
    if (newest.record() != nullptr && newest.record()->claim()) return newest.record();
  }
  return nullptr;
}

job_record* pool_state::take_one(injector& from) noexcept {
  while (!from.queue.empty() || turn_arrivals(from)) {
    job_record* const record = from.queue.pop(slab, 1).first;
    if (record == nullptr) continue;
    if (record->unlink()) {
      slab.give_back(*record);
    } else if (record->claim(from.kind)) {
      return record;
    }
  }
  return nullptr;
}

job_record* pool_state::take_background() noexcept {
  if (background.empty()) return nullptr;
  if (background_now.fetch_add(1, std::memory_order_seq_cst) <
      background_max.load(std::memory_order_relaxed)) {
    if (job_record* const taken = take_one(background)) return taken;
  }
  background_now.fetch_sub(1, std::memory_order_seq_cst);
  return nullptr;
}

job_record* pool_state::take_arrived(pool_place& self) noexcept {
  for (;;) {
    const record_chain chain = jobs.queue.pop(slab, take_at_once);
    if (chain.first == nullptr) {
      if (!turn_arrivals(jobs)) return nullptr;
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
    self.deque.mark_arrivals();
    moved.wake_waiters(sleepers);
    if (mine != nullptr) return mine;
  }
}

found_work pool_state::steal(pool_place& self) noexcept {
  self.random = self.random * 1664525u + 1013904223u;
  const unsigned first = self.turn.first(places_made, (self.random >> 16) % places_made);
  for (unsigned i = 0; i < places_made; ++i) {
    const unsigned number = (first + i) % places_made;  // the victim's own line is its owner's
    pool_place& victim = places[number];
    if (&victim == &self) continue;
    while (const job_hint hint = victim.deque.steal()) {
      if (!hint.is_half() && !hint.record()->claim()) continue;
      self.jobs_stolen.add(1);
      // Jobs of a thread of the host: several at once, so that not every one is searched for.
      if (hint.record() != nullptr && number >= workers_made) {
        self.turn.took_from(number, victim.deque);
        take_more(self, victim.deque);
      }
      return {hint.record(), hint.half()};
    }
  }
  return {};
}

void pool_state::take_more(pool_place& self, job_deque& from) noexcept {
  std::array<job_record*, take_at_once> taken;
  const std::uint64_t wanted = std::min<std::uint64_t>(take_at_once, self.turn.left());
  const std::size_t count = from.steal_arrivals(std::span(taken).first(wanted));
  if (count == 0) return;
  for (std::size_t i = 0; i < count; ++i) fetch_line(taken[i]);
  self.deque.push_all({taken.data(), count});
  self.deque.mark_arrivals();
  // Nobody could see them for a moment. Their lines are on the way still, and whose they are is
  // asked only if somebody waits. One that has run since is of a group that needs no help.
  if (sleepers.has_waiters()) {
    few_groups moved;
    for (std::size_t i = 0; i < count; ++i) {
      moved.add(taken[i]->group.load(std::memory_order_relaxed));
    }
    moved.wake_waiters(sleepers);
  }
}

job_record* pool_state::take_of(pool_place& self, job_deque& from,
                                const job_group* group) noexcept {
  std::array<job_record*, take_at_once> taken;
  std::size_t count = from.steal_arrivals_of(group, taken);
  while (count < taken.size()) {
    job_record* const next = from.steal_of(group);
    if (next == nullptr) break;
    taken[count++] = next;
  }
  std::span<job_record* const> rest(taken.data(), count);
  job_record* mine = nullptr;
  while (mine == nullptr && !rest.empty()) {
    if (rest.front()->claim_of(group)) mine = rest.front();
    rest = rest.subspan(1);
  }
  if (rest.empty()) return mine;
  for (job_record* const each : rest) fetch_line(each);
  self.deque.push_all(rest);
  self.deque.mark_arrivals();
  // Nobody could see them for a moment.
  sleepers.wake_waiters(group);
  sleepers.work_added(nullptr);
  return mine;
}

// Where no worker runs and no fork is open.
job_record* pool_state::take_any() noexcept {
  for (injector* const from : {&urgent, &jobs, &background, &main_jobs}) {
    if (job_record* const record = take_one(*from)) return record;
  }
  for (unsigned i = 0; i < places_made; ++i) {
    while (const job_hint hint = places[i].deque.steal()) {
      if (hint.record() != nullptr && hint.record()->claim()) return hint.record();
    }
  }
  return nullptr;
}

job_record* pool_state::find_of(pool_place* self, const job_group* group,
                                std::uint64_t most) noexcept {
  if (self != nullptr) {
    if (job_record* const own = claim_in_deque(*self, group)) return own;
  }
  if (job_record* const found = find_in(urgent, group)) return found;
  if (job_record* const found = find_in(jobs, group)) return found;
  for (unsigned i = 0; i < places_made; ++i) {
    if (&places[i] == self) continue;
    if (self != nullptr && self->deque.empty()) {
      if (job_record* const found = take_of(*self, places[i].deque, group)) return found;
    }
    if (job_record* const found = places[i].deque.claim_of(group, false, most)) return found;
  }
  if (job_record* const found = find_in(background, group)) return found;
  return main_thread == &this_thread_jobs() ? find_in(main_jobs, group) : nullptr;
}

job_record* pool_state::find_in(injector& where, const job_group* group) noexcept {
  if (where.empty()) return nullptr;
  if (where.queue.empty()) turn_arrivals(where);
  if (job_record* const waiting = claim_in_stack(where.queue, where.kind, group)) return waiting;
  return claim_in_stack(where.arrivals, where.kind, group);
}

job_record* pool_state::claim_in_deque(pool_place& self, const job_group* group) noexcept {
  while (self.deque.has_own()) {
    const job_hint newest = self.deque.peek();
    if (!newest) return nullptr;
    job_record* const top = newest.record();
    if (top == nullptr ||
        (top->is_hinted() && top->group.load(std::memory_order_relaxed) != group)) {
      // A fork of this thread's own or somebody else's job lies on top. It stays there.
      return self.deque.claim_of(group, true);
    }
    // Mine, or a hint that nobody needs any more: either way it is taken off.
    job_record* const taken = self.deque.pop().record();
    if (taken != nullptr && taken->claim_of(group)) return taken;
  }
  // From outside: in the order they came.
  if (job_record* const oldest = self.deque.claim_arrival_of(group)) return oldest;
  std::uint64_t dead = 0;
  job_record* const found = self.deque.claim_of(group, false, UINT64_MAX, &dead);
  if (dead > dead_records_max && dead > self.deque.size() / 2) compact(self);
  return found;
}

// Throws hints away that lie between others. Forks depend on where they lie, so where there may be
// one nothing moves.
void pool_state::compact(pool_place& self) noexcept {
  if (self.runs.load(std::memory_order_relaxed) != nullptr || self.forks_open != 0) return;
  std::array<job_record*, push_at_once> kept;
  few_groups moved;
  // Each hint is taken from the top and, if anybody needs it, goes back in at the bottom.
  for (std::uint64_t left = self.deque.size(); left != 0;) {
    std::size_t count = 0;
    for (; left != 0 && count < kept.size(); --left) {
      job_record* const oldest = self.deque.steal_record();
      if (oldest == nullptr || !oldest->is_hinted()) continue;
      moved.add(oldest->group.load(std::memory_order_relaxed));
      kept[count++] = oldest;
    }
    if (count != 0) self.deque.push_all({kept.data(), count});
  }
  self.deque.mark_arrivals();
  moved.wake_waiters(sleepers);
  sleepers.work_added(nullptr);
}

job_record* pool_state::claim_in_stack(record_stack& stack, std::uint32_t kind,
                                       const job_group* group) noexcept {
  for (;;) {
    record_stack::head top = stack.top();
    while (!top.empty() && !slab.at(top.index()).is_queued()) {
      if (stack.pop_exactly(slab, top)) unlink(slab.at(top.index()));
      top = stack.top();
    }
    if (top.empty()) return nullptr;
    std::uint32_t dead = 0;
    std::uint32_t live = 0;
    // More than there are: a walk over links that change may run in circles.
    const std::uint32_t most = slab.size() + job_slab::word_records;
    for (job_record* record = &slab.at(top.index()); record != nullptr && dead + live < most;
         record = slab.next_of(*record)) {
      // A link that has changed may lead into another stack.
      if (record->claim_of(group, kind)) return record;
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

bool pool_state::turn_arrivals(injector& where) noexcept {
  record_chain turned;
  few_groups moved;
  const record_chain newest_first = where.arrivals.take_all(slab);
  for (job_record* record = newest_first.first; record != nullptr;) {
    job_record* const next = slab.next_of(*record);
    if (record->is_queued()) {
      moved.add(record->group.load(std::memory_order_relaxed));
      turned.prepend(*record);
    } else {
      unlink(*record);
    }
    record = next;
  }
  if (turned.first != nullptr) {
    where.queue.push(turned);
    moved.wake_waiters(sleepers);
    sleepers.work_added(nullptr);
  }
  return newest_first.first != nullptr;
}

bool pool_state::host_work_visible() const noexcept {
  if (!jobs.empty() || !urgent.empty()) return true;
  for (unsigned i = workers_made; i < places_made; ++i) {
    if (!places[i].deque.empty()) return true;
  }
  return false;
}

bool pool_state::work_visible() const noexcept {
  if (!jobs.empty() || !urgent.empty()) return true;
  if (!background.empty() && background_has_room()) return true;
  for (unsigned i = 0; i < places_made; ++i) {
    if (!places[i].deque.empty()) return true;
  }
  return false;
}

}  // namespace overture
