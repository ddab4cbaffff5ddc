// SPDX-License-Identifier: Zlib
//
// Finds the central directory of a ZIP archive.
//
// The end record is found by its signature, searched from the end of the file: a comment of unknown
// length follows it, and may contain what looks like another one. So each candidate is tried until
// one leads to a directory that is consistent. In programs and damaged archives the search goes on
// where no comment reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "archives/archive.hpp"
#include "archives/zip/zip_directory.hpp"
#include "base/vec.hpp"

namespace overture::archives_detail {

struct zip_directory {
  std::uint64_t base = 0;    // where the archive begins, after a self-extractor for instance
  std::uint64_t offset = 0;  // of the directory in the file
  std::span<const std::byte> bytes;
  std::uint64_t records = 0;
  std::uint64_t name_bytes = 0;   // of all names together
  bool may_have_wrapped = false;  // the archive's offsets may be modulo 4 GiB
};

class zip_finder {
 public:
  zip_finder(const archive_input& input, os_handle file, allocator& memory) noexcept
      : input_(input),
        file_(file),
        tail_(memory, memory_tag::vfs),
        room_(memory, memory_tag::vfs) {}

  // False if the file is not a ZIP archive. The directory's bytes are the finder's.
  result<bool> run(zip_directory& directory) noexcept;

 private:
  static constexpr int candidates_max = 16;

  result<void> read(std::uint64_t offset, std::span<std::byte> bytes) noexcept {
    return read_fully(input_.os, file_, offset, bytes);
  }
  enum class front_kind : std::uint8_t { other, zip, program };
  result<bool> search(std::size_t tail_bytes, zip_directory& directory) noexcept;
  result<front_kind> look_at_front() noexcept;
  result<std::span<const std::byte>> bytes_at(std::uint64_t offset, std::uint64_t count) noexcept;
  result<bool> begins_with_record(std::uint64_t offset) noexcept;
  // Fails if this end record does not lead to a consistent directory.
  result<void> try_end(const zip_end& end, zip_directory& directory) noexcept;

  const archive_input& input_;
  os_handle file_;
  base_detail::vec<std::byte> tail_;  // of the file
  base_detail::vec<std::byte> room_;  // the directory, if it is not in the tail
};

}  // namespace overture::archives_detail
