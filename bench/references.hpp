// What a load is measured against: the floor of the hardware, and PhysFS.
#pragma once

#include <cstdint>
#include <filesystem>
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

// All files of ZIP archives or folders, in the order of the archive or the folder. Throws.
std::vector<raw_file> list_files(const std::vector<std::filesystem::path>& mounts);

// pread, libdeflate and its CRC over all files on `threads` threads, each with buffers it uses
// again. Returns the sum of the CRCs. With include_loose_status, loose files are sized by fstat.
std::uint64_t run_floor(const std::vector<raw_file>& files, unsigned threads);

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
