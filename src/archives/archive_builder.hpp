// SPDX-License-Identifier: Zlib
//
// How a format fills the tables of an archive.
#pragma once

#include <cstdint>
#include <string_view>

#include "archives/archive.hpp"
#include "archives/names/path_index.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::archives_detail {

// Does what all formats need: checks names, puts them below the mount point, hashes them, enforces
// limits and removes duplicates.
class archive_builder {
 public:
  archive_builder(archive& into, std::string_view prefix, const name_rules& rules = {}) noexcept;
  // For an archive that is already filled.
  archive_builder(archive& into, std::uint32_t prefix_bytes) noexcept : into_(into) {
    into_.prefix_bytes = prefix_bytes;
  }

  // Adds an entry whose path is `name`, made normal, below the mount point. Returns false if that
  // is a folder, or cannot be a path and is skipped.
  result<bool> add(std::string_view name, const archive_entry& entry) noexcept;
  // Lists a name as skipped, or as lost where only a limit keeps it out of the tree. `reason` is
  // one of skip_reason.hpp, or of path_flaw().
  result<void> skip(std::string_view name, const char* reason) noexcept;
  // Lists a name whose files could not be read: the system or the disk failed.
  result<void> lose(std::string_view name, const error& why) noexcept;
  // Removes an entry that was added, and lists it like skip() or lose(). Before finish().
  result<void> take_back(std::uint32_t entry, const char* reason) noexcept;
  result<void> take_back_lost(std::uint32_t entry, const error& why) noexcept;
  // Removes an entry without listing it: other entries replace it. Before finish().
  void drop(std::uint32_t entry) noexcept {
    into_.entries[entry].name_bytes = 0;
    gaps_ = true;
  }
  // Copies a text to the archive's names and terminates it with NUL. Returns its offset.
  result<std::uint32_t> keep(std::string_view text) noexcept;

  // Of entries with the same path takes back all but the last, and indexes the others. Add nothing
  // afterwards.
  result<void> index_last_of_each(path_index& index) noexcept;
  // The same, but `choose` is called with two entries of one path, takes one of them back, and
  // returns the other.
  result<void> index_each_once(
      path_index& index,
      function_ref<result<std::uint32_t>(std::uint32_t, std::uint32_t)> choose) noexcept;
  // Takes back the files whose path is a folder of others.
  result<void> take_back_folders(const path_index& index) noexcept;
  // Closes the gaps left by take_back() and drop(), and sorts the skipped names.
  void finish() noexcept;

 private:
  struct shown_name {
    std::uint32_t at = 0;
    std::uint16_t bytes = 0;
  };
  result<std::uint32_t> append(std::string_view front, std::string_view back) noexcept;
  // Keeps a name that is not in the tree.
  result<shown_name> keep_shown(std::string_view name) noexcept;
  [[nodiscard]] shown_name shown(const archive_entry& entry) const noexcept;
  result<void> add_skipped(shown_name name, const char* reason) noexcept;
  result<void> add_lost(shown_name name, const error& why) noexcept;
  result<void> make_room() const noexcept;

  archive& into_;
  std::string_view prefix_;
  name_rules rules_;
  bool gaps_ = false;
};

}  // namespace overture::archives_detail
