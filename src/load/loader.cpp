// Admission: which file begins next, and when.
//
// A loader that ends first flushes what it holds and then looks once more whether a file may begin,
// so that room made in between is not overlooked.
#include "load/loader.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "base/thread_slot.hpp"

namespace overture::load_detail {
using namespace base_detail;

namespace {

constexpr std::uint64_t slice_ns = 1'000'000;  // then the loader continues as a new job
constexpr std::size_t scratch_bytes_max = std::size_t{8} << 20;
constexpr std::size_t scratch_bytes_min = std::size_t{64} << 10;

atomic<scratch_space*>& scratch_slot(load_state& load) noexcept {
  return load.scratch[thread_slot() % load_state::scratch_slots];
}

}  // namespace

bool can_begin(load_state& load) noexcept {
  if (load.cancelling.cancelled()) return false;
  if (load.rooms.load(std::memory_order_seq_cst) ==
      load.refused_at.load(std::memory_order_seq_cst)) {
    return false;
  }
  if (load.awaiting_decode_count.load(std::memory_order_seq_cst) > 0) return true;
  if (load.stalled_count.load(std::memory_order_seq_cst) > 0) return true;
  return load.free_count.load(std::memory_order_seq_cst) > 0 &&
         load.next_entry.load(std::memory_order_seq_cst) < load.entry_count();
}

void load_room::room_made() noexcept {
  load_.rooms.fetch_add(1, std::memory_order_seq_cst);
  if (can_begin(load_)) loader::spawn(load_);
}

void drop_waiting(load_state& load) noexcept {
  // One count more, so that the load is not over, and perhaps destroyed, before the last line.
  load.group.begin_job();
  {
    loader here(load);
    for (auto [from, count] : {std::pair{&load.stalled_items, &load.stalled_count},
                               std::pair{&load.awaiting_decode, &load.awaiting_decode_count}}) {
      // Ordered like the mark of the cancelling, unlike the stack: what is not counted yet is
      // dropped by the thread that adds it.
      if (count->load(std::memory_order_seq_cst) == 0) continue;
      while (load_item* const item = here.pop(*from, *count)) {
        load.records[item->entry].state = file_record::outcome::cancelled;
        here.retire(*item);
        (void)load.group.end_job();
      }
    }
  }
  (void)load.group.end_job();
}

loader::loader(load_state& of) noexcept
    : load(of),
      share_bytes_(of.ledger.limit() / 16 / of.jobs.concurrency()),
      scratch_(scratch_slot(of).exchange(nullptr, std::memory_order_acquire)),
      uses_scratch_(!of.options.sink || !of.options.sink->one_thread()),
      rooms_seen_(of.rooms.load(std::memory_order_seq_cst)) {
  if (!scratch_) scratch_ = make_object<scratch_space>(load.memory, memory_tag::load);
}

loader::~loader() {
  flush();
  scratch_space* const other = scratch_slot(load).exchange(scratch_, std::memory_order_acq_rel);
  destroy_object(load.memory, memory_tag::load, other);
}

void loader::run() noexcept {
  // Time slices, because a thread in wait_for() checks its deadline only between jobs.
  const std::uint64_t until_ns = clock_ns + slice_ns;
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
  set_idle_reason();
}

void loader::spawn(load_state& load) noexcept {
  load.group.run([&load] { loader(load).run(); });
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

load_item* loader::pop(index_stack& from, atomic<std::uint32_t>& count) noexcept {
  const std::uint32_t index = from.pop(load.item_links());
  if (index == index_stack::none) return nullptr;
  count.fetch_sub(1, std::memory_order_seq_cst);
  return &load.items[index];
}

void loader::push(index_stack& to, atomic<std::uint32_t>& count, load_item& item) noexcept {
  to.push(item.index, load.item_links());
  count.fetch_add(1, std::memory_order_seq_cst);
}

// An item that waits for room: deferred decodes, then stalled files. Null if there is none.
load_item* loader::pop_waiting() noexcept {
  load_item* item = nullptr;
  if (load.awaiting_decode_count.load(std::memory_order_seq_cst) > 0) {
    item = pop(load.awaiting_decode, load.awaiting_decode_count);
  }
  if (!item && load.stalled_count.load(std::memory_order_seq_cst) > 0) {
    item = pop(load.stalled_items, load.stalled_count);
  }
  if (item) (void)load.group.end_job();  // the job that runs this still counts
  return item;
}

// The next item to advance, or null: those that wait for room, then new ones.
load_item* loader::next_item() noexcept {
  if (load.cancelling.cancelled()) return nullptr;
  rooms_seen_ = load.rooms.load(std::memory_order_seq_cst);
  if (rooms_seen_ == load.refused_at.load(std::memory_order_seq_cst)) return nullptr;
  if (load_item* const item = pop_waiting()) return item;
  if (load.next_entry.load(std::memory_order_seq_cst) >= load.entry_count()) return nullptr;
  if (!spare_) {
    spare_ = pop(load.free_items, load.free_count);
    if (!spare_) return nullptr;
  }
  const std::uint32_t next = load.next_entry.fetch_add(1, std::memory_order_seq_cst);
  if (next >= load.entry_count()) {
    load.next_entry.store(load.entry_count(), std::memory_order_seq_cst);
    return nullptr;
  }
  spare_->entry = load.order[next];
  const std::uint32_t soon = next + load.jobs.concurrency();  // about this loader's next file
  if (soon < load.entry_count()) load.files.fetch_ahead(load.order[soon]);
  return std::exchange(spare_, nullptr);
}

// --- Scratch -------------------------------------------------------------------------------------

std::span<std::byte> loader::scratch_buffer(blob scratch_space::* kept,
                                            std::size_t bytes) noexcept {
  // The scratch of all loaders together takes at most about half the budget.
  if (!scratch_ || !uses_scratch_ ||
      bytes > std::min<std::uint64_t>(scratch_bytes_max, 4 * share_bytes_)) {
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

std::uint64_t whole_file_bytes(const load_item& item) noexcept {
  const file_place& place = item.file.place();
  return place.read_bytes + (place.method == compression::none ? 0 : place.bytes);
}

bool loader::reserve(load_item& item, std::uint64_t bytes) noexcept {
  if (!take_with_block(item, bytes)) {
    wait_for_room(load.stalled_items, load.stalled_count, item);
    return false;
  }
  item.reserved_bytes = bytes;
  return true;
}

void loader::release_block(load_item& item) noexcept {
  const bool same = &load.ledger == &load.block_ledger;
  item.file.release_block(same ? item.ticket : item.block_ticket);
  load.block_ledger.end_item(item.block_ticket);
}

void loader::release_all(load_item& item) noexcept {
  release_block(item);
  release_room(item, item.reserved_bytes);
  if (item.asset_bytes != 0) {
    load.ledger.give_back(std::exchange(item.asset_bytes, 0), memory_tag::decode);
  }
  load.ledger.end_item(item.ticket);
}

bool loader::take_room(load_item& item, std::uint64_t cost) noexcept {
  if (cost > credit_bytes_ && cost < share_bytes_ &&
      load.ledger.take_if_free(share_bytes_, memory_tag::load)) {
    credit_bytes_ += share_bytes_;
  }
  if (cost <= credit_bytes_) {
    credit_bytes_ -= cost;
    return true;
  }
  // No item may wait for what its own loader holds.
  return_credit();
  return load.ledger.take(cost, memory_tag::load, item.ticket);
}

// The room for a file, and for the solid block that it is in unless another file holds that. If
// both come from one ledger, they are taken at once, so that no item waits for one while it holds
// the other. If not, the block comes first in every item.
bool loader::take_with_block(load_item& item, std::uint64_t cost) noexcept {
  for (;;) {
    const std::uint64_t block = item.file.block_room();
    if (&load.ledger != &load.block_ledger) {
      if (block != 0 && !load.block_ledger.take(block, memory_tag::vfs, item.block_ticket)) {
        return false;
      }
      if (item.file.hold_block(block)) return take_room(item, cost);
      load.block_ledger.end_item(item.block_ticket);
      continue;
    }
    if (block == 0) {
      // Held first, so that it is not evicted for the file's own room. An item may wait with a
      // block in memory: whoever has the ticket does not wait, so room is made.
      if (!item.file.hold_block(0)) continue;
      item.file.take_ticket(item.ticket);
      return take_room(item, cost);
    }
    return_credit();
    if (!load.ledger.take(cost + block, memory_tag::load, item.ticket)) return false;
    load.ledger.move(block, memory_tag::load, memory_tag::vfs);
    if (item.file.hold_block(block)) return true;
    load.ledger.give_back(cost, memory_tag::load);
    load.ledger.end_item(item.ticket);
  }
}

// If room was made since the item asked, the next look at load_state::rooms finds it.
void loader::wait_for_room(index_stack& in, atomic<std::uint32_t>& count,
                           load_item& item) noexcept {
  load.group.begin_job();
  push(in, count, item);
  load.refused_at.store(rooms_seen_, std::memory_order_seq_cst);
  if (load.cancelling.cancelled()) drop_waiting(load);
}

void loader::add_room(load_item& item, std::uint64_t bytes) noexcept {
  item.reserved_bytes += bytes;
  if (bytes <= credit_bytes_) {
    credit_bytes_ -= bytes;
  } else {
    load.ledger.add(bytes, memory_tag::load);
  }
}

void loader::release_room(load_item& item, std::uint64_t bytes) noexcept {
  item.reserved_bytes -= bytes;
  if (credit_bytes_ + bytes <= 2 * share_bytes_ && !item.ticket &&
      load.ledger.used() < load.ledger.limit()) {
    credit_bytes_ += bytes;
  } else if (bytes != 0) {
    load.ledger.give_back(bytes, memory_tag::load);
  }
}

void loader::return_credit() noexcept {
  if (credit_bytes_ != 0) {
    load.ledger.give_back(std::exchange(credit_bytes_, 0), memory_tag::load);
  }
}

void loader::defer_decode(load_item& item) noexcept {
  give_scratch_to(item);
  item.is_unpacked = true;
  return_credit();
  wait_for_room(load.awaiting_decode, load.awaiting_decode_count, item);
}

// --- Ends ----------------------------------------------------------------------------------------

void loader::retire(load_item& item) noexcept {
  item.content = {};
  item.asset = {};
  item.packed.reset();
  item.unpacked.reset();
  item.resolved = false;
  item.is_unpacked = false;
  item.needs_all = false;
  item.asset_wanted = 0;
  release_all(item);
  item.file = {};
  bytes_done_ += load.records[item.entry].bytes;
  ++files_done_;
  if (!spare_) {
    spare_ = &item;
    return;
  }
  push(load.free_items, load.free_count, item);
}

void loader::flush() noexcept {
  if (spare_) push(load.free_items, load.free_count, *std::exchange(spare_, nullptr));
  return_credit();
  if (files_done_ == 0) return;
  load.bytes_done.fetch_add(std::exchange(bytes_done_, 0), std::memory_order_relaxed);
  const std::uint64_t more = std::exchange(files_done_, 0);
  const std::uint64_t done = load.files_done.fetch_add(more, std::memory_order_acq_rel) + more;
  if (done == load.entry_count()) load.end_ns.store(now_ns(), std::memory_order_release);
}

// Tells the job system why its threads are about to be idle.
void loader::set_idle_reason() noexcept {
  const char* reason = idle_reasons::nothing_left;
  if (load.stalled_count.load(std::memory_order_relaxed) > 0 ||
      load.awaiting_decode_count.load(std::memory_order_relaxed) > 0) {
    reason = idle_reasons::budget;
  } else if (load.reads_outstanding.load(std::memory_order_relaxed) > 0) {
    reason = idle_reasons::read;
  } else if (load.finalizable_count.load(std::memory_order_relaxed) > 0) {
    reason = idle_reasons::main_thread;
  }
  load.jobs.set_idle_reason(reason);
}

}  // namespace overture::load_detail
