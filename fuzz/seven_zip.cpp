// 7z archives: two bytes give the size of the packed data that follows, the rest is the header. The
// checksums are computed here, because no fuzzer would guess them.
#include <algorithm>

#include "mounted_archive.hpp"
#include "support/seven_zip_writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t packed =
      std::min<std::size_t>(data[0] + std::size_t{256} * data[1], bytes.size());
  const std::string archive = overture::seven_zip_writer::around(
      std::string(bytes.substr(0, packed)), std::string(bytes.substr(packed)));
  return overture::fuzz::run(reinterpret_cast<const std::uint8_t*>(archive.data()), archive.size(),
                             "fuzzed.7z", overture::mount_format::seven_zip);
}
