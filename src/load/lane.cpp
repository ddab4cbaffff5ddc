// Who goes next: admission of files to the pipeline.
//
// There are at most as many lanes as the job system has threads. A lane ends when it may begin
// nothing more: no file is left, no item is free, or the budget is full. Whoever retires a file
// makes room and tries to become a lane again. A lane that ends gives back all it has kept and
// looks once more then, so that room made in between is not overlooked.
#include "load/lane.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "base/thread_slot.hpp"
#include "load/decode_memory.hpp"

namespace overture {
namespace {

constexpr std::uint64_t slice_ns = 1'000'000;  // then a lane goes on as another job
constexpr std::size_t room_bytes_max = std::size_t{8} << 20;
constexpr std::size_t room_bytes_min = std::size_t{64} << 10;

bool something_may_begin(load_state& load) noexcept {
  if (load.cancelled.load(std::memory_order_seq_cst)) return false;
  if (load.undecoded_count.load(std::memory_order_seq_cst) > 0 && decode_is_admissible(load)) {
    return true;
  }
  if (load.in_flight_bytes.load(std::memory_order_seq_cst) >= load.options.budget_bytes) {
    return false;
  }
  if (load.stalled_count.load(std::memory_order_seq_cst) > 0) return true;
  return load.free_count.load(std::memory_order_seq_cst) > 0 &&
         load.next_entry.load(std::memory_order_seq_cst) < load.entry_count();
}

atomic<workspace*>& workspace_place(load_state& load) noexcept {
  return load.workspaces[thread_slot() % load_state::workspaces_kept];
}

}  // namespace

lane::lane(load_state& of) noexcept
    : load(of),
      share_bytes_(of.options.budget_bytes / 16 / of.jobs.concurrency()),
      work_(workspace_place(of).exchange(nullptr, std::memory_order_acquire)),
      keeps_files_(!of.options.sink || !of.options.sink->one_thread()) {
  if (!work_) work_ = make_object<workspace>(load.memory, memory_tag::load);
}

lane::~lane() {
  sign_off();
  workspace* const other = workspace_place(load).exchange(work_, std::memory_order_acq_rel);
  destroy_object(load.memory, memory_tag::load, other);
}

void lane::run() noexcept {
  // A lane is a job, and a thread that waits with a deadline looks at its clock between jobs only.
  const std::uint64_t until_ns = clock_ns + slice_ns;
  while (enter()) {
    while (load_item* const item = next_item()) {
      advance(*this, *item);
      if (clock_ns >= until_ns) break;
    }
    sign_off();
    const std::uint32_t lanes = load.lanes.fetch_sub(1, std::memory_order_seq_cst);
    if (!something_may_begin(load)) break;
    if (clock_ns < until_ns) continue;
    begin(load);
    // One that ended for want of room may find some now.
    if (lanes < load.jobs.concurrency()) begin(load);
    return;
  }
  explain_idleness();
}

void lane::begin(load_state& load) noexcept {
  load.group.run([&load] { lane(load).run(); });
}

bool lane::enter() noexcept {
  std::uint32_t lanes = load.lanes.load(std::memory_order_seq_cst);
  while (lanes < load.jobs.concurrency()) {
    if (load.lanes.compare_exchange_weak(lanes, lanes + 1, std::memory_order_seq_cst)) return true;
  }
  return false;
}

load_item* lane::pop(index_stack& from, atomic<std::uint32_t>& count) noexcept {
  const std::uint32_t index = from.pop(load.item_links());
  if (index == index_stack::none) return nullptr;
  count.fetch_sub(1, std::memory_order_seq_cst);
  return &load.items[index];
}

void lane::push(index_stack& to, atomic<std::uint32_t>& count, load_item& item) noexcept {
  to.push(item.index, load.item_links());
  count.fetch_add(1, std::memory_order_seq_cst);
}

// The next item that may go on, or null.
load_item* lane::next_item() noexcept {
  if (load.cancelled.load(std::memory_order_seq_cst)) return nullptr;
  if (load.undecoded_count.load(std::memory_order_seq_cst) > 0 && decode_is_admissible(load)) {
    if (load_item* const item = pop(load.undecoded, load.undecoded_count)) return item;
  }
  if (load.in_flight_bytes.load(std::memory_order_seq_cst) - credit_bytes_ >=
      load.options.budget_bytes) {
    return nullptr;
  }
  if (load.stalled_count.load(std::memory_order_seq_cst) > 0) {
    if (load_item* const item = pop(load.stalled_items, load.stalled_count)) return item;
  }
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
  const std::uint32_t soon = next + load.jobs.concurrency();  // about this lane's next one
  if (soon < load.entry_count()) load.files.fetch_ahead(load.order[soon]);
  return std::exchange(spare_, nullptr);
}

// --- Room ----------------------------------------------------------------------------------------

std::span<std::byte> lane::room(blob workspace::* kept, std::size_t bytes) noexcept {
  // The rooms of all lanes together take about half the budget at most.
  if (!work_ || !keeps_files_ ||
      bytes > std::min<std::uint64_t>(room_bytes_max, 4 * share_bytes_)) {
    return {};
  }
  blob& block = work_->*kept;
  if (block.size() < bytes) {
    result<blob> larger = load.buffers.take(std::bit_ceil(std::max(bytes, room_bytes_min)));
    if (!larger) return {};
    block = std::move(*larger);
  }
  return block.span().first(bytes);
}

std::span<std::byte> lane::packed_room(std::size_t bytes) noexcept {
  return room(&workspace::packed, bytes);
}

std::span<std::byte> lane::unpacked_room(std::size_t bytes) noexcept {
  return room(&workspace::unpacked, bytes);
}

void lane::leave_room_to(load_item& item) noexcept {
  if (!work_) return;
  const auto holds = [&](const blob& block) {
    const std::byte* const begin = block.span().data();
    return !block.empty() && std::less_equal<>()(begin, item.content.data()) &&
           std::less<>()(item.content.data(), begin + block.size());
  };
  if (holds(work_->packed)) item.packed = std::move(work_->packed);
  if (holds(work_->unpacked)) item.unpacked = std::move(work_->unpacked);
}

// --- Budget --------------------------------------------------------------------------------------

bool lane::reserve_budget(load_item& item) noexcept {
  const file_place& place = item.file.place();
  const std::uint64_t cost =
      place.read_bytes + (place.method == compression::none ? 0 : place.bytes);
  if (cost <= credit_bytes_) {
    item.reserved_bytes = cost;
    credit_bytes_ -= cost;
    return true;
  }
  const std::uint64_t budget = load.options.budget_bytes;
  const std::uint64_t missing = cost - credit_bytes_;
  std::uint64_t now = load.in_flight_bytes.load(std::memory_order_seq_cst);
  std::uint64_t ahead = 0;
  do {
    // Below the budget any size is admitted, alone over it: the peak is the budget and one file.
    // The lane's own credit does not count, here as in next_item(): or it would try for ever.
    if (now - credit_bytes_ >= budget) {
      push(load.stalled_items, load.stalled_count, item);
      return false;
    }
    // What many small files will need is reserved at once.
    ahead = cost < share_bytes_ && now + missing + share_bytes_ <= budget ? share_bytes_ : 0;
  } while (!load.in_flight_bytes.compare_exchange_weak(now, now + missing + ahead,
                                                       std::memory_order_seq_cst));
  item.reserved_bytes = cost;
  credit_bytes_ = ahead;
  load.note_in_flight(now + missing + ahead);
  return true;
}

void lane::add_to_budget(load_item& item, std::uint64_t bytes) noexcept {
  item.reserved_bytes += bytes;
  if (bytes <= credit_bytes_) {
    credit_bytes_ -= bytes;
    return;
  }
  load.note_in_flight(load.in_flight_bytes.fetch_add(bytes, std::memory_order_seq_cst) + bytes);
}

void lane::release_budget(load_item& item, std::uint64_t bytes) noexcept {
  item.reserved_bytes -= bytes;
  if (credit_bytes_ + bytes <= 2 * share_bytes_ &&
      load.in_flight_bytes.load(std::memory_order_seq_cst) < load.options.budget_bytes) {
    credit_bytes_ += bytes;
  } else {
    give_back(bytes);
  }
}

void lane::give_back(std::uint64_t bytes) noexcept {
  const std::uint64_t budget = load.options.budget_bytes;
  const std::uint64_t before = load.in_flight_bytes.fetch_sub(bytes, std::memory_order_seq_cst);
  // Lanes that ended because the budget was full do not come back by themselves.
  if (before >= budget && before - bytes < budget && something_may_begin(load)) begin(load);
}

void lane::wait_to_decode(load_item& item) noexcept {
  leave_room_to(item);
  item.unpacked_before = true;
  push(load.undecoded, load.undecoded_count, item);
}

// --- Ends ----------------------------------------------------------------------------------------

void lane::retire(load_item& item) noexcept {
  item.content = {};
  item.asset = {};
  item.packed.reset();
  item.unpacked.reset();
  item.file = {};
  item.resolved = false;
  item.unpacked_before = false;
  release_budget(item, item.reserved_bytes);
  if (std::exchange(item.large_decode, false)) {
    load.large_decodes.fetch_sub(1, std::memory_order_seq_cst);
  }
  bytes_done_ += load.records[item.entry].bytes;
  ++files_done_;
  if (!spare_) {
    spare_ = &item;
    return;
  }
  push(load.free_items, load.free_count, item);
}

void lane::sign_off() noexcept {
  if (spare_) push(load.free_items, load.free_count, *std::exchange(spare_, nullptr));
  if (credit_bytes_ != 0) give_back(std::exchange(credit_bytes_, 0));
  if (files_done_ == 0) return;
  load.bytes_done.fetch_add(std::exchange(bytes_done_, 0), std::memory_order_relaxed);
  const std::uint64_t more = std::exchange(files_done_, 0);
  const std::uint64_t done = load.files_done.fetch_add(more, std::memory_order_acq_rel) + more;
  if (done == load.entry_count()) load.end_ns.store(now_ns(), std::memory_order_release);
}

// Tells the job system why its threads are about to run dry.
void lane::explain_idleness() noexcept {
  const char* reason = idle_reasons::nothing_left;
  if (load.in_flight_bytes.load(std::memory_order_relaxed) >= load.options.budget_bytes ||
      load.undecoded_count.load(std::memory_order_relaxed) > 0) {
    reason = idle_reasons::budget;
  } else if (load.reads_outstanding.load(std::memory_order_relaxed) > 0) {
    reason = idle_reasons::read;
  } else if (load.finalizable_count.load(std::memory_order_relaxed) > 0) {
    reason = idle_reasons::main_thread;
  }
  load.jobs.set_idle_reason(reason);
}

}  // namespace overture
