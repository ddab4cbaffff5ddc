// SPDX-License-Identifier: Zlib
extern file_place place;
extern std::uint64_t level_three;
extern std::span<std::byte> bytes;
