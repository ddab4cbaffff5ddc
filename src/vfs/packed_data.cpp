// SPDX-License-Identifier: Zlib
#include "vfs/packed_data.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace overture::vfs_detail {

result<std::uint64_t> find_packed_data(const open_source& source,
                                       const file_place& place) noexcept {
  if (!place.framed) return place.offset;
  // Enough for the fixed part of any header, which states the size of the rest.
  std::byte room[256];
  const std::span<std::byte> front =
      std::span(room).first(std::min<std::uint64_t>(sizeof room, place.read_bytes));
  if (result<void> read = read_fully(*source.os, source.handle, place.offset, front); !read) {
    return tl::unexpected(read.error());
  }
  return packed_data_after(front, place);
}

result<std::uint64_t> packed_data_after(std::span<const std::byte> front,
                                        const file_place& place) noexcept {
  const result<std::span<const std::byte>> packed = file_system::packed_part(place, front);
  if (packed) {
    return place.offset + static_cast<std::uint64_t>(packed->data() - front.data());
  }
  if (packed.error().code != errc::truncated) return tl::unexpected(packed.error());
  return place.offset + (packed.error().offset - place.packed_bytes);
}

result<std::span<const std::byte>> mapped_part(const mapping& archive,
                                               const file_place& place) noexcept {
  if (place.method != compression::none) {
    return fail(errc::unsupported, "the file is compressed", place.source, place.offset);
  }
  const auto beyond = [&] {
    return fail(errc::truncated, "the archive is truncated", place.source, place.offset);
  };
  if (place.offset > archive.size) return beyond();
  const std::span<const std::byte> rest{archive.data + place.offset, archive.size - place.offset};
  if (place.framed) return file_system::packed_part(place, rest);
  if (place.bytes > rest.size()) return beyond();
  return rest.first(place.bytes);
}

result<blob> unpack_file(const file_place& place, framed_bytes read,
                         buffer_pool& buffers) noexcept {
  blob bytes;
  if (place.method == compression::none) {
    if (read.packed_at != 0) {
      std::memmove(read.bytes.data(), read.bytes.data() + read.packed_at, place.bytes);
    }
    bytes = std::move(read.bytes);
    bytes.shrink(place.bytes);
  } else {
    result<blob> room = buffers.take(place.bytes);
    if (!room) return room;
    bytes = *std::move(room);
    unpacker tables;
    const result<void> unpacked = tables.unpack(
        place.method, read.bytes.span().subspan(read.packed_at, place.packed_bytes), bytes.span());
    if (!unpacked) return tl::unexpected(unpacked.error());
  }
  if (place.has_crc && crc32(bytes.span()) != place.crc32) {
    return fail(errc::corrupt, "the content does not match its checksum");
  }
  return bytes;
}

error error_at(const file_place& place, error why) noexcept {
  why.source = place.source;
  if (why.code != errc::out_of_memory && why.offset < place.offset) why.offset = place.offset;
  return why;
}

}  // namespace overture::vfs_detail
