// SPDX-License-Identifier: Zlib
extern read_request part;
extern std::span<const std::byte> header;
std::uint64_t parse(std::span<const std::byte> header);
