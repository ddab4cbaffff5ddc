// SPDX-License-Identifier: Zlib
//
// The data of a FILE*: a file_reader with the functions that a C library asks for. They report
// errors as C does: -1 and errno.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/vec.hpp"
#include "overture/vfs/file_reader.hpp"

namespace overture::vfs_detail {

class stdio_cookie {
 public:
  [[nodiscard]] static result<stdio_cookie*> open(file_system& files, asset_path path,
                                                  const file_reader_config& config) noexcept {
    result<file_reader> reader = file_reader::open(files, path, config);
    if (!reader) return tl::unexpected(reader.error());
    allocator& memory = config.memory ? *config.memory : default_allocator();
    auto* const made =
        base_detail::make_object<stdio_cookie>(memory, memory_tag::vfs, *std::move(reader), memory);
    if (!made) return fail(errc::out_of_memory, "out of memory for reading the file");
    return made;
  }
  stdio_cookie(file_reader reader, allocator& memory) noexcept
      : reader_(std::move(reader)), memory_(memory) {}

  void close() noexcept { base_detail::destroy_object(memory_, memory_tag::vfs, this); }

  [[nodiscard]] std::ptrdiff_t read(char* to, std::size_t bytes) noexcept {
    if (position_ >= reader_.size()) return 0;
    result<std::size_t> got = reader_.seek(position_).and_then(
        [&] { return reader_.read({reinterpret_cast<std::byte*>(to), bytes}); });
    if (got) {
      position_ += *got;
      return static_cast<std::ptrdiff_t>(*got);
    }
    errno = EIO;
    return -1;
  }

  // The new position, which may be beyond the end, as in any file of C.
  [[nodiscard]] std::int64_t seek(std::int64_t offset, int whence) noexcept {
    std::uint64_t from = 0;
    if (whence == SEEK_CUR) from = position_;
    if (whence == SEEK_END) from = reader_.size();
    const auto begin = static_cast<std::int64_t>(from);
    if (offset >= -begin && offset <= INT64_MAX - begin) {
      position_ = static_cast<std::uint64_t>(begin + offset);
      return begin + offset;
    }
    errno = EINVAL;
    return -1;
  }

 private:
  file_reader reader_;
  std::uint64_t position_ = 0;
  allocator& memory_;
};

}  // namespace overture::vfs_detail
