// ZIP archives, mounted with a password, which most of them ignore.
#include "mounted_archive.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return overture::fuzz::run(data, size, "fuzzed.zip", overture::mount_format::zip,
                             {.password = "password"});
}
