// SPDX-License-Identifier: Zlib
//
// Writes ZIP archives for tests: valid, unusual and invalid ones.
//
//   zip_writer zip;
//   zip.add({.name = "a.txt", .data = "hello"});
//   zip.add({.name = "b.txt", .data = text, .method = zip_deflated});
//   zip.save(folder / "test.zip");                 // or zip.bytes()
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace overture {

inline constexpr std::uint16_t zip_stored = 0;
inline constexpr std::uint16_t zip_deflated = 8;
inline constexpr std::uint16_t zip_zstd = 93;

// Unix modes for zip_entry::mode.
inline constexpr std::uint32_t zip_mode_file = 0100644;
inline constexpr std::uint32_t zip_mode_folder = 0040755;
inline constexpr std::uint32_t zip_mode_link = 0120777;  // the data is the target
inline constexpr std::uint32_t zip_mode_fifo = 0010644;

struct zip_entry {
  std::string name = {};
  std::string data = {};  // unpacked
  std::uint16_t method = zip_stored;
  std::uint32_t mode = zip_mode_file;
  std::uint8_t made_on = 3;  // the system of origin: 0 DOS, 3 Unix, 10 and 11 NTFS, 14 VFAT, ...
  std::uint32_t dos_attributes = 0;
  std::uint16_t flags = 0;           // bit 0 marks it encrypted; does not change the data
  bool zip64 = false;                // sizes and offset in Zip64 fields
  bool sizes_in_descriptor = false;  // in a data descriptor, and zero in the local header
  std::size_t local_extra_bytes = 0;
  std::size_t central_extra_bytes = 0;
  std::string entry_comment = {};
  std::optional<std::string> local_name = {};    // if it differs from the directory's
  std::optional<std::string> unicode_name = {};  // in Info-ZIP's extra field
  std::string password = {};                     // empty: not encrypted

  // False values to state. The first four are in the directory.
  std::optional<std::uint64_t> stated_bytes = {};
  std::optional<std::uint64_t> stated_packed_bytes = {};
  std::optional<std::uint64_t> stated_offset = {};
  std::optional<std::uint32_t> stated_crc32 = {};
  std::optional<std::uint16_t> stated_method = {};        // in both places
  std::optional<std::uint16_t> stated_local_method = {};  // in the local header
  std::optional<std::uint32_t> stated_local_packed_bytes = {};
};

// Offsets in the bytes.
struct zip_layout {
  std::vector<std::size_t> local_headers;
  std::vector<std::size_t> records;  // directory records
};

class zip_writer {
 public:
  zip_writer& add(zip_entry entry) {
    entries_.push_back(std::move(entry));
    return *this;
  }

  std::string prefix;                // before the archive, like a self-extractor
  bool offsets_with_prefix = false;  // offsets count from the start of the file, as with `zip -A`
  std::string comment;
  std::string after_directory;  // between the directory and the end records
  bool zip64 = false;           // with a Zip64 end record
  std::size_t end64_extra_bytes = 0;
  std::optional<std::uint64_t> stated_entries = {};
  std::optional<std::uint64_t> stated_directory_bytes = {};
  std::optional<std::uint64_t> stated_directory_offset = {};

  [[nodiscard]] std::string bytes() const { return bytes(nullptr); }
  [[nodiscard]] std::string bytes(zip_layout* layout) const;
  void save(const std::filesystem::path& path) const;

 private:
  std::vector<zip_entry> entries_;
};

}  // namespace overture
