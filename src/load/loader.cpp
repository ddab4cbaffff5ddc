// SPDX-License-Identifier: Zlib
//
// Admission: which file begins next, and when.
//
// A loader that ends first flushes what it holds and then looks once more whether a file may begin,
// so that room made in between is not overlooked.
#include "load/loader.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "base/threads/thread_slot.hpp"
#include "load/idle_reason.hpp"

namespace overture::load_detail {
using namespace base_detail;

namespace {

constexpr std::size_t scratch_bytes_max = std::size_t{8} << 20;
constexpr std::size_t scratch_bytes_min = std::size_t{64} << 10;

atomic<scratch_space*>& scratch_slot(load_state& load) noexcept {
  return load.scratch[thread_slot() % load_state::scratch_slots];
}

}  // namespace

bool can_begin(load_state& load) noexcept {
  if (load.cancelling.cancelled()) return false;
  const bool block_room = load.block_room.may_suffice();
  if (block_room && load.awaiting_block.size() > 0) return true;
  if (!load.room.may_suffice()) return false;
  if (load.awaiting_decode.size() > 0 || load.awaiting_file.size() > 0) return true;
  return block_room && load.free_items.size() > 0 &&
         (load.next_in_order.load(std::memory_order_seq_cst) < load.file_count() ||
          load.front.size() > 0);
}

void load_room::room_made() noexcept {
  made_.fetch_add(1, std::memory_order_seq_cst);
  if (can_begin(load_)) loader::spawn(load_);
}

void drop_waiting(load_state& load) noexcept {
  // One count more, so that the load is not over, and perhaps destroyed, before the last line.
  load.group.begin_job();
  {
    loader here(load);
    for (item_stack* line : {&load.awaiting_decode, &load.awaiting_file, &load.awaiting_block}) {
      // Ordered like the mark of the cancelling, unlike the stack: what is not counted yet is
      // dropped by the thread that adds it.
      if (line->size() == 0) continue;
      here.drop_from(*line);
    }
  }
  // Room that was made while items were out of their lines found nothing to begin.
  if (can_begin(load)) loader::spawn(load);
  (void)load.group.end_job();
}

void loader::drop_from(item_stack& line) noexcept {
  std::uint32_t kept = index_stack::none;  // linked like a stack
  while (load_item* const item = pop(line)) {
    if (!load.is_cancelled(item->number)) {
      item->link.store(std::exchange(kept, item->index), std::memory_order_relaxed);
      continue;
    }
    load.records[item->number].set(file_state::cancelled);
    retire(*item);
    (void)load.group.end_job();
  }
  while (kept != index_stack::none) {
    load_item& item = load.items[kept];
    kept = item.link.load(std::memory_order_relaxed);
    push(line, item);
  }
}

loader::loader(load_state& of) noexcept
    : load(of),
      credit_(of.ledger, of.ledger.limit() / 16 / of.jobs.concurrency()),
      scratch_(scratch_slot(of).exchange(nullptr, std::memory_order_acquire)),
      uses_scratch_(!of.options.sink || !of.options.sink->one_thread()),
      room_seen_(of.room.made()),
      block_room_seen_(of.block_room.made()) {
  if (!scratch_) scratch_ = make_object<scratch_space>(load.memory, memory_tag::load);
  if (load.lent_slot.load(std::memory_order_relaxed) == thread_slot()) {
    lent_until_ns_ = load.lent_until_ns.load(std::memory_order_relaxed);
  }
}

loader::~loader() {
  flush();
  scratch_space* const other = scratch_slot(load).exchange(scratch_, std::memory_order_acq_rel);
  destroy_object(load.memory, memory_tag::load, other);
}

void loader::run() noexcept {
  // Time slices, because a thread in wait_for() checks its deadline only between jobs.
  const std::uint64_t until_ns =
      lent_until_ns_ == 0 ? clock_ns + slice_ns : std::min(clock_ns + slice_ns, lent_until_ns_);
  while (enter()) {
    while (load_item* const item = next_item()) {
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

load_item* loader::pop(item_stack& from) noexcept {
  const std::uint32_t index = from.items.pop(load.item_links());
  if (index == index_stack::none) return nullptr;
  from.count.fetch_sub(1, std::memory_order_seq_cst);
  return &load.items[index];
}

void loader::push(item_stack& to, load_item& item) noexcept {
  to.items.push(item.index, load.item_links());
  to.count.fetch_add(1, std::memory_order_seq_cst);
}

// An item that waits for room which may be there now, or null. First those that hold most.
load_item* loader::pop_waiting(bool room, bool block_room) noexcept {
  load_item* item = nullptr;
  if (room && load.awaiting_decode.size() > 0) item = pop(load.awaiting_decode);
  if (!item && room && load.awaiting_file.size() > 0) item = pop(load.awaiting_file);
  if (!item && block_room && load.awaiting_block.size() > 0) item = pop(load.awaiting_block);
  if (item) (void)load.group.end_job();  // the job that runs this still counts
  return item;
}

// The next item to advance, or null: those that wait for room, then new ones.
load_item* loader::next_item() noexcept {
  if (load.cancelling.cancelled()) return nullptr;
  room_seen_ = load.room.made();
  block_room_seen_ = load.block_room.made();
  const bool room = load.room.may_suffice();
  const bool block_room = load.block_room.may_suffice();
  if (load_item* const item = pop_waiting(room, block_room)) return item;
  if (!room || !block_room) return nullptr;
  for (;;) {
    const bool has_more = load.next_in_order.load(std::memory_order_seq_cst) < load.file_count() ||
                          load.front.size() > 0;
    if (!has_more) return nullptr;
    if (!spare_) {
      spare_ = pop(load.free_items);
      if (!spare_) return nullptr;
    }
    const std::uint32_t file = next_file();
    if (file == index_stack::none) return nullptr;
    // False: it was raised and has begun, or was cancelled.
    if (!load.records[file].claim(file_state::reading)) continue;
    spare_->number = file;
    spare_->entry = load.records[file].entry;
    return std::exchange(spare_, nullptr);
  }
}

// The number of the file to begin next, or none.
std::uint32_t loader::next_file() noexcept {
  if (load.front.size() > 0) {
    const std::uint32_t raised = load.front.items.pop(load.file_links());
    if (raised != index_stack::none) {
      load.front.count.fetch_sub(1, std::memory_order_seq_cst);
      return raised;
    }
  }
  const std::uint32_t next = load.next_in_order.fetch_add(1, std::memory_order_seq_cst);
  if (next >= load.file_count()) {
    load.next_in_order.store(load.file_count(), std::memory_order_seq_cst);
    return index_stack::none;
  }
  if (next + 1 == load.file_count()) tell_idle_reason(load);
  const std::uint32_t soon = next + load.jobs.concurrency();  // about this loader's next file
  if (soon < load.file_count()) load.files.fetch_ahead(load.records[load.order[soon]].entry);
  return load.order[next];
}

// --- Left to the workers -------------------------------------------------------------------------

void loader::leave(load_item& item, std::uint64_t ns) noexcept {
  credit_.return_all();  // no item may wait for what its own loader holds
  load.group.begin_job();
  load.left_ns_max.store(std::max(ns, load.left_ns_max.load(std::memory_order_relaxed)),
                         std::memory_order_relaxed);
  push(load.left, item);
  tell_idle_reason(load);
  load.left_jobs.run([&all = load] { resume_left(all); },
                     {.priority = job_priority_of(load.priority_now())});
}

void loader::resume_left(load_state& load) noexcept {
  if (load.left.size() == 0) return;
  {
    loader here(load);
    load_item* const item = here.pop(load.left);
    if (!item) return;  // another thread has it
    advance(here, *item);
    here.run();
  }
  // The item's count may be the last, which ends in a job of the group, so that the thread that
  // waits for the group is woken.
  load.group.run([&load] { (void)load.group.end_job(); },
                 {.priority = job_priority_of(load.priority_now())});
}

// --- Scratch -------------------------------------------------------------------------------------

std::span<std::byte> loader::scratch_buffer(blob scratch_space::* kept,
                                            std::size_t bytes) noexcept {
  // The scratch of all loaders together takes at most about half the budget.
  if (!scratch_ || !uses_scratch_ ||
      bytes > std::min<std::uint64_t>(scratch_bytes_max, 4 * credit_.share_bytes())) {
    return {};
  }
  blob& block = scratch_->*kept;
  if (block.size() < bytes) {
    result<blob> larger = load.buffers.take(std::bit_ceil(std::max(bytes, scratch_bytes_min)));
    if (!larger) return {};
    block = std::move(*larger);
  }
  return block.span().first(bytes);
}

std::span<std::byte> loader::packed_buffer(std::size_t bytes) noexcept {
  return scratch_buffer(&scratch_space::packed, bytes);
}

std::span<std::byte> loader::unpacked_buffer(std::size_t bytes) noexcept {
  return scratch_buffer(&scratch_space::unpacked, bytes);
}

void loader::give_scratch_to(load_item& item) noexcept {
  if (!scratch_) return;
  const auto holds = [&](const blob& block) {
    const std::byte* const begin = block.span().data();
    return !block.empty() && std::less_equal<>()(begin, item.content.data()) &&
           std::less<>()(item.content.data(), begin + block.size());
  };
  if (holds(scratch_->packed)) item.packed = std::move(scratch_->packed);
  if (holds(scratch_->unpacked)) item.unpacked = std::move(scratch_->unpacked);
}

// --- Room ----------------------------------------------------------------------------------------

bool loader::reserve(load_item& item, std::uint64_t bytes) noexcept {
  const file_room room = take_file_room(item.file, bytes, credit_, load.block_ledger, item.ticket);
  if (room == file_room::taken) {
    item.reserved_bytes = bytes;
    return true;
  }
  wait_in(room == file_room::lacks_block_room ? load.awaiting_block : load.awaiting_file, item);
  return false;
}

void loader::release_all(load_item& item) noexcept {
  item.file.release_block();
  release_room(item, item.reserved_bytes);
  if (item.asset_bytes != 0) {
    load.ledger.give_back(std::exchange(item.asset_bytes, 0), memory_tag::decode);
  }
  load.ledger.end_item(item.ticket);
}

// If room was made since the item asked, the next look at load_room finds it.
void loader::wait_in(item_stack& line, load_item& item) noexcept {
  load.group.begin_job();
  const std::uint32_t file = item.number;
  push(line, item);
  const bool for_block = &line == &load.awaiting_block;
  (for_block ? load.block_room : load.room).refuse(for_block ? block_room_seen_ : room_seen_);
  if (load.is_cancelled(file)) drop_waiting(load);
}

void loader::add_room(load_item& item, std::uint64_t bytes) noexcept {
  item.reserved_bytes += bytes;
  credit_.add(bytes);
}

void loader::release_room(load_item& item, std::uint64_t bytes) noexcept {
  item.reserved_bytes -= bytes;
  credit_.give_back(bytes, item.ticket);
}

void loader::keep_unpacked(load_item& item) noexcept {
  give_scratch_to(item);
  item.is_unpacked = true;
}

void loader::defer_decode(load_item& item) noexcept {
  keep_unpacked(item);
  credit_.return_all();
  wait_in(load.awaiting_decode, item);
}

// --- Ends ----------------------------------------------------------------------------------------

void loader::retire(load_item& item) noexcept {
  item.content = {};
  item.asset = {};
  item.packed.reset();
  item.unpacked.reset();
  item.resolved = false;
  item.is_read = false;
  item.is_unpacked = false;
  item.needs_all = false;
  item.asset_wanted = 0;
  release_all(item);
  item.file = {};
  const file_record& kept = load.records[item.number];
  bytes_done_ += kept.bytes;
  listed_done_ += kept.listed_bytes;
  ++files_done_;
  if (!spare_) {
    spare_ = &item;
    return;
  }
  push(load.free_items, item);
}

void loader::flush() noexcept {
  if (spare_) push(load.free_items, *std::exchange(spare_, nullptr));
  credit_.return_all();
  if (files_done_ == 0) return;
  load.bytes_done.fetch_add(std::exchange(bytes_done_, 0), std::memory_order_relaxed);
  load.listed_done.fetch_add(std::exchange(listed_done_, 0), std::memory_order_relaxed);
  const std::uint64_t more = std::exchange(files_done_, 0);
  const std::uint64_t done = load.files_done.fetch_add(more, std::memory_order_acq_rel) + more;
  if (done == load.file_count()) load.end_ns.store(now_ns(), std::memory_order_release);
}

void read_arrivals::execute(task work) noexcept {
  const auto& item = *static_cast<const load_item*>(work.context);
  const job_priority priority =
      job_priority_of(load_.priority_now(), load_.priority_of(item.number));
  load_.reads_arrived.fetch_add(1, std::memory_order_relaxed);
  load_.reads_outstanding.fetch_sub(1, std::memory_order_relaxed);
  tell_idle_reason(load_);
  // The load may be gone after this.
  load_.group.run([work] { work.run(work.context); }, {.priority = priority});
}

void tell_idle_reason(load_state& load) noexcept {
  const auto now = [](const atomic<std::uint32_t>& count) noexcept {
    return count.load(std::memory_order_relaxed);
  };
  load.jobs.set_idle_reason(idle_reason({
      .reads = now(load.reads_outstanding),
      .reads_at_once = load.reads_at_once,
      .awaiting_room = now(load.awaiting_decode.count) + now(load.awaiting_file.count) +
                       now(load.awaiting_block.count),
      .awaiting_main_thread = now(load.finalizable.count),
      .arrived = now(load.reads_arrived),
      .for_workers = load.left.size(),
      .has_files_left =
          now(load.next_in_order) < load.file_count() && now(load.free_items.count) > 0,
  }));
}

}  // namespace overture::load_detail
