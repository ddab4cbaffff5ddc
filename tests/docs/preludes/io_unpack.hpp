// SPDX-License-Identifier: Zlib
extern std::span<std::byte> bytes;
