// SPDX-License-Identifier: Zlib
#include "archives/zip/zip_record.hpp"

#include <algorithm>

#include "archives/names/unix_mode.hpp"
#include "archives/zip/zip_cipher.hpp"

namespace overture::archives_detail {
namespace {

// File types in the upper half of the attributes, if the archive was made on Unix.
constexpr unsigned unix_folder = 0040000;
constexpr unsigned unix_regular = 0100000;
constexpr unsigned dos_folder = 0x10;

bool made_on_unix(const zip_record& record) noexcept {
  const auto system = static_cast<zip_system>(record.made_on);
  return system == zip_system::posix || system == zip_system::darwin;
}

entry_flaw flaw_of_method(std::uint16_t zip_method) noexcept {
  switch (zip_method) {
    case zip_method_deflate64:
      return entry_flaw::deflate64;
    case zip_method_bzip2:
      return entry_flaw::bzip2;
    case zip_method_lzma:
      return entry_flaw::lzma;
    case zip_method_xz:
      return entry_flaw::xz;
    case zip_method_ppmd:
      return entry_flaw::ppmd;
    case zip_method_aes:
      return entry_flaw::strongly_encrypted;
    default:
      return entry_flaw::method;
  }
}

entry_flaw flaw_of_sizes(compression method, std::uint64_t packed, std::uint64_t bytes) noexcept {
  if (method == compression::none) {
    return bytes == packed ? entry_flaw::none : entry_flaw::stored_size;
  }
  const std::uint64_t ratio =
      method == compression::zstd ? limits::zstd_ratio_max : limits::deflate_ratio_max;
  return bytes / ratio <= packed ? entry_flaw::none : entry_flaw::ratio;
}

}  // namespace

// Archivers that read from a pipe mark the entry a pipe, and some write types that do not exist. If
// there is data, it is a file.
zip_kind kind_of(const zip_record& record) noexcept {
  switch (made_on_unix(record) ? record.attributes >> 16 & unix_kind_mask : 0) {
    case unix_folder:
      return zip_kind::folder;
    case unix_link:
      return zip_kind::link;
    case unix_regular:
      return zip_kind::file;
    case 0:
      return (record.attributes & dos_folder) != 0 && record.bytes == 0 ? zip_kind::folder
                                                                        : zip_kind::file;
    default:
      return record.bytes > 0 ? zip_kind::file : zip_kind::special;
  }
}

std::string_view name_of(const zip_record& record) noexcept {
  return record.unicode_name.empty() ? record.name : record.unicode_name;
}

entry_origin origin_of(const zip_record& record) noexcept {
  entry_origin origin = record.origin;
  origin.executable = made_on_unix(record) && (record.attributes >> 16 & unix_owner_runs) != 0;
  return origin;
}

bool to_compression(std::uint16_t zip_method, compression& method) noexcept {
  switch (zip_method) {
    case zip_method_stored:
      method = compression::none;
      return true;
    case zip_method_deflate:
      method = compression::deflate;
      return true;
    case zip_method_zstd:
    case zip_method_first_zstd:
      method = compression::zstd;
      return true;
    default:
      return false;
  }
}

entry_flaw flaw_of(const zip_record& record) noexcept {
  if (record.sizes_missing) return entry_flaw::sizes;
  if (record.in_another_part) return entry_flaw::in_parts;
  if ((record.flags & (zip_flag_strongly_encrypted | zip_flag_masked)) != 0) {
    return entry_flaw::strongly_encrypted;
  }
  compression method = compression::none;
  if ((record.flags & zip_flag_patch) != 0) return entry_flaw::method;
  if (!to_compression(record.method, method)) return flaw_of_method(record.method);
  if ((record.flags & zip_flag_encrypted) == 0) {
    return flaw_of_sizes(method, record.packed_bytes, record.bytes);
  }
  if (record.packed_bytes < zip_encryption_header_bytes) return entry_flaw::stored_size;
  const entry_flaw flaw =
      flaw_of_sizes(method, record.packed_bytes - zip_encryption_header_bytes, record.bytes);
  if (flaw != entry_flaw::none) return flaw;
  const std::uint64_t larger = std::max(record.bytes, record.packed_bytes);
  return larger > limits::block_bytes_max ? entry_flaw::encrypted_too_large : entry_flaw::encrypted;
}

bool is_header_of(const zip_local_header& header, std::uint64_t packed_bytes,
                  std::uint32_t crc32) noexcept {
  if ((header.flags & zip_flag_sizes_after_data) != 0) return true;
  const bool same_size = header.packed_bytes == (packed_bytes & UINT32_MAX) ||
                         header.packed_bytes == UINT32_MAX;  // in a Zip64 field
  return same_size && header.crc32 == crc32;
}

}  // namespace overture::archives_detail
