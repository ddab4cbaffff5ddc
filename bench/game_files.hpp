// The files of a game as known to a program that does nothing but the necessary work: the place of
// each is known beforehand.
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

// The files of an overlay of ZIPs and folders (of those with one name only the last), by name.
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

// Reads and unpacks one file after the other, into buffers that are used again. One thread.
class file_loader {
 public:
  file_loader();
  ~file_loader();
  file_loader(const file_loader&) = delete;
  file_loader& operator=(const file_loader&) = delete;

  // pread. What is read lasts until the next call.
  void read(const raw_file& file);
  // libdeflate, of the file that was read last, and its CRC. The content lasts as long.
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
