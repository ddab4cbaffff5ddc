// SPDX-License-Identifier: Zlib
extern decoded_asset asset;
extern std::uint32_t frame;
