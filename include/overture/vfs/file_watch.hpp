// SPDX-License-Identifier: Zlib
//
// Reports changes in mounted folders while the game runs, to reload what an artist has just saved.
//
//   result<file_watch> watch = file_watch::open(files);
//   if (!watch) return report(watch.error());
//   if (auto added = watch->add(mods); !added) return report(added.error());
//   ...
//   watch->poll([&](const file_change& change) {  // once a frame
//     if (change.kind == change_kind::rescan) reload_all(change.mount);
//     if (change.kind == change_kind::written) reload(change.id);
//   });
//
// What is reported
//   Changes come in the order in which they happened, as paths of the tree. A file written twice
//   between two polls may be reported twice.
//   A file counts as written when its writer closes it, or when it is renamed or linked into place
//   (as editors, file_writer and mod managers do). A file that is still being written is not
//   reported, except on Windows, where each write is. A new hard link to such a file is reported
//   if another user writes the file, or the file system has no leases. A new symbolic link to a
//   file in the mount counts as written; one to a folder in it makes a rescan. Changes to what a
//   link leads to are not seen. New links come after the other changes of a poll(). The watch does
//   not tell which mount wins: ask the file_system. `rescan` means that events were lost for this
//   mount (the system could not keep up, or a folder was moved or removed): anything in it may have
//   changed, and only a remount() lists it again.
//
// What becomes of the tree
//   poll() adds new files to the tree and takes out those that are gone, before it reports them, as
//   file_writer does: look-ups by path see them, frozen or not; entry_index numbers stay as they
//   are. For that, add() the mount before freeze(). A writable mount knows what is written through
//   the tree; what others do there, and in a mount added later, is seen after a remount().
//
// Cost
//   poll() never waits. Without changes it is one system call, and six for each file that was
//   created and is still being written. There is no thread.
//   A new name in the tree costs some 250 bytes until the mount ends, and each look-up asks each
//   watched or writable mount that had changes.
//   A watch uses one descriptor, and kernel memory for each folder. Names of folders that are gone
//   are kept for a while: up to as many bytes as the other names take, or 16 KiB.
//
// Platforms: Linux (inotify), Windows (ReadDirectoryChangesW; descriptor() is -1). On others open()
// fails as `unsupported`.
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "overture/base/api.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

enum class change_kind : std::uint8_t {
  written,  // created or changed
  removed,  // also the old name of a renamed file; the new name is `written`
  rescan,   // look at everything in the mount; `path` is the mount point
};

struct file_change {
  change_kind kind = change_kind::written;
  std::string_view path;  // in the tree; valid during the visit
  path_id id;
  mount_id mount;
};

struct file_watch_config {
  allocator* memory = nullptr;  // null = default_allocator()
};

class OVERTURE_API file_watch {
 public:
  // `files` must outlive the watch. Errors: unsupported, limit (the system's limit on inotify
  // instances), out_of_memory.
  [[nodiscard]] static result<file_watch> open(file_system& files,
                                               const file_watch_config& config = {}) noexcept;
  file_watch(file_watch&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  file_watch& operator=(file_watch&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  file_watch(const file_watch&) = delete;
  file_watch& operator=(const file_watch&) = delete;
  ~file_watch();

  // Watches a mounted folder and all folders in it. On an error the mount is not watched. Errors:
  //   not_found     no such mount
  //   not_a_file    an archive
  //   unsupported   the mount uses mount_options::from, or storage of the host's own
  //   no_space      more folders than fs.inotify.max_user_watches allows
  //   exists        a folder in it is already watched for another mount
  //   limit, io, permission, out_of_memory
  [[nodiscard]] result<void> add(mount_id mount) noexcept;
  // Stops watching this mount. Unmounting alone does not.
  void remove(mount_id mount) noexcept;

  // Calls `visit` for each change since the last call; returns their number. `visit` must not use
  // this watch. If it throws it is still called for the other changes, and the error is threw.
  // Errors: io, threw.
  result<std::size_t> poll(function_ref<void(const file_change&)> visit) noexcept;

  // A descriptor that becomes readable when there are changes, for the host's own event loop.
  // -1 if there is none.
  [[nodiscard]] int descriptor() const noexcept;

 private:
  struct state;
  explicit file_watch(state* made) noexcept : state_(made) {}

  state* state_ = nullptr;
};

}  // namespace overture
