// SPDX-License-Identifier: Zlib
//
// asset_store: the public interface.
#include "overture/assets/asset_store.hpp"

#include "assets/explain.hpp"
#include "assets/loader_call.hpp"
#include "assets/store_state.hpp"
#include "base/vec.hpp"
#include "overture/base/contracts.hpp"

namespace overture {

using assets_detail::deadline_after;
using assets_detail::is_none;
using assets_detail::or_none;
using assets_detail::slot;
using assets_detail::store_core;
using assets_detail::without_memory;

namespace {

// A handle where there is no memory for an asset: it has failed, and no store knows it.
slot& the_none() noexcept {
  static slot none;
  static const bool is_made = [] {
    none.is_none = true;
    none.handles.store(1, std::memory_order_relaxed);  // so that it is never unused
    none.state.store(asset_state::failed, std::memory_order_relaxed);
    none.settled.lower();
    return true;
  }();
  (void)is_made;
  return none;
}

// The store that this thread pumps, for contracts.
thread_local constinit store_core* pumped_here = nullptr;

}  // namespace

slot& assets_detail::without_memory() noexcept {
  slot& none = the_none();
  none.handles.fetch_add(1, std::memory_order_relaxed);
  return none;
}

const char* to_string(asset_state state) noexcept {
  static constexpr const char* names[asset_state_count] = {
      "unloaded", "queued", "reading", "decoding", "needing", "finalizing", "ready", "failed"};
  return names[static_cast<std::size_t>(state)];
}

const char* to_string(asset_holder holder) noexcept {
  static constexpr const char* names[asset_holder_count] = {"nothing", "handle", "asset", "store",
                                                            "circle"};
  return names[static_cast<std::size_t>(holder)];
}

const char* to_string(asset_event_kind kind) noexcept {
  static constexpr const char* names[asset_event_kind_count] = {"unloaded", "failed", "loaded",
                                                                "reloaded", "reload_failed"};
  return names[static_cast<std::size_t>(kind)];
}

detail::asset_head& detail::no_asset() noexcept {
  return the_none();
}

void detail::asset_unused(asset_head& head) noexcept {
  slot& one = static_cast<slot&>(head);
  one.store->unused(one);
}

result<void> detail::asset_status(const asset_head& head) noexcept {
  const slot& one = static_cast<const slot&>(head);
  if (one.is_none) return fail(errc::out_of_memory, "out of memory for an asset");
  return one.store->status_of(one);
}

void detail::expects_no_store(const any_loader& ends) noexcept {
  if constexpr (contracts) sync_detail::expects_unused(&ends);
}

void detail::expects_may_wait(const barricade& settled) noexcept {
  expects(pumped_here == nullptr || !pumped_here->needs_pump(settled),
          "settled().wait() was called on the thread that pumps, which alone could finalize the "
          "asset: it would never end, call asset_store::wait_for()");
}

asset_path detail::asset_path_of(const asset_head& head) noexcept {
  return static_cast<const slot&>(head).path;
}

detail::asset_wanted detail::asset_variant_of(const asset_head& head) noexcept {
  const slot& one = static_cast<const slot&>(head);
  return {.part = one.part, .settings = one.settings};
}

std::uint32_t detail::asset_subject_of(const asset_head& head) noexcept {
  return static_cast<const slot&>(head).subject;
}

bool asset_context::is_cancelled() const noexcept {
  slot& one = static_cast<slot&>(of_);
  return one.store->is_cancelled(one);
}

std::string_view asset_context::part() const noexcept {
  return static_cast<slot&>(of_).part;
}

std::string_view asset_context::settings_bytes() const noexcept {
  return static_cast<slot&>(of_).settings;
}

const void* asset_context::needed_any(const detail::asset_type& type) const noexcept {
  slot& one = static_cast<slot&>(of_);
  return one.store->needed_by(one, type);
}

std::uint64_t asset_context::file_bytes() const noexcept {
  return static_cast<const slot&>(of_).stage.file_bytes;
}

detail::asset_head* asset_context::ask(const asset_path& path, const detail::asset_wanted& what,
                                       detail::naming how) noexcept {
  slot& one = static_cast<slot&>(of_);
  slot* const found =
      one.store->ask(path, what, asset_priority::background, {.parent = &one, .as = how});
  if (found == nullptr && how != detail::naming::want) {
    one.store->flawed(one, {.code = errc::out_of_memory, .reason = "out of memory for an asset"});
  }
  return or_none(found);
}

detail::asset_head* asset_context::ask(std::string_view path, const detail::asset_wanted& what,
                                       detail::naming how) noexcept {
  path_buffer room;
  const result<asset_path> normal = normalise(path, room);
  if (normal) return ask(*normal, what, how);
  slot& one = static_cast<slot&>(of_);
  slot* const found = one.store->ask({path, {hash64(path)}}, what, asset_priority::background,
                                     {.parent = &one, .as = how, .flaw = &normal.error()});
  if (found == nullptr && how != detail::naming::want) one.store->flawed(one, normal.error());
  return or_none(found);
}

detail::asset_head* asset_context::name_any(const asset_path& path,
                                            const detail::asset_wanted& what) noexcept {
  return static_cast<slot&>(of_).store->name(path, what);
}

detail::asset_head* asset_context::name_any(std::string_view path,
                                            const detail::asset_wanted& what) noexcept {
  path_buffer room;
  const result<asset_path> normal = normalise(path, room);
  return normal ? name_any(*normal, what) : nullptr;
}

void asset_store::state::expects_main_thread() noexcept {
  if constexpr (detail::contracts) {
    detail::expects(!core.is_pumping() && !assets_detail::loader_call<>::is_within(core),
                    "pump(), wait_for() or the destructor of an asset_store was called from within "
                    "one of its loaders, or from a job that pump() runs: return from there first; "
                    "a decode() asks for more assets with load_context::need()");
    detail::expects(main_thread.is_this(),
                    "pump(), wait_for() or the destructor of an asset_store was called on a "
                    "second thread: call them on the store's main thread only");
    pumped_here = &core;
  }
}

asset_store::asset_store(file_system& files, read_queue& reads, job_system& jobs,
                         const asset_store_config& config) noexcept {
  allocator& memory = config.memory ? *config.memory : default_allocator();
  state_ =
      base_detail::make_object<state>(memory, memory_tag::load, files, reads, jobs, config, memory);
}

asset_store::~asset_store() {
  if (state_ == nullptr) return;
  state_->expects_main_thread();
  if constexpr (detail::contracts) pumped_here = nullptr;
  base_detail::destroy_object(state_->memory, memory_tag::load, state_);
}

result<void> asset_store::status() const noexcept {
  if (state_ == nullptr) return fail(errc::out_of_memory, "out of memory for an asset store");
  return state_->core.status();
}

result<void> asset_store::add_any(detail::any_loader& of) noexcept {
  if (state_ == nullptr) return status();
  return state_->core.add(of);
}

detail::asset_head* asset_store::get_any(const asset_path& path, const detail::asset_wanted& what,
                                         asset_priority priority) noexcept {
  return or_none(state_ == nullptr ? nullptr : state_->core.ask(path, what, priority));
}

detail::asset_head* asset_store::get_any(std::string_view path, const detail::asset_wanted& what,
                                         asset_priority priority) noexcept {
  path_buffer room;
  const result<asset_path> normal = normalise(path, room);
  if (normal) return get_any(*normal, what, priority);
  if (state_ == nullptr) return &without_memory();
  return or_none(
      state_->core.ask({path, {hash64(path)}}, what, priority, {.flaw = &normal.error()}));
}

detail::asset_head* asset_store::name_any(const asset_path& path,
                                          const detail::asset_wanted& what) noexcept {
  return state_ == nullptr ? nullptr : state_->core.name(path, what);
}

detail::asset_head* asset_store::name_any(std::string_view path,
                                          const detail::asset_wanted& what) noexcept {
  path_buffer room;
  const result<asset_path> normal = normalise(path, room);
  return normal ? name_any(*normal, what) : nullptr;
}

detail::asset_head* asset_store::get_known(detail::asset_head* named,
                                           asset_priority priority) noexcept {
  if (named == nullptr) return nullptr;
  state_->expects_own(*named);
  state_->core.ask(static_cast<slot&>(*named), priority);
  return named;
}

detail::asset_head* asset_store::get_if_ready_any(detail::asset_head* named) noexcept {
  if (named == nullptr) return nullptr;
  state_->expects_own(*named);
  return state_->core.hold_if_ready(static_cast<slot&>(*named)) ? named : nullptr;
}

void asset_store::raise_any(detail::asset_head* wanted, asset_priority priority) noexcept {
  if (is_none(wanted)) return;
  state_->expects_own(*wanted);
  state_->core.raise(static_cast<slot&>(*wanted), priority);
}

void asset_store::set_priorities(std::span<const priority_change> changes) noexcept {
  if (state_ == nullptr) return;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!is_none(changes[i].head())) {
      state_->expects_own(*changes[i].head());
      continue;
    }
    state_->core.set_priorities(changes.subspan(begin, i - begin));
    begin = i + 1;
  }
  state_->core.set_priorities(changes.subspan(begin));
}

void asset_store::retry_any(detail::asset_head* failed) noexcept {
  if (is_none(failed)) return;
  state_->expects_own(*failed);
  state_->core.retry(static_cast<slot&>(*failed));
}

pump_result asset_store::pump(std::chrono::nanoseconds budget) noexcept {
  if (state_ == nullptr) return {};
  state_->expects_main_thread();
  return state_->core.pump(budget);
}

void asset_store::reload(std::string_view path) noexcept {
  path_buffer room;
  const result<asset_path> normal = normalise(path, room);
  if (state_ != nullptr && normal) state_->core.reload(*normal);
}

void asset_store::reload_mount(mount_id mount) noexcept {
  if (state_ == nullptr) return;
  state_->core.tree_changes();
  for (std::uint32_t subject = first_asset_subject;; ++subject) {
    const slot* const one = state_->core.slot_of(subject);
    if (one == nullptr) return;
    mount_id winner;
    const bool is_there = state_->files.providers(one->path, {&winner, 1}) > 0;
    const result<mount_id> remover = state_->files.remover(one->path);
    const bool is_of_it = (is_there && winner == mount) || (remover && *remover == mount);
    if (is_of_it) state_->core.reload(one->path);
  }
}

result<void> asset_store::reload_status_any(const detail::asset_head* of) const noexcept {
  if (is_none(of)) return {};
  state_->expects_own(*of);
  return state_->core.reload_status_of(static_cast<const slot&>(*of));
}

asset_stage asset_store::stage_any(const detail::asset_head* of) const noexcept {
  if (is_none(of)) return {};
  state_->expects_own(*of);
  return state_->core.stage_of(static_cast<const slot&>(*of));
}

void asset_store::set_last_stage_any(detail::asset_head* of, unsigned stage) noexcept {
  if (is_none(of)) return;
  state_->expects_own(*of);
  state_->core.set_last_stage(static_cast<slot&>(*of), stage);
}

bool asset_store::wait_for_any(detail::asset_head* wanted,
                               std::chrono::nanoseconds duration) noexcept {
  if (is_none(wanted)) return true;
  state_->expects_main_thread();
  state_->expects_own(*wanted);
  return state_->core.wait_until(static_cast<slot&>(*wanted), deadline_after(duration));
}

asset_progress asset_store::progress() const noexcept {
  return state_ == nullptr ? asset_progress{} : state_->core.progress();
}

result<void> asset_store::record(load_record& into) const noexcept {
  if (state_ == nullptr) return status();
  return state_->core.record(into);
}

std::size_t asset_store::subject_name(std::uint32_t subject, std::span<char> text) const noexcept {
  const slot* const one = state_ ? state_->core.slot_of(subject) : nullptr;
  if (one == nullptr) return 0;
  std::size_t length = 0;
  const auto add = [&](std::string_view what) {
    length += what.copy(text.data() + length, text.size() - length);
  };
  add(one->path.text);
  if (!one->part.empty()) add("#");
  add(one->part);
  return length;
}

std::size_t asset_store::subject_failure(std::uint32_t subject,
                                         std::span<char> text) const noexcept {
  if (!text.empty()) text[0] = '\0';
  if (state_ == nullptr || text.empty()) return 0;
  return assets_detail::explain(state_->files, state_->core.chain_of(subject), text);
}

result<void> asset_store::for_each_unsettled(
    function_ref<void(const unsettled_asset&)> visit) const noexcept {
  if (state_ == nullptr) return {};
  return state_->core.for_each_unsettled(visit);
}

result<void> asset_store::for_each_asset(
    function_ref<void(const known_asset&)> visit) const noexcept {
  if (state_ == nullptr) return {};
  return state_->core.for_each(visit);
}

result<std::size_t> asset_store::take_events(
    function_ref<void(const asset_event&)> visit) noexcept {
  if (state_ == nullptr) return std::size_t{0};
  return state_->core.take_events(visit);
}

std::size_t asset_store::explain_any(const detail::asset_head* failed,
                                     std::span<char> text) const noexcept {
  if (!text.empty()) text[0] = '\0';
  if (failed == nullptr || text.empty()) return 0;
  if (failed->is_none) {
    return assets_detail::explain(detail::asset_status(*failed).error().reason, text);
  }
  state_->expects_own(*failed);
  return assets_detail::explain(state_->files,
                                state_->core.chain_of(static_cast<const slot&>(*failed)), text);
}

}  // namespace overture
