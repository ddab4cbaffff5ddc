// SPDX-License-Identifier: Zlib
//
// Lists whose elements link themselves: a T has `in`, `before`, `after` and `number`, and for lines
// `priority`.
#pragma once

#include <array>
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
  // Into a list that is in order of `number`: the cost is the way from that end.
  void insert_from_back(T& one) noexcept {
    T* prior = back;
    while (prior != nullptr && prior->number > one.number) prior = prior->before;
    insert(one, prior, prior ? prior->after : front);
  }
  void insert_from_front(T& one) noexcept {
    T* next = front;
    while (next != nullptr && next->number < one.number) next = next->after;
    insert(one, next ? next->before : back, next);
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
  void insert(T& one, T* before, T* after) noexcept {
    one.in = this;
    one.before = before;
    one.after = after;
    (before ? before->after : front) = &one;
    (after ? after->before : back) = &one;
    ++size;
  }
};

struct asset_priorities {
  asset_priority least = asset_priority::background;
  asset_priority most = asset_priority::high;
};

// One list for each priority.
template <class T>
struct priority_lines {
  std::array<linked_list<T>, asset_priority_count> lines;

  [[nodiscard]] linked_list<T>& of(asset_priority priority) noexcept {
    return lines[static_cast<std::size_t>(priority)];
  }
  void push_back(T& one) noexcept { of(one.priority).push_back(one); }
  void insert_from_back(T& one) noexcept { of(one.priority).insert_from_back(one); }
  // The first element with the highest priority in this range; null if there is no such element.
  [[nodiscard]] T* first(asset_priorities of_these = {}) const noexcept {
    const auto least = static_cast<std::size_t>(of_these.least);
    for (std::size_t i = static_cast<std::size_t>(of_these.most) + 1; i-- > least;) {
      if (lines[i].front != nullptr) return lines[i].front;
    }
    return nullptr;
  }
  T* pop(asset_priorities of_these = {}) noexcept {
    T* const found = first(of_these);
    if (found != nullptr) found->in->remove(*found);
    return found;
  }
  [[nodiscard]] bool has(const T& one) noexcept { return one.in == &of(one.priority); }
  // One that they have, with another priority: it becomes the last of that line.
  void move(T& one, asset_priority to, std::uint64_t number) noexcept {
    of(one.priority).remove(one);
    one.priority = to;
    one.number = number;
    push_back(one);
  }
  [[nodiscard]] bool empty() const noexcept { return first() == nullptr; }
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t sum = 0;
    for (const linked_list<T>& each : lines) sum += each.size;
    return sum;
  }
};

}  // namespace overture::assets_detail
