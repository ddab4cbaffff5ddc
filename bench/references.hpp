// What a load is measured against: the floor of the hardware, and PhysFS.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace bench {

// One file as the floor knows it: everything that can be known beforehand is.
struct raw_file {
  int descriptor = -1;  // of the archive; -1: a loose file, opened by path
  std::string path;     // of a loose file
  std::uint64_t offset = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  bool deflated = false;
};

// pread, libdeflate and its CRC over the files of an overlay of ZIPs and folders (of those with
// one name only the last), sorted by name, into buffers that are kept from run to run.
class floor_reference {
 public:
  explicit floor_reference(const std::vector<std::filesystem::path>& mounts);
  ~floor_reference();
  floor_reference(const floor_reference&) = delete;
  floor_reference& operator=(const floor_reference&) = delete;

  // Loads every file on `threads` threads. Returns the sum of the CRCs.
  std::uint64_t run(unsigned threads);
  [[nodiscard]] std::size_t file_count() const { return files_.size(); }

 private:
  struct buffers;
  std::vector<raw_file> files_;
  std::vector<int> archives_;
  std::vector<std::unique_ptr<buffers>> rooms_;  // one for each thread
};

// Mounts the same with PhysFS; later mounts win.
class physfs_reference {
 public:
  explicit physfs_reference(const std::vector<std::filesystem::path>& mounts);
  ~physfs_reference();
  physfs_reference(const physfs_reference&) = delete;
  physfs_reference& operator=(const physfs_reference&) = delete;

  // Opens, reads and closes every file of the tree on `threads` threads. Returns the bytes.
  std::uint64_t run(unsigned threads) const;
  [[nodiscard]] std::size_t file_count() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

}  // namespace bench
