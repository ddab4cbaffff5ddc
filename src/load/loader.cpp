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
#include "load/decode_memory.hpp"

namespace overture::load_detail {
using namespace base_detail;

namespace {

constexpr std::uint64_t slice_ns = 1'000'000;  // then the loader continues as a new job
constexpr std::size_t scratch_bytes_max = std::size_t{8} << 20;
constexpr std::size_t scratch_bytes_min = std::size_t{64} << 10;

bool can_begin(load_state& load) noexcept {
  if (load.cancelling.cancelled()) return false;
  if (load.awaiting_decode_count.load(std::memory_order_seq_cst) > 0 &&
      decode_is_admissible(load)) {
    return true;
  }
  if (load.in_flight_bytes.load(std::memory_order_seq_cst) >= load.options.budget_bytes) {
    return false;
  }
  if (load.stalled_count.load(std::memory_order_seq_cst) > 0) return true;
  return load.free_count.load(std::memory_order_seq_cst) > 0 &&
         load.next_entry.load(std::memory_order_seq_cst) < load.entry_count();
}

atomic<scratch_space*>& scratch_slot(load_state& load) noexcept {
  return load.scratch[thread_slot() % load_state::scratch_slots];
}

}  // namespace

loader::loader(load_state& of) noexcept
    : load(of),
      share_bytes_(of.options.budget_bytes / 16 / of.jobs.concurrency()),
      scratch_(scratch_slot(of).exchange(nullptr, std::memory_order_acquire)),
      uses_scratch_(!of.options.sink || !of.options.sink->one_thread()) {
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
  while (try_enter()) {
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

// The next item to advance, or null: deferred decodes, then stalled files, then new ones.
load_item* loader::next_item() noexcept {
  if (load.cancelling.cancelled()) return nullptr;
  if (load.awaiting_decode_count.load(std::memory_order_seq_cst) > 0 &&
      decode_is_admissible(load)) {
    if (load_item* const item = pop(load.awaiting_decode, load.awaiting_decode_count)) return item;
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

// --- Budget --------------------------------------------------------------------------------------

bool loader::reserve_budget(load_item& item) noexcept {
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
    // Below the budget any size is admitted, so the peak is the budget plus one file. The loader's
    // own credit does not count, here as in next_item(); otherwise it would retry for ever.
    if (now - credit_bytes_ >= budget) {
      push(load.stalled_items, load.stalled_count, item);
      return false;
    }
    // Reserves credit for the next small files at the same time.
    ahead = cost < share_bytes_ && now + missing + share_bytes_ <= budget ? share_bytes_ : 0;
  } while (!load.in_flight_bytes.compare_exchange_weak(now, now + missing + ahead,
                                                       std::memory_order_seq_cst));
  item.reserved_bytes = cost;
  credit_bytes_ = ahead;
  load.update_in_flight_peak(now + missing + ahead);
  return true;
}

void loader::add_to_budget(load_item& item, std::uint64_t bytes) noexcept {
  item.reserved_bytes += bytes;
  if (bytes <= credit_bytes_) {
    credit_bytes_ -= bytes;
    return;
  }
  load.update_in_flight_peak(load.in_flight_bytes.fetch_add(bytes, std::memory_order_seq_cst) +
                             bytes);
}

void loader::release_budget(load_item& item, std::uint64_t bytes) noexcept {
  item.reserved_bytes -= bytes;
  if (credit_bytes_ + bytes <= 2 * share_bytes_ &&
      load.in_flight_bytes.load(std::memory_order_seq_cst) < load.options.budget_bytes) {
    credit_bytes_ += bytes;
  } else {
    give_back(bytes);
  }
}

void loader::give_back(std::uint64_t bytes) noexcept {
  const std::uint64_t budget = load.options.budget_bytes;
  const std::uint64_t before = load.in_flight_bytes.fetch_sub(bytes, std::memory_order_seq_cst);
  // Loaders that ended because the budget was full do not resume by themselves.
  if (before >= budget && before - bytes < budget && can_begin(load)) spawn(load);
}

void loader::defer_decode(load_item& item) noexcept {
  give_scratch_to(item);
  item.is_unpacked = true;
  push(load.awaiting_decode, load.awaiting_decode_count, item);
}

// --- Ends ----------------------------------------------------------------------------------------

void loader::retire(load_item& item) noexcept {
  item.content = {};
  item.asset = {};
  item.packed.reset();
  item.unpacked.reset();
  item.file = {};
  item.resolved = false;
  item.is_unpacked = false;
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

void loader::flush() noexcept {
  if (spare_) push(load.free_items, load.free_count, *std::exchange(spare_, nullptr));
  if (credit_bytes_ != 0) give_back(std::exchange(credit_bytes_, 0));
  if (files_done_ == 0) return;
  load.bytes_done.fetch_add(std::exchange(bytes_done_, 0), std::memory_order_relaxed);
  const std::uint64_t more = std::exchange(files_done_, 0);
  const std::uint64_t done = load.files_done.fetch_add(more, std::memory_order_acq_rel) + more;
  if (done == load.entry_count()) load.end_ns.store(now_ns(), std::memory_order_release);
}

// Tells the job system why its threads are about to be idle.
void loader::set_idle_reason() noexcept {
  const char* reason = idle_reasons::nothing_left;
  if (load.in_flight_bytes.load(std::memory_order_relaxed) >= load.options.budget_bytes ||
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
