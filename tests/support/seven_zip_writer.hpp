// SPDX-License-Identifier: Zlib
//
// Writes 7z archives for tests, valid and invalid.
//
//   seven_zip_writer archive;
//   archive.add({.files = {{"a.txt", "hello"}, {"b.txt", "you"}}});           // one solid block
//   archive.add({.method = seven_zip_method::copy, .files = {{"c", "stored"}}});
//   const std::string bytes = archive.bytes();
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace overture {

enum class seven_zip_method { lzma, lzma2, copy, aes, unknown };  // the last two: without real data
enum class seven_zip_filter { none, x86, delta };                 // delta: of four bytes

struct seven_zip_file {
  std::string name = {};
  std::string data = {};
  std::optional<std::uint32_t> stated_crc32 = {};
};

// A block with coders of your own, for those that the writer does not know.
struct seven_zip_raw {
  std::string coders;                // as in the header, with their bonds
  std::vector<std::string> streams;  // the packed ones
  std::vector<std::uint64_t> sizes;  // of what each coder makes
};

struct seven_zip_solid {
  seven_zip_method method = seven_zip_method::lzma;
  seven_zip_filter filter = seven_zip_filter::none;
  std::vector<seven_zip_file> files = {};
  std::optional<seven_zip_raw> raw = {};
  std::optional<std::uint64_t> stated_bytes = {};         // unpacked
  std::optional<std::uint64_t> stated_packed_bytes = {};  // also moves the next block
};

class seven_zip_writer {
 public:
  seven_zip_writer& add(seven_zip_solid block) {
    blocks_.push_back(std::move(block));
    return *this;
  }

  std::vector<std::string> empty_files;
  std::vector<std::string> folders;
  bool packed_header = false;
  bool checksums = true;
  std::optional<std::uint64_t> stated_files = {};
  std::optional<std::uint64_t> stated_blocks = {};
  std::optional<std::uint64_t> stated_header_offset = {};
  std::optional<std::uint64_t> stated_header_bytes = {};

  [[nodiscard]] std::string bytes() const;
  // An archive with a given header, for headers that no writer would write.
  [[nodiscard]] static std::string around(const std::string& packed, const std::string& header);

 private:
  [[nodiscard]] std::string header(const std::vector<std::string>& packed) const;
  std::vector<seven_zip_solid> blocks_;
};

}  // namespace overture
