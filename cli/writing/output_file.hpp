// SPDX-License-Identifier: Zlib
//
// A file that a command writes: what was there stays until the new one is whole and on the disk.
#pragma once

#include <optional>
#include <string>

#include "overture/base/function_ref.hpp"
#include "overture/base/replace_file.hpp"
#include "system/system.hpp"
#include "writing/known_output.hpp"

namespace overture::cli {

// Removes what earlier runs that were killed have left in the folder of a file.
void sweep_folder_of(const std::string& path);

// What is made of a load without files, or of one without memory, would be worth less than what is
// there: prints that it stays, and returns true.
[[nodiscard]] bool keeps_old_for_want_of_files(const std::string& path);
[[nodiscard]] bool keeps_old_for_want_of_memory(const std::string& path);

// What a user can do about an output that could not be written.
[[nodiscard]] const char* remedy_for(const error& failure);

class output_file {
 public:
  [[nodiscard]] result<void> open(const std::string& path, replacing how = replacing::allowed);
  [[nodiscard]] bool is_open() const { return replacement_.file().valid(); }
  [[nodiscard]] os_handle file() const { return replacement_.file(); }
  // Puts it in place. Without it, the old file stays. `may_replace` is asked at the last moment,
  // with the path of the old file: another program may have written it.
  [[nodiscard]] result<void> commit(function_ref<bool(const char* path) noexcept> may_replace);
  // Replaces only what is known.
  [[nodiscard]] result<void> commit(known_output& known);
  [[nodiscard]] result<void> commit();
  // Although commit() may have failed to sync the folder.
  [[nodiscard]] bool is_in_place() const { return replacement_.is_in_place(); }

 private:
  file_replacement replacement_;
  std::optional<removed_at_exit> removed_;
};

}  // namespace overture::cli
