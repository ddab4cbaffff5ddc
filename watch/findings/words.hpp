// SPDX-License-Identifier: Zlib
//
// Pieces of sentences that findings have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "watch/model/load_view.hpp"
#include "watch/model/ordering.hpp"

namespace overture::watch {

// "the main thread", "thread loader"
[[nodiscard]] std::string thread_words(const watched_process& process, std::uint32_t thread);
// "at game+0x1234 (61 %), libx.so+0x20 and 3 other places"; by how long each took.
[[nodiscard]] std::string places_words(const watched_process& process,
                                       const std::map<std::uint64_t, std::uint64_t>& ns_by_caller);
// "a.png (12), b.png (3) and 40 more", of names with numbers; the largest first.
[[nodiscard]] std::string names_words(const watched_process& process,
                                      const std::map<std::uint32_t, std::uint64_t>& by_name,
                                      std::string (*text_of)(std::uint64_t));
// Of a part in a whole.
[[nodiscard]] std::string share_text(std::uint64_t ns, std::uint64_t of_ns);
[[nodiscard]] std::string count_text(std::uint64_t number);
[[nodiscard]] std::string time_text(std::uint64_t ns);
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

// The entries of a map with the largest values first.
template <class Key>
std::vector<std::pair<Key, std::uint64_t>> largest_first(const std::map<Key, std::uint64_t>& of) {
  std::vector<std::pair<Key, std::uint64_t>> list(of.begin(), of.end());
  order(list, [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

}  // namespace overture::watch
