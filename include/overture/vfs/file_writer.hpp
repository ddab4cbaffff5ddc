// SPDX-License-Identifier: Zlib
//
// Writes a file into a mounted folder, atomically if wanted.
//
//   result<mount_id> saves = files.mount("saves/", {.at = "saves", .writable = true});
//   result<file_writer> game =
//       file_writer::open(files, *saves, "saves/slot1.txt"_path, write_kind::replace);
//   if (!game) return report(game.error());
//   if (auto done = game->write(bytes); !done) return report(done.error());
//   if (auto done = game->commit(); !done) return report(done.error());
//
// Kinds
//   replace  Writes a temporary file in the same folder, which commit() renames over the old one.
//            Whoever opens the path gets all of the old content or all of the new; so does the next
//            start after a crash or power cut. The new file gets the permissions of the old one, or
//            default ones. A read-only file is not replaced. A link is: never what it leads to.
//   create   Makes a new file, which must not exist, in the same way: the name is there once the
//            file is whole.
//   append   Adds to a file; creates it if it does not exist. After a crash, a part of what was
//            appended may be there.
//
// Committing
//   A file is in the tree from its commit() on, frozen or not.
//   With config.sync, commit() returns once the content is on disk, and for a new name the folder
//   too. If only syncing the folder fails, the file is in place and the error's reason says so.
//   A writer destroyed without commit() leaves the old file untouched (replace), leaves nothing
//   (create), or keeps what was appended so far (append).
//
// Errors of write() and commit()
//   no_space, io, permission; not_a_file if a folder, FIFO, socket or device has the name to be
//   replaced; exists if another program has made the file that was to be created.
//   After the first error every further call returns it, and nothing is put in place.
//   A crash of the program may leave a temporary file in the folder, which no tree lists:
//   sweep_temporaries() in base/replace_file.hpp removes it.
//
// Cost
//   Small writes are copied into a buffer. config.sync takes as long as the disk does
//   (milliseconds); turn it off for data that can be regenerated. Each different name written to
//   uses about 100 bytes until its mount ends.
//
// Threads
//   One thread at a time may use a writer. Any number of writers may work at once; they share no
//   lock. Change one name from one thread at a time: of two, the tree might show one result and the
//   disk the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

enum class write_kind : std::uint8_t { create, replace, append };

struct file_writer_config {
  allocator* memory = nullptr;  // null = default_allocator()
  std::size_t buffer_bytes = 16u << 10;
  bool sync = true;  // commit() waits until the content is on disk
};

class OVERTURE_API file_writer {
 public:
  // The folder must exist, see file_system::make_folder(). Any thread. Errors:
  //   not_found     no such mount or folder, or the path is not below the mount point
  //   exists        create, and the file exists
  //   permission    the mount is not writable, the old file is read-only, or the system refuses
  //   not_a_file, bad_path, no_space, io, unsupported (read-only storage), out_of_memory
  [[nodiscard]] static result<file_writer> open(file_system& files, mount_id mount, asset_path path,
                                                write_kind kind,
                                                const file_writer_config& config = {}) noexcept;
  file_writer(file_writer&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  file_writer& operator=(file_writer&& other) noexcept {
    file_writer taken(std::move(other));
    std::swap(state_, taken.state_);
    return *this;
  }
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;
  ~file_writer();

  [[nodiscard]] result<void> write(std::span<const std::byte> bytes) noexcept;
  // Completes the file. Once: later calls of write() and commit() fail as `invalid`.
  [[nodiscard]] result<void> commit() noexcept;

 private:
  struct state;
  explicit file_writer(state* made) noexcept : state_(made) {}

  state* state_ = nullptr;
};

}  // namespace overture
