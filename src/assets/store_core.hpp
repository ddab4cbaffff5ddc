// SPDX-License-Identifier: Zlib
//
// store_core: the way of an asset through a store, from the first get() to unload().
//
//   get() -> to_read_ -> fetcher -> to_decode_ -> decode() -> [needs] -> for_main_ -> ready
//   last handle gone -> unused_ -> kept_ -> unload_main_
//
// One lock guards what is decided; nothing of the host runs under it. life.hpp says what becomes of
// an asset at each event; happens() carries it out. What must be done without the lock is collected
// in `actions`.
//
//   store_lives.cpp    happens(): lists, counts, room
//   store_asks.cpp     what the program asks for: get, retry
//   store_priority.cpp which asset is how urgent
//   store_groups.cpp   groups of assets
//   store_jobs.cpp     what a job does: the most urgent work of any asset
//   store_reading.cpp  from path to value: which is next, its room, decode()
//   store_values.cpp   from value to ready, and back: finalize(), unload(), pump()
//   store_reload.cpp   another value for an asset whose file has changed
//   store_report.cpp   what is known of the assets
//   store_trace.cpp    what a timeline has of them
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "assets/admission.hpp"
#include "assets/counts.hpp"
#include "assets/fetch.hpp"
#include "assets/needs.hpp"
#include "assets/slot.hpp"
#include "assets/slot_table.hpp"
#include "assets/unused_list.hpp"
#include "base/threads/thread_annotations.hpp"
#include "base/vec.hpp"
#include "overture/assets/asset_event.hpp"
#include "overture/assets/asset_group.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/load/load_record.hpp"
#include "overture/sync/event_count.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "sync/mutex.hpp"

namespace overture::assets_detail {

class thread_work;
using overture::detail::asset_wanted;
using overture::detail::naming;

// Who asks for an asset, and how.
struct asking {
  slot* parent = nullptr;    // the asset that is being decoded or built and asks: with its priority
  naming as = naming::want;  // by the parent
  overture::detail::group_head* group = nullptr;  // that it joins
  const error* flaw = nullptr;                    // of the path, so that it fails at once

  [[nodiscard]] bool needs() const noexcept { return parent != nullptr && as != naming::want; }
};

inline constexpr error other_type{
    .code = errc::unsupported,
    .reason = "two libraries have different types of this name: build them from the same source"};

// Why an asset failed: the assets from it to the one at fault, as many as fit.
struct failure_chain {
  std::array<const slot*, 16> links{};  // of a longer one the first and the last
  // What tells those apart that have the same path and part: here, and in the whole store.
  std::array<std::string_view, 16> types{};
  std::array<std::string_view, 16> settings{};
  std::size_t length = 0;
  std::size_t left_out = 0;  // in the middle
  error why;
  text_place at;
  bool has_come = false;  // the last one has loaded since
  // If that is why: the type that its loader makes, of the same name as the one asked for.
  const loader_entry* namesake = nullptr;

  [[nodiscard]] bool has(const slot* one) const noexcept {
    return std::find(links.begin(), links.begin() + length, one) != links.begin() + length;
  }
  void add(const slot* one) noexcept {
    if (length == links.size()) {
      std::copy(links.begin() + length / 2 + 1, links.end(), links.begin() + length / 2);
      --length;
      ++left_out;
    }
    links[length++] = one;
  }
};

// What a store works with.
struct store_means {
  fetcher& files;
  job_system& jobs;
  memory_ledger& budget;
  bool counts_files = true;  // false: the fetcher takes room for them in the same ledger
  bool ignores_case = false;
  allocator& memory;
};

class store_core final : public fetch_listener {
 public:
  store_core(const store_means& with, const asset_store_config& config) noexcept;
  ~store_core();
  store_core(const store_core&) = delete;
  store_core& operator=(const store_core&) = delete;

  [[nodiscard]] result<void> status() const noexcept;
  [[nodiscard]] result<void> add(overture::detail::any_loader& by) noexcept;

  // A handle's count is taken; null without memory.
  [[nodiscard]] slot* ask(const asset_path& path, const asset_wanted& what, asset_priority priority,
                          const asking& how = {}) noexcept;
  // Takes a handle's count on one that is known, and loads it.
  void ask(slot& known, asset_priority priority) noexcept;
  // The same if it is ready; false if not.
  [[nodiscard]] bool hold_if_ready(slot& known) noexcept;
  // Its name only; null without memory.
  [[nodiscard]] slot* name(const asset_path& path, const asset_wanted& what) noexcept;
  // The value of its need of this type and its own path; null if it has no such need.
  [[nodiscard]] const void* needed_by(slot& one, const overture::detail::asset_type& type) noexcept;
  void raise(slot& wanted, asset_priority to) noexcept;
  void set_priorities(std::span<const priority_change> changes) noexcept;
  // Groups. False without memory.
  [[nodiscard]] bool add_to(overture::detail::group_head& group, slot& one) noexcept;
  void set_priority_of(overture::detail::group_head& group, asset_priority to) noexcept;
  void leave(overture::detail::group_head& group) noexcept;
  // `to` is empty, and `from` becomes so.
  void take_over(overture::detail::group_head& to, overture::detail::group_head& from) noexcept;
  [[nodiscard]] asset_group_progress progress_of(
      const overture::detail::group_head& group) noexcept;
  bool wait_for_all(const overture::detail::group_head& group, std::uint64_t deadline_ns) noexcept;
  // The first that was added of those that have failed.
  [[nodiscard]] slot* failed_of(const overture::detail::group_head& group) noexcept;
  void retry(slot& failed) noexcept;
  // Its last handle is gone.
  void unused(slot& one) noexcept { unused_.add(one); }
  void reload(const asset_path& path) noexcept;
  // Until the next pump() a mount may end: what is read until then is read again.
  void tree_changes() noexcept;
  [[nodiscard]] result<void> reload_status_of(const slot& one) noexcept;
  [[nodiscard]] asset_stage stage_of(const slot& one) noexcept;
  void set_last_stage(slot& one, unsigned stage) noexcept;
  [[nodiscard]] result<void> status_of(const slot& one) noexcept;
  [[nodiscard]] bool is_cancelled(const slot& one) noexcept;
  // What `one` asked for in decode() cannot be: it fails with that.
  void flawed(slot& one, const error& why) noexcept;

  // `of_frame`: the program called it, so that the budget is one of a frame.
  pump_result pump(std::chrono::nanoseconds budget, bool of_frame = true) noexcept;
  // Whether this thread is in pump() now, as the finalize() that calls is.
  [[nodiscard]] bool is_pumping() const noexcept { return is_pumping_; }
  // For contracts. Whether a handle is one of this store, which need not be true of any address.
  [[nodiscard]] bool owns(const void* handle) noexcept;
  // Whether only pump() could settle the asset of this barricade.
  [[nodiscard]] bool needs_pump(const barricade& settled) noexcept;
  // True once it is ready or has failed.
  bool wait_until(slot& wanted, std::uint64_t deadline_ns) noexcept;

  [[nodiscard]] asset_progress progress() noexcept;
  [[nodiscard]] result<void> for_each_unsettled(
      function_ref<void(const unsettled_asset&)> visit) noexcept;
  [[nodiscard]] result<void> for_each(function_ref<void(const known_asset&)> visit) noexcept;
  [[nodiscard]] result<std::size_t> take_events(
      function_ref<void(const asset_event&)> visit) noexcept;
  [[nodiscard]] failure_chain chain_of(const slot& failed, bool or_before = false) noexcept;
  // Of the asset with this number in a timeline; empty if no asset has it.
  [[nodiscard]] failure_chain chain_of(std::uint32_t subject) noexcept;
  [[nodiscard]] result<void> record(load_record& into) noexcept;
  // The asset with this number in a timeline; null if no asset has it. Of what it is, nothing
  // changes.
  [[nodiscard]] const slot* slot_of(std::uint32_t subject) noexcept;

  void step_waits(asset_priority priority) noexcept override;
  [[nodiscard]] bool may_read(fetch_request& opened, std::uint64_t bytes) noexcept override;
  void read_waits(fetch_request& begun, bool waits) noexcept override;
  void fetched(fetch_request& ended) noexcept override;

 private:
  void finish() noexcept;
  [[nodiscard]] bool unload_all(bool held_too) noexcept;
  void wait_for_jobs() noexcept;
  void drop_undecoded() noexcept;
  void expects_no_circle() noexcept;

  // What is to be done without the lock.
  struct actions {
    held_file* files = nullptr;        // linked by next
    std::uint64_t returned_bytes = 0;  // room of the budget
    slot* settled = nullptr;           // linked by settled_next
    priority_counts jobs{};            // to be queued: see do_next()
    bool unloads = false;              // on a worker
    bool feeds = false;                // there may be something to read
    bool wakes_main = false;
  };

  // In store_lives.cpp. The event, and all that follows from it for those that need it.
  void happens(slot& one, life_event event, actions& todo) noexcept REQUIRES(lock_);
  void fails(slot& one, life_event event, const error& why, actions& todo) noexcept REQUIRES(lock_);
  void wake(actions& todo) noexcept REQUIRES(lock_);
  void apply(slot& one, life_event event, actions& todo) noexcept REQUIRES(lock_);
  void note_call(slot& one, life_event event, asset_state next) noexcept REQUIRES(lock_);
  void note_queued(slot& one, life_event event) noexcept REQUIRES(lock_);
  [[nodiscard]] life_facts facts_of(const slot& one) const noexcept REQUIRES(lock_);
  void move(slot& one) noexcept REQUIRES(lock_);
  [[nodiscard]] slot_list* list_of(slot& one) noexcept REQUIRES(lock_);
  void count_waiting_read(slot& one, place before) noexcept REQUIRES(lock_);
  void measure(slot& one, const life& before) noexcept REQUIRES(lock_);
  void carry_out(slot& one, const life_actions& what, actions& todo) noexcept REQUIRES(lock_);
  void take_room(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void settle(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void remake_what_did_without(const slot& one) noexcept REQUIRES(lock_);
  void set_priority(slot& one, asset_priority to) noexcept REQUIRES(lock_);
  void set_room(slot& one, std::uint64_t bytes) noexcept REQUIRES(lock_);
  void resume_decodes(actions& todo) noexcept REQUIRES(lock_);
  // Whether what was read, of this class of priority, waits for room to be decoded.
  [[nodiscard]] bool stands(std::size_t which) const noexcept REQUIRES(lock_) {
    return had_no_room_[which] && to_decode_.first_of(which) != nullptr;
  }
  // In store_keeping.cpp.
  // Decides about some of the assets whose last handle is gone; true if there are more.
  [[nodiscard]] bool sweep(actions& todo) noexcept REQUIRES(lock_);
  // Some of what is kept in excess; true if there is more.
  bool evict(actions& todo) noexcept REQUIRES(lock_);
  // Decides about all that was let go of before.
  void sweep_all() noexcept;
  // It may have become idle, or stopped being so, and with it what it needs.
  void look_if_idle(slot& one) noexcept REQUIRES(lock_);
  void look_at_all(slot* looks) noexcept REQUIRES(lock_);
  void set_idle(slot& one, bool idle, slot*& looks) noexcept REQUIRES(lock_);
  void stop_lending(slot& one) noexcept REQUIRES(lock_);  // before its needs change
  void add_handle(slot& one) noexcept REQUIRES(lock_);

  // In store_asks.cpp.
  [[nodiscard]] loader_entry* loader_of(const type_key& type) noexcept REQUIRES(lock_);
  // That of another type with this name.
  [[nodiscard]] loader_entry* namesake_of(const type_key& type) noexcept REQUIRES(lock_);
  // False if none has been added for its type.
  [[nodiscard]] bool find_loader(slot& one) noexcept REQUIRES(lock_);
  [[nodiscard]] slot* find_or_add(const asset_path& path, const asset_wanted& what) noexcept
      REQUIRES(lock_);
  void want(slot& one, asset_priority priority, const error* flaw, actions& todo) noexcept
      REQUIRES(lock_);
  void note_need(slot& parent, slot& child, naming as, actions& todo) noexcept REQUIRES(lock_);
  void put_in_needed(slot& one) noexcept REQUIRES(lock_);

  // In store_priority.cpp.
  // That it waits in; null if it waits in none.
  [[nodiscard]] slot_lines* line_of(const slot& one) noexcept REQUIRES(lock_);
  void change_priority(slot& one, asset_priority to, std::uint64_t number, actions& todo) noexcept
      REQUIRES(lock_);
  [[nodiscard]] bool set_read_priority(slot& one, asset_priority to, std::uint64_t number) noexcept
      REQUIRES(lock_);
  // It, and all that it waits for.
  void raise_all(slot& from, asset_priority to, actions& todo) noexcept REQUIRES(lock_);
  // Of the program. Those that it lowers join `lowered`, for lower_needs().
  void want_priority(slot& one, asset_priority to, slot*& lowered, actions& todo) noexcept
      REQUIRES(lock_);
  void lower_to_due(slot& one, slot*& lowered, actions& todo) noexcept REQUIRES(lock_);
  // To what is due; false if that is no less.
  [[nodiscard]] bool lower_one(slot& one, actions& todo) noexcept REQUIRES(lock_);
  // Of those, linked by lowered_next.
  void lower_needs(slot* lowered, actions& todo) noexcept REQUIRES(lock_);
  void drop_needs(slot& one) noexcept REQUIRES(lock_);
  void lower_unwanted(actions& todo) noexcept REQUIRES(lock_);

  // In store_groups.cpp.
  [[nodiscard]] group_member* take_member() noexcept REQUIRES(lock_);
  // False without memory.
  [[nodiscard]] bool join(overture::detail::group_head& group, slot& one) noexcept REQUIRES(lock_);
  void free_members() noexcept REQUIRES(lock_);

  // In store_jobs.cpp.
  enum class work_kind : std::uint8_t { none, read, decode, build, finalize };
  struct chosen_work {
    work_kind kind = work_kind::none;
    slot* of = nullptr;             // what is to be decoded, built or finalized
    fetch_request* step = nullptr;  // of a read
  };
  void work_later(asset_priority priority) noexcept;
  void feed_later() noexcept;
  void feed() noexcept;
  void do_next(bool background) noexcept;
  void drain(thread_work& here) noexcept;
  [[nodiscard]] bool do_one(priority_classes of_these) noexcept;
  [[nodiscard]] chosen_work choose_work(priority_classes of_these, actions& todo) noexcept
      REQUIRES(lock_);

  // In store_reading.cpp.
  void begin_reads() noexcept;
  void fetch_nothing(slot& one) noexcept;
  [[nodiscard]] slot* next_to_read() noexcept REQUIRES(lock_);
  // Whether one that was read, and whose turn is before, waits for room.
  [[nodiscard]] bool is_behind_a_decode(const slot& one) const noexcept REQUIRES(lock_);
  [[nodiscard]] bool may_be_read(const slot& one) const noexcept REQUIRES(lock_);
  // Whether one that others wait for, and whose turn is before, may be read.
  [[nodiscard]] bool is_behind_a_need(const slot& one) const noexcept REQUIRES(lock_);
  // Whether nothing waits for it, and a chain of its class has needs that wait to be read.
  [[nodiscard]] bool is_behind_a_chain(const slot& one) const noexcept REQUIRES(lock_);
  [[nodiscard]] slot* begin_read(actions& todo) noexcept REQUIRES(lock_);
  [[nodiscard]] slot* begin_read_if_room(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void begin_read_of(slot& one, std::uint64_t room_bytes, actions& todo) noexcept REQUIRES(lock_);
  void share_read(slot& one, actions& todo) noexcept REQUIRES(lock_);
  [[nodiscard]] bool has_room_to_share(slot& one, const fetch_request& ended,
                                       actions& todo) noexcept REQUIRES(lock_);
  void has_been_read(slot& one) noexcept;
  // What it will take, as far as that is known: with a file of this size; before its size is known.
  [[nodiscard]] std::uint64_t room_for(const slot& one, std::uint64_t content_bytes) const noexcept
      REQUIRES(lock_);
  [[nodiscard]] std::uint64_t room_to_begin(const slot& one) const noexcept REQUIRES(lock_);
  // The budget, as what is beside this one uses it.
  [[nodiscard]] budget_use use_beside(const slot& one) const noexcept REQUIRES(lock_);
  // Room for so many bytes in all.
  [[nodiscard]] bool try_room(slot& one, std::uint64_t bytes) noexcept REQUIRES(lock_);
  // What a background thread takes, and what a worker does.
  [[nodiscard]] priority_classes taken_by(bool background) const noexcept;
  [[nodiscard]] bool is_for_background(asset_priority priority) const noexcept {
    return class_of(priority) == background_class && background_group_.has_value();
  }
  [[nodiscard]] bool leave_room_to(const slot& first, actions& todo) noexcept REQUIRES(lock_);
  [[nodiscard]] bool has_room_to_decode(slot& one) noexcept REQUIRES(lock_);
  void wait_for_room(slot& one, actions& todo) noexcept REQUIRES(lock_);
  [[nodiscard]] bool begin_decode(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void decode(slot& one) noexcept;
  void note_size(const slot& one) noexcept REQUIRES(lock_);
  void decoded(slot& one, const result<void>& made, void* value, text_place at) noexcept;
  void fail_decode(slot& one, const error& why, actions& todo) noexcept REQUIRES(lock_);
  [[nodiscard]] void* take_value(loader_entry& of) noexcept;
  void free_value(loader_entry& of, void* value) noexcept REQUIRES(lock_);

  // In store_values.cpp.
  void perform(actions& todo) noexcept;
  void tell(slot& settled) noexcept;
  void build(slot& one) noexcept;
  // Makes one step; true if there is another.
  [[nodiscard]] bool finalize(slot& one, std::chrono::nanoseconds budget) noexcept;
  void finalize_step_of(slot& one) noexcept;
  void unload(slot& one) noexcept;
  // Unloads what any thread may: nothing is begun before that. True if there is more than `most`.
  bool give_back(std::size_t most = SIZE_MAX) noexcept;
  void give_back_some() noexcept;
  void unload_some() noexcept;
  [[nodiscard]] bool must_give_back(actions& todo) noexcept REQUIRES(lock_);
  // What pump() does next; null if there is nothing.
  [[nodiscard]] slot* next_for_main(std::uint64_t end_ns, bool& unloads) noexcept;

  // In store_trace.cpp.
  void trace(slot& one, const life& before, life_event event) noexcept REQUIRES(lock_);
  void trace_room(slot& one, bool lacks) noexcept REQUIRES(lock_);
  void trace_wait(slot& one, std::uint64_t now) noexcept REQUIRES(lock_);
  static void trace_overrun(std::uint64_t end_ns, const slot* longest) noexcept;

  // In store_events.cpp.
  void note_event(slot& one) noexcept REQUIRES(lock_);
  void note_failed_reload(slot& one) noexcept REQUIRES(lock_);
  void note_change_of_state(slot& one, asset_state before) noexcept REQUIRES(lock_);
  struct told_events {
    slot* of = nullptr;
    std::string_view type;
    std::array<asset_event_kind, asset_event_kind_count> kinds{};
    std::size_t count = 0;
    error failure;
    error reload_failure;
  };
  [[nodiscard]] static told_events events_of(slot& one) noexcept;
  void tell_later(slot& one, std::span<const asset_event_kind> kinds) noexcept;

  // In store_report.cpp.
  [[nodiscard]] static error failure_of(const slot& failed) noexcept;
  void tell_apart(failure_chain& chain) noexcept REQUIRES(lock_);
  [[nodiscard]] const char* what_it_waits_for(const slot& one) const noexcept REQUIRES(lock_);

  // In store_reload.cpp.
  [[nodiscard]] static const slot& reloaded_last(const slot& one) noexcept;
  void note_change(slot& one, std::uint64_t due_ns) noexcept REQUIRES(lock_);
  void try_again(slot& one) noexcept REQUIRES(lock_);
  void remake(slot& loading) noexcept REQUIRES(lock_);
  void look_later(slot& changed) noexcept REQUIRES(lock_);
  void look_for_failed() noexcept REQUIRES(lock_);
  void note_troubled(slot& one) noexcept REQUIRES(lock_);
  [[nodiscard]] slot& take_troubled() noexcept REQUIRES(lock_);
  void retry_blaming(slot& one) noexcept REQUIRES(lock_);
  void retry_if_come(slot* because) noexcept REQUIRES(lock_);
  [[nodiscard]] bool may_come(slot& because) noexcept REQUIRES(lock_);
  void retry_failed(std::uint64_t end_ns) noexcept;
  void begin_reloads(std::uint64_t end_ns) noexcept;
  void consider_stage(slot& one) noexcept REQUIRES(lock_);
  void make_stage(slot& one, actions& todo) noexcept REQUIRES(lock_);
  [[nodiscard]] bool try_reload(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void hold_reloaded(slot& reload, asset_state before) noexcept REQUIRES(lock_);
  void give_up_reload(slot& reload, actions& todo) noexcept REQUIRES(lock_);
  void end_reload(slot& reload, actions& todo) noexcept REQUIRES(lock_);
  // Lets old values go.
  void release_replaced(actions& todo) noexcept REQUIRES(lock_);
  void take_change(slot& one) noexcept REQUIRES(lock_);
  void retry_parts_of(const slot& whole) noexcept REQUIRES(lock_);
  void keep_failed(slot& one, life_event event) noexcept REQUIRES(lock_);
  void retry_failed_with(const slot& child) noexcept REQUIRES(lock_);
  void retry_circles() noexcept REQUIRES(lock_);
  void begin_reload(slot& one, actions& todo) noexcept REQUIRES(lock_);
  void begin_other_value(slot& one, unsigned stage, bool is_of_change, actions& todo) noexcept
      REQUIRES(lock_);
  [[nodiscard]] slot* make_reload() noexcept REQUIRES(lock_);
  void end_reloads(std::uint64_t end_ns) noexcept;
  // Those that waited for reloads because they might need each other in a circle.
  void judge_needs() noexcept;
  // Which begin in pump(), after a while: nothing else wakes what waits for them.
  [[nodiscard]] bool has_reloads_ahead() const noexcept REQUIRES(lock_);
  void exchange(slot& reload, actions& todo) noexcept REQUIRES(lock_);
  void recycle(slot& reload) noexcept REQUIRES(lock_);
  // The slots of the table, and then those of reloads; null after the last.
  [[nodiscard]] slot* slot_at(std::size_t index) noexcept REQUIRES(lock_);

  const store_means with_;
  const asset_store_config config_;

  sync_detail::mutex lock_;
  slot_table table_ GUARDED_BY(lock_);
  needs needs_ GUARDED_BY(lock_);
  counts counts_ GUARDED_BY(lock_);
  loader_entry* loaders_ GUARDED_BY(lock_) = nullptr;
  slot_lines needed_ GUARDED_BY(lock_);                    // to be read, and others wait for them
  std::array<slot*, 64> last_needed_ GUARDED_BY(lock_){};  // of a number, see put_in_needed()
  slot_lines to_read_ GUARDED_BY(lock_);                   // the others
  slot_lines to_decode_ GUARDED_BY(lock_);                 //
  slot_lines for_main_ GUARDED_BY(lock_);                  // to be finalized
  slot_lines for_workers_ GUARDED_BY(lock_);               // likewise
  slot_list unload_main_ GUARDED_BY(lock_);
  slot_list unload_any_ GUARDED_BY(lock_);
  slot_list kept_ GUARDED_BY(lock_);              // the one that was given up first is in front
  slot* woken_ GUARDED_BY(lock_) = nullptr;       // linked by woken_next: within happens()
  slot* unwanted_ GUARDED_BY(lock_) = nullptr;    // linked by look_next: that lost a parent
  slot* changed_ GUARDED_BY(lock_) = nullptr;     // to be reloaded; linked by changed_next
  slot* to_look_at_ GUARDED_BY(lock_) = nullptr;  // likewise: those that pump() looks at now
  std::uint64_t first_due_ns_ GUARDED_BY(lock_) = UINT64_MAX;  // of changed_
  // What has failed to load, or to be reloaded, and some that have come since; linked by
  // troubled_next.
  slot* first_troubled_ GUARDED_BY(lock_) = nullptr;
  slot* last_troubled_ GUARDED_BY(lock_) = nullptr;
  std::size_t troubled_ GUARDED_BY(lock_) = 0;
  std::size_t left_to_retry_ GUARDED_BY(lock_) = 0;  // how many retry_failed() has to look at
  std::uint32_t blame_look_ GUARDED_BY(lock_) = 0;
  slot* reloaded_ GUARDED_BY(lock_) = nullptr;  // for pump(); linked by work_next
  // Reloads with old values, linked by work_next, and the calls of loaders that may use those.
  slot* replaced_ GUARDED_BY(lock_) = nullptr;
  slot* last_replaced_ GUARDED_BY(lock_) = nullptr;
  std::uint64_t calls_generation_ GUARDED_BY(lock_) = 2;
  std::array<std::uint32_t, 2> calls_in_ GUARDED_BY(lock_){};  // even and odd generations
  base_detail::vec<slot*> reloads_ GUARDED_BY(lock_);          // all that were ever made
  slot* free_reloads_ GUARDED_BY(lock_) = nullptr;             // linked by work_next
  group_member* free_members_ GUARDED_BY(lock_) = nullptr;     // linked by next_of_group
  slot* first_event_ GUARDED_BY(lock_) = nullptr;  // of those to be told; linked by event_next
  slot* last_event_ GUARDED_BY(lock_) = nullptr;
  std::size_t events_ GUARDED_BY(lock_) = 0;  // assets in that list
  std::uint64_t reads_begun_ GUARDED_BY(lock_) = 0;
  std::uint64_t retries_ GUARDED_BY(lock_) = 0;
  std::uint64_t words_ GUARDED_BY(lock_) = 1;    // of the program, that may let others load
  bool tree_changes_ GUARDED_BY(lock_) = false;  // until the next pump()
  std::uint64_t times_queued_ GUARDED_BY(lock_) = 0;
  std::array<bool, asset_priority_class_count> had_no_room_
      GUARDED_BY(lock_){};                            // the first to decode
  priority_counts owed_decodes_ GUARDED_BY(lock_){};  // jobs that have ended for that reason
  bool others_have_room_ GUARDED_BY(lock_) = false;   // that the next one needs
  bool ending_ GUARDED_BY(lock_) = false;

  unused_list unused_;
  atomic<bool> feeding_{false};  // a job that feeds is queued
  event_count for_main_thread_;  // something waits for the main thread
  bool is_pumping_ = false;      // of that thread

  std::optional<thread_pool> background_;
  // Last, because their destructors wait. The first counts each read too.
  job_group group_;
  std::optional<job_group> background_group_;
};

// The context of one call of decode().
class decode_context final : public load_context {
 public:
  explicit decode_context(slot& of) noexcept : load_context(of, of.path) {}
};

// The context of one call of build().
class step_context final : public asset_context {
 public:
  explicit step_context(slot& of) noexcept : asset_context(of, of.path) {}
};

}  // namespace overture::assets_detail
