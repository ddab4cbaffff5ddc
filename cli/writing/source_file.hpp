// SPDX-License-Identifier: Zlib
//
// Whether a file of a mounted folder changes while it is read: what was read may be part of the old
// content and part of the new one, and nothing else would tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "overture/vfs/file_system.hpp"
#include "writing/file_state.hpp"

namespace overture::cli {

inline constexpr const char* changed_while_read = "the file has changed while it was read";

class source_file {
 public:
  // `path` is one of the tree. Waits for a moment if the file has changed just now, because a
  // second change might not show in its times.
  source_file(file_system& files, const std::string& path);
  // Once it is read. Never of archives: their files have checksums.
  [[nodiscard]] bool has_changed() const;

 private:
  // What the tree tells of it: all that is known of a file whose name has other cases on the disk.
  struct in_tree {
    std::uint64_t bytes = 0;
    std::int64_t mtime_ns = 0;
    friend bool operator==(const in_tree&, const in_tree&) = default;
  };
  [[nodiscard]] std::optional<in_tree> look_in_tree() const;

  file_system& files_;
  std::string tree_path_;
  std::string path_;  // of the system; empty if it is not in a folder
  std::optional<file_state> before_;
  std::optional<in_tree> in_tree_before_;
  bool is_being_written_ = false;
};

// The path of the system that a file of the tree is read from; empty if that is an archive.
[[nodiscard]] std::string path_in_folder(file_system& files, const std::string& path);

// The mounted archives as they are when this is made, to tell later whether another program has
// changed one that was being read: what was read may be of two versions.
class mounted_archives {
 public:
  explicit mounted_archives(const file_system& files);
  // The path of one that has changed, as the user gave it; empty if none has.
  [[nodiscard]] std::string changed() const;

 private:
  struct archive {
    std::string path;
    std::optional<file_state> before;
  };
  std::vector<archive> archives_;
};

}  // namespace overture::cli
