// SPDX-License-Identifier: Zlib
//
// The work of a store: what runs without its lock.
#include <algorithm>
#include <utility>

#include "assets/store_core.hpp"
#include "base/guarded_call.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/spin.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::assets_detail {

using base_detail::guarded_call;
using base_detail::guarded_result;

namespace {

constexpr std::chrono::nanoseconds worker_step_ns{1'000'000};

job_options options_for(asset_priority priority, const char* name) noexcept {
  job_options options{.name = name};
  if (priority == asset_priority::high) options.priority = job_priority::high;
  if (priority < asset_priority::normal) options.priority = job_priority::low;
  return options;
}

}  // namespace

store_core::store_core(fetcher& files, job_system& jobs, const asset_store_config& config,
                       allocator& memory) noexcept
    : files_(files),
      jobs_(jobs),
      config_(config),
      memory_(memory),
      table_(memory),
      needs_(memory),
      reloads_(memory, memory_tag::load),
      group_(jobs) {
  if (config.background_threads == 0) return;
  background_.emplace(
      thread_pool_config{.workers = config.background_threads,
                         .worker_thread = {.name = "background", .priority = thread_priority::low},
                         .memory = &memory,
                         .threads = config.factory});
  background_group_.emplace(*background_);
}

store_core::~store_core() {
  finish();
  const sync_detail::scoped_lock hold(lock_);
  if constexpr (detail::contracts) {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      slot& one = table_.at(i);
      const std::uint32_t own = one.reload != nullptr ? 1 : 0;  // that of a reload under way
      detail::expects(one.handles.load(std::memory_order_seq_cst) == own,
                      "an asset_store was destroyed while the program holds one of its assets: let "
                      "go of all handles first");
    }
  }
  for (slot* const each : reloads_) {
    base_detail::destroy_object(memory_, memory_tag::load, each);
  }
  while (loader_entry* const each = loaders_) {
    loaders_ = each->next;
    while (void* const place = each->free_values) {
      each->free_values = *static_cast<void**>(place);
      memory_.deallocate(place, each->value_bytes, each->value_alignment, memory_tag::load);
    }
    memory_.deallocate(each, sizeof(loader_entry), alignof(loader_entry), memory_tag::load);
  }
}

result<void> store_core::status() const noexcept {
  return background_ ? background_->status() : result<void>{};
}

result<void> store_core::add(overture::detail::any_loader& by) noexcept {
  const loader_entry made{.by = &by,
                          .type = by.type(),
                          .free_threaded = by.is_free_threaded(),
                          .dependent = by.is_dependent(),
                          .value_bytes = std::max(by.value_bytes(), sizeof(void*)),
                          .value_alignment = std::max(by.value_alignment(), alignof(void*)),
                          .placeholder = by.placeholder_at(),
                          .free_values = nullptr,
                          .next = nullptr};
  const sync_detail::scoped_lock hold(lock_);
  if (loader_of(made.type) != nullptr) {
    return fail(errc::exists, "the store has a loader for this type already");
  }
  auto* const entry = base_detail::make_object<loader_entry>(memory_, memory_tag::load, made);
  if (entry == nullptr) return fail(errc::out_of_memory, "out of memory for a loader");
  entry->next = loaders_;
  loaders_ = entry;
  return {};
}

// --- From file to value -------------------------------------------------------------------------

void store_core::feed_later() noexcept {
  if (feeding_.exchange(true, std::memory_order_seq_cst)) return;
  group_.run([this]() noexcept {
    feeding_.store(false, std::memory_order_seq_cst);
    feed();
  });
}

void store_core::feed() noexcept {
  for (;;) {
    slot* next = nullptr;
    {
      const sync_detail::scoped_lock hold(lock_);
      next = next_to_read();
      if (next == nullptr) return;
      ++files_in_memory_;
      set_state(*next, asset_state::reading);
      ++reads_begun_;
      if (next->read_number == 0) next->read_number = reads_begun_;
      next->fetch.path = next->path;
      next->fetch.priority = next->priority;
      next->fetch.owner = next;
      group_.begin_job();
    }
    files_.begin(next->fetch, *this);
  }
}

void store_core::fetched(fetch_request& ended) noexcept {
  slot& one = *static_cast<slot*>(ended.owner);
  actions todo;
  job_options options;
  file_in_memory* unused = nullptr;
  bool background = false;
  {
    const sync_detail::scoped_lock hold(lock_);
    background = one.priority == asset_priority::background && background_group_.has_value();
    options = options_for(one.priority, "decode");
    if (one.fetch.outcome && is_held(one) && !ending_) {
      set_state(one, asset_state::decoding);
      to_decode_.push_back(one);
    } else {
      --files_in_memory_;
      unused = std::exchange(one.fetch.file, nullptr);
      if (is_held(one) && !one.fetch.outcome) {
        fail_with(one, one.fetch.outcome.error(), nullptr, todo);
        wake_parents(todo);
      } else {
        set_state(one, asset_state::unloaded);
      }
    }
  }
  files_.done_with(unused);
  perform(todo);
  // The read ends in a job of its group, which is what wakes a waiter.
  if (background) {
    background_group_->run([this]() noexcept {
      decode_next(true);
      group_.run([this]() noexcept { (void)group_.end_job(); }, {.always = true});
    });
    return;
  }
  group_.run(
      [this]() noexcept {
        decode_next(false);
        (void)group_.end_job();
      },
      options);
}

asset_priorities store_core::taken_by(bool background) const noexcept {
  if (background) return {.most = asset_priority::background};
  return {.least = background_group_ ? asset_priority::low : asset_priority::background};
}

void store_core::step_waits(asset_priority priority) noexcept {
  // Always: a file whose job is dropped would never have been read.
  if (priority == asset_priority::background && background_group_) {
    return background_group_->run([this]() noexcept { files_.take_step(taken_by(true)); },
                                  {.always = true});
  }
  job_options options = options_for(priority, "read");
  options.always = true;
  group_.run([this]() noexcept { files_.take_step(taken_by(false)); }, options);
}

void store_core::decode_next(bool background) noexcept {
  slot* next = nullptr;
  {
    const sync_detail::scoped_lock hold(lock_);
    next = to_decode_.pop(taken_by(background));
  }
  if (next != nullptr) decode(*next);
  feed();
}

void* store_core::take_value(loader_entry& of) noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    if (void* const place = of.free_values) {
      of.free_values = *static_cast<void**>(place);
      return place;
    }
  }
  return memory_.allocate(of.value_bytes, of.value_alignment, memory_tag::load);
}

void store_core::decode(slot& one) noexcept {
  const std::uint64_t began_ns = now_ns();
  void* const value = take_value(*one.of);
  result<void> made = fail(errc::out_of_memory, "out of memory for an asset");
  if (value != nullptr) {
    decode_context context(one);
    made = guarded_result("loader::decode() threw an exception",
                          [&] { return one.of->by->decode_at(value, one.fetch.content, context); });
  }
  one.fetch.work_ns += now_ns() - began_ns;
  files_.done_with(std::exchange(one.fetch.file, nullptr));
  decoded(one, made, value);
}

void store_core::decoded(slot& one, const result<void>& made, void* value) noexcept {
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    --files_in_memory_;
    if (made) {
      one.value = value;
      one.began_finalize = false;
      one.file_bytes = one.fetch.content.size();
      one.cost_ns = one.fetch.work_ns;
      one.was_loaded = true;
    } else if (value != nullptr) {
      free_value(*one.of, value);
    }
    if (!is_held(one) || ending_) {
      dispose(one, todo);
    } else if (!made) {
      fail_with(one, made.error(), nullptr, todo);
    } else if (one.pending_needs == 0) {
      needs_are_there(one, todo);
    } else {
      set_state(one, asset_state::needing);
    }
    wake_parents(todo);
  }
  perform(todo);
}

// --- From value to ready, and back --------------------------------------------------------------

void store_core::perform(actions& todo) noexcept {
  while (slot* const one = todo.unload) {
    todo.unload = one->work_next;
    group_.run([this, one]() noexcept { unload(*one); },
               options_for(asset_priority::low, "unload"));
  }
  for (std::size_t i = asset_priority_count; i-- > 0;) {
    const auto priority = static_cast<asset_priority>(i);
    for (; todo.steps[i] > 0; --todo.steps[i]) {
      step_waits(priority);
    }
    for (; todo.decodes[i] > 0; --todo.decodes[i]) {
      group_.run([this]() noexcept { decode_next(false); }, options_for(priority, "decode"));
    }
    for (; todo.finalizes[i] > 0; --todo.finalizes[i]) {
      group_.run([this]() noexcept { finalize_next(); }, options_for(priority, "finalize"));
    }
  }
  if (todo.feeds) feed_later();
  if (todo.settled != nullptr) todo.wakes_main = true;
  while (slot* const one = todo.settled) {
    todo.settled = one->settled_next;
    tell(*one);
  }
  if (todo.wakes_main) for_main_.notify_all();
}

void store_core::tell(slot& settled) noexcept {
  settled.settled.lower();
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    settled.settling = false;
    enqueue_if_wanted(settled, todo);
  }
  if (todo.feeds) feed_later();
  overture::detail::drop_handle(settled);
}

bool store_core::finalize(slot& one, std::chrono::nanoseconds budget) noexcept {
  one.began_finalize = true;
  std::uint64_t bytes = 0;
  const result<finalize_step> step = guarded_result("loader::finalize() threw an exception", [&] {
    return one.of->by->finalize_at(one.value, budget);
  });
  if (step && *step == finalize_step::again) return true;
  if (step) bytes = one.of->by->bytes_at(one.value);
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    one.value_bytes = bytes;
    if (step) {
      settle(one, asset_state::ready, todo);
    } else {
      fail_with(one, step.error(), nullptr, todo);
    }
    wake_parents(todo);
  }
  perform(todo);
  return false;
}

void store_core::finalize_next() noexcept {
  slot* next = nullptr;
  {
    const sync_detail::scoped_lock hold(lock_);
    next = for_workers_.pop();
  }
  if (next == nullptr || !finalize(*next, worker_step_ns)) return;
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    for_workers_.push_back(*next);
    ++todo.finalizes[static_cast<std::size_t>(next->priority)];
  }
  perform(todo);
}

void store_core::unload(slot& one) noexcept {
  overture::detail::any_loader& by = *one.of->by;
  (void)guarded_call([&] { by.unload_at(one.value, one.began_finalize); });
  by.destroy_at(one.value);
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    free_value(*one.of, one.value);
    one.value = nullptr;
    one.leaving = false;
    enqueue_if_wanted(one, todo);
    if (one.reload_of != nullptr) recycle_reload(one);
  }
  perform(todo);
}

// Decides about the assets whose last handle is gone.
void store_core::sweep() noexcept {
  unused_.take_all([this](slot& one) noexcept {
    actions todo;
    {
      const sync_detail::scoped_lock hold(lock_);
      if (!is_held(one)) give_up(one, todo);
    }
    perform(todo);
  });
}

pump_result store_core::pump(std::chrono::nanoseconds budget) noexcept {
  pump_result did;
  const std::uint64_t begin_ns = now_ns();
  const std::uint64_t end_ns =
      begin_ns + static_cast<std::uint64_t>(std::max<std::int64_t>(budget.count(), 0));
  slot* again = nullptr;  // those that want another step, the last one first; linked by work_next
  begin_reloads();
  sweep();
  for (std::uint64_t now = begin_ns;;) {
    slot* to_finalize = nullptr;
    slot* to_unload = nullptr;
    {
      const sync_detail::scoped_lock hold(lock_);
      to_finalize = to_finalize_.pop();
      to_unload = to_unload_.pop_front();
    }
    if (to_finalize == nullptr && to_unload == nullptr) break;
    if (to_finalize != nullptr) {
      ++did.steps;
      if (finalize(*to_finalize, std::chrono::nanoseconds(end_ns > now ? end_ns - now : 1))) {
        to_finalize->work_next = again;
        again = to_finalize;
      }
    }
    if (to_unload != nullptr) {
      ++did.unloaded;
      unload(*to_unload);
      sweep();  // it may have held the last handle of others
    }
    now = now_ns();
    if (now >= end_ns) break;
  }
  {
    const sync_detail::scoped_lock hold(lock_);
    for (; again != nullptr; again = again->work_next) to_finalize_.push_front(*again);
  }
  // Without workers this thread does everything, one job at least, or nothing would ever load.
  const bool has_time = did.steps + did.unloaded == 0 || now_ns() < end_ns;
  if (jobs_.concurrency() == 1 && has_time) (void)jobs_.wait_until(group_, end_ns);
  return did;
}

bool store_core::wait_until(slot& wanted, std::uint64_t deadline_ns) noexcept {
  constexpr std::uint64_t slice_ns = 1'000'000;
  const auto is_done = [&] { return is_settled(wanted); };
  for (;;) {
    const event_count::key_type key = for_main_.prepare_wait();
    const std::uint64_t now = now_ns();
    if (is_done() || now >= deadline_ns) {
      for_main_.cancel_wait();
      return is_done();
    }
    const std::uint64_t left_ns = std::min(deadline_ns - now, slice_ns);
    const pump_result did = pump(std::chrono::nanoseconds(left_ns));
    if (is_done() || did.steps + did.unloaded > 0 || jobs_.concurrency() == 1) {
      for_main_.cancel_wait();
      continue;
    }
    (void)for_main_.wait_for(key, std::chrono::nanoseconds(deadline_ns - now));
  }
}

// --- The end ------------------------------------------------------------------------------------

void store_core::finish() noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    ending_ = true;
  }
  const auto wait_for_jobs = [this]() noexcept {
    group_.wait();
    if (background_group_) background_group_->wait();
    group_.wait();
  };
  wait_for_jobs();
  // A thread that reads may still be about to queue a job, for a step that another has taken.
  files_.wait_for_calls();
  wait_for_jobs();
  // Assets that hold others go first. Those that are left hold each other, by way of a reload.
  bool all = false;
  for (bool gone = true; gone || !all;) {
    all = !gone;
    gone = false;
    for (std::size_t i = 0;; ++i) {
      slot* one = nullptr;
      {
        const sync_detail::scoped_lock hold(lock_);
        one = slot_at(i);
        if (one == nullptr) break;
        if (one->value == nullptr || (is_held(*one) && !all)) continue;
        if (one->in != nullptr) one->in->remove(*one);
        needs_.remove_all(*one);
        one->wanted_again = false;
      }
      unload(*one);
      gone = true;
    }
  }
  group_.wait();
}

}  // namespace overture::assets_detail
