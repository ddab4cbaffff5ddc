// SPDX-License-Identifier: Zlib
//
// What can be mounted, and what is opened in it. Paths are clean and NUL-terminated; the root is
// empty. Functions that fail set the thread's error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "errors.hpp"
#include "memory.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/os.hpp"
#include "physfs.h"

namespace physfs {

// An open file's bytes. One thread at a time.
class content {
 public:
  content() = default;
  content(const content&) = delete;
  content& operator=(const content&) = delete;
  virtual ~content() = default;

  // When it was opened, or -1: a hint that saves asking at the end of the file.
  [[nodiscard]] std::int64_t expected_length() const noexcept { return expected_length_; }
  // How many bytes it read: fewer than asked for only at the end. -1 is an error.
  [[nodiscard]] virtual std::int64_t read(std::uint64_t position, void* to,
                                          std::size_t bytes) noexcept = 0;
  // Now; -1 is an error.
  [[nodiscard]] virtual std::int64_t length() noexcept = 0;
  // Whether this is a position that a file may be moved to.
  [[nodiscard]] virtual bool may_seek(std::uint64_t position) noexcept = 0;
  // For files that are written. What a file opened to append writes goes to its end.
  [[nodiscard]] virtual std::int64_t write(std::uint64_t position, const void* from,
                                           std::size_t bytes) noexcept {
    (void)position, (void)from, (void)bytes;
    set_error(PHYSFS_ERR_READ_ONLY);
    return -1;
  }
  // All of it without a copy; nothing, without an error, if there is no such way. Stays until
  // unmap(), also when the file is closed.
  [[nodiscard]] virtual overture::mapping map() noexcept { return {}; }
  // To the disk.
  [[nodiscard]] virtual bool sync() noexcept { return true; }

 protected:
  std::int64_t expected_length_ = -1;
};

// What files can be written to.
class write_target {
 public:
  write_target() = default;
  write_target(const write_target&) = delete;
  write_target& operator=(const write_target&) = delete;

  // Creates a file, or empties or extends the one that is there.
  [[nodiscard]] virtual content* create(std::string_view path, bool append) noexcept = 0;
  // With those above it.
  [[nodiscard]] virtual bool make_folder(std::string_view path) noexcept = 0;
  [[nodiscard]] virtual bool remove(std::string_view path) noexcept = 0;
  [[nodiscard]] virtual bool rename(std::string_view from, std::string_view to) noexcept {
    (void)from, (void)to;
    return refuse(PHYSFS_ERR_UNSUPPORTED);
  }

 protected:
  ~write_target() = default;
};

class storage {
 public:
  storage() = default;
  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;
  virtual ~storage() = default;

  [[nodiscard]] virtual bool stat(std::string_view path, PHYSFS_Stat& found) noexcept = 0;
  [[nodiscard]] virtual bool exists(std::string_view path) noexcept {
    PHYSFS_Stat found{};
    return stat(path, found);
  }
  // Null is an error.
  [[nodiscard]] virtual content* open(std::string_view path) noexcept = 0;
  // Adds the names in a folder, each once, in any order. A file that is no folder has none.
  [[nodiscard]] virtual bool list(std::string_view path, text_list& names) noexcept = 0;
  // For archives whose files stay as they are: how many there are, or 0.
  [[nodiscard]] virtual std::uint64_t known_files() const noexcept { return 0; }
  // Calls `visit` with the path of each file below a folder, relative to it, those of a folder one
  // after another, until it returns false. Returns false then, or if out of memory. Sets no error.
  [[nodiscard]] virtual bool visit_files(
      std::string_view folder, overture::function_ref<bool(std::string_view path)> visit) noexcept {
    (void)folder, (void)visit;
    return true;
  }
  // What the host lent for it remains the host's: mounting it has failed.
  virtual void give_back() noexcept {}
  // It is not mounted any more: destroys it or keeps it for the next time.
  virtual void retire() noexcept { destroy(this); }
  // Null if it was mounted to read.
  [[nodiscard]] virtual write_target* writable() noexcept { return nullptr; }
};

// Null, and an error, if `path` is not such a thing.
[[nodiscard]] storage* open_folder(const char* path, bool writable) noexcept;

// What the host lends for an archive, and what is called when it is no longer used. If it is
// nothing the archive is a file of the system.
struct loan {
  const void* bytes = nullptr;  // at most one of three
  PHYSFS_Io* io = nullptr;
  PHYSFS_File* file = nullptr;
  std::size_t size = 0;  // of the bytes
  void (*release)(void* bytes) = nullptr;
};
// With the status of the file if it is one of the system, which may be kept when it is unmounted.
[[nodiscard]] storage* open_archive(const char* name, const loan& lent,
                                    const overture::file_status& status) noexcept;

[[nodiscard]] inline PHYSFS_Stat unknown_stat() noexcept {
  return {-1, -1, -1, -1, PHYSFS_FILETYPE_OTHER, 1};
}

// Of folders above a mount point.
[[nodiscard]] inline PHYSFS_Stat folder_stat() noexcept {
  return {-1, -1, -1, -1, PHYSFS_FILETYPE_DIRECTORY, 1};
}

}  // namespace physfs
