// SPDX-License-Identifier: Zlib
struct sound {};
struct level_map {};
extern asset_store& store;
void draw_bar(std::uint64_t settled, std::uint64_t of);
