// SPDX-License-Identifier: Zlib
//
// The files of a game, for programs that do only the necessary work: they know beforehand where
// each file is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench {

struct raw_file {
  std::string name;     // in the tree
  int descriptor = -1;  // of the archive; -1: a loose file, opened by path
  std::string path;     // of a loose file
  std::uint64_t offset = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  bool deflated = false;
};

// The files of an overlay of ZIPs and folders, sorted by name. The last of several with a name
// wins.
class game_files {
 public:
  explicit game_files(const std::vector<std::filesystem::path>& mounts);
  ~game_files();
  game_files(const game_files&) = delete;
  game_files& operator=(const game_files&) = delete;

  [[nodiscard]] const std::vector<raw_file>& all() const { return files_; }

 private:
  std::vector<raw_file> files_;
  std::vector<int> archives_;
};

// Reads and unpacks one file at a time, into reused buffers. One thread.
class file_loader {
 public:
  file_loader();
  ~file_loader();
  file_loader(const file_loader&) = delete;
  file_loader& operator=(const file_loader&) = delete;

  // Reads the file with pread. The data is valid until the next call.
  void read(const raw_file& file);
  // Unpacks the file read last with libdeflate and takes its CRC. Valid until the next read().
  std::span<const std::byte> unpack(const raw_file& file);
  [[nodiscard]] std::uint32_t crc32() const { return crc32_; }

 private:
  struct tables;
  std::unique_ptr<tables> tables_;
  std::vector<std::byte> packed_;
  std::vector<std::byte> unpacked_;
  std::size_t packed_bytes_ = 0;
  std::uint32_t crc32_ = 0;
};

}  // namespace bench
