// SPDX-License-Identifier: Zlib
extern std::uint64_t chapter;
