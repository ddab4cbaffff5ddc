// SPDX-License-Identifier: Zlib
//
// Reads a file of the tree in pieces: buffered, at any position, of any size.
//
//   result<file_reader> music = file_reader::open(files, "music/theme.ogg"_path);
//   if (!music) return report(music.error());
//   std::byte part[4096];
//   result<std::size_t> got = music->read(part);  // 0 only at the end of the file
//   if (auto moved = music->seek(music->size() / 2); !moved) return report(moved.error());
//
// Use it for music, video and containers with a directory of their own, and for files larger than
// limits::entry_bytes_max. To get a whole file, file_system::read_all() is faster; for a stored or
// loose file on an immutable mount, file_system::map() is faster still.
//
// Compressed files
//   Up to config.unpacked_bytes_max, the file is unpacked when it is opened, and seeking is free.
//   A larger DEFLATE file is unpacked while it is read. A first read that asks for all of it takes
//   half the time, and memory for what is packed, at most 64 MiB. Seeking forward unpacks what it
//   passes. Seeking back resumes from a restart point noted on the way; it unpacks at most about
//   size() / config.restart_points_max bytes.
//   Larger files of other methods fail as `limit`.
//
// Checksums
//   If all of an archive's file passes through the reader, its checksum is verified: the read that
//   completes the file, and every read after it, fails as `corrupt` on a mismatch. verified() tells
//   whether that has happened.
//
// Cost
//   Small reads and short seeks copy from a buffer.
//   Memory: config.buffer_bytes; for a large compressed file read in pieces about 110 KiB more, and
//   32 KiB for each restart point.
//
// Lifetime and threads
//   The reader keeps the file open, even if its mount is unmounted. The file_system must outlive
//   it. One thread at a time may use a reader; readers of one file are independent of each other.
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

struct file_reader_config {
  allocator* memory = nullptr;                    // null = default_allocator()
  std::size_t buffer_bytes = 16u << 10;           // 0 = no buffer
  std::uint64_t unpacked_bytes_max = 512u << 10;  // at most limits::entry_bytes_max
  unsigned restart_points_max = 64;
};

class OVERTURE_API file_reader {
 public:
  // Errors: those of file_system::open_any_size(); limit (see above); out_of_memory; corrupt,
  // truncated and io if the file is unpacked here. Any thread.
  [[nodiscard]] static result<file_reader> open(file_system& files, asset_path path,
                                                const file_reader_config& config = {}) noexcept;
  // The same for a file that is open already, from open_any_size() or open() of `files`.
  [[nodiscard]] static result<file_reader> open(file_system& files, opened_file file,
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

  [[nodiscard]] std::uint64_t size() const noexcept;      // unpacked, in bytes
  [[nodiscard]] std::uint64_t position() const noexcept;  // of the next read
  // Error: invalid if beyond size(); the position is then unchanged.
  result<void> seek(std::uint64_t position) noexcept;
  // Reads at the position and advances it. Returns how many bytes it read: less than to.size() only
  // at the end of the file, 0 if already there. Errors: corrupt, truncated (the file has shrunk),
  // io; the position is then unchanged.
  [[nodiscard]] result<std::size_t> read(std::span<std::byte> to) noexcept;
  // Fills all of `to`; truncated if the file ends first.
  [[nodiscard]] result<void> read_all_of(std::span<std::byte> to) noexcept;
  // Whether the whole file has passed its checksum. Always false for loose files, which have none.
  [[nodiscard]] bool verified() const noexcept;

 private:
  struct state;
  explicit file_reader(state* made) noexcept : state_(made) {}

  state* state_ = nullptr;
};

}  // namespace overture
