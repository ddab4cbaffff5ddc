// SPDX-License-Identifier: Zlib
//
// store_core: the way of an asset through a store, from the first get() to unload().
//
//   get() -> to_read_ -> fetcher -> to_decode_ -> decode() -> [needs] -> to_finalize_ -> ready
//   last handle gone -> unused_ -> kept_ -> to_unload_
//
// One lock guards what is decided; nothing of the host runs under it. What a decision asks for is
// collected in `actions` and done once the lock is released.
#pragma once

#include <array>
#include <chrono>
#include <optional>

#include "assets/fetch.hpp"
#include "assets/needs.hpp"
#include "assets/slot.hpp"
#include "assets/slot_table.hpp"
#include "assets/unused_list.hpp"
#include "base/threads/thread_annotations.hpp"
#include "base/vec.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/load/load_record.hpp"
#include "overture/sync/event_count.hpp"
#include "sync/mutex.hpp"

namespace overture::assets_detail {

// Who asks for an asset, and how.
struct asking {
  slot* parent = nullptr;       // the asset that is being decoded and asks: with its priority
  bool needed = false;          // and waits for it
  const error* flaw = nullptr;  // of the path, so that it fails at once
};

class store_core final : public fetch_listener {
 public:
  store_core(fetcher& files, job_system& jobs, const asset_store_config& config,
             allocator& memory) noexcept;
  ~store_core();
  store_core(const store_core&) = delete;
  store_core& operator=(const store_core&) = delete;

  [[nodiscard]] result<void> status() const noexcept;
  [[nodiscard]] result<void> add(overture::detail::any_loader& by) noexcept;

  // A handle's count is taken; null without memory.
  [[nodiscard]] slot* ask(const asset_path& path, const void* type, asset_priority priority,
                          const asking& how = {}) noexcept;
  void raise(slot& wanted, asset_priority priority) noexcept;
  void retry(slot& failed) noexcept;
  // Its last handle is gone.
  void unused(slot& one) noexcept { unused_.add(one); }
  void reload(const asset_path& path) noexcept;
  [[nodiscard]] result<void> reload_status_of(const slot& one) noexcept;
  [[nodiscard]] result<void> status_of(const slot& one) noexcept;
  [[nodiscard]] bool is_cancelled(const slot& one) noexcept;
  // What `one` asked for in decode() cannot be: it fails with that.
  void flawed(slot& one, const error& why) noexcept;

  pump_result pump(std::chrono::nanoseconds budget) noexcept;
  // True once it is ready or has failed.
  bool wait_until(slot& wanted, std::uint64_t deadline_ns) noexcept;

  [[nodiscard]] asset_progress progress() noexcept;
  [[nodiscard]] result<void> for_each_unsettled(
      function_ref<void(const unsettled_asset&)> visit) noexcept;
  // The assets from `failed` to the one at fault, as many as fit; how many they are.
  std::size_t chain_of(const slot& failed, std::span<const slot*> chain, error& why) noexcept;
  [[nodiscard]] result<void> record(load_record& into) noexcept;

  void step_waits(asset_priority priority) noexcept override;
  void fetched(fetch_request& ended) noexcept override;

 private:
  using job_counts = std::array<std::uint32_t, asset_priority_count>;
  // What is to be done without the lock.
  struct actions {
    slot* settled = nullptr;  // linked by settled_next
    slot* unload = nullptr;   // on a worker; linked by work_next
    slot* woken = nullptr;    // what they need has settled; linked by woken_next
    // Jobs to be queued, by priority: each takes the most urgent of its kind.
    job_counts steps{};      // of reads
    job_counts decodes{};    // on workers
    job_counts finalizes{};  // on workers
    bool feeds = false;      // there may be something to read
    bool wakes_main = false;
  };

  // The decisions, in store_core.cpp.
  [[nodiscard]] loader_entry* loader_of(const void* type) noexcept REQUIRES(lock_);
  void set_state(slot& one, asset_state state) noexcept REQUIRES(lock_);
  void want(slot& one, asset_priority priority, const error* flaw, actions& todo) noexcept
      REQUIRES(lock_);
  void enqueue(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void enqueue_if_wanted(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void raise_all(slot& from, asset_priority priority, actions& todo) noexcept REQUIRES(lock_);
  void settle(slot& one, asset_state state, actions& todo) noexcept REQUIRES(lock_);
  void fail_with(slot& one, const error& why, slot* because, actions& todo) noexcept
      REQUIRES(lock_);
  void needs_are_there(slot& one, actions& todo) noexcept REQUIRES(lock_);
  // Call it before the lock is released, if anything may have settled.
  void wake_parents(actions& todo) noexcept REQUIRES(lock_);
  void give_up(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void evict(actions& todo) noexcept REQUIRES(lock_);
  void dispose(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void release_value(slot& one, actions& todo) noexcept REQUIRES(lock_);
  [[nodiscard]] slot* next_to_read() noexcept REQUIRES(lock_);
  void free_value(loader_entry& of, void* value) noexcept REQUIRES(lock_);

  // Reloads, in store_reload.cpp.
  void note_change(slot& one, std::uint64_t due_ns) noexcept REQUIRES(lock_);
  void begin_reloads() noexcept;
  void begin_reload(slot& one, actions& todo) noexcept REQUIRES(lock_);
  [[nodiscard]] slot* make_reload() noexcept REQUIRES(lock_);
  void end_reload(slot& reload, actions& todo) noexcept REQUIRES(lock_);
  void recycle_reload(slot& reload) noexcept REQUIRES(lock_);
  // The slots of the table, and then those of reloads; null after the last.
  [[nodiscard]] slot* slot_at(std::size_t index) noexcept REQUIRES(lock_);

  // The work, in store_work.cpp.
  void perform(actions& todo) noexcept;
  void tell(slot& settled) noexcept;
  void feed_later() noexcept;
  void feed() noexcept;
  // What a background thread takes, and what a worker does.
  [[nodiscard]] asset_priorities taken_by(bool background) const noexcept;
  void decode_next(bool background) noexcept;
  void decode(slot& one) noexcept;
  void decoded(slot& one, const result<void>& made, void* value) noexcept;
  [[nodiscard]] void* take_value(loader_entry& of) noexcept;
  // Makes one step; true if there is another.
  [[nodiscard]] bool finalize(slot& one, std::chrono::nanoseconds budget) noexcept;
  void finalize_next() noexcept;
  void unload(slot& one) noexcept;
  void sweep() noexcept;
  void finish() noexcept;

  fetcher& files_;
  job_system& jobs_;
  const asset_store_config config_;
  allocator& memory_;

  sync_detail::mutex lock_;
  slot_table table_ GUARDED_BY(lock_);
  needs needs_ GUARDED_BY(lock_);
  loader_entry* loaders_ GUARDED_BY(lock_) = nullptr;
  slot_lines to_read_ GUARDED_BY(lock_);
  slot_lines to_decode_ GUARDED_BY(lock_);
  slot_lines to_finalize_ GUARDED_BY(lock_);  // on the main thread
  slot_lines for_workers_ GUARDED_BY(lock_);  // to be finalized there
  slot_list to_unload_ GUARDED_BY(lock_);     // on the main thread
  slot_list kept_ GUARDED_BY(lock_);          // the one that was given up first is in front
  std::uint64_t kept_bytes_ GUARDED_BY(lock_) = 0;
  slot* changed_ GUARDED_BY(lock_) = nullptr;          // to be reloaded; linked by changed_next
  base_detail::vec<slot*> reloads_ GUARDED_BY(lock_);  // all that were ever made
  slot* free_reloads_ GUARDED_BY(lock_) = nullptr;     // linked by work_next
  unsigned files_in_memory_ GUARDED_BY(lock_) = 0;     // or being read
  std::uint64_t reads_begun_ GUARDED_BY(lock_) = 0;
  std::uint64_t count_of_[asset_state_count] GUARDED_BY(lock_) = {};
  bool ending_ GUARDED_BY(lock_) = false;

  unused_list unused_;
  atomic<bool> feeding_{false};  // a job that feeds is queued
  event_count for_main_;         // something waits for the main thread

  std::optional<thread_pool> background_;
  // Last, because their destructors wait. The first counts each read too.
  job_group group_;
  std::optional<job_group> background_group_;
};

// The context of one call of decode().
class decode_context final : public load_context {
 public:
  explicit decode_context(slot& of) noexcept : load_context(of.path), of_(of) {}
  [[nodiscard]] slot& of() const noexcept { return of_; }

 private:
  slot& of_;
};

}  // namespace overture::assets_detail
