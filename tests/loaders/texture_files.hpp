// SPDX-License-Identifier: Zlib
//
// Writes KTX2 files, with whatever numbers are wished for.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "decoders/damage.hpp"

namespace overture::test {

inline void put_u64(bytes& file, std::size_t at, std::uint64_t value) {
  put_u32(file, at, value & 0xFFFFFFFF);
  put_u32(file, at + 4, value >> 32);
}

struct ktx2_wish {
  std::uint32_t format = 37;  // R8G8B8A8_UNORM
  std::uint32_t width = 4;
  std::uint32_t height = 4;
  std::uint32_t depth = 0;
  std::uint32_t layers = 0;
  std::uint32_t faces = 1;
  std::uint32_t levels = 1;
  std::uint32_t scheme = 0;
  std::uint32_t model = 1;  // of the data format descriptor
  bytes values = {};
};

inline bytes packed(const bytes& content, std::uint32_t scheme) {
  if (scheme == 2) {
    bytes made(ZSTD_compressBound(content.size()));
    made.resize(ZSTD_compress(made.data(), made.size(), content.data(), content.size(), 3));
    return made;
  }
  if (scheme == 3) {
    uLongf size = compressBound(content.size());
    bytes made(size);
    (void)compress(reinterpret_cast<Bytef*>(made.data()), &size,
                   reinterpret_cast<const Bytef*>(content.data()), content.size());
    made.resize(size);
    return made;
  }
  return content;
}

// One key with its value, as KTX2 has them.
inline bytes ktx2_value(const std::string& key, const std::string& value) {
  byte_writer out;
  out.u32(key.size() + 1 + value.size()).text(key).u8(0).text(value);
  while (out.content.size() % 4 != 0) out.u8(0);
  return out.content;
}

constexpr std::size_t ktx2_index = 80;

// The levels are given from the largest on, and stand in the file from the smallest on.
inline bytes make_ktx2(const ktx2_wish& wish, const std::vector<bytes>& levels) {
  byte_writer out;
  out.text("\xABKTX 20\xBB\r\n\x1A\n").u32(wish.format).u32(1);
  out.u32(wish.width).u32(wish.height).u32(wish.depth).u32(wish.layers).u32(wish.faces);
  out.u32(wish.levels).u32(wish.scheme);
  const std::size_t descriptor = ktx2_index + levels.size() * 24;
  out.u32(descriptor).u32(28).u32(wish.values.empty() ? 0 : descriptor + 28);
  out.u32(wish.values.size()).u32(0).u32(0).u32(0).u32(0);
  for (std::size_t i = 0; i < levels.size(); ++i) out.text("", 24);
  out.u32(28).u32(0).u32(2 | 24 << 16).u32(wish.model).u32(0).u32(0).u32(0);
  out.append(wish.values);
  for (std::size_t i = levels.size(); i-- > 0;) {
    while (out.content.size() % 16 != 0) out.u8(0);
    const bytes made = packed(levels[i], wish.scheme);
    const std::size_t entry = ktx2_index + i * 24;
    put_u64(out.content, entry, out.content.size());
    put_u64(out.content, entry + 8, made.size());
    put_u64(out.content, entry + 16, levels[i].size());
    out.append(made);
  }
  return out.content;
}

inline bytes noise_bytes(std::size_t count, unsigned seed = 1) {
  bytes made;
  for (const unsigned char each : noise(count, seed)) made.push_back(std::byte(each));
  return made;
}

}  // namespace overture::test
