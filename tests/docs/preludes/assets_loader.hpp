// SPDX-License-Identifier: Zlib
struct description {
  std::string_view diffuse;
  float shine;
};
result<description> parse(std::span<const std::byte> bytes);
