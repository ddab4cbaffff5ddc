// SPDX-License-Identifier: Zlib
//
// The pages of Ogg files, to be changed.
#pragma once

#include <ogg/ogg.h>

#include <cstddef>
#include <cstdint>

#include "base/little_endian.hpp"
#include "decoders/damage.hpp"

namespace overture::test {

// Calls visit(number, page) for each page of an Ogg file.
template <class Visit>
void for_each_page(const bytes& file, Visit&& visit) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < file.size(); ++number) {
    const std::size_t segments = std::to_integer<std::size_t>(file.at(at + 26));
    std::size_t size = 27 + segments;
    for (std::size_t i = 0; i < segments; ++i) {
      size += std::to_integer<std::size_t>(file.at(at + 27 + i));
    }
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
    visit(number, bytes(begin, begin + static_cast<std::ptrdiff_t>(size)));
    at += size;
  }
}

// The file with change(number, page) called for each page from `first` on.
template <class Change>
bytes with_pages_changed_from(const bytes& file, std::size_t first, Change&& change) {
  bytes changed;
  for_each_page(file, [&](std::size_t number, bytes page) {
    if (number >= first) {
      change(number, page);
      auto* const header = reinterpret_cast<unsigned char*>(page.data());
      const long header_bytes = 27 + header[26];
      ogg_page sealed{header, header_bytes, header + header_bytes,
                      static_cast<long>(page.size()) - header_bytes};
      ogg_page_checksum_set(&sealed);
    }
    changed.insert(changed.end(), page.begin(), page.end());
  });
  return changed;
}

// Adds `more` to the numbers that pages state, from page `first` on.
inline bytes with_page_numbers_from(const bytes& file, std::size_t first, std::uint32_t more) {
  return with_pages_changed_from(
      file, first, [more](std::size_t number, bytes& page) { put_u32(page, 18, number + more); });
}

// Takes `less` from the positions that pages state, from page `first` on.
inline bytes with_positions_less_from(const bytes& file, std::size_t first, std::uint32_t less) {
  return with_pages_changed_from(file, first, [less](std::size_t, bytes& page) {
    put_u32(page, 6, base_detail::load_u32(page.data() + 6) - less);
  });
}

inline bytes without_page(const bytes& file, std::size_t left_out) {
  bytes changed;
  for_each_page(file, [&](std::size_t number, const bytes& page) {
    if (number != left_out) changed.insert(changed.end(), page.begin(), page.end());
  });
  return changed;
}

}  // namespace overture::test
