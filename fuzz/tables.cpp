// All archives that are plain tables, and whatever else their first bytes make of them.
#include "mounted_archive.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The extension decides for the one format that has no mark at all.
  return overture::fuzz::run(data, size, size % 3 == 0 ? "fuzzed.lfd" : "fuzzed");
}
