// SPDX-License-Identifier: Zlib
//
// tar archives, also packed ones. Headers get their right checksum, or nearly every change would
// only be refused.
#include <algorithm>
#include <cstdio>
#include <string>

#include "mounted_archive.hpp"

namespace {

constexpr std::size_t block_bytes = 512;
constexpr std::size_t checksum_at = 148;

void set_checksum(char* block) {
  std::fill_n(block + checksum_at, 8, ' ');
  unsigned sum = 0;
  for (std::size_t i = 0; i < block_bytes; ++i) sum += static_cast<unsigned char>(block[i]);
  (void)std::snprintf(block + checksum_at, 8, "%06o", sum);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string archive(reinterpret_cast<const char*>(data), size);
  for (std::size_t at = 0; at + block_bytes <= size; at += block_bytes) {
    if (archive.compare(at + 257, 5, "ustar") == 0) set_checksum(archive.data() + at);
  }
  return overture::fuzz::run(reinterpret_cast<const std::uint8_t*>(archive.data()), size,
                             "fuzzed.tar", overture::mount_format::tar);
}
