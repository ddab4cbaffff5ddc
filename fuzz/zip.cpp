// SPDX-License-Identifier: Zlib
//
// ZIP archives in all encodings of names, three of four mounted with a password, which most of them
// ignore; and the comments of their entries.
#include <string>
#include <string_view>

#include "mounted_archive.hpp"
#include "mutators/libfuzzer.hpp"
#include "overture/archives/zip_comments.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  using namespace overture::fuzz;
  return mutate_file({mutate_zip}, data, size, size_max, seed, LLVMFuzzerMutate);
}

namespace {

// Some archives are moved away from the beginning or the end of the file, which are read apart:
// more than the tail that is read first is put before or after them.
std::string moved(std::string_view bytes) {
  static constexpr std::size_t before = 1u << 17;
  std::string archive(bytes);
  switch (overture::hash64(bytes) / 8 % 16) {
    case 0:
      archive.insert(0, before, '\0');
      break;
    case 1:  // as a comment
      if (bytes.ends_with(std::string_view("\0\0", 2))) {
        archive.replace(bytes.size() - 2, 2, "\xFF\xFF");
        archive.append(UINT16_MAX, ' ');
      }
      break;
    default:
      break;
  }
  return archive;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string archive = moved({reinterpret_cast<const char*>(data), size});
  overture::memory_file_os os(archive);
  (void)overture::visit_zip_comments(
      "fuzzed.zip",
      [](std::string_view, std::string_view comment) {
        overture::fuzz::require(comment.size() <= UINT16_MAX);
      },
      os);
  return overture::fuzz::run(reinterpret_cast<const std::uint8_t*>(archive.data()), archive.size(),
                             "fuzzed.zip", overture::mount_format::zip,
                             {.password = size % 4 == 0 ? "" : "password",
                              .name_encoding = static_cast<overture::name_encoding>(size % 5)});
}
