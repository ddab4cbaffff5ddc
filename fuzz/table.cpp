// Archives that are a plain table. CMakeLists.txt makes one fuzzer of this for each such format.
#include "mounted_archive.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return overture::fuzz::run(data, size, "fuzzed." OVERTURE_FUZZED_EXTENSION,
                             overture::mount_format::OVERTURE_FUZZED_FORMAT);
}
