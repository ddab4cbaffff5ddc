// Reading a file of the tree in pieces: buffered, at any place, of any size.
//
//   result<file_reader> music = file_reader::open(files, "music/theme.ogg"_path);
//   if (!music) return report(music.error());
//   std::byte part[4096];
//   result<std::size_t> got = music->read(part);             // 0 at the end only
//   if (auto moved = music->seek(music->size() / 2); !moved) ...
//
// For files that are not wanted whole: music that streams, a video, a container with a table of its
// own. What is wanted whole is faster by file_system::read_all(), and a loose or stored file on
// an immutable mount faster still by file_system::map().
//
// A compressed file of up to config.unpacked_bytes_max is unpacked when it is opened, and seeking
// in it is free. A larger DEFLATE file is unpacked as it is read. Seeking forward unpacks what lies
// between; seeking back goes on from a restart point noted on the way, so that it costs
// at most about size() / config.restart_points_max bytes of unpacking, not all from the beginning.
// Larger files of other methods are refused as `limit`.
//
// Small reads and short seeks cost a copy out of a buffer. Files may be larger than
// limits::entry_bytes_max.
//
// An archive's checksum is verified where all of a file passes through a reader: the read that
// completes it, and those behind it, fail as `corrupt` if it does not match. verified() tells.
//
// The file stays open, and what it needs of its mount with it, until the reader ends; the
// file_system must outlive it. Threads: a reader is used by one thread at a time; several readers
// of one file do not know of each other. Memory: a buffer of config.buffer_bytes, for a large
// compressed file about 110 KiB more, and 32 KiB for each restart point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

struct file_reader_config {
  allocator* memory = nullptr;                    // null = default_allocator()
  std::size_t buffer_bytes = 16u << 10;           // 0: every read goes to the file
  std::uint64_t unpacked_bytes_max = 512u << 10;  // at most limits::entry_bytes_max
  unsigned restart_points_max = 64;
};

class file_reader {
 public:
  // Errors: those of file_system::open(), but for the size; not_found also if only a folder is
  // there; corrupt, io, truncated and out_of_memory if it is unpacked at once. Any thread.
  [[nodiscard]] static result<file_reader> open(file_system& files, asset_path path,
                                                const file_reader_config& config = {}) noexcept;
  file_reader(file_reader&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  file_reader& operator=(file_reader&& other) noexcept {
    file_reader taken(std::move(other));
    std::swap(state_, taken.state_);
    return *this;
  }
  file_reader(const file_reader&) = delete;
  file_reader& operator=(const file_reader&) = delete;
  ~file_reader();

  [[nodiscard]] std::uint64_t size() const noexcept;      // bytes, unpacked
  [[nodiscard]] std::uint64_t position() const noexcept;  // of the next read
  // Error: invalid beyond size(); the position stays then.
  result<void> seek(std::uint64_t position) noexcept;
  // Reads from the position on and moves it; less than asked for at the end only, where it is 0.
  // Errors: corrupt, truncated (the file has shrunk), io; the position stays then.
  [[nodiscard]] result<std::size_t> read(std::span<std::byte> to) noexcept;
  // The same for all of `to`; truncated if the file ends before.
  [[nodiscard]] result<void> read_all_of(std::span<std::byte> to) noexcept;
  // Whether the whole content has passed its checksum. Loose files have none.
  [[nodiscard]] bool verified() const noexcept;

 private:
  struct state;
  explicit file_reader(state* made) noexcept : state_(made) {}

  state* state_ = nullptr;
};

}  // namespace overture
