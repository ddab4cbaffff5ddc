// SPDX-License-Identifier: Zlib
extern const timeline_track& track;
extern std::vector<std::uint32_t> waited;
