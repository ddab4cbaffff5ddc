// SPDX-License-Identifier: Zlib
//
// ISO 9660 images. The input lacks the first 32 KiB, which are not read.
#include <string>

#include "mounted_archive.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string image(32768, '\0');
  image.append(reinterpret_cast<const char*>(data), size);
  return overture::fuzz::run(reinterpret_cast<const std::uint8_t*>(image.data()), image.size(),
                             "fuzzed.iso", overture::mount_format::iso);
}
