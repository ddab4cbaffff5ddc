// SPDX-License-Identifier: Zlib
//
// Formats that build on plain_table. CMakeLists.txt builds one fuzzer per format from this file.
#include "mounted_archive.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return overture::fuzz::run(data, size, "fuzzed." OVERTURE_FUZZED_EXTENSION,
                             overture::mount_format::OVERTURE_FUZZED_FORMAT);
}
