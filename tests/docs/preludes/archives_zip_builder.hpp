// SPDX-License-Identifier: Zlib
extern os_handle file;
extern std::span<const std::byte> text;
