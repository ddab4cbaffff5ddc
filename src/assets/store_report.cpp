// SPDX-License-Identifier: Zlib
//
// What is known of the assets of a store.
#include <algorithm>

#include "assets/store_core.hpp"
#include "base/guarded_call.hpp"
#include "overture/base/spin.hpp"

namespace overture::assets_detail {

asset_progress store_core::progress() noexcept {
  sweep_all();
  const sync_detail::scoped_lock hold(lock_);
  asset_progress now;
  now.asked = table_.size() - counts_.of_assets(asset_state::unloaded) - counts_.kept;
  now.ready = counts_.of_assets(asset_state::ready) - counts_.kept;
  now.failed = counts_.of_assets(asset_state::failed);
  now.for_pump = for_main_.size();
  now.kept = counts_.kept;
  now.kept_bytes = counts_.kept_bytes;
  const std::uint64_t elsewhere = counts_.kept_bytes + counts_.leaving_needs_bytes;
  now.held_bytes = counts_.loaded_bytes - std::min(counts_.loaded_bytes, elsewhere);
  now.waiting_bytes = counts_.in_flight_bytes + counts_.leaving_bytes;
  return now;
}

namespace {

constexpr const char* only_pump = "pump() on the main thread, as the job system has no workers";

// A need has a handle of its own, beside that in the value of what needs it, if it has one.
std::uint32_t counted_twice(const slot& one) noexcept {
  std::uint32_t needs = 0;
  for (const need* each = one.needed_by; each != nullptr; each = each->next_of_child) {
    if (each->needed) ++needs;
  }
  for (const need* each = one.failed_parents; each != nullptr; each = each->next_of_child) ++needs;
  return std::min(needs, one.handles.load(std::memory_order_relaxed));
}

}  // namespace

const char* store_core::what_it_waits_for(const slot& one) const noexcept {
  constexpr const char* for_room = "room in the budget";
  const bool has_workers = with_.jobs.concurrency() > 1;
  switch (one.now.state) {
    case asset_state::queued:
      if (one.now.leaving) return "its old value to be unloaded";
      if (one.now.settling) return "a thread that tells others that it had settled";
      if (admit(use_beside(one), one.priority, room_to_begin(one)) == admission::refused)
        return for_room;
      return has_workers ? "its turn to be read" : only_pump;
    case asset_state::reading:
      return has_workers ? "its file to be read" : only_pump;
    case asset_state::decoding:
      if (one.in == nullptr) return "decode() to return";
      if (stands(class_of(one.priority))) return for_room;
      if (is_for_background(one.priority)) return "a background thread to decode it";
      return has_workers ? "a worker to decode it" : only_pump;
    case asset_state::needing:
      return "an asset that it needs";
    default:
      if (one.now.building) {
        if (one.in == nullptr) return "build() to return";
        return has_workers ? "a worker to build it" : only_pump;
      }
      if (one.in == nullptr) return "finalize() to return";
      if (!one.of->free_threaded) return "pump() on the main thread";
      return has_workers ? "a worker to finalize it" : only_pump;
  }
}

result<void> store_core::for_each_unsettled(
    function_ref<void(const unsettled_asset&)> visit) noexcept {
  const std::uint64_t now = now_ns();
  for (std::size_t i = 0;; ++i) {
    unsettled_asset found;
    {
      const sync_detail::scoped_lock hold(lock_);
      if (i >= table_.size()) return {};
      const slot& one = table_.at(i);
      found.state = one.now.state;
      if (found.state == asset_state::unloaded || is_settled(found.state)) continue;
      found.path = one.path;
      found.part = one.part;
      found.settings = one.settings;
      found.subject = one.subject;
      found.ns = now - std::min(now, one.since_ns);
      found.what = what_it_waits_for(one);
      for (const need* each = one.needs; each != nullptr; each = each->next_of_parent) {
        if (!each->pending) continue;
        found.needs = each->child->path;
        found.needs_part = each->child->part;
        found.needs_subject = each->child->subject;
      }
    }
    if (!base_detail::guarded_call([&] { visit(found); })) {
      return fail(errc::threw, base_detail::visitor_threw);
    }
  }
}

result<void> store_core::for_each(function_ref<void(const known_asset&)> visit) noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    needs::holders holders;
    for (std::size_t i = 0; slot* const one = slot_at(i); ++i) holders.look_at(*one);
    holders.follow();
  }
  for (std::size_t i = 0;; ++i) {
    known_asset found;
    {
      const sync_detail::scoped_lock hold(lock_);
      if (i >= table_.size()) return {};
      const slot& one = table_.at(i);
      found.path = one.path;
      found.part = one.part;
      found.settings = one.settings;
      found.type = type_name_of(one);
      found.subject = one.subject;
      found.state = one.now.state;
      found.priority = one.priority;
      found.bytes = one.value != nullptr ? one.value_bytes : 0;
      if (found.state == asset_state::failed) found.failure = failure_of(one);
      found.reloads = is_settled(one) && (one.changed || one.reload != nullptr);
      found.held_by = one.held_by;
      const need* const by = one.needed_by != nullptr ? one.needed_by : one.failed_parents;
      if (by != nullptr) {
        const slot& holder = *by->parent;
        found.holder = holder.path;
        found.holder_part = holder.part;
        found.holder_subject = holder.subject;
      }
      found.handles = one.handles.load(std::memory_order_relaxed) - counted_twice(one);
    }
    if (!base_detail::guarded_call([&] { visit(found); })) {
      return fail(errc::threw, base_detail::visitor_threw);
    }
  }
}

void store_core::tell_apart(failure_chain& chain) noexcept {
  const auto differ_in_settings = [](const slot& a, const slot& b) {
    return a.part == b.part && a.type == b.type && a.settings != b.settings;
  };
  for (std::size_t i = 0; i < chain.length; ++i) {
    const slot& one = *chain.links[i];
    for (std::size_t j = 0; j < chain.length; ++j) {
      const slot& other = *chain.links[j];
      const bool same_name = other.path.text == one.path.text && other.part == one.part;
      if (j != i && same_name) chain.types[i] = type_name_of(one);
    }
    const slot* each = table_.first_of(one.path);
    while (each != nullptr && !differ_in_settings(*each, one)) each = slot_table::next_of(*each);
    if (each != nullptr) chain.settings[i] = one.settings;
  }
}

// What made that fail may have failed again since, for another reason.
error store_core::failure_of(const slot& failed) noexcept {
  const slot* last = &failed;
  each_to_blame(failed, [&](const slot& one) {
    if (one.now.state != asset_state::ready) last = &one;
    return one.now.state != asset_state::ready;
  });
  return last->failure;
}

failure_chain store_core::chain_of(const slot& failed, bool or_before) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  failure_chain chain;
  const slot* first = &failed;
  const slot& reloaded = reloaded_last(failed);
  if (failed.now.state == asset_state::ready && !reloaded.last_reload) {
    chain.add(&failed);
    if (&reloaded != &failed) chain.add(&reloaded);
    chain.why = reloaded.last_reload.error();
    chain.at = reloaded.failed_at;
    first = reloaded.reload_failed_need;
    if (first == nullptr) tell_apart(chain);
  } else if (failed.now.state != asset_state::failed && !(or_before && failed.has_failed)) {
    return chain;
  }
  if (first == nullptr) return chain;
  each_to_blame(*first, [&](const slot& one) {
    if (chain.has(&one)) return false;
    const asset_state state = one.now.state;
    chain.add(&one);
    // It may have been given up since, which leaves its failure, or have loaded.
    chain.has_come = state == asset_state::ready;
    if (chain.has_come) return false;
    chain.why = one.failure;
    chain.at = one.failed_at;
    return true;
  });
  tell_apart(chain);
  const slot& last = *chain.links[chain.length - 1];
  if (last.of == nullptr) chain.namesake = namesake_of(last.type);
  return chain;
}

failure_chain store_core::chain_of(std::uint32_t subject) noexcept {
  const slot* const found = slot_of(subject);
  return found != nullptr ? chain_of(*found, true) : failure_chain();
}

bool store_core::owns(const void* handle) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return table_.slot_at_address(handle) != nullptr;
}

bool store_core::needs_pump(const barricade& settled) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  const slot* const one = table_.slot_at_address(&settled);
  if (one == nullptr || is_settled(one->now.state) || one->of == nullptr) return false;
  return !one->of->free_threaded || with_.jobs.concurrency() == 1;
}

const slot* store_core::slot_of(std::uint32_t subject) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  const std::size_t number = subject - first_asset_subject;
  return subject >= first_asset_subject && number < table_.size() ? &table_.at(number) : nullptr;
}

result<void> store_core::record(load_record& into) noexcept {
  struct loaded {
    std::uint64_t read_number;
    recorded_file file;
  };
  base_detail::vec<loaded> all(with_.memory, memory_tag::load);
  // A file of which several assets were made counts once.
  const auto is_first = [&](const slot& one) REQUIRES(lock_) {
    const slot* each = table_.first_of(one.path);
    for (; each != nullptr; each = slot_table::next_of(*each)) {
      if (each->was_loaded && each->of->reads && each->read_number < one.read_number) return false;
    }
    return true;
  };
  {
    const sync_detail::scoped_lock hold(lock_);
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const slot& one = table_.at(i);
      if (!one.was_loaded || !one.of->reads || !is_first(one)) continue;
      const recorded_file file{one.path.text, one.cost_ns / 1000, one.file_bytes};
      if (!all.push_back({one.read_number, file})) {
        return fail(errc::out_of_memory, "out of memory for a record");
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const loaded& a, const loaded& b) { return a.read_number < b.read_number; });
  for (const loaded& each : all) {
    if (result<void> added = into.add(each.file); !added) return added;
  }
  return {};
}

}  // namespace overture::assets_detail
