// SPDX-License-Identifier: Zlib
//
// Bytes that are read forwards, once: packed bytes of an archive, or what a step of unpacking makes
// of another source.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/vec.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"

namespace overture::archives_detail {

class byte_source {
 public:
  byte_source() = default;
  virtual ~byte_source() = default;
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;

  // Fills `to`; less only at the end, or on an error. `made`: how many bytes are right, then too.
  virtual result<void> read(std::span<std::byte> to, std::size_t& made) noexcept = 0;
};

// Reads a source in larger pieces.
class source_buffer {
 public:
  // `front` bytes before each piece are the caller's.
  source_buffer(byte_source& from, allocator& memory, std::size_t bytes,
                std::size_t front = 0) noexcept
      : from_(from), room_(memory, memory_tag::vfs), bytes_(bytes), front_(front) {}

  // The next bytes; none at the end. An error of the source comes after all bytes in front of it.
  [[nodiscard]] result<std::span<std::byte>> next() noexcept {
    if (failure_) return tl::unexpected(*failure_);
    if (ended_) return std::span<std::byte>{};
    if (room_.empty() && !room_.resize_for_overwrite(front_ + bytes_)) {
      return fail(errc::out_of_memory, "out of memory for reading compressed data");
    }
    std::size_t made = 0;
    const std::span<std::byte> room(room_.data() + front_, bytes_);
    if (const result<void> done = from_.read(room, made); !done) {
      failure_ = done.error();
      if (made == 0) return tl::unexpected(*failure_);
    }
    ended_ = !failure_ && made < room.size();
    return room.first(made);
  }

 private:
  byte_source& from_;
  base_detail::vec<std::byte> room_;
  const std::size_t bytes_;
  const std::size_t front_;
  bool ended_ = false;
  std::optional<error> failure_;
};

}  // namespace overture::archives_detail
