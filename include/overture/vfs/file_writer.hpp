// Writing a file into a mounted folder; in the place of another in one step, if that is wanted.
//
//   result<mount_id> saves = files.mount("saves/", {.at = "saves", .writable = true});
//   result<file_writer> game =
//       file_writer::open(files, *saves, "saves/slot1.txt"_path, write_kind::replace);
//   if (!game) return report(game.error());
//   if (auto done = game->write(bytes); !done) ...
//   if (auto done = game->commit(); !done) return report(done.error());   // there now, or not at
//   all
//
// A file is in the tree from its commit() on, frozen or not. With config.sync, commit() brings the
// content to the disk, and of a new name the folder too; should only that last step fail, the error
// says "written, but the folder could not be synced".
//
// replace writes to a file beside, brings it to the disk, and puts it in the place of the old one
// in one step: whoever opens the path gets the old content or the new one, and after a crash or a
// power cut there is the one or the other. create makes a file that must not be there yet and grows
// where it is; append adds to what is there. A writer that ends without commit() leaves a file to
// replace as it was and removes one that it has created; what append has written so far stays.
//
// A file that is replaced gets the permissions of a new one.
//
// Errors of write() and commit(): no_space, io, permission, and not_a_file if what was to be
// replaced is a folder. The first one decides: all further calls return it, and nothing is put in
// place. A crash of the program may leave a file called ".overture-..." in the folder.
//
// Cost: small writes are copied into a buffer; config.sync costs what the disk takes (milliseconds)
// and can be left out for what can be made again. Each name that was written to keeps some 100
// bytes until its mount ends. Threads: a writer is used by one thread at a time; any number of
// writers at once, which share no lock. Of two that change one name at once, the tree may show what
// the one did and the disk what the other did: one thread at a time for one name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

enum class write_kind : std::uint8_t { create, replace, append };

struct file_writer_config {
  allocator* memory = nullptr;  // null = default_allocator()
  std::size_t buffer_bytes = 16u << 10;
  bool sync = true;  // commit() returns when the content is on the disk
};

class file_writer {
 public:
  // The folder must be there, see file_system::make_folder(). Errors: not_found, exists (create),
  // not_a_file, bad_path, permission, no_space, io, unsupported, out_of_memory. Any thread.
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
  // Ends the file; once. Further calls of write() and commit() are `invalid`.
  [[nodiscard]] result<void> commit() noexcept;

 private:
  struct state;
  explicit file_writer(state* made) noexcept : state_(made) {}

  state* state_ = nullptr;
};

}  // namespace overture
