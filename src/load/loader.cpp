// SPDX-License-Identifier: Zlib
//
// A loader that ends first flushes what it holds and then looks once more whether a file may begin,
// so that room made in between is not overlooked.
#include "load/loader.hpp"

#include <algorithm>
#include <utility>

#include "base/threads/thread_slot.hpp"

namespace overture::load_detail {
using namespace base_detail;

namespace {

// The most room that a loader takes as credit at once.
std::uint64_t share_bytes(const load_state& load) noexcept {
  return load.ledger.limit() / 16 / load.jobs.concurrency();
}

// Tells the timeline whose room is given back, while it lives.
class giver {
 public:
  giver(load_state& load, entry_index entry) noexcept
      : load_(is_recording() && load.waiting() != 0 ? &load : nullptr) {
    if (load_) load_->giving.store(entry, std::memory_order_relaxed);
  }
  ~giver() {
    if (load_) load_->giving.store(no_entry, std::memory_order_relaxed);
  }
  giver(const giver&) = delete;
  giver& operator=(const giver&) = delete;

 private:
  load_state* const load_;
};

// The scratch of all loaders together takes at most about half the budget.
std::uint64_t scratch_bytes(const load_state& load) noexcept {
  const bool files_outlive_turn = load.options.sink && load.options.sink->one_thread();
  return files_outlive_turn ? 0 : 4 * share_bytes(load);
}

}  // namespace

void load_room::room_made() noexcept {
  made_by_.store(load_.giving.load(std::memory_order_relaxed), std::memory_order_relaxed);
  made_.fetch_add(1, std::memory_order_seq_cst);
  if (can_begin(load_)) loader::spawn(load_);
}

void read_arrivals::execute(task work) noexcept {
  const auto& item = *static_cast<const load_item*>(work.context);
  const job_priority priority =
      job_priority_of(load_.priority_now(), load_.priority_of(item.number));
  load_.reads_arrived.fetch_add(1, std::memory_order_relaxed);
  load_.reads_outstanding.fetch_sub(load_state::one_read(item), std::memory_order_relaxed);
  tell_idle_reason(load_);
  // The load may be gone after this.
  load_.group.run([work] { work.run(work.context); }, {.priority = priority});
}

void drop_waiting(load_state& load) noexcept {
  // One count more, so that the load is not over, and perhaps destroyed, before the last line.
  load.group.begin_job();
  {
    loader here(load);
    for (waiting_line& line : load.lines) {
      // Ordered like the mark of the cancelling, unlike the stack: what is not counted yet is
      // dropped by the thread that adds it.
      if (line.items.size() == 0) continue;
      here.drop_from(line.items);
    }
  }
  // Room that was made while items were out of their lines found nothing to begin.
  if (can_begin(load)) loader::spawn(load);
  (void)load.group.end_job();
}

void loader::drop_from(item_stack& line) noexcept {
  std::uint32_t kept = index_stack::none;  // linked like a stack
  while (load_item* const item = load.pop(line)) {
    if (!load.is_cancelled(item->number)) {
      item->link.store(std::exchange(kept, item->index), std::memory_order_relaxed);
      continue;
    }
    load.record_of(*item).set(file_state::cancelled);
    retire(*item);
    (void)load.group.end_job();
  }
  while (kept != index_stack::none) {
    load_item& item = load.items[kept];
    kept = item.link.load(std::memory_order_relaxed);
    load.push(line, item);
  }
}

loader::loader(load_state& of) noexcept
    : load(of),
      scratch(of.scratch, of.buffers, scratch_bytes(of)),
      credit_(of.ledger, share_bytes(of)),
      admission_(of) {
  if (load.lent_slot.load(std::memory_order_relaxed) == thread_slot()) {
    lent_until_ns_ = load.lent_until_ns.load(std::memory_order_relaxed);
  }
}

void loader::run() noexcept {
  // Time slices, because a thread in wait_for() checks its deadline only between jobs.
  const std::uint64_t until_ns =
      lent_until_ns_ == 0 ? clock_ns + slice_ns : std::min(clock_ns + slice_ns, lent_until_ns_);
  while (enter()) {
    while (load_item* const item = admission_.next()) {
      advance(*this, *item);
      if (clock_ns >= until_ns) break;
    }
    flush();
    const std::uint32_t active_loaders =
        load.active_loaders.fetch_sub(1, std::memory_order_seq_cst);
    if (!can_begin(load)) break;
    if (clock_ns < until_ns) continue;
    spawn(load);
    // A loader that ended because there was no room may find some now.
    if (active_loaders < load.jobs.concurrency()) spawn(load);
    return;
  }
  tell_idle_reason(load);
}

void loader::spawn(load_state& load) noexcept {
  load.group.run([&load] { loader(load).run(); },
                 {.priority = job_priority_of(load.priority_now())});
}

// Where all places are taken, what this one holds must be there before it gives up: the loaders
// that have them look once more.
bool loader::enter() noexcept {
  if (try_enter()) return true;
  flush();
  return try_enter();
}

bool loader::try_enter() noexcept {
  std::uint32_t active_loaders = load.active_loaders.load(std::memory_order_seq_cst);
  while (active_loaders < load.jobs.concurrency()) {
    if (load.active_loaders.compare_exchange_weak(active_loaders, active_loaders + 1,
                                                  std::memory_order_seq_cst))
      return true;
  }
  return false;
}

// --- Room ----------------------------------------------------------------------------------------

bool loader::take_room(load_item& item, std::uint64_t bytes) noexcept {
  item.lacks = take_file_room(item.file, bytes, credit_, load.block_ledger, item.ticket);
  if (item.lacks != lacking::nothing) return false;
  item.reserved_bytes = bytes;
  return true;
}

void loader::add_room(load_item& item, std::uint64_t bytes) noexcept {
  item.reserved_bytes += bytes;
  credit_.add(bytes);
}

void loader::release_room(load_item& item, std::uint64_t bytes) noexcept {
  const giver told(load, item.entry);
  item.reserved_bytes -= bytes;
  credit_.give_back(bytes, item.ticket);
}

void loader::release_asset_room(load_item& item, std::uint64_t bytes) noexcept {
  if (bytes == 0) return;
  const giver told(load, item.entry);
  item.asset_bytes -= bytes;
  load.ledger.give_back(bytes, memory_tag::decode);
}

void loader::release_all(load_item& item) noexcept {
  item.file.release_block();
  release_room(item, item.reserved_bytes);
  release_asset_room(item, item.asset_bytes);
  load.ledger.end_item(item.ticket);
}

// --- Ends of a turn ------------------------------------------------------------------------------

// Its content must be its own, and no item may wait for what its own loader holds.
void loader::put_aside(load_item& item) noexcept {
  scratch.give(item.content, item.packed, item.unpacked);
  credit_.return_all();
}

void loader::wait_for_room(load_item& item) noexcept {
  put_aside(item);
  const std::uint32_t file = item.number;
  item.refused_ns = clock_ns;
  admission_.wait(item);
  if (load.is_cancelled(file)) drop_waiting(load);
}

void loader::leave(load_item& item) noexcept {
  put_aside(item);
  load.group.begin_job();
  load.left_ns_max.store(
      std::max(item.expected_ns, load.left_ns_max.load(std::memory_order_relaxed)),
      std::memory_order_relaxed);
  load.push(load.left, item);
  tell_idle_reason(load);
  load.left_jobs.run([&all = load] { resume_left(all); },
                     {.priority = job_priority_of(load.priority_now())});
}

void loader::resume_left(load_state& load) noexcept {
  if (load.left.size() == 0) return;
  {
    loader here(load);
    load_item* const item = load.pop(load.left);
    if (!item) return;  // another thread has it
    advance(here, *item);
    here.run();
  }
  // The item's count may be the last, which ends in a job of the group, so that the thread that
  // waits for the group is woken.
  load.group.run([&load] { (void)load.group.end_job(); },
                 {.priority = job_priority_of(load.priority_now())});
}

void loader::retire(load_item& item) noexcept {
  item.content = {};
  item.asset = {};
  item.packed.reset();
  item.unpacked.reset();
  item.stage = 0;
  item.needs_all = false;
  item.asset_wanted = 0;
  release_all(item);
  item.file = {};
  const file_record& kept = load.record_of(item);
  bytes_done_ += kept.bytes;
  listed_done_ += kept.listed_bytes;
  ++files_done_;
  admission_.free(item);
}

void loader::flush() noexcept {
  admission_.return_spare();
  credit_.return_all();
  if (files_done_ == 0) return;
  load.bytes_done.fetch_add(std::exchange(bytes_done_, 0), std::memory_order_relaxed);
  load.listed_done.fetch_add(std::exchange(listed_done_, 0), std::memory_order_relaxed);
  const std::uint64_t more = std::exchange(files_done_, 0);
  const std::uint64_t done = load.files_done.fetch_add(more, std::memory_order_acq_rel) + more;
  if (done == load.file_count()) load.end_ns.store(now_ns(), std::memory_order_release);
}

}  // namespace overture::load_detail
