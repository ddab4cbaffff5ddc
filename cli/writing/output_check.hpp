// SPDX-License-Identifier: Zlib
//
// An output is never an input: what a command writes may not be a file that it reads. Files are
// compared by device and inode, so other spellings, links and hard links count too. Checked before
// anything is read or written.
//
//   output_check check(arguments.tree);
//   check.reads("--baseline", arguments.baseline);
//   check.writes("--record", arguments.record);
//   if (const int failed = check.run(); failed != exit_ok) return failed;  // it has printed why
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mounts/tree_arguments.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::cli {

// The same for all paths of one file.
struct file_identity {
  std::uint64_t volume = 0;
  std::uint64_t number = 0;
  friend auto operator<=>(const file_identity&, const file_identity&) = default;
};
// Of a regular file that is there, through links; nothing otherwise.
[[nodiscard]] std::optional<file_identity> identity_of(const std::string& path);

// A file that the mounts of a command read.
struct mounted_file {
  std::string path;       // of the system
  std::string mount;      // as the user gave it
  std::string tree_path;  // in the tree; empty for an archive
};

// Why something may not be written, and the exit status; an empty text if it may.
struct refusal {
  std::string why;
  int status = 0;
};

// Calls `visit` for each file of the mounts that has one of these identities. Refuses if the mounts
// could not be searched.
using identity_visit = function_ref<void(file_identity, const mounted_file&)>;
using identity_set = std::map<file_identity, std::string>;  // and the output that has it
[[nodiscard]] refusal find_mounted(const tree_arguments& tree, const identity_set& wanted,
                                   identity_visit visit);

// Whether a file begins with this text, or is empty, or not there. One that cannot be read may be
// any file.
[[nodiscard]] bool is_own_output(const std::string& path, std::string_view beginning);

// Whether a path, with '/' between its elements, leads through the name of a temporary file: later
// runs remove what has such a name.
[[nodiscard]] bool names_temporary(std::string_view path);

class output_check {
 public:
  explicit output_check(const tree_arguments& tree) : tree_(tree) {}

  // Empty paths are ignored. `what` is the option, or what the argument is called.
  void reads(const std::string& what, const std::string& path);
  // `how`: whether it may be an archive that is mounted.
  enum class source : bool { refused, allowed };
  void writes(const std::string& what, const std::string& path, source how = source::refused);
  // An output that replaces only its own kind, see is_own_output(): another file was named by
  // mistake.
  void writes_like(const std::string& what, const std::string& path, std::string_view beginning);

  // Refuses if an output is an input or another output: prints why, and returns the exit status.
  [[nodiscard]] int run();
  // After run(): whether an output is a mounted archive.
  [[nodiscard]] bool writes_a_source() const { return writes_a_source_; }

 private:
  struct file {
    std::string what;
    std::string path;
    source how = source::refused;
    std::string beginning = {};  // empty: anything may be replaced
  };

  [[nodiscard]] static std::string foreign(const file& output);
  [[nodiscard]] std::string flaw() const;
  [[nodiscard]] refusal flaw_by_mounts();

  const tree_arguments& tree_;
  std::vector<file> inputs_;
  std::vector<file> outputs_;
  bool writes_a_source_ = false;
};

}  // namespace overture::cli
