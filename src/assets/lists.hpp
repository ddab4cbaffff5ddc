// SPDX-License-Identifier: Zlib
//
// Lists whose elements link themselves: a T has `in`, `before`, `after` and `number`, and for lines
// `priority`.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "overture/assets/asset_store.hpp"

namespace overture::assets_detail {

// An element can leave from the middle. It is in one list at most.
template <class T>
struct linked_list {
  T* front = nullptr;
  T* back = nullptr;
  std::size_t size = 0;

  void push_back(T& one) noexcept { insert(one, back, nullptr); }
  void push_front(T& one) noexcept { insert(one, nullptr, front); }
  // Into a list that is in order of `number`, as the last or the first of its number: the cost is
  // the way from the nearer end.
  void insert_last_of_number(T& one) noexcept { insert_before_number(one, one.number + 1); }
  void insert_first_of_number(T& one) noexcept { insert_before_number(one, one.number); }
  // After one of this list; null: as the first.
  void insert_after(T& one, T* prior) noexcept {
    insert(one, prior, prior != nullptr ? prior->after : front);
  }
  void remove(T& one) noexcept {
    (one.before ? one.before->after : front) = one.after;
    (one.after ? one.after->before : back) = one.before;
    one.in = nullptr;
    --size;
  }
  T* pop_front() noexcept {
    T* const first = front;
    if (first != nullptr) remove(*first);
    return first;
  }

 private:
  // Before the first that has this number or a higher one.
  void insert_before_number(T& one, std::uint64_t number) noexcept {
    T* next = front;
    for (T* prior = back;; prior = prior->before, next = next->after) {
      if (prior == nullptr || prior->number < number) return insert_after(one, prior);
      if (next->number >= number) return insert(one, next->before, next);
    }
  }
  void insert(T& one, T* before, T* after) noexcept {
    one.in = this;
    one.before = before;
    one.after = after;
    (before ? before->after : front) = &one;
    (after ? after->before : back) = &one;
    ++size;
  }
};

inline constexpr std::size_t priorities_of_class = 64;
inline constexpr std::size_t background_class = 0;

[[nodiscard]] constexpr std::size_t class_of(asset_priority priority) noexcept {
  return static_cast<std::size_t>(priority) / priorities_of_class;
}
// The one that a class is named for.
[[nodiscard]] constexpr asset_priority name_of_class(std::size_t which) noexcept {
  return static_cast<asset_priority>(which * priorities_of_class + priorities_of_class / 2);
}

// Whether its turn is before that of the other.
template <class T>
[[nodiscard]] bool comes_before(const T& one, const T& other) noexcept {
  return one.priority != other.priority ? one.priority > other.priority : one.number < other.number;
}

struct priority_classes {
  std::size_t least = background_class;
  std::size_t most = asset_priority_class_count - 1;
};

// One list for each priority: whatever is in them, each of these takes a few instructions.
template <class T>
class priority_lines {
 public:
  // To put something in.
  [[nodiscard]] linked_list<T>& of(asset_priority priority) noexcept {
    const auto index = static_cast<std::size_t>(priority);
    filled_[class_of(priority)] |= std::uint64_t{1} << index % priorities_of_class;
    return lists_[index];
  }
  void push_back(T& one) noexcept { of(one.priority).push_back(one); }
  void insert_in_order(T& one) noexcept { of(one.priority).insert_last_of_number(one); }
  [[nodiscard]] T* first_of(std::size_t which) const noexcept {
    while (filled_[which] != 0) {
      const std::size_t step = highest(filled_[which]);
      if (T* const front = lists_[which * priorities_of_class + step].front) return front;
      filled_[which] &= ~(std::uint64_t{1} << step);
    }
    return nullptr;
  }
  // The first element of these classes; null if there is no such element.
  [[nodiscard]] T* first(priority_classes of_these = {}) const noexcept {
    for (std::size_t i = of_these.most + 1; i-- > of_these.least;) {
      if (T* const found = first_of(i)) return found;
    }
    return nullptr;
  }
  T* pop(priority_classes of_these = {}) noexcept {
    T* const found = first(of_these);
    if (found != nullptr) found->in->remove(*found);
    return found;
  }
  [[nodiscard]] bool has(const T& one) const noexcept {
    return one.in == &lists_[static_cast<std::size_t>(one.priority)];
  }
  // One that they have, with another priority: it becomes the last of that, so `number` must be
  // higher than any other.
  void move(T& one, asset_priority to, std::uint64_t number) noexcept {
    one.in->remove(one);
    one.priority = to;
    one.number = number;
    push_back(one);
  }
  [[nodiscard]] bool empty() const noexcept { return first() == nullptr; }
  // The one after it, of the same class; null after the last.
  [[nodiscard]] T* after(const T& one) const noexcept {
    if (one.after != nullptr) return one.after;
    const std::size_t which = class_of(one.priority);
    const std::size_t step = static_cast<std::size_t>(one.priority) % priorities_of_class;
    std::uint64_t left = filled_[which] & ((std::uint64_t{1} << step) - 1);
    while (left != 0) {
      const std::size_t next = highest(left);
      if (T* const front = lists_[which * priorities_of_class + next].front) return front;
      left &= ~(std::uint64_t{1} << next);
    }
    return nullptr;
  }
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < asset_priority_class_count; ++i) sum += size_of(i);
    return sum;
  }
  [[nodiscard]] std::size_t size_of(std::size_t which) const noexcept {
    std::size_t sum = 0;
    each_list(which, [&](const linked_list<T>& list) { sum += list.size; });
    return sum;
  }

 private:
  [[nodiscard]] static std::size_t highest(std::uint64_t bits) noexcept {
    return priorities_of_class - 1 - static_cast<std::size_t>(std::countl_zero(bits));
  }
  template <class Visit>
  void each_list(std::size_t which, Visit visit) const {
    for (std::uint64_t left = filled_[which]; left != 0;) {
      const std::size_t step = highest(left);
      left &= ~(std::uint64_t{1} << step);
      visit(lists_[which * priorities_of_class + step]);
    }
  }

  std::array<linked_list<T>, asset_priority_class_count * priorities_of_class> lists_;
  // Which lists of a class may have something: a bit stays until first_of() finds its list empty.
  mutable std::array<std::uint64_t, asset_priority_class_count> filled_{};
};

}  // namespace overture::assets_detail
