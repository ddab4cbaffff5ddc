#include "jobs/queues/injector.hpp"

namespace overture::jobs_detail {
namespace {

// This many dead records may stay in a stack before somebody removes them.
constexpr std::uint32_t dead_records_max = 32;

}  // namespace

job_record* injector::take() noexcept {
  if (empty()) return nullptr;
  while (!queue_.empty() || turn_arrivals()) {
    job_record* const record = queue_.pop(slab_);
    if (record == nullptr) continue;
    if (record->unlink()) {
      slab_.give_back(*record);
    } else if (record->claim(kind_)) {
      return record;
    }
  }
  return nullptr;
}

job_record* injector::take_of(const job_group* group) noexcept {
  if (empty()) return nullptr;
  if (queue_.empty()) turn_arrivals();
  job_record* const found = claim_in(queue_, group);
  return found != nullptr ? found : claim_in(arrivals_, group);
}

bool injector::turn_arrivals() noexcept {
  record_chain turned;
  group_set groups;
  job_record* const newest = arrivals_.take_all(slab_);
  for (job_record* record = newest; record != nullptr;) {
    job_record* const next = slab_.next_of(*record);  // once unlinked it may be free
    if (record->is_queued()) {
      groups.add(record->group.load(std::memory_order_relaxed));
      turned.prepend(*record);
    } else {
      unlink(*record);
    }
    record = next;
  }
  show_again(queue_, turned, groups);
  return newest != nullptr;
}

job_record* injector::claim_in(record_stack& stack, const job_group* group) noexcept {
  for (;;) {
    record_stack::head top = stack.top();
    while (!top.empty() && !slab_.at(top.index()).is_queued()) {
      if (stack.pop_exactly(slab_, top)) unlink(slab_.at(top.index()));
      top = stack.top();
    }
    if (top.empty()) return nullptr;
    std::uint32_t dead = 0;
    std::uint32_t live = 0;
    // More than exist: a walk along links that change may run in circles.
    const std::uint32_t most = slab_.size() + job_slab::word_records;
    for (job_record* record = &slab_.at(top.index()); record != nullptr && dead + live < most;
         record = slab_.next_of(*record)) {
      // A link that has changed may lead into another stack.
      if (record->claim_of(group, kind_)) return record;
      ++(record->is_queued() ? live : dead);
    }
    // If nothing was removed meanwhile this has seen every record, otherwise it may have strayed.
    if (stack.top().removals() != top.removals()) continue;
    if (dead > dead_records_max && dead > live) remove_dead(stack);
    return nullptr;
  }
}

void injector::remove_dead(record_stack& stack) noexcept {
  record_chain kept;
  group_set groups;
  for (job_record* record = stack.take_all(slab_); record != nullptr;) {
    job_record* const next = slab_.next_of(*record);
    if (record->is_queued()) {
      groups.add(record->group.load(std::memory_order_relaxed));
      kept.append(*record);
    } else {
      unlink(*record);
    }
    record = next;
  }
  show_again(stack, kept, groups);
}

void injector::show_again(record_stack& stack, const record_chain& chain,
                          const group_set& groups) noexcept {
  if (chain.first == nullptr) return;
  stack.push(chain);
  groups.wake_waiters(sleepers_);
  sleepers_.work_added(nullptr);
}

}  // namespace overture::jobs_detail
