// SPDX-License-Identifier: Zlib
//
// A store's beginning and its end.
#include "assets/store_core.hpp"

#include <algorithm>
#include <string_view>

#include "overture/base/contracts.hpp"
#include "overture/base/spin.hpp"

namespace overture::assets_detail {

store_core::store_core(const store_means& with, const asset_store_config& config) noexcept
    : with_(with),
      config_(config),
      table_(with.memory),
      needs_(with.memory),
      reloads_(with.memory, memory_tag::load),
      group_(with.jobs) {
  if (config.background_threads == 0) return;
  background_.emplace(
      thread_pool_config{.workers = config.background_threads,
                         .worker_thread = {.name = "background", .priority = thread_priority::low},
                         .memory = &with.memory,
                         .threads = config.factory,
                         .record = config.record});
  // A pool whose threads were all refused would only run its jobs in waits for them.
  if (background_->workers() > 0) background_group_.emplace(*background_);
}

store_core::~store_core() {
  finish();
  const sync_detail::scoped_lock hold(lock_);
  if constexpr (detail::contracts) {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      slot& one = table_.at(i);
      const bool keeps = one.reload != nullptr && reload_keeps_asset(one.reload->now.state);
      const std::uint32_t own = keeps ? 1 : 0;
      detail::expects(one.handles.load(std::memory_order_relaxed) == own,
                      "an asset_store was destroyed while the program holds one of its assets: let "
                      "go of all handles first");
    }
  }
  for (slot* const each : reloads_) {
    base_detail::destroy_object(with_.memory, memory_tag::load, each);
  }
  free_members();
  while (loader_entry* const each = loaders_) {
    loaders_ = each->next;
    while (void* const place = each->free_values) {
      each->free_values = *static_cast<void**>(place);
      with_.memory.deallocate(place, each->value_bytes, each->value_alignment, memory_tag::load);
    }
    base_detail::destroy_object(with_.memory, memory_tag::load, each->use);
    with_.memory.deallocate(each, sizeof(loader_entry), alignof(loader_entry), memory_tag::load);
  }
}

result<void> store_core::status() const noexcept {
  return background_ ? background_->status() : result<void>{};
}

result<void> store_core::add(overture::detail::any_loader& by) noexcept {
  const overture::detail::asset_type& type = by.type();
  loader_entry made{.by = &by,
                    .type = key_of(type),
                    .type_name = type.name,
                    .free_threaded = by.is_free_threaded(),
                    .builds = by.is_builder(),
                    .reads = by.is_reader(),
                    .dependent = by.is_dependent(),
                    .value_bytes = std::max(type.bytes, sizeof(void*)),
                    .value_alignment = std::max(type.alignment, alignof(void*)),
                    .placeholder = by.placeholder_at()};
  while (made.last_stage < asset_stages_max) {
    const std::uint64_t bytes = by.bytes_of_stage(made.last_stage);
    if (bytes == 0) break;
    made.stage_bytes[made.last_stage++] = bytes;
  }
  const sync_detail::scoped_lock hold(lock_);
  if (loader_of(made.type) != nullptr) {
    return fail(errc::exists, "the store has a loader for this type already");
  }
  if (namesake_of(made.type) != nullptr) return tl::unexpected<error>(other_type);
  auto* const entry = base_detail::make_object<loader_entry>(with_.memory, memory_tag::load, made);
  if (entry == nullptr) return fail(errc::out_of_memory, "out of memory for a loader");
  if constexpr (overture::detail::contracts) {
    const sync_detail::object_use uses[1] = {
        {&by,
         "a loader was destroyed while an asset_store has it, as when a plug-in is unloaded: "
         "destroy the store first"}};
    entry->use =
        base_detail::make_object<sync_detail::object_uses<1>>(with_.memory, memory_tag::load, uses);
  }
  entry->next = loaders_;
  loaders_ = entry;
  return {};
}

void store_core::finish() noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    ending_ = true;
    for (std::size_t i = 0; slot* const one = slot_at(i); ++i) {
      stop_lending(*one);
      needs_.forget_failed(*one);
    }
  }
  drop_undecoded();
  // Others may hold the room, and come to give it back only when this has returned.
  with_.files.give_up_waits();
  wait_for_jobs();
  // A thread that reads may still be about to queue a job, for a step that another has taken.
  with_.files.wait_for_calls();
  wait_for_jobs();
  // Assets that hold others go first, and then those that hold each other. A loader that calls the
  // store may have workers unload some.
  while (unload_all(false)) wait_for_jobs();
  if constexpr (detail::contracts) expects_no_circle();
  while (unload_all(true)) wait_for_jobs();
}

// A host that polls the read queue may do so on this thread only.
void store_core::wait_for_jobs() noexcept {
  constexpr std::uint64_t slice_ns = 1'000'000;
  while (group_.pending() != 0 && with_.files.help()) (void)group_.wait_until(now_ns() + slice_ns);
  group_.wait();
  if (background_group_) background_group_->wait();
  group_.wait();
}

// What was read, and waits for room: reads may wait for that of its file.
void store_core::drop_undecoded() noexcept {
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    while (slot* const one = to_decode_.first()) happens(*one, life_event::decode_begins, todo);
  }
  perform(todo);
}

void store_core::expects_no_circle() noexcept {
  const slot* found = nullptr;
  {
    const sync_detail::scoped_lock hold(lock_);
    needs::holders holders;
    for (std::size_t i = 0; slot* const one = slot_at(i); ++i) holders.look_at(*one);
    holders.follow();
    for (std::size_t i = 0; i < table_.size() && found == nullptr; ++i) {
      if (table_.at(i).held_by == asset_holder::circle) found = &table_.at(i);
    }
  }
  if (found == nullptr) return;
  constexpr std::string_view parts[] = {
      "an asset_store ended with assets that only keep each other loaded, ",
      " among them: let one name() the other, where both want() each other"};
  char sentence[512];
  const std::string_view path =
      found->path.text.substr(0, sizeof sentence - parts[0].size() - parts[1].size() - 1);
  char* at = sentence;
  for (const std::string_view part : {parts[0], path, parts[1]}) {
    at = std::copy(part.begin(), part.end(), at);
  }
  *at = '\0';
  if constexpr (detail::contracts) detail::expects(false, sentence);
}

// Of those that nothing holds, or of all; true if there were any.
bool store_core::unload_all(bool held_too) noexcept {
  bool found = false;
  for (std::size_t i = 0;; ++i) {
    actions todo;
    slot* one = nullptr;
    {
      const sync_detail::scoped_lock hold(lock_);
      one = slot_at(i);
      if (one == nullptr) return found;
      if (one->value == nullptr || (is_held(*one) && !held_too)) continue;
      found = true;
      happens(*one, life_event::store_ends, todo);
      if (one->now.in == place::none) continue;  // a worker unloads it
      happens(*one, life_event::unload_begins, todo);
    }
    todo.unloads = false;  // it is done here
    perform(todo);
    unload(*one);
  }
}

}  // namespace overture::assets_detail
