// SPDX-License-Identifier: Zlib
//
// Replaces files so that a crash, a full disk or a loss of power leaves the old file or the new
// one, whole: never a mixture, never neither.
//
//   result<void> done = replace_file(system_os(), "slot1.save", [&](os_handle file) {
//     return write_fully(system_os(), file, 0, bytes);
//   });
//
// If the file is written over a longer time, the steps can be taken one by one:
//
//   file_replacement trace;
//   if (auto begun = trace.begin(system_os(), "load.json"); !begun) return report(begun.error());
//   ... write_fully(system_os(), trace.file(), 0, bytes) ...
//   if (auto done = trace.commit(); !done) return report(done.error());
//
// What happens on the disk
//   begin() creates a temporary file in the same folder, commit() syncs it, renames it over the old
//   file and syncs the folder. The new file gets the permissions of the old one, and its owner as
//   far as the process may, or default ones. What of the permissions cannot be kept is left out:
//   no user may do more with the new file than with the old one. If `path` is a link to a file,
//   that file is replaced and the link stays. A read-only file is not replaced, and neither is what
//   gets the name between begin() and commit() and is no file, or another user's. If syncing the
//   folder fails, which the error's reason says, the new file is in place but may not survive a
//   loss of power. After any other error the old file is as it was.
//
// Temporary files
//   They are named ".overture-0123456789abc.tmp" (13 digits of base 36), and no file_system lists
//   such names. A process that dies leaves its temporary file behind. While it lives it holds a
//   lock on it, so that others can tell: sweep_temporaries() removes those without a holder.
//
// A mounted file that is replaced: a mounted archive keeps the old content until it is unmounted; a
// file of a mounted folder has the new content from its next open on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/filesystem_path.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/os.hpp"

namespace overture {

// Whether a file that is there may be replaced.
enum class replacing : std::uint8_t {
  allowed,
  never,  // what has the name at the commit() stays, whoever has made it
};

// One replacement. One thread at a time may use it; any number of replacements may be under way, of
// one path too: the last commit wins. Holds two paths (8 KiB), allocates nothing.
class OVERTURE_API file_replacement {
 public:
  file_replacement() noexcept = default;
  file_replacement(const file_replacement&) = delete;
  file_replacement& operator=(const file_replacement&) = delete;
  // Without a commit(), removes the temporary file.
  ~file_replacement();

  // Once, or again after the last one has ended. Errors: those of the system; limit (the path is
  // too long); not_a_file (a folder, a device or a pipe); not_found (no such folder, or a link that
  // leads nowhere); permission (the old file is read-only, or another user has made the link in a
  // folder for all); exists (replacing::never).
  [[nodiscard]] result<void> begin(operating_system& os, const char* path,
                                   replacing how = replacing::allowed) noexcept;
  template <filesystem_path Path>
  [[nodiscard]] result<void> begin(operating_system& os, const Path& path,
                                   replacing how = replacing::allowed) {
    return begin(os, detail::utf8_path(path).c_str(), how);
  }
  // The file that is to be replaced: `path`, or where its link leads.
  [[nodiscard]] const char* target_path() const noexcept { return target_.data(); }
  // The temporary file, open for reading and writing; invalid if none is under way.
  [[nodiscard]] os_handle file() const noexcept { return file_; }
  // Its path.
  [[nodiscard]] const char* temporary_path() const noexcept { return temporary_.data(); }
  // Puts the new file in the place of the old one. Errors: those of the system and of begin();
  // exists (replacing::never).
  [[nodiscard]] result<void> commit() noexcept;
  // Calls `may_replace` once the new file is on the disk, right before it gets the name. Syncing
  // takes a while, in which other programs may have written the old one. With an error from it, the
  // old file stays.
  [[nodiscard]] result<void> commit(function_ref<result<void>() noexcept> may_replace) noexcept;
  // Whether the last commit() has put it in place, although syncing the folder may have failed.
  [[nodiscard]] bool is_in_place() const noexcept { return is_in_place_; }

 private:
  using path_text = std::array<char, limits::path_bytes_max + 1>;

  [[nodiscard]] result<void> find_target(const char* path) noexcept;
  [[nodiscard]] result<void> look_at(const result<file_status>& found) noexcept;
  [[nodiscard]] result<void> look_again() noexcept;
  [[nodiscard]] result<void> create() noexcept;
  [[nodiscard]] result<void> take_permissions() noexcept;
  [[nodiscard]] result<void> put_in_place() noexcept;
  void end() noexcept;

  operating_system* os_ = nullptr;
  os_handle file_;
  replacing how_ = replacing::allowed;
  bool is_in_place_ = false;
  bool is_old_there_ = false;
  file_status old_;  // of what is to be replaced
  path_text target_{};
  path_text temporary_{};
};

// Replaces the file at `path`, or creates it: calls `write` to fill the new one. Errors: those of
// file_replacement and of `write`; threw (`write`). Any thread.
[[nodiscard]] OVERTURE_API result<void> replace_file(
    operating_system& os, const char* path, function_ref<result<void>(os_handle file)> write,
    replacing how = replacing::allowed);
template <filesystem_path Path>
[[nodiscard]] result<void> replace_file(operating_system& os, const Path& path,
                                        function_ref<result<void>(os_handle file)> write,
                                        replacing how = replacing::allowed) {
  return replace_file(os, detail::utf8_path(path).c_str(), write, how);
}

// A folder for temporary files, inside the folder where they get their names by renaming: for a
// program that writes many. One lock is held for all of them.
class OVERTURE_API temporary_folder {
 public:
  temporary_folder() noexcept = default;
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  // Removes the folder if its files are gone.
  ~temporary_folder();

  // Makes it in the open folder `above`, which stays open as long as this lives. Once. Errors:
  // those of the system.
  [[nodiscard]] result<void> begin(operating_system& os, os_handle above) noexcept;
  // From now on no sweep_temporaries() removes it, whoever ends this program: it gets a name that
  // users can tell, "overture-old-0123456789abc". Errors: those of the system.
  [[nodiscard]] result<void> keep() noexcept;
  // Relative to `above`; empty before begin(). Any name but "lock" is free in it.
  [[nodiscard]] std::string_view name() const noexcept;

 private:
  operating_system* os_ = nullptr;
  os_handle above_;
  os_handle lock_;
  std::array<char, 40> name_{};
  std::array<char, 40> lock_name_{};
};

// Whether a name, without its folder, is that of a temporary file. Any thread.
[[nodiscard]] OVERTURE_API bool is_temporary_name(std::string_view name) noexcept;

// Removes the temporary files in a folder that writers have left behind, and temporary folders with
// their files. Those whose writers live stay, and so does everything else: also a folder of such a
// name that no temporary_folder has made. What cannot be removed
// is left. Returns how many were removed. Any thread, any process.
OVERTURE_API std::size_t sweep_temporaries(operating_system& os, const char* folder) noexcept;

}  // namespace overture
