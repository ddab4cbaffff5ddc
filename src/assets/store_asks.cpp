// SPDX-License-Identifier: Zlib
//
// What the program asks a store for.
#include <algorithm>

#include "assets/store_core.hpp"
#include "vfs/tree/path_key.hpp"

namespace overture::assets_detail {

namespace {

constexpr error store_ends{.code = errc::cancelled, .reason = "the store ends"};
constexpr error no_loader{.code = errc::unsupported,
                          .reason = "the store has no loader for this type: add() one"};

}  // namespace

loader_entry* store_core::namesake_of(const type_key& type) noexcept {
  for (loader_entry* each = loaders_; each != nullptr; each = each->next) {
    if (each->type.id == type.id && each->type != type) return each;
  }
  return nullptr;
}

loader_entry* store_core::loader_of(const type_key& type) noexcept {
  for (loader_entry* each = loaders_; each != nullptr; each = each->next) {
    if (each->type == type) return each;
  }
  return nullptr;
}

slot* store_core::find_or_add(const asset_path& path, const asset_wanted& what) noexcept {
  const std::size_t before = table_.size();
  const vfs_detail::path_key key(path, with_.ignores_case);
  slot* const found = table_.find_or_add(key.fits() ? key : path, what);
  if (found != nullptr && table_.size() != before) {
    found->store = this;
    found->subject = first_asset_subject + static_cast<std::uint32_t>(before);
    counts_.put_in(*found);
  }
  return found;
}

slot* store_core::ask(const asset_path& path, const asset_wanted& what, asset_priority priority,
                      const asking& how) noexcept {
  actions todo;
  slot* found = nullptr;
  {
    const sync_detail::scoped_lock hold(lock_);
    found = find_or_add(path, what);
    if (found == nullptr) return nullptr;
    add_handle(*found);
    const asset_priority asked_with = how.parent != nullptr ? how.parent->priority : priority;
    const bool is_unloaded = found->now.state == asset_state::unloaded;
    if (is_unloaded) found->wanted = asset_priority{};
    if (is_unloaded && how.parent == nullptr) ++words_;
    const bool others_want_it = how.needs() || (how.group != nullptr && join(*how.group, *found));
    if (!others_want_it) found->wanted = std::max(found->wanted, asked_with);
    want(*found, asked_with, how.flaw, todo);
    if (how.needs()) {
      note_need(*how.parent, *found, how.as, todo);
      todo.wakes_main |= has_reloads_ahead();  // it may wait for one
    } else if (how.parent != nullptr) {
      needs_.add_wanted(*how.parent, *found);
    }
  }
  perform(todo);
  return found;
}

void store_core::ask(slot& known, asset_priority priority) noexcept {
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    add_handle(known);
    if (known.now.state == asset_state::unloaded) {
      known.wanted = asset_priority{};
      ++words_;
    }
    known.wanted = std::max(known.wanted, priority);
    want(known, priority, nullptr, todo);
  }
  perform(todo);
}

bool store_core::hold_if_ready(slot& known) noexcept {
  actions todo;
  const sync_detail::scoped_lock hold(lock_);
  if (known.now.state != asset_state::ready) return false;
  add_handle(known);
  happens(known, life_event::asked, todo);  // which has nothing to do but leave what is kept
  return true;
}

slot* store_core::name(const asset_path& path, const asset_wanted& what) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return find_or_add(path, what);
}

const void* store_core::needed_by(slot& one, const overture::detail::asset_type& type) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  const type_key wanted = key_of(type);
  for (const need* each = one.needs; each != nullptr; each = each->next_of_parent) {
    const slot& child = *each->child;
    if (each->needed && child.type == wanted && child.path.id == one.path.id) {
      return child.shown.load(std::memory_order_acquire);
    }
  }
  return nullptr;
}

bool store_core::find_loader(slot& one) noexcept {
  if (one.of != nullptr) return true;
  one.of = loader_of(one.type);
  if (one.of == nullptr) return false;
  one.shown.store(one.of->placeholder, std::memory_order_relaxed);
  return true;
}

void store_core::want(slot& one, asset_priority priority, const error* flaw,
                      actions& todo) noexcept {
  if (one.now.state != asset_state::unloaded) {
    happens(one, life_event::asked, todo);
    return raise_all(one, priority, todo);
  }
  set_priority(one, priority);
  if (flaw != nullptr) one.is_bad_path = true;
  if (one.is_bad_path && flaw == nullptr) flaw = &one.failure;
  if (ending_) flaw = &store_ends;
  if (!find_loader(one)) flaw = namesake_of(one.type) != nullptr ? &other_type : &no_loader;
  if (flaw != nullptr) return fails(one, life_event::refused, *flaw, todo);
  happens(one, life_event::asked, todo);
}

void store_core::note_need(slot& parent, slot& child, naming as, actions& todo) noexcept {
  const bool may_fail = as == naming::need_or_placeholder;
  // Each once, or two that fail together would try each other again for ever.
  const bool retries = parent.retry != 0 && child.last_retry != parent.retry;
  if (retries && !is_settled(child)) {  // what it needs may have failed, and be held by others
    child.retry = child.last_retry = parent.retry;
  } else if (child.now.state == asset_state::failed && is_decided(child)) {
    if (!retries || child.is_bad_path || !find_loader(child)) {
      if (!may_fail) return blame(parent, child);
    } else {
      child.retry = child.last_retry = parent.retry;
      happens(child, life_event::retried, todo);
      raise_all(child, parent.priority, todo);
    }
  }
  if (const result<void> added = needs_.add(parent, child, may_fail); !added) {
    parent.failure = added.error();
    parent.failed_need = &parent;
    return;
  }
  // What others wait for is read before what nothing waits for, in the turn of what needs it.
  slot_lines* const line = line_of(child);
  if (line != nullptr) child.in->remove(child);
  child.number = std::min(child.number, parent.number);
  if (line == &to_read_ || line == &needed_) return put_in_needed(child);
  if (line != nullptr) line->insert_in_order(child);
}

// What has the same turn comes in a row, and several turns at once, so the last of this turn is
// mostly known: where others with many needs wait too, to look for it would take long.
void store_core::put_in_needed(slot& one) noexcept {
  slot_list& to = needed_.of(one.priority);
  slot*& last = last_needed_[one.number % last_needed_.size()];
  if (last != nullptr && last->in == &to && last->number == one.number) {
    to.insert_after(one, last);
  } else {
    to.insert_last_of_number(one);
  }
  last = &one;
}

void store_core::flawed(slot& one, const error& why) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  one.failure = why;
  one.failed_need = &one;
}

void store_core::retry(slot& failed) noexcept {
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (failed.now.state != asset_state::failed) return;
    retry_circles();
    ++words_;
    ++retries_;
    // What made it fail is tried again when it is asked for: see note_need(). One that can't be
    // loaded stays failed.
    if (!failed.is_bad_path && find_loader(failed)) {
      failed.retry = failed.last_retry = retries_;
      happens(failed, life_event::retried, todo);
    }
  }
  perform(todo);
}

result<void> store_core::status_of(const slot& one) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  switch (one.now.state) {
    case asset_state::ready:
      return {};
    case asset_state::failed:
      return tl::unexpected<error>(failure_of(one));
    default:
      return fail(errc::busy, "the asset is loading");
  }
}

bool store_core::is_cancelled(const slot& one) noexcept {
  if (!is_held(one)) return true;
  const sync_detail::scoped_lock hold(lock_);
  return ending_;
}

}  // namespace overture::assets_detail
