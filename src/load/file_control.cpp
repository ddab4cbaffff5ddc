// SPDX-License-Identifier: Zlib
//
// What a host does to single files, or to all, while they are loaded.
#include "load/choice.hpp"
#include "load/loader.hpp"

namespace overture {
using namespace load_detail;
using base_detail::index_stack;

namespace {

bool has_ended(const file_record& file) noexcept {
  return file.now() == file_state::none || file.now() >= file_state::ready;
}

// Of a file that no loader has.
void count_cancelled(load_state& load, const file_record& file) noexcept {
  load.listed_done.fetch_add(file.listed_bytes, std::memory_order_relaxed);
  const std::uint64_t done = load.files_done.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (done == load.file_count()) load.end_ns.store(now_ns(), std::memory_order_release);
}

read_priority read_priority_now(const load_state& load, std::uint32_t file) noexcept {
  return read_priority_of(load.priority_now(), load.priority_of(file));
}

}  // namespace

namespace load_detail {

void drop_cancelled(load_state& load) noexcept {
  load.group.begin_job();
  drop_waiting(load);
  // What ends outside a job of the group wakes no thread that waits for the group.
  load.group.run([&load] { (void)load.group.end_job(); },
                 {.priority = job_priority_of(load.priority_now())});
}

void submit_read(load_state& load, read_request& request, std::uint32_t file) noexcept {
  load.cancelling.submit(load.reads, request, file, load.records[file].wishes,
                         [&load, file] { return read_priority_now(load, file); });
}

void cancel_file(load_state& load, std::uint32_t number) noexcept {
  file_record& file = load.records[number];
  if (file.claim(file_state::cancelled)) return count_cancelled(load, file);
  if (has_ended(file)) return;
  load.cancelling.cancel_file(load.reads, number, file.wishes);
  drop_cancelled(load);
}

void raise_file(load_state& load, std::uint32_t number) noexcept {
  file_record& file = load.records[number];
  if (has_ended(file)) return;
  file.priority.store(static_cast<std::uint8_t>(load_priority::high), std::memory_order_seq_cst);
  const bool raised_before = file.wishes.raise();
  if (file.now() == file_state::queued) {
    if (raised_before) return;
    load.front.items.push(number, load.file_links());
    load.front.count.fetch_add(1, std::memory_order_seq_cst);
  }
  load.cancelling.change_priority(load.reads, number, file.wishes, read_priority_now(load, number));
}

void set_load_priority(load_state& load, load_priority priority) noexcept {
  load.priority.store(static_cast<std::uint8_t>(priority), std::memory_order_seq_cst);
  if (!load.started.load(std::memory_order_acquire)) return;
  for (std::uint32_t i = 0; i < load.records.size(); ++i) {
    // A loader that begins the file after this sees the new priority.
    const std::uint8_t state = load.records[i].state.fetch_or(0, std::memory_order_acq_rel);
    if (state != static_cast<std::uint8_t>(file_state::reading)) continue;
    load.cancelling.change_priority(load.reads, i, load.records[i].wishes,
                                    read_priority_now(load, i));
  }
  // Loaders of the new priority, beside those that are queued with the old one.
  if (!can_begin(load)) return;
  for (unsigned i = 0; i < load.jobs.concurrency(); ++i) loader::spawn(load);
}

}  // namespace load_detail

const char* to_string(file_state state) noexcept {
  constexpr const char* names[] = {"none",       "queued", "reading", "unpacking", "decoding",
                                   "finalizing", "ready",  "failed",  "cancelled", "skipped"};
  const auto number = static_cast<std::size_t>(state);
  return number < std::size(names) ? names[number] : "unknown";
}

}  // namespace overture
