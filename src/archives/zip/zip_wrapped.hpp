// SPDX-License-Identifier: Zlib
//
// Archives of more than 4 GiB by archivers that do not know Zip64, such as the Finder of macOS:
// they write offsets and sizes modulo 4 GiB.
//
// The entries of such an archive follow one another as the directory lists them. So the next local
// header is where its offset, plus some times 4 GiB, comes after the data of the entry before; if
// the header is not at the first such place, that entry is larger by 4 GiB for each step.
#pragma once

#include <cstdint>
#include <span>

#include "archives/zip/zip_directory.hpp"
#include "base/vec.hpp"

namespace overture::archives_detail {

struct zip_true_place {
  std::uint64_t header = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
};

// Fills a place for each record. False if the entries do not fit together, with the places cleared.
// Errors: out_of_memory, those of `read`.
[[nodiscard]] result<bool> find_wrapped_places(std::span<const std::byte> directory,
                                               std::uint64_t directory_offset, zip_reader read,
                                               base_detail::vec<zip_true_place>& places) noexcept;

}  // namespace overture::archives_detail
