// SPDX-License-Identifier: Zlib
//
// Shared by the files of the ZIP format.
#pragma once

#include <cstdint>
#include <span>

#include "archives/archive.hpp"

namespace overture::archives_detail {

// Where an entry's bytes are, without the source.
[[nodiscard]] file_place zip_place(const archive_entry& entry) noexcept;

// See file_system::packed_part().
[[nodiscard]] result<std::span<const std::byte>> zip_packed_part(
    const file_place& place, std::span<const std::byte> read) noexcept;

}  // namespace overture::archives_detail
