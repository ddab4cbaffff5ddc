// SPDX-License-Identifier: Zlib
//
// Writes a ZIP archive, front to back.
//
//   zip_builder zip(system_os(), file);            // a new file, such as replace_file() gives
//   if (auto begun = zip.begin({.name = "maps/rome.txt", .bytes = text.size()}); !begun) ...
//   if (auto written = zip.write(text); !written) ...
//   if (auto ended = zip.end(crc32(text)); !ended) ...
//   ... more entries ...
//   if (auto finished = zip.finish(); !finished) ...
//
// To write over an archive that may be mounted, use a file_replacement (base/replace_file.hpp): the
// mount goes on reading the old file until it is unmounted.
//
// It stores what it is given: pack it with a packer (io/pack.hpp) first, on as many threads as you
// like. After an error give the archive up.
//
// The archive
//   The same calls give the same bytes: every entry has the time 1980-01-01, the oldest that a ZIP
//   can have, since the times of files differ from one copy of a game to the next. Zip64 where
//   sizes, offsets or the number of entries need it. Names and comments are UTF-8.
//   Data of stored entries begins at a multiple of 4,096 bytes if it is 64 KiB or longer, of 64
//   otherwise; the padding is an extra field of the local header, as zipalign makes it.
//   An entry of several pieces (zip_entry_info::piece_bytes) has a private extra field in the
//   directory with their packed sizes, so that its pieces can be found without unpacking those
//   before.
//
// Cost: a copy into a buffer of 1 MiB. Memory: that buffer, and the directory (about 60 bytes for
// each entry, its name and its comment). Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/os.hpp"
#include "overture/io/unpack.hpp"

namespace overture {

struct zip_entry_info {
  std::string_view name = {};     // a normal path, see base/path.hpp; each once
  std::string_view comment = {};  // at most 64 KiB - 1
  compression method = compression::none;
  std::uint64_t bytes = 0;        // unpacked
  std::uint64_t piece_bytes = 0;  // not 0: each write() is a piece of this size, or the last one
  bool executable = false;
};

// How large entries are cut into pieces (packer::pack_piece()): the size of each but the last,
// which is up to twice as long. 0: the entry is one piece.
[[nodiscard]] constexpr std::uint64_t zip_piece_bytes(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t mib = 1u << 20;
  constexpr std::uint64_t pieces_max = 4096;
  return bytes < 2 * mib ? 0 : (bytes / pieces_max / mib + 1) * mib;
}
[[nodiscard]] constexpr std::uint64_t zip_piece_count(std::uint64_t bytes) noexcept {
  return zip_piece_bytes(bytes) == 0 ? 1 : bytes / zip_piece_bytes(bytes);
}

class OVERTURE_API zip_builder {
 public:
  // Writes to `file` from its begin; it must be empty and open for writing. The caller closes it.
  zip_builder(operating_system& os, os_handle file, allocator* memory = nullptr) noexcept;
  ~zip_builder();
  zip_builder(const zip_builder&) = delete;
  zip_builder& operator=(const zip_builder&) = delete;

  // Errors of all four: those of operating_system::write_at(), out_of_memory, invalid (called in
  // the wrong order).

  // Begins an entry. Errors: bad_path (the name is not a normal path), unsupported (a method that
  // ZIP does not have), invalid (the comment is too long or not UTF-8), limit (too many entries).
  result<void> begin(const zip_entry_info& entry) noexcept;
  // Adds to its packed data.
  result<void> write(std::span<const std::byte> packed) noexcept;
  // Ends it. `crc32` is of the unpacked data. Errors: invalid (a stored entry of another size than
  // stated), limit (packed, the entry is much larger than unpacked).
  result<void> end(std::uint32_t crc32) noexcept;
  // Writes the directory. Nothing may follow.
  result<void> finish() noexcept;

  // Length of the archive so far.
  [[nodiscard]] std::uint64_t size() const noexcept;

 private:
  struct state;
  state* state_ = nullptr;  // null: out of memory
};

}  // namespace overture
