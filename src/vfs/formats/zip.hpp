// What the files of the ZIP format share.
#pragma once

#include <cstdint>
#include <span>

#include "vfs/formats/archive.hpp"

namespace overture::vfs {

// Where the bytes of an entry lie, but for the source.
[[nodiscard]] file_place zip_place(const archive_entry& entry) noexcept;

// See file_system::packed_part().
[[nodiscard]] result<std::span<const std::byte>> zip_packed_part(
    const file_place& place, std::span<const std::byte> read) noexcept;

// Makes of each entry in `links` (ascending numbers; those taken back are left alone) one of the
// file that the link leads to, and takes back the links that lead to none. Errors: out_of_memory,
// limit.
[[nodiscard]] result<void> resolve_zip_links(std::span<const std::uint32_t> links,
                                             const path_index& index, operating_system& os,
                                             archive& into, archive_builder& builder) noexcept;

}  // namespace overture::vfs
