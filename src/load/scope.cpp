// SPDX-License-Identifier: Zlib
//
// load_scope: the public interface of a load.
#include <algorithm>
#include <utility>

#include "base/guarded_call.hpp"
#include "base/threads/thread_slot.hpp"
#include "io/files/descriptor_limit.hpp"
#include "load/choice.hpp"
#include "load/loader.hpp"
#include "load/recorded_order.hpp"
#include "overture/base/contracts.hpp"
#include "sync/object_use.hpp"

namespace overture {
using namespace base_detail;

using namespace load_detail;

namespace {

// Of files that did not load.
std::uint64_t& count_of(load_summary& sum, file_state state) noexcept {
  switch (state) {
    case file_state::failed:
      return sum.failed;
    case file_state::skipped:
      return sum.skipped;
    default:
      return sum.cancelled;
  }
}

// What a number of files takes, in units of a byte: a small file costs as much as this many bytes.
double effort(std::uint64_t files, std::uint64_t bytes) noexcept {
  constexpr double file_bytes = 32'768;
  return static_cast<double>(files) * file_bytes + static_cast<double>(bytes);
}

// A loose file is open while it is in flight. The mounts need some descriptors too.
std::size_t items_for(const load_state& load, std::size_t files) noexcept {
  const std::size_t allowed = std::max(load.options.files_in_flight_max, 1u);
  const std::size_t openable = std::max<std::size_t>(io_detail::descriptors_left() / 2, 1);
  return std::clamp<std::size_t>(files, 1, std::min(allowed, openable));
}

}  // namespace

struct load_scope::state : load_state {
  state(file_system& tree, read_queue& queue, job_system& system, const load_options& requested,
        allocator& from) noexcept
      : load_state(tree, queue, system, requested, from),
        uses({{&tree,
               "a file_system was destroyed while a load_scope loads from it: destroy the "
               "load_scope first"},
              {&tree,
               "a file_system was thawed while a load_scope loads from it: destroy the load_scope "
               "first",
               sync_detail::use_of::frozen_tree},
              {&queue,
               "a read_queue was destroyed while a load_scope reads through it: destroy the "
               "load_scope first"},
              {&system,
               "a job system was destroyed while a load_scope runs on it: destroy the load_scope "
               "first"}}) {}

  [[no_unique_address]] sync_detail::object_uses<4> uses;
  [[no_unique_address]] sync_detail::same_thread<> finalizes;
  bool had_frame = false;  // pump() was called
  bool is_finished = false;

  [[nodiscard]] bool is_started() const noexcept { return started.load(std::memory_order_acquire); }

  // The body of pump(); wait_for() calls it too.
  std::size_t finalize_some(std::chrono::nanoseconds budget) noexcept {
    if constexpr (detail::contracts) expects_same_thread();
    const std::uint64_t since_ns = now_ns();
    std::size_t count = 0;
    do {
      load_item* const item = pop(finalizable);
      if (!item) break;
      {
        loader here(*this);
        advance(here, *item);
      }
      tell_idle_reason(*this);
      // Workers use the freed room; this thread goes on finalizing.
      loader::spawn(*this);
      (void)group.end_job();
      ++count;
    } while (now_ns() - since_ns < static_cast<std::uint64_t>(budget.count()));
    return count;
  }

  void expects_same_thread() noexcept {
    if (!options.sink || !options.sink->one_thread()) return;
    detail::expects(finalizes.is_this(),
                    "wait_for() or pump() of a load whose sink has one_thread() was called on a "
                    "second thread: call both on one thread only");
  }
  // Runs jobs of the load until there is none or the time is up, at least one if there is any. For
  // a thread that is the only one.
  void work_until(std::uint64_t deadline_ns) noexcept {
    do {
      const auto in_queue =
          static_cast<std::uint32_t>(reads_outstanding.load(std::memory_order_seq_cst));
      const std::uint32_t not_jobs = in_queue + waiting() + finalizable.size();
      if (group.pending() <= not_jobs) return;
      (void)group.wait_until(1);  // long over: one job
    } while (now_ns() < deadline_ns);
  }

  // Until the object ends, the calling thread works on the load only as long as it has time.
  class lending {
   public:
    lending(state& to, std::uint64_t until_ns) noexcept : to_(to) {
      if (to.jobs.concurrency() <= 1) return;
      to.lent_until_ns.store(std::max<std::uint64_t>(until_ns, 1), std::memory_order_relaxed);
      to.lent_slot.store(thread_slot(), std::memory_order_relaxed);
      while (to.left.size() > 0 &&
             now_ns() + to.left_ns_max.load(std::memory_order_relaxed) < until_ns) {
        loader::resume_left(to);
      }
    }
    ~lending() { to_.lent_slot.store(no_slot, std::memory_order_relaxed); }
    lending(const lending&) = delete;
    lending& operator=(const lending&) = delete;

   private:
    state& to_;
  };

  // Only once it is done, on the thread of wait_for() and pump().
  void finish() noexcept {
    if (std::exchange(is_finished, true)) return;
    jobs.set_idle_reason(nullptr);
    note_end();
  }
  // Of a load that was cancelled; the last file of any other notes it.
  void note_end() noexcept {
    std::uint64_t none = 0;
    if (cancelling.cancelled()) end_ns.compare_exchange_strong(none, now_ns());
  }
};

load_scope::load_scope(file_system& files, read_queue& reads, job_system& jobs,
                       const load_options& options) noexcept {
  allocator& memory = options.memory ? *options.memory : default_allocator();
  state_ = make_object<state>(memory, memory_tag::load, files, reads, jobs, options, memory);
  if (!state_) return;
  state_->ledger.join(state_->room);
  if (&state_->block_ledger != &state_->ledger) state_->block_ledger.join(state_->block_room);
}

load_scope::~load_scope() {
  if (!state_) return;
  cancel();
  state_->ledger.leave(state_->room);
  if (&state_->block_ledger != &state_->ledger) state_->block_ledger.leave(state_->block_room);
  allocator& memory = state_->memory;
  while (!wait_for(std::chrono::seconds(1))) {
  }
  state_->left_jobs.wait();
  for (std::uint32_t i = 0; i < state_->item_count; ++i) state_->items[i].~load_item();
  memory.deallocate(state_->items, sizeof(load_item) * state_->item_count, alignof(load_item),
                    memory_tag::load);
  destroy_object(memory, memory_tag::load, state_);
}

result<void> load_scope::start() noexcept {
  return start_with(nullptr);
}

result<void> load_scope::start(function_ref<load_priority(const entry_info&)> choose) noexcept {
  return start_with(&choose);
}

result<void> load_scope::start_with(
    function_ref<load_priority(const entry_info&)>* choose) noexcept {
  if (!state_) return fail(errc::out_of_memory, "out of memory for the load");
  if constexpr (detail::contracts) {
    for (const decoder* const each : state_->options.decoders) {
      detail::expects(each != nullptr,
                      "load_options::decoders contains a null pointer: leave it out of the list");
    }
  }
  load_state& load = *state_;
  if (state_->is_started()) return fail(errc::invalid, "the load was already started");
  if (!load.jobs.is_of_this_version() || !load.reads.is_of_this_version()) {
    return fail(errc::unsupported, other_version);
  }
  if (load.options.file_time_max.count() < 0) {
    return fail(errc::invalid, "load_options::file_time_max is negative");
  }
  if (load.priority_now() == load_priority::none) {
    return fail(errc::invalid, "load_options::priority is none");
  }
  if (!load.files.frozen()) return fail(errc::invalid, "freeze the file system before loading");
  if (result<void> chosen = choose_files(load, choose); !chosen) return chosen;
  if (!follow_record(load)) return fail(errc::out_of_memory, "out of memory for the load");
  const std::size_t count = load.file_count();
  const auto items = static_cast<std::uint32_t>(items_for(load, count));
  void* const place =
      load.memory.allocate(sizeof(load_item) * items, alignof(load_item), memory_tag::load);
  if (!place) return fail(errc::out_of_memory, "out of memory for the load");
  load.items = static_cast<load_item*>(place);
  load.item_count = items;
  for (std::uint32_t i = items; i-- > 0;) {
    load_item* const item = ::new (static_cast<void*>(load.items + i)) load_item;
    item->load = &load;
    item->index = i;
    load.free_items.items.push(i, load.item_links());
  }
  load.free_items.count.store(items, std::memory_order_seq_cst);
  load.started.store(true, std::memory_order_release);
  load.begin_ns = now_ns();
  load.reads_at_once = std::max(load.reads.reads_at_once(), 1u);
  tell_idle_reason(load);
  if (count == 0) load.end_ns.store(load.begin_ns, std::memory_order_release);
  const std::size_t active_loaders = std::min<std::size_t>(load.jobs.concurrency(), count);
  for (std::size_t i = 0; i < active_loaders; ++i) loader::spawn(load);
  return {};
}

bool load_scope::done() const noexcept {
  return !state_ || !state_->is_started() || state_->group.pending() == 0;
}

bool load_scope::wait_for(std::chrono::nanoseconds duration) noexcept {
  if (!state_ || !state_->is_started()) return true;
  const std::uint64_t deadline_ns =
      now_ns() + static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
  const bool one_thread = state_->options.sink && state_->options.sink->one_thread();
  constexpr std::uint64_t pump_interval_ns = 1'000'000;
  const state::lending lent(*state_, deadline_ns);
  for (;;) {
    if (one_thread) (void)state_->finalize_some(std::chrono::milliseconds(4));
    const std::uint64_t until_ns =
        one_thread ? std::min(deadline_ns, now_ns() + pump_interval_ns) : deadline_ns;
    if (state_->group.wait_until(until_ns)) {
      state_->finish();
      return true;
    }
    if (now_ns() >= deadline_ns) return false;
  }
}

std::size_t load_scope::pump(std::chrono::nanoseconds budget) noexcept {
  if (!state_ || !state_->reads.is_of_this_version()) return 0;
  if (!std::exchange(state_->had_frame, true)) state_->reads.mark_first_frame();
  const std::uint64_t deadline_ns = now_ns() + static_cast<std::uint64_t>(budget.count());
  std::size_t count = state_->finalize_some(budget);
  if (!state_->is_started()) return count;
  if (state_->jobs.concurrency() <= 1) {
    state_->work_until(deadline_ns);
    const std::uint64_t now = now_ns();
    if (now < deadline_ns)
      count += state_->finalize_some(std::chrono::nanoseconds(deadline_ns - now));
  }
  if (state_->group.pending() == 0) state_->finish();
  return count;
}

void load_scope::cancel() noexcept {
  if (!state_ || !state_->reads.is_of_this_version()) return;
  state_->cancelling.cancel(state_->reads);
  if (state_->is_started()) drop_cancelled(*state_);
}

void load_scope::cancel(entry_index entry) noexcept {
  const std::uint32_t file = state_ ? number_of(*state_, entry) : index_stack::none;
  if (file != index_stack::none) cancel_file(*state_, file);
}

void load_scope::raise(entry_index entry) noexcept {
  const std::uint32_t file = state_ ? number_of(*state_, entry) : index_stack::none;
  if (file != index_stack::none) raise_file(*state_, file);
}

void load_scope::set_priority(load_priority priority) noexcept {
  if constexpr (detail::contracts) {
    detail::expects(priority != load_priority::none,
                    "load_scope::set_priority() was called with none, which is for files only: "
                    "cancel() the load, or give it another priority");
  }
  if (state_ && priority != load_priority::none) set_load_priority(*state_, priority);
}

file_state load_scope::state_of(entry_index entry) const noexcept {
  const std::uint32_t file = state_ ? number_of(*state_, entry) : index_stack::none;
  return file == index_stack::none ? file_state::none : state_->records[file].now();
}

load_progress load_scope::progress() const noexcept {
  load_progress now;
  if (!state_) return now;
  now.files_total = state_->file_count();
  // First, so that it holds what belongs to the files.
  now.files_done = state_->files_done.load(std::memory_order_acquire);
  now.bytes_done = state_->bytes_done.load(std::memory_order_relaxed);
  const std::uint64_t listed_done = state_->listed_done.load(std::memory_order_relaxed);
  now.fraction =
      now.files_done == now.files_total
          ? 1.0
          : effort(now.files_done, listed_done) / effort(now.files_total, state_->listed_bytes);
  now.awaiting_reads =
      static_cast<std::uint32_t>(state_->reads_outstanding.load(std::memory_order_relaxed));
  now.awaiting_memory = state_->waiting();
  now.awaiting_pump = state_->finalizable.size();
  now.cancelled = state_->cancelling.cancelled();
  return now;
}

load_summary load_scope::summary() const noexcept {
  if constexpr (detail::contracts) {
    detail::expects(done(),
                    "load_scope::summary() was called before the load was done: wait_for() it "
                    "first");
  }
  load_summary sum;
  if (!state_) return sum;
  if (state_->is_started()) state_->note_end();
  sum.ns = state_->end_ns.load(std::memory_order_acquire) - state_->begin_ns;
  sum.in_flight_bytes_max = state_->ledger.peak();
  for (std::size_t tag = 0; tag < memory_tag_count; ++tag) {
    sum.in_flight_by_module[tag] = state_->ledger.peak(static_cast<memory_tag>(tag));
  }
  for (const file_record& file : state_->records) {
    if (file.now() == file_state::none) continue;
    sum.reads.disk_bytes += file.disk_bytes;
    sum.reads.cached_bytes += file.cached_bytes;
    sum.reads.queue_ns += file.queued_ns;
    sum.reads.device_ns += file.device_ns;
    sum.reads.block_wait_ns += file.block_wait_ns;
    const bool loaded = file.now() == file_state::ready;
    for (std::size_t stage = 0; stage < load_stage_count; ++stage) {
      stage_summary& total = sum.stages[stage];
      total.ns += file.stage_ns[stage];
      const bool passed = loaded || (file.now() == file_state::failed &&
                                     stage < static_cast<std::size_t>(file.failed_in));
      if (passed) ++total.files;
    }
    if (!loaded) {
      ++count_of(sum, file.now());
      continue;
    }
    if (file.has_warning) ++sum.warnings;
    ++sum.files;
    sum.bytes += file.bytes;
    sum.packed_bytes += file.packed_bytes;
    sum.decoded_bytes += file.decoded_bytes;
    const std::uint64_t identity[3] = {state_->files.entry(file.entry).id.value, file.bytes,
                                       file.crc32};
    sum.hash += hash64({reinterpret_cast<const char*>(identity), sizeof identity});
  }
  sum.reads.median_ns = state_->disk_times.percentile(50);
  sum.reads.p99_ns = state_->disk_times.percentile(99);
  sum.stages[static_cast<std::size_t>(load_stage::read)].bytes = sum.packed_bytes;
  sum.stages[static_cast<std::size_t>(load_stage::unpack)].bytes = sum.bytes;
  sum.stages[static_cast<std::size_t>(load_stage::decode)].bytes = sum.decoded_bytes;
  return sum;
}

result<void> load_scope::for_each_file(
    function_ref<void(const loaded_file&)> visit) const noexcept {
  if constexpr (detail::contracts) {
    detail::expects(done(),
                    "load_scope::for_each_file() was called before the load was done: wait_for() "
                    "it first");
  }
  if (!state_) return {};
  for (std::uint32_t i = 0; i < state_->records.size(); ++i) {
    const file_record& kept = state_->records[i];
    const file_state outcome = kept.now();
    if (outcome == file_state::none) continue;
    loaded_file file;
    file.entry = kept.entry;
    file.path = state_->path_of(i);
    if (outcome == file_state::failed) file.failure = &kept.failure;
    if (outcome == file_state::ready && kept.has_warning) file.warning = &kept.failure;
    file.skipped = outcome == file_state::skipped;
    file.cancelled = outcome == file_state::cancelled || outcome < file_state::ready;
    file.began_ns = kept.began_ns;
    file.failed_in = kept.failed_in;
    file.bytes = kept.bytes;
    file.packed_bytes = kept.packed_bytes;
    file.method = kept.method;
    file.decoded_bytes = kept.decoded_bytes;
    file.crc32 = kept.crc32;
    file.decoder = kept.decoder;
    file.width = kept.width;
    file.height = kept.height;
    file.sample_rate = kept.sample_rate;
    file.sound_frames = kept.sound_frames;
    std::copy(std::begin(kept.stage_ns), std::end(kept.stage_ns), std::begin(file.stage_ns));
    file.queued_ns = kept.queued_ns;
    file.device_ns = kept.device_ns;
    file.disk_bytes = kept.disk_bytes;
    file.cached_bytes = kept.cached_bytes;
    file.block_unpack_ns = kept.block_unpack_ns;
    file.block_wait_ns = kept.block_wait_ns;
    if (!guarded_call([&] { visit(file); })) return fail(errc::threw, visitor_threw);
  }
  return {};
}

}  // namespace overture
