// SPDX-License-Identifier: Zlib
//
// The references for loads without decoding: the hardware floor, and PhysFS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "game_files.hpp"

namespace bench {

// pread, libdeflate and its CRC over all files of a game, into buffers kept from run to run.
class floor_reference {
 public:
  explicit floor_reference(const std::vector<std::filesystem::path>& mounts) : files_(mounts) {}

  // Loads every file on `threads` threads. Returns the sum of the CRCs.
  std::uint64_t run(unsigned threads);

 private:
  game_files files_;
  std::vector<std::unique_ptr<file_loader>> rooms_;  // one for each thread
};

// The same mounts in PhysFS; later ones win.
class physfs_reference {
 public:
  using visitor = std::function<void(std::size_t, const std::string&, std::span<const std::byte>)>;

  explicit physfs_reference(const std::vector<std::filesystem::path>& mounts);
  ~physfs_reference();
  physfs_reference(const physfs_reference&) = delete;
  physfs_reference& operator=(const physfs_reference&) = delete;

  // Opens, reads and closes every file of the tree on `threads` threads, and calls
  // visit(index, name, content) for each. Returns the number of bytes.
  std::uint64_t run(unsigned threads, const visitor& visit = {}) const;
  [[nodiscard]] std::size_t file_count() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

}  // namespace bench
