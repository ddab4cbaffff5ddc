// SPDX-License-Identifier: Zlib
//
// A start pack: what a game reads while it starts, in the order in which it reads it, in one file.
// Reading it from front to back costs a disk a few operations, where the files themselves cost some
// each.
//
//   header: "OVPACK1\n", u64 offset of the index, u64 bytes of the index, u32 entries,
//           u32 bytes of the program's path, u32 CRC-32 of the index, u32 CRC-32 of the 36 bytes
//           before
//   the data of all entries, back to back
//   index: a record for each entry, in the order of the data; the program's path; for each entry
//          the path of the real file, and the name in it if that is an archive
//   record: u64 number, u64 size, i64 mtime, i64 ctime of the real file (nanoseconds since 1970),
//           u64 bytes, u64 packed bytes, u32 CRC-32 of the packed bytes, u32 method (0 stored,
//           1 DEFLATE), u32 bytes of the path, u32 bytes of the name
//
// Numbers are little-endian. A pack is a copy: an entry counts only while the real file has the
// same number, size and times, and only if its own checksum is right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "overture/base/os.hpp"

namespace overture::start_pack {

inline constexpr std::string_view magic = "OVPACK1\n";
inline constexpr std::size_t header_bytes = 40;
inline constexpr std::size_t record_bytes = 64;

inline constexpr std::uint64_t index_bytes_max = std::uint64_t{64} << 20;
inline constexpr std::uint64_t entry_bytes_max = std::uint64_t{64} << 20;

enum class method : std::uint32_t { stored, deflate };

// What a file is known by.
struct identity {
  std::uint64_t number = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  friend bool operator==(const identity&, const identity&) = default;
};

[[nodiscard]] inline identity identity_of(const file_status& status) noexcept {
  return {status.number, status.size, status.mtime_ns, status.ctime_ns};
}

struct entry {
  std::string_view path;  // of the real file
  std::string_view name;  // in it, if that is an archive
  identity real;
  std::uint64_t offset = 0;  // of the data in the pack
  std::uint64_t bytes = 0;
  std::uint64_t packed_bytes = 0;
  std::uint32_t crc32 = 0;  // of the packed bytes
  method packing = method::stored;
};

}  // namespace overture::start_pack
