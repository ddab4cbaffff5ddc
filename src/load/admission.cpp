// SPDX-License-Identifier: Zlib
#include "load/admission.hpp"

#include <utility>

#include "load/idle_reason.hpp"
#include "overture/base/thread.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::load_detail {
using namespace base_detail;

namespace {

bool is_served(const waiting_line& line) noexcept {
  return line.items.size() > 0 && line.room.may_suffice();
}

bool may_begin_more(const load_state& load) noexcept {
  return load.room.may_suffice() && load.block_room.may_suffice();
}

bool has_files_left(const load_state& load) noexcept {
  return load.next_in_order.load(std::memory_order_seq_cst) < load.file_count() ||
         load.front.size() > 0;
}

}  // namespace

bool can_begin(load_state& load) noexcept {
  if (load.cancelling.cancelled()) return false;
  for (const waiting_line& line : load.lines) {
    if (is_served(line)) return true;
  }
  return may_begin_more(load) && load.free_items.size() > 0 && has_files_left(load);
}

void admission::look_at_rooms() noexcept {
  for (std::size_t i = 0; i < load_state::line_count; ++i) seen_[i] = load_.lines[i].room.made();
}

load_item* admission::next() noexcept {
  if (load_.cancelling.cancelled()) return nullptr;
  look_at_rooms();
  if (load_item* const item = next_waiting()) return item;
  return may_begin_more(load_) ? next_new() : nullptr;
}

// Into the calling thread's timeline.
void admission::note_wait(const load_room& room, const load_item& item) noexcept {
  if (!is_recording()) return;
  const entry_index by = room.made_by();
  record({.begin_ns = item.refused_ns,
          .end_ns = now_ns(),
          .name = idle_reasons::budget,
          .value = by == no_entry ? 0 : std::uint64_t{by} + 1,
          .subject = item.entry,
          .kind = event_kind::room});
}

load_item* admission::next_waiting() noexcept {
  for (waiting_line& line : load_.lines) {
    if (!is_served(line)) continue;
    load_item* const item = load_.pop(line.items);
    if (!item) continue;
    (void)load_.group.end_job();  // the job that runs this still counts
    note_wait(line.room, *item);
    return item;
  }
  return nullptr;
}

load_item* admission::next_new() noexcept {
  while (has_files_left(load_)) {
    if (!spare_) spare_ = load_.pop(load_.free_items);
    if (!spare_) return nullptr;
    const std::uint32_t file = next_file();
    if (file == index_stack::none) return nullptr;
    // False: it was raised and has begun, or was cancelled.
    if (!load_.records[file].claim(file_state::reading)) continue;
    spare_->number = file;
    spare_->entry = load_.records[file].entry;
    return std::exchange(spare_, nullptr);
  }
  return nullptr;
}

// The number of the file to begin next, or none.
std::uint32_t admission::next_file() noexcept {
  if (load_.front.size() > 0) {
    const std::uint32_t raised = load_.front.items.pop(load_.file_links());
    if (raised != index_stack::none) {
      load_.front.count.fetch_sub(1, std::memory_order_seq_cst);
      return raised;
    }
  }
  const std::uint32_t next = load_.next_in_order.fetch_add(1, std::memory_order_seq_cst);
  if (next >= load_.file_count()) {
    load_.next_in_order.store(load_.file_count(), std::memory_order_seq_cst);
    return index_stack::none;
  }
  if (next + 1 == load_.file_count()) tell_idle_reason(load_);
  const std::uint32_t soon = next + load_.jobs.concurrency();  // about this loader's next file
  if (soon < load_.file_count()) load_.files.fetch_ahead(load_.records[load_.order[soon]].entry);
  return load_.order[next];
}

// If room was made since the item asked, the next look at load_room finds it.
void admission::wait(load_item& item) noexcept {
  const auto number = static_cast<std::size_t>(std::exchange(item.lacks, lacking::nothing));
  waiting_line& line = load_.lines[number];
  load_.group.begin_job();
  load_.push(line.items, item);
  line.room.refuse(seen_[number]);
}

void admission::free(load_item& item) noexcept {
  if (!spare_) {
    spare_ = &item;
  } else {
    load_.push(load_.free_items, item);
  }
}

void admission::return_spare() noexcept {
  if (spare_) load_.push(load_.free_items, *std::exchange(spare_, nullptr));
}

void tell_idle_reason(load_state& load) noexcept {
  const auto now = [](const atomic<std::uint32_t>& count) noexcept {
    return count.load(std::memory_order_relaxed);
  };
  std::uint32_t awaiting_room = 0;
  for (const waiting_line& line : load.lines) awaiting_room += now(line.items.count);
  const std::uint64_t reads = load.reads_outstanding.load(std::memory_order_relaxed);
  load.jobs.set_idle_reason(idle_reason({
      .reads = static_cast<std::uint32_t>(reads),
      .reads_of_blocks = static_cast<std::uint32_t>(reads >> 32),
      .reads_at_once = load.reads_at_once,
      .awaiting_room = awaiting_room,
      .awaiting_main_thread = now(load.finalizable.count),
      .arrived = now(load.reads_arrived),
      .for_workers = load.left.size(),
      .has_files_left =
          now(load.next_in_order) < load.file_count() && now(load.free_items.count) > 0,
  }));
}

}  // namespace overture::load_detail
