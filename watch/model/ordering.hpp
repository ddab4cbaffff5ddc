// SPDX-License-Identifier: Zlib
//
// Sorts and leaves what is alike in its order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace overture::watch {

template <class T, class Before>
void order(std::vector<T>& list, Before before) {
  std::vector<std::size_t> places(list.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return before(list[a], list[b]) || (!before(list[b], list[a]) && a < b);
  });
  std::vector<T> sorted;
  sorted.reserve(list.size());
  for (const std::size_t each : places) sorted.push_back(std::move(list[each]));
  list = std::move(sorted);
}

}  // namespace overture::watch
