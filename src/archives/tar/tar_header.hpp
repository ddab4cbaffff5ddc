// SPDX-License-Identifier: Zlib
//
// The headers of tar archives. Pure functions.
//
//   a header is a block of 512 bytes: char name[100], mode[8], user[8], group[8], bytes[12],
//   time[12], checksum[8], char type, char link[100], magic "ustar", char version[2], ..., at 345
//   char prefix[155]
//     numbers are octal digits, or big endian if the first byte is 0x80
//     type '0' or NUL: a file, '1': a hard link, '2': a symbolic one, '5': a folder; 'L', 'K'
//     (GNU): the data is the long name or link of the next header; 'x' (pax): the data is records
//     of "LENGTH KEY=VALUE\n" about the next header
//
// Sources: POSIX (pax Interchange Format), the manual of GNU tar.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace overture::archives_detail {

inline constexpr std::size_t tar_block_bytes = 512;
using tar_block = std::array<std::byte, tar_block_bytes>;

struct tar_header {
  char type = 0;
  std::string_view name;    // in the block, or in its own room if it has a prefix
  std::string_view prefix;  // goes before the name and a '/', if it is not empty
  std::string_view link;
  std::uint64_t bytes = 0;
  std::uint32_t modified_s = 0;
  bool executable = false;
};

[[nodiscard]] bool is_empty(const tar_block& block) noexcept;
// Whether the checksum is right.
[[nodiscard]] bool is_tar_header(const tar_block& block) noexcept;
[[nodiscard]] bool has_tar_magic(const tar_block& block) noexcept;
// False if the size is not a number. The texts are those of the block.
[[nodiscard]] bool read_tar_header(const tar_block& block, tar_header& header) noexcept;

// What pax records say of the next header; what they do not say has no value.
struct pax_values {
  std::string_view path;
  std::string_view link;
  std::string_view size;
  std::string_view mtime;
  bool sparse = false;
};
// False if the records are broken. The texts are those of the data.
[[nodiscard]] bool read_pax(std::string_view data, pax_values& values) noexcept;
// Reads the whole part of a decimal number; false if there are no digits.
[[nodiscard]] bool read_pax_number(std::string_view text, std::uint64_t& number) noexcept;

}  // namespace overture::archives_detail
