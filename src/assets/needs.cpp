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

// Others may take and drop handles all the time.
std::uint32_t handles_of(const slot& one) noexcept {
  return one.handles.load(std::memory_order_relaxed);
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
    if (!one->pending) continue;
    one->pending = false;
    slot& parent = *one->parent;
    --parent.pending_needs;
    if (parent.visit == visits_) continue;  // it needs the child twice
    parent.visit = visits_;
    parent.walk_next = freed;
    freed = &parent;
  }
  return freed;
}

slot* needs::waited_for(slot& from) noexcept {
  ++visits_;
  from.visit = visits_;
  from.walk_next = nullptr;
  slot* last = &from;
  for (slot* here = &from; here != nullptr; here = here->walk_next) {
    for (need* one = here->needs; one != nullptr; one = one->next_of_parent) {
      if (!one->pending || one->child->visit == visits_) continue;
      one->child->visit = visits_;
      one->child->walk_next = nullptr;
      last->walk_next = one->child;
      last = one->child;
    }
  }
  return &from;
}

// Does `child` need `parent`, directly or by way of others, as it is or once its reload has ended?
// Looks from below, because few assets need one that is being decoded.
bool needs::closes_circle(slot& parent, const slot& child) noexcept {
  ++visits_;
  slot* last = &asset_of(parent);
  last->visit = visits_;
  last->walk_next = nullptr;
  for (slot* here = last; here != nullptr; here = here->walk_next) {
    if (here == &child) return true;
    for (need* one = here->needed_by; one != nullptr; one = one->next_of_child) {
      slot& above = asset_of(*one->parent);
      if (!one->needed || above.visit == visits_) continue;
      above.visit = visits_;
      above.walk_next = nullptr;
      last->walk_next = &above;
      last = &above;
    }
  }
  return false;
}

need* needs::take() noexcept {
  need* one = free_;
  if (one != nullptr) {
    free_ = one->next_of_parent;
    return one;
  }
  void* const place = memory_.allocate(sizeof(need), alignof(need), memory_tag::load);
  return place == nullptr ? nullptr : ::new (place) need;
}

void needs::link(need& one) noexcept {
  one.next_of_parent = one.parent->needs;
  one.before_of_child = nullptr;
  one.next_of_child = one.child->needed_by;
  if (one.next_of_child != nullptr) one.next_of_child->before_of_child = &one;
  one.parent->needs = one.child->needed_by = &one;
}

result<void> needs::add(slot& parent, slot& child) noexcept {
  if (&asset_of(parent) == &child) return fail(errc::invalid, "it needs itself");
  if (closes_circle(parent, child)) {
    return fail(errc::invalid, "they need each other in a circle");
  }
  need* const one = take();
  if (one == nullptr) return fail(errc::out_of_memory, "out of memory for an asset");
  const bool pending = !is_settled(child);
  *one = {.parent = &parent, .child = &child, .needed = true, .pending = pending};
  link(*one);
  if (pending) ++parent.pending_needs;
  child.handles.fetch_add(1, std::memory_order_relaxed);
  return {};
}

void needs::add_wanted(slot& parent, slot& child) noexcept {
  need* const one = take();
  if (one == nullptr) return;
  *one = {.parent = &parent, .child = &child};
  link(*one);
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
    parent.needs = one->next_of_parent;
    (one->before_of_child ? one->before_of_child->next_of_child : one->child->needed_by) =
        one->next_of_child;
    if (one->next_of_child != nullptr) one->next_of_child->before_of_child = one->before_of_child;
    one->next_of_parent = free_;
    free_ = one;
    if (one->needed) overture::detail::drop_handle(*one->child);
  }
  parent.pending_needs = 0;
}

// --- What only others keep alive
// ------------------------------------------------------------------

std::uint64_t needs::kept_alive_by(slot& root) noexcept {
  std::uint64_t bytes = root.value != nullptr ? root.value_bytes : 0;
  if (root.needs == nullptr) return bytes;
  constexpr std::uint32_t joined = UINT32_MAX;
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
  }
  return bytes;
}

void needs::holders::look_at(slot& one) noexcept {
  std::uint32_t explained = 0;
  for (const need* each = one.needed_by; each != nullptr; each = each->next_of_child) {
    explained += each->handles();
  }
  const std::uint32_t handles = handles_of(one);
  if (handles == 0) {
    one.held_by = one.now.in == place::kept ? asset_holder::store : asset_holder::nothing;
  } else if (one.reload_of != nullptr || one.reload != nullptr || one.now.settling) {
    one.held_by = asset_holder::store;
  } else {
    one.held_by = handles > explained ? asset_holder::handle : asset_holder::circle;
  }
  if (one.held_by == asset_holder::handle || one.held_by == asset_holder::store) {
    one.walk_next = found_;
    found_ = &one;
  }
}

void needs::holders::follow() noexcept {
  while (slot* const here = found_) {
    found_ = here->walk_next;
    for (need* one = here->needs; one != nullptr; one = one->next_of_parent) {
      slot& child = *one->child;
      if (child.held_by != asset_holder::circle) continue;
      child.held_by = asset_holder::asset;
      child.walk_next = found_;
      found_ = &child;
    }
  }
}

}  // namespace overture::assets_detail
