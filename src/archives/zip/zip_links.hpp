// SPDX-License-Identifier: Zlib
//
// Reads the targets of the links in a ZIP archive: they are the data of their entries.
#pragma once

#include <cstddef>
#include <span>

#include "archives/tree/archive_links.hpp"
#include "overture/io/unpack.hpp"

namespace overture::archives_detail {

class zip_link_reader {
 public:
  zip_link_reader(operating_system& os, const archive& from) noexcept
      : os_(os), from_(from), room_(from.names.memory(), memory_tag::vfs) {}

  // See link_reader.
  result<link_text> read(const archive_entry& entry, std::span<char> target) noexcept;

 private:
  result<std::span<const std::byte>> read_packed(const file_place& place) noexcept;

  operating_system& os_;
  const archive& from_;
  base_detail::vec<std::byte> room_;
  unpacker unpacker_;
};

}  // namespace overture::archives_detail
