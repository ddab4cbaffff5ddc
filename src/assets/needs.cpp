// SPDX-License-Identifier: Zlib
#include "assets/needs.hpp"

#include <new>
#include <utility>

namespace overture::assets_detail {

namespace {

// The asset whose value this slot brings.
slot& asset_of(slot& one) noexcept {
  return one.reload_of != nullptr ? *one.reload_of : one;
}

constexpr error in_a_circle{.code = errc::invalid, .reason = "they need each other in a circle"};

// Others may take and drop handles all the time.
std::uint32_t handles_of(const slot& one) noexcept {
  return one.handles.load(std::memory_order_relaxed);
}

// It waits to be judged, so what looks like a circle need not stay one.
bool is_in_doubt(const slot& one) noexcept {
  const need* each = one.needs;
  while (each != nullptr && !each->doubtful) each = each->next_of_parent;
  return each != nullptr;
}

}  // namespace

needs::~needs() {
  while (need* const one = free_) {
    free_ = one->next_of_parent;
    memory_.deallocate(one, sizeof(need), alignof(need), memory_tag::load);
  }
}

slot* needs::settle(slot& child) noexcept {
  slot* freed = nullptr;
  ++visits_;
  for (need* one = child.needed_by; one != nullptr; one = one->next_of_child) {
    if (!one->pending || one->doubtful) continue;
    one->pending = false;
    slot& parent = *one->parent;
    --parent.pending_needs;
    const bool is_first = parent.visit != visits_;  // it may need the child twice
    parent.lacks = !one->may_fail || (!is_first && parent.lacks);
    if (!is_first) continue;
    parent.visit = visits_;
    parent.walk_next = freed;
    freed = &parent;
  }
  return freed;
}

void needs::meet(slot& one, walk& in) const noexcept {
  if (one.visit == visits_) return;
  one.visit = visits_;
  one.walk_next = nullptr;
  (in.last != nullptr ? in.last->walk_next : in.first) = &one;
  in.last = &one;
}

slot* needs::waited_for(slot& from) noexcept {
  walk all = begin_walk();
  meet(from, all);
  for (slot* here = &from; here != nullptr; here = here->walk_next) {
    for (need* one = here->needs; one != nullptr; one = one->next_of_parent) {
      if (one->pending) meet(*one->child, all);
    }
  }
  return &from;
}

// --- Circles -------------------------------------------------------------------------------------

// Whether its parent is to be loaded again, so that it may not need this any more. One that the
// store does not try any more keeps what it needs.
bool needs::is_old(const need& one) const noexcept {
  const slot& parent = *one.parent;
  const slot& asset = parent.reload_of != nullptr ? *parent.reload_of : parent;
  // What is being loaded is of the newest file.
  const bool is_in_memory = &parent == &asset && is_settled(parent);
  const bool is_tried_again = is_in_memory && may_be_opened(parent) && parent.tries < tries_max;
  return asset.changed || parent.reload != nullptr || is_tried_again;
}

// Does `child` need `parent`, directly or by way of others? Looks from below, because few assets
// need one that is being decoded.
bool needs::reaches(const slot& child, slot& parent, bool by_old_needs, bool& met_old) noexcept {
  ++visits_;
  slot* last = &asset_of(parent);
  last->visit = visits_;
  last->walk_next = nullptr;
  for (slot* here = last; here != nullptr; here = here->walk_next) {
    if (here == &child) return true;
    for (need* one = here->needed_by; one != nullptr; one = one->next_of_child) {
      slot& above = asset_of(*one->parent);
      if (!one->needed || above.visit == visits_) continue;
      if (unranked_ == 0 && above.rank <= child.rank && &above != &child) continue;
      if (!by_old_needs && is_old(*one)) {
        met_old = true;
        continue;
      }
      above.visit = visits_;
      above.walk_next = nullptr;
      last->walk_next = &above;
      last = &above;
    }
  }
  return false;
}

circle needs::closes(slot& parent, const slot& child) noexcept {
  // Most are asked for before they need anything, so a chain of needs costs no walk for each link.
  const bool needs_nothing =
      child.needs == nullptr && (child.reload == nullptr || child.reload->needs == nullptr);
  if (needs_nothing || (unranked_ == 0 && asset_of(parent).rank < child.rank)) return circle::none;
  bool met_old = false;
  if (reaches(child, parent, false, met_old)) return circle::certain;
  return met_old && reaches(child, parent, true, met_old) ? circle::doubtful : circle::none;
}

// Makes the ranks allow a need that closes no circle.
void needs::put_below(slot& parent_or_reload, slot& child) noexcept {
  slot& parent = asset_of(parent_or_reload);
  if (parent.rank < child.rank) return;
  const need* above = parent.needed_by;
  while (above != nullptr && !above->needed) above = above->next_of_child;
  if (above == nullptr) {
    parent.rank = child.rank - 1;
    return;
  }
  ++visits_;
  child.rank = parent.rank + 1;
  child.visit = visits_;
  child.walk_next = nullptr;
  slot* last = &child;
  for (slot* here = &child; here != nullptr; here = here->walk_next) {
    here->visit = 0;  // it may come again
    for (slot* const values : {here, here->reload}) {
      for (need* one = values ? values->needs : nullptr; one != nullptr;
           one = one->next_of_parent) {
        slot& below = *one->child;
        if (!one->needed || one->doubtful || below.rank > here->rank) continue;
        below.rank = here->rank + 1;
        if (below.visit == visits_) continue;
        below.visit = visits_;
        below.walk_next = nullptr;
        last->walk_next = &below;
        last = &below;
      }
    }
  }
}

void needs::note_circle(slot& parent) noexcept {
  parent.circle_at = saves_;
  had_circles_ = true;
}

slot* needs::judge() noexcept {
  need* undecided = std::exchange(doubts_, nullptr);
  slot* freed = nullptr;
  while (need* const one = undecided) {
    undecided = one->next_doubt;
    slot& parent = *one->parent;
    const circle found = closes(parent, *one->child);
    if (found == circle::doubtful) {
      one->next_doubt = doubts_;
      doubts_ = one;
      continue;
    }
    one->doubtful = false;
    --unranked_;
    if (found == circle::none) put_below(parent, *one->child);
    if (found == circle::none && !is_decided(*one->child)) continue;
    --parent.pending_needs;
    if (parent.pending_needs == 0) {
      parent.woken_next = freed;
      freed = &parent;
    }
    if (found == circle::certain) {
      parent.failure = in_a_circle;
      parent.failed_need = &parent;
      note_circle(parent);
      give_up(*one);
    } else {
      one->pending = false;
      const bool failed = one->child->state.load(std::memory_order_relaxed) == asset_state::failed;
      if (failed && !one->may_fail) blame(parent, *one->child);
    }
  }
  return freed;
}

// --- Their records -------------------------------------------------------------------------------

need* needs::take() noexcept {
  need* one = free_;
  if (one != nullptr) {
    free_ = one->next_of_parent;
    return one;
  }
  void* const place = memory_.allocate(sizeof(need), alignof(need), memory_tag::load);
  return place == nullptr ? nullptr : ::new (place) need;
}

void needs::link(need& one, need*& of_parent, need*& of_child) noexcept {
  one.next_of_parent = of_parent;
  one.before_of_child = nullptr;
  one.next_of_child = of_child;
  if (one.next_of_child != nullptr) one.next_of_child->before_of_child = &one;
  of_parent = of_child = &one;
}

void needs::unlink_child(need& one, need*& of_child) noexcept {
  (one.before_of_child ? one.before_of_child->next_of_child : of_child) = one.next_of_child;
  if (one.next_of_child != nullptr) one.next_of_child->before_of_child = one.before_of_child;
}

// It has left the list of its parent.
void needs::let_go(need& one, need*& of_child, bool holds) noexcept {
  unlink_child(one, of_child);
  if (holds) overture::detail::drop_handle(*one.child);
  one.next_of_parent = free_;
  free_ = &one;
}

// One that is in no list of doubts.
void needs::give_up(need& one) noexcept {
  need** place = &one.parent->needs;
  while (*place != &one) place = &(*place)->next_of_parent;
  *place = one.next_of_parent;
  let_go(one, one.child->needed_by, true);
}

result<void> needs::add(slot& parent, slot& child, bool may_fail) noexcept {
  if (&asset_of(parent) == &child) return fail(errc::invalid, "it needs itself");
  const circle closed = closes(parent, child);
  if (closed == circle::certain) {
    note_circle(parent);
    return tl::unexpected<error>(in_a_circle);
  }
  need* const one = take();
  if (one == nullptr) return fail(errc::out_of_memory, "out of memory for an asset");
  const bool doubtful = closed == circle::doubtful;
  const bool pending = doubtful || !is_decided(child);
  *one = {.parent = &parent,
          .child = &child,
          .needed = true,
          .may_fail = may_fail,
          .pending = pending,
          .doubtful = doubtful};
  link(*one, parent.needs, child.needed_by);
  if (doubtful) {
    one->next_doubt = std::exchange(doubts_, one);
    ++unranked_;
  } else {
    put_below(parent, child);
  }
  if (pending) ++parent.pending_needs;
  child.handles.fetch_add(1, std::memory_order_relaxed);
  return {};
}

void needs::add_wanted(slot& parent, slot& child) noexcept {
  need* const one = take();
  if (one == nullptr) return;
  *one = {.parent = &parent, .child = &child};
  link(*one, parent.needs, child.needed_by);
}

void needs::exchange(slot& one, slot& other) noexcept {
  std::swap(one.needs, other.needs);
  std::swap(one.pending_needs, other.pending_needs);
  for (slot* parent : {&one, &other}) {
    for (need* each = parent->needs; each != nullptr; each = each->next_of_parent) {
      each->parent = parent;
    }
  }
}

void needs::remove_all(slot& parent) noexcept {
  while (need* const one = parent.needs) {
    if (one->doubtful) {
      need** place = &doubts_;
      while (*place != one) place = &(*place)->next_doubt;
      *place = one->next_doubt;
      --unranked_;
    }
    parent.needs = one->next_of_parent;
    let_go(*one, one->child->needed_by, one->needed);
  }
  parent.pending_needs = 0;
}

// --- Of what has failed --------------------------------------------------------------------------

void needs::keep_failed(slot& parent) noexcept {
  for (need** place = &parent.needs; *place != nullptr;) {
    need& one = **place;
    if (!one.needed || one.pending) {
      place = &one.next_of_parent;
      continue;
    }
    *place = one.next_of_parent;
    unlink_child(one, one.child->needed_by);
    one.needed = false;
    link(one, parent.failed_with, one.child->failed_parents);
  }
}

void needs::keep_failed(slot& parent, slot& child) noexcept {
  need* const one = take();
  if (one == nullptr) return;
  *one = {.parent = &parent, .child = &child};
  link(*one, parent.failed_with, child.failed_parents);
  child.handles.fetch_add(1, std::memory_order_relaxed);
}

void needs::move_failed(slot& from, slot& to) noexcept {
  to.failed_with = std::exchange(from.failed_with, nullptr);
  for (need* one = to.failed_with; one != nullptr; one = one->next_of_parent) one->parent = &to;
}

void needs::forget_failed(slot& parent) noexcept {
  while (need* const one = parent.failed_with) {
    parent.failed_with = one->next_of_parent;
    let_go(*one, one->child->failed_parents, true);
  }
}

// --- What only others keep alive -----------------------------------------------------------------

std::uint64_t needs::kept_alive_by(slot& root) noexcept {
  std::uint64_t bytes = root.value != nullptr ? root.value_bytes : 0;
  if (root.needs == nullptr) return bytes;
  constexpr std::uint32_t joined = UINT32_MAX;
  constexpr unsigned levels_max = 64;
  unsigned levels = 0;
  const slot* last_of_level = &root;
  ++visits_;
  root.visit = visits_;
  root.seen_handles = joined;
  root.walk_next = nullptr;
  slot* last = &root;
  for (slot* here = &root; here != nullptr; here = here->walk_next) {
    for (need* one = here->needs; one != nullptr; one = one->next_of_parent) {
      slot& child = *one->child;
      if (child.visit != visits_) child.seen_handles = 0;
      child.visit = visits_;
      if (child.seen_handles == joined) continue;
      child.seen_handles += one->handles();
      if (handles_of(child) > child.seen_handles) continue;
      child.seen_handles = joined;
      child.walk_next = nullptr;
      last->walk_next = &child;
      last = &child;
      // What is in flight counts already.
      if (child.now.state == asset_state::ready) bytes += child.value_bytes;
    }
    if (here != last_of_level) continue;
    if (++levels == levels_max) break;
    last_of_level = last;
  }
  return bytes;
}

void needs::holders::look_at(slot& one) noexcept {
  std::uint32_t explained = 0;
  for (const need* each = one.needed_by; each != nullptr; each = each->next_of_child) {
    explained += each->handles();
  }
  for (const need* each = one.failed_parents; each != nullptr; each = each->next_of_child) {
    ++explained;
  }
  const std::uint32_t handles = handles_of(one);
  if (handles == 0) {
    one.held_by = one.now.in == place::kept ? asset_holder::store : asset_holder::nothing;
  } else if (one.reload_of != nullptr || one.reload != nullptr || one.now.settling ||
             is_in_doubt(one)) {
    one.held_by = asset_holder::store;
  } else {
    one.held_by = handles > explained ? asset_holder::handle : asset_holder::circle;
  }
  // What was let go of holds others until the store has looked at it.
  if (one.held_by != asset_holder::circle) {
    one.walk_next = found_;
    found_ = &one;
  }
}

void needs::holders::follow() noexcept {
  while (slot* const here = found_) {
    found_ = here->walk_next;
    for (need* const first : {here->needs, here->failed_with}) {
      for (need* one = first; one != nullptr; one = one->next_of_parent) {
        slot& child = *one->child;
        if (child.held_by != asset_holder::circle) continue;
        child.held_by = asset_holder::asset;
        child.walk_next = found_;
        found_ = &child;
      }
    }
  }
}

}  // namespace overture::assets_detail
