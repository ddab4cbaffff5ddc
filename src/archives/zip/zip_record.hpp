// SPDX-License-Identifier: Zlib
//
// What the fields of a ZIP directory's records mean. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "archives/archive.hpp"
#include "archives/zip/zip_directory.hpp"

namespace overture::archives_detail {

enum class zip_kind : std::uint8_t { file, folder, link, special };

[[nodiscard]] zip_kind kind_of(const zip_record& record) noexcept;

// The name in UTF-8 if the record has one, otherwise in whatever encoding.
[[nodiscard]] std::string_view name_of(const zip_record& record) noexcept;

[[nodiscard]] entry_origin origin_of(const zip_record& record) noexcept;

// False if the method is unsupported.
[[nodiscard]] bool to_compression(std::uint16_t zip_method, compression& method) noexcept;

// `encrypted` means that nothing else is wrong.
[[nodiscard]] entry_flaw flaw_of(const zip_record& record) noexcept;

// Whether a local header can be this entry's.
[[nodiscard]] bool is_header_of(const zip_local_header& header, std::uint64_t packed_bytes,
                                std::uint32_t crc32) noexcept;

}  // namespace overture::archives_detail
