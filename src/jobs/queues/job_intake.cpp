#include "jobs/queues/job_intake.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace overture::jobs_detail {
namespace {

// Jobs that become visible together: others may begin with the first of a large batch.
constexpr std::size_t add_at_once = 64;

}  // namespace

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
  return add_to(queues_.of(options.priority), work, group, options);
}

std::size_t job_intake::add_to(pool_slot& slot, bool from_outside, std::span<job> work,
                               job_group* group, const job_terms& terms) noexcept {
  std::size_t added = 0;
  while (added < work.size()) {
    const std::span<job> now = work.subspan(added, std::min(add_at_once, work.size() - added));
    // Room first: an armed record may run at once, so there is no way back.
    if (!slot.deque.make_room(now.size())) break;
    std::array<job_record*, add_at_once> records;
    const std::size_t count =
        slot.spare_records.take_several(slab_, std::span(records).first(now.size()));
    if (count == 0) break;
    // The group must know about all of them before the first may run.
    if (group != nullptr) group->begin_job(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      records[i]->arm(std::move(now[i]), group, terms, job_record::usual);
    }
    slot.deque.push_all({records.data(), count});
    if (from_outside) slot.deque.mark_arrivals();  // they start in order, whoever takes them
    sleepers_.work_added(group);
    added += count;
  }
  return added;
}

std::size_t job_intake::add_to(injector& into, std::span<job> work, job_group* group,
                               const job_terms& terms) noexcept {
  free_records borrowed;
  pool_slot* const own = slots_.of_this_thread();
  free_records& from = own != nullptr ? own->spare_records : borrowed;
  std::size_t added = 0;
  while (added < work.size()) {
    std::array<job_record*, add_at_once> records;
    const std::size_t count = from.take_several(
        slab_, std::span(records).first(std::min(add_at_once, work.size() - added)));
    if (count == 0) break;
    if (group != nullptr) group->begin_job(static_cast<std::uint32_t>(count));
    record_chain newest_first;
    for (std::size_t i = 0; i < count; ++i) {
      records[i]->arm(std::move(work[added + i]), group, terms, into.linked_here());
      newest_first.prepend(*records[i]);
    }
    queues_.publish(into, newest_first, group);
    added += count;
  }
  borrowed.give_all_back(slab_);
  return added;
}

bool job_intake::add_main(job& work, job_group* group, const job_options& options) noexcept {
  injector& main = queues_.of_main();
  return add_to(main, {&work, 1}, group, options) != 0 || add_spare(main, work, group, options);
}

bool job_intake::add_spare(injector& into, job& work, job_group* group,
                           const job_options& options) noexcept {
  job_record* const record = slab_.take_spare();
  if (record == nullptr) return false;
  if (group != nullptr) group->begin_job();
  record->arm(std::move(work), group, options, into.linked_here());
  queues_.publish(into, {record, record}, group);
  return true;
}

}  // namespace overture::jobs_detail
