// SPDX-License-Identifier: Zlib
//
// 7z archives.
#include "mounted_archive.hpp"
#include "mutators/libfuzzer.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  using namespace overture::fuzz;
  return mutate_file({mutate_seven_zip}, data, size, size_max, seed, LLVMFuzzerMutate);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return overture::fuzz::run(data, size, "fuzzed.7z", overture::mount_format::seven_zip);
}
