// SPDX-License-Identifier: Zlib
//
// Where the blocks of a block_store are. It does not change once the archive is listed, so that any
// thread may look.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "base/vec.hpp"
#include "overture/base/error.hpp"
#include "overture/base/limits.hpp"

namespace overture::archives_detail {

struct block_place {
  std::uint64_t offset = 0;  // in the file of all blocks
  std::uint64_t bytes = 0;
  std::uint64_t archive_offset = 0;
  bool stored = false;  // uncompressed at archive_offset

  [[nodiscard]] std::uint64_t end() const noexcept { return offset + bytes; }
};

class block_table {
 public:
  explicit block_table(allocator& memory) noexcept : places_(memory, memory_tag::vfs) {}

  // Adds it behind the others. Returns its offset.
  [[nodiscard]] result<std::uint64_t> add(block_place added) noexcept {
    added.offset = end();
    if (places_.size() >= limits::archive_blocks_max) {
      return fail(errc::limit, limit_text::archive_blocks);
    }
    if (!base_detail::fits(added.offset, 1, added.bytes, INT64_MAX)) {
      return fail(errc::limit, "the archive unpacks to 8 EiB or more");
    }
    if (!places_.push_back(added)) return no_memory();
    return added.offset;
  }
  [[nodiscard]] static tl::unexpected<error> no_memory() noexcept {
    return fail(errc::out_of_memory, "out of memory for the list of compressed blocks");
  }

  // The end of the file of all blocks.
  [[nodiscard]] std::uint64_t end() const noexcept {
    return places_.empty() ? 0 : places_.end()[-1].end();
  }
  // The number of the block at this offset, which must be below the end.
  [[nodiscard]] std::uint32_t number_at(std::uint64_t offset) const noexcept {
    const block_place* const after =
        std::upper_bound(places_.begin(), places_.end(), offset,
                         [](std::uint64_t at, const block_place& one) { return at < one.offset; });
    return static_cast<std::uint32_t>(after - places_.begin() - 1);
  }
  [[nodiscard]] const block_place& operator[](std::uint32_t number) const noexcept {
    return places_[number];
  }

 private:
  base_detail::vec<block_place> places_;
};

}  // namespace overture::archives_detail
