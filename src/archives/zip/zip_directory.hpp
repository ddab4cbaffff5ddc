// SPDX-License-Identifier: Zlib
//
// Parses the records of a ZIP archive from bytes in memory.
//
// Source of the layout: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 (records), 4.4 (fields) and 4.5.3
// (Zip64). All functions are pure; the bytes may be hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "archives/names/entry_origin.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::archives_detail {

inline constexpr std::uint32_t zip_local_signature = 0x04034B50;
inline constexpr std::uint32_t zip_record_signature = 0x02014B50;
inline constexpr std::uint32_t zip_end_signature = 0x06054B50;
inline constexpr std::uint32_t zip_end64_signature = 0x06064B50;
inline constexpr std::uint32_t zip_locator_signature = 0x07064B50;
inline constexpr std::size_t zip_local_header_bytes = 30;
inline constexpr std::size_t zip_record_bytes = 46;
inline constexpr std::size_t zip_end_bytes = 22;
inline constexpr std::uint64_t zip_wrap = 1ull << 32;  // what 32 bits cannot say
// How far from the end of the file the end record can begin, with a Zip64 end record in front.
inline constexpr std::size_t zip_tail_bytes = 56 + 20 + zip_end_bytes + UINT16_MAX;
// A signature of the publisher, or anything else, may follow the archive in a program that unpacks
// itself: so much is searched there.
inline constexpr std::size_t zip_far_tail_bytes = 4u << 20;

using zip_reader = function_ref<result<void>(std::uint64_t offset, std::span<std::byte> bytes)>;

// What the end of an archive says about its directory. Unchecked, except that the directory is in
// front of the end records.
struct zip_end {
  std::uint64_t offset = 0;            // of the end records in the file
  std::uint64_t directory_offset = 0;  // as the archive states it
  std::uint64_t directory_bytes = 0;
  std::uint64_t entries = 0;
  bool entries_in_16_bits = true;  // `entries` may be the low bits of a larger number
};

// Goes through what looks like an end record in the tail of a file, from the end.
class zip_end_search {
 public:
  zip_end_search(std::span<const std::byte> tail, std::uint64_t file_bytes) noexcept
      : tail_(tail), file_bytes_(file_bytes), at_(tail.size()) {}

  // False if there are no more.
  [[nodiscard]] bool find_next() noexcept;
  // The one that was found. `read` is called for a Zip64 end record that is not in the tail.
  // Errors: corrupt, unsupported, those of `read`.
  [[nodiscard]] result<zip_end> parse(zip_reader read) const noexcept;

 private:
  std::span<const std::byte> tail_;
  std::uint64_t file_bytes_;
  std::size_t at_;
};

// One record of the central directory.
struct zip_record {
  std::string_view name;
  std::string_view unicode_name;  // in Info-ZIP's field, if it belongs to `name`
  std::string_view comment;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header = 0;  // offset of the local header, from the start of the archive
  std::uint32_t crc32 = 0;
  std::uint32_t attributes = 0;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint16_t extra_bytes = 0;
  std::uint16_t time = 0;
  entry_origin origin;         // without what its attributes say
  std::uint8_t made_on = 0;    // zip_made_on_...
  bool sizes_missing = false;  // a Zip64 field is announced but not there
  bool in_another_part = false;
};

// Systems that archives are made on; others make no difference. Info-ZIP has its own number for
// NTFS.
enum class zip_system : std::uint8_t {
  dos = 0,
  posix = 3,
  ntfs = 10,
  ntfs_of_info_zip = 11,
  vfat = 14,
  darwin = 19
};

inline constexpr std::uint16_t zip_method_stored = 0;
inline constexpr std::uint16_t zip_method_deflate = 8;
inline constexpr std::uint16_t zip_method_zstd = 93;
inline constexpr std::uint16_t zip_method_first_zstd = 20;  // in APPNOTE 6.3.7 alone
// Unsupported, but named in errors.
inline constexpr std::uint16_t zip_method_deflate64 = 9;
inline constexpr std::uint16_t zip_method_bzip2 = 12;
inline constexpr std::uint16_t zip_method_lzma = 14;
inline constexpr std::uint16_t zip_method_xz = 95;
inline constexpr std::uint16_t zip_method_ppmd = 98;
inline constexpr std::uint16_t zip_method_aes = 99;  // the actual method is in an extra field

// Reads the record at the front. Returns its length, or 0 if it is not a complete record.
[[nodiscard]] std::size_t read_zip_record(std::span<const std::byte> directory,
                                          zip_record& record) noexcept;
// Only the lengths of the record at the front and of its name; {0, 0} if it is not complete.
struct zip_record_size {
  std::size_t record = 0;
  std::size_t name = 0;
};
[[nodiscard]] zip_record_size measure_zip_record(std::span<const std::byte> directory) noexcept;

// The local header, in front of an entry's data.
struct zip_local_header {
  std::uint64_t packed_bytes = 0;
  std::size_t header_bytes = 0;  // with its name and extra field
  std::uint32_t crc32 = 0;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
};
// False if there is none.
[[nodiscard]] bool read_zip_local_header(std::span<const std::byte> from,
                                         zip_local_header& header) noexcept;
[[nodiscard]] bool begins_like_zip(std::span<const std::byte> file) noexcept;
[[nodiscard]] bool begins_like_zip_record(std::span<const std::byte> directory) noexcept;

inline constexpr std::uint16_t zip_flag_encrypted = 1u << 0;
inline constexpr std::uint16_t zip_flag_sizes_after_data = 1u << 3;  // in a data descriptor
inline constexpr std::uint16_t zip_flag_patch = 1u << 5;
inline constexpr std::uint16_t zip_flag_strongly_encrypted = 1u << 6;
inline constexpr std::uint16_t zip_flag_utf8 = 1u << 11;    // the name
inline constexpr std::uint16_t zip_flag_masked = 1u << 13;  // encrypted central directory

}  // namespace overture::archives_detail
