// SPDX-License-Identifier: Zlib
#include "assets/needs.hpp"

#include <new>
#include <utility>

namespace overture::assets_detail {

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

bool needs::waits(slot& from, const slot& to) noexcept {
  for (const slot* here = waited_for(from); here != nullptr; here = here->walk_next) {
    if (here == &to) return true;
  }
  return false;
}

result<void> needs::add(slot& parent, slot& child) noexcept {
  const bool pending = !is_settled(child);
  if (pending && &parent == &child) return fail(errc::invalid, "it needs itself");
  if (pending && waits(child, parent)) {
    return fail(errc::invalid, "they need each other in a circle");
  }
  need* one = free_;
  if (one != nullptr) {
    free_ = one->next_of_parent;
  } else {
    void* const place = memory_.allocate(sizeof(need), alignof(need), memory_tag::load);
    if (place == nullptr) return fail(errc::out_of_memory, "out of memory for an asset");
    one = ::new (place) need;
  }
  *one = {.parent = &parent,
          .child = &child,
          .pending = pending,
          .next_of_parent = parent.needs,
          .before_of_child = nullptr,
          .next_of_child = child.needed_by};
  if (child.needed_by != nullptr) child.needed_by->before_of_child = one;
  parent.needs = child.needed_by = one;
  if (pending) ++parent.pending_needs;
  child.handles.fetch_add(1, std::memory_order_relaxed);
  return {};
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
    overture::detail::drop_handle(*one->child);
  }
  parent.pending_needs = 0;
}

}  // namespace overture::assets_detail
