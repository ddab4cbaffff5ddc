// The pages of Ogg files, to be changed.
#pragma once

#include <ogg/ogg.h>

#include <cstddef>
#include <cstdint>

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

// Adds `more` to the numbers that pages state, from page `first` on.
inline bytes with_page_numbers_from(const bytes& file, std::size_t first, std::uint32_t more) {
  bytes changed;
  for_each_page(file, [&](std::size_t number, bytes page) {
    if (number >= first) {
      put_u32(page, 18, number + more);
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

inline bytes without_page(const bytes& file, std::size_t left_out) {
  bytes changed;
  for_each_page(file, [&](std::size_t number, const bytes& page) {
    if (number != left_out) changed.insert(changed.end(), page.begin(), page.end());
  });
  return changed;
}

}  // namespace overture::test
