// SPDX-License-Identifier: Zlib
//
// Names of temporary files: ".overture-0123456789abc.tmp".
#pragma once

#include <cstddef>
#include <string_view>

namespace overture::base_detail {

inline constexpr std::string_view temporary_prefix = ".overture-";
inline constexpr std::string_view temporary_suffix = ".tmp";
inline constexpr std::size_t temporary_digits = 13;  // 64 bits to base 36
inline constexpr std::size_t temporary_name_bytes =
    temporary_prefix.size() + temporary_digits + temporary_suffix.size();

// Writes temporary_name_bytes, without a NUL: a name that no other call gives, in this process or,
// as good as surely, in another. Returns the end. Any thread.
char* make_temporary_name(char* room) noexcept;

}  // namespace overture::base_detail
