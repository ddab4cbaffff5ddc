// SPDX-License-Identifier: Zlib
#include "jobs/queues/job_intake.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "overture/base/thread.hpp"

namespace overture::jobs_detail {
namespace {

// Jobs that become visible together: others may begin with the first of a large batch.
constexpr std::size_t add_at_once = 64;

// They are queued next in the deque that has this number, if a group may begin there.
void begin_jobs(job_group& group, std::uint32_t count, std::uint32_t queue,
                const job_deque& deque) noexcept {
  const bool is_first = group.begin_job(count);
  if (!is_first && group.begin() != 0) return;
  if (queue != job_place::none) group.set_begin(job_place{queue, deque.own_bottom()}.word());
}

}  // namespace

// What is left of such a call are a few instructions.
void job_intake::wait_for_callers() noexcept {
  for (unsigned i = slots_.first_guest(); i < slots_.size(); ++i) {
    while (slots_[i].borrowed.load(std::memory_order_acquire)) yield_thread();
  }
  while (callers_.load(std::memory_order_acquire) != 0) yield_thread();
}

std::size_t job_intake::add(std::span<job> work, job_group* group,
                            const job_options& options) noexcept {
  if (options.priority == job_priority::normal) {
    if (pool_slot* const own = slots_.of_this_thread()) {
      return add_to(*own, false, work, group, options);
    }
    if (pool_slot* const guest = slots_.borrow_usual_guest()) {
      const std::size_t added = add_to(*guest, true, work, group, options);
      pool_slots::return_guest(*guest);
      return added;
    }
  }
  const caller here(*this);
  return add_to(queues_.of(options.priority), work, group, options);
}

std::size_t job_intake::push_some(job_deque& deque, std::uint32_t queue, free_records& records,
                                  std::span<job> work, job_group* group,
                                  const job_terms& terms) noexcept {
  const std::size_t wanted = std::min(add_at_once, work.size());
  // Room first: an armed record may run at once, so there is no way back.
  if (!deque.make_room(wanted)) return 0;
  std::array<job_record*, add_at_once> taken;
  const std::size_t count = records.take_several(slab_, std::span(taken).first(wanted));
  if (count == 0) return 0;
  // The group must know about all of them before the first may run.
  if (group != nullptr) begin_jobs(*group, static_cast<std::uint32_t>(count), queue, deque);
  for (std::size_t i = 0; i < count; ++i) {
    taken[i]->arm(std::move(work[i]), group, terms, deque.kind());
  }
  deque.push_all({taken.data(), count});
  return count;
}

std::size_t job_intake::add_to(pool_slot& slot, bool from_outside, std::span<job> work,
                               job_group* group, const job_terms& terms) noexcept {
  const std::uint32_t queue = from_outside ? job_queues::number_of_guest(slot) : job_place::none;
  std::size_t added = 0;
  while (added < work.size()) {
    const std::size_t count =
        push_some(slot.deque, queue, slot.spare_records, work.subspan(added), group, terms);
    if (count == 0) break;
    added += count;
    if (from_outside) slot.deque.mark_arrivals();  // they start in order, whoever takes them
    sleepers_.work_added(group);
  }
  return added;
}

std::size_t job_intake::add_to(shared_queue& into, std::span<job> work, job_group* group,
                               const job_terms& terms) noexcept {
  free_records from_slab;
  pool_slot* const own = slots_.of_this_thread();
  free_records& records = own != nullptr ? own->spare_records : from_slab;
  std::size_t added = 0;
  while (added < work.size()) {
    std::size_t count = 0;
    into.add([&](job_deque& deque) noexcept {
      count = push_some(deque, job_queues::number_of_shared(deque), records, work.subspan(added),
                        group, terms);
    });
    if (count == 0) break;
    added += count;
    queues_.added_to(into, group);
  }
  from_slab.give_all_back(slab_);
  return added;
}

bool job_intake::add_main(job& work, job_group* group, const job_options& options) noexcept {
  const caller here(*this);
  shared_queue& main = queues_.of_main();
  return add_to(main, {&work, 1}, group, options) != 0 || add_spare(main, work, group, options);
}

bool job_intake::add_spare(shared_queue& into, job& work, job_group* group,
                           const job_options& options) noexcept {
  job_record* const record = slab_.take_spare();
  if (record == nullptr) return false;
  const bool added = add_record(into, *record, group, [&](std::uint32_t kind) noexcept {
    if (group != nullptr) group->begin_job();
    record->arm(std::move(work), group, options, kind);
  });
  if (!added) slab_.give_back(*record);
  return added;
}

bool job_intake::add_again(job_record& claimed) noexcept {
  job_group* const group = claimed.group.load(std::memory_order_relaxed);
  return add_record(queues_.of(job_priority::normal), claimed, group,
                    [&](std::uint32_t kind) noexcept { claimed.arm_again(group, kind); });
}

template <class Arm>
bool job_intake::add_record(shared_queue& into, job_record& record, const job_group* group,
                            Arm arm) noexcept {
  bool added = false;
  into.add([&](job_deque& deque) noexcept {
    added = deque.make_room();
    if (!added) return;
    arm(deque.kind());
    deque.push(record);
  });
  if (added) queues_.added_to(into, group);
  return added;
}

}  // namespace overture::jobs_detail
