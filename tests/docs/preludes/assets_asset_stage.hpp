// SPDX-License-Identifier: Zlib
struct texture {
  static result<texture> from_levels_in(std::span<const std::byte> bytes, std::uint64_t file_bytes);
};
extern asset_store& store;
extern const asset<texture>& wall;
