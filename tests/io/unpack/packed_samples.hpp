// SPDX-License-Identifier: Zlib
//
// Bytes packed in all the ways that the library unpacks.
#pragma once

#include <libdeflate.h>
#include <lz4frame.h>
#include <zstd.h>

#include <random>
#include <string>
#include <string_view>

#include "overture/io/unpack.hpp"

namespace overture {

// Neither all alike nor all different, so that every method has something to do.
inline std::string sample(std::size_t bytes, unsigned seed = 1) {
  std::mt19937 chance(seed);
  std::string made;
  while (made.size() < bytes) made.append(chance() % 40 + 1, static_cast<char>(chance()));
  made.resize(bytes);
  return made;
}

template <class Pack>
std::string deflated(std::string_view data, std::size_t bound, Pack pack) {
  libdeflate_compressor* const tables = libdeflate_alloc_compressor(6);
  std::string made(bound + 64, '\0');
  made.resize(pack(tables, data.data(), data.size(), made.data(), made.size()));
  libdeflate_free_compressor(tables);
  return made;
}

// Frames of so many bytes each.
inline std::string zstd_frames(std::string_view data, std::size_t frame_bytes) {
  std::string all;
  for (std::size_t at = 0; at == 0 || at < data.size(); at += frame_bytes) {
    const std::string_view part = data.substr(at, frame_bytes);
    std::string made(ZSTD_compressBound(part.size()), '\0');
    made.resize(ZSTD_compress(made.data(), made.size(), part.data(), part.size(), 1));
    all += made;
  }
  return all;
}

inline std::string lz4_frame(std::string_view data, LZ4F_blockMode_t blocks,
                             LZ4F_blockSizeID_t size = LZ4F_max64KB, bool checksums = true) {
  LZ4F_preferences_t wanted = LZ4F_INIT_PREFERENCES;
  wanted.frameInfo.blockMode = blocks;
  wanted.frameInfo.blockSizeID = size;
  wanted.frameInfo.contentChecksumFlag =
      checksums ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum;
  wanted.frameInfo.blockChecksumFlag = checksums ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
  wanted.frameInfo.contentSize = checksums ? data.size() : 0;
  std::string made(LZ4F_compressFrameBound(data.size(), &wanted), '\0');
  made.resize(LZ4F_compressFrame(made.data(), made.size(), data.data(), data.size(), &wanted));
  return made;
}

inline std::string packed(compression method, std::string_view data) {
  switch (method) {
    case compression::none:
      return std::string(data);
    case compression::deflate:
      return deflated(data, data.size(), libdeflate_deflate_compress);
    case compression::zlib:
      return deflated(data, data.size(), libdeflate_zlib_compress);
    case compression::zstd:
      return zstd_frames(data, data.size() + 1);
    case compression::lz4:
      return lz4_frame(data, LZ4F_blockLinked);
  }
  return {};
}

inline constexpr compression all_methods[] = {compression::none, compression::deflate,
                                              compression::zstd, compression::zlib,
                                              compression::lz4};

}  // namespace overture
