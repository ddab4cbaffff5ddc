// What changes in mounted folders while the game runs: for reloading what an artist has just saved.
//
//   result<file_watch> watch = file_watch::open(files);
//   if (auto added = watch->add(mods); !added) return report(added.error());
//   ...
//   watch->poll([&](const file_change& change) {          // once a frame
//     if (change.kind == change_kind::rescan) reload_all(change.mount);
//     if (change.kind == change_kind::written) reload(change.id);
//   });
//
// Changes are told by paths of the tree, in the order in which they came; a file that is written
// twice between two calls may be told twice. A file counts as written when its writer has closed
// it, or when it was put in place by a rename (as editors and file_writer do); what is only made or
// still written to is not told yet. Links are not followed. Whether a file is in the tree, and who
// wins, the tree knows: names that were not there when the folder was mounted come with a
// remount().
//
// When the system could not keep up, or forgot a folder, there is one change of kind `rescan` of
// each mount that this concerns: anything in it may have changed, so look at all.
//
// Cost: poll() without changes is one system call; it never waits, and there is no thread. A watch
// has one descriptor, and what the kernel takes for each folder; names of folders that are gone are
// kept for a while, up to as many bytes as of those that are there or 16 KiB. Linux (inotify);
// elsewhere open() is `unsupported`. Threads: one at a time.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "overture/base/function_ref.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

enum class change_kind : std::uint8_t {
  written,  // new, or with other bytes
  removed,  // or renamed: then the new name is `written`
  rescan,   // of a whole mount, `path` is its mount point
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

class file_watch {
 public:
  // Errors: unsupported, limit (the system's, of watches), out_of_memory. `files` must outlive it.
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

  // Watches all folders of a mounted folder. Errors: not_found (no such mount), not_a_file (an
  // archive), unsupported (a mount with mount_options::from, or of storage of the host's own),
  // no_space (more folders than the system watches, see fs.inotify.max_user_watches), limit, io,
  // permission, exists (a folder is watched for another mount), out_of_memory; then some of its
  // folders are watched.
  [[nodiscard]] result<void> add(mount_id mount) noexcept;
  // Tells of no change of the mount any more. Unmounting does not do that.
  void remove(mount_id mount) noexcept;

  // Calls `visit` for each change since the last call; returns how many. `visit` may not call this
  // watch. Error: io.
  result<std::size_t> poll(function_ref<void(const file_change&)> visit) noexcept;

  // Becomes readable when there are changes, for a poll() of the host's own; -1 where there is
  // none.
  [[nodiscard]] int descriptor() const noexcept;

 private:
  struct state;
  explicit file_watch(state* made) noexcept : state_(made) {}

  state* state_ = nullptr;
};

}  // namespace overture
