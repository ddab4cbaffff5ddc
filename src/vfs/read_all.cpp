// SPDX-License-Identifier: Zlib
//
// file_system::read_all(): reads one file on the calling thread, without the load pipeline.
#include <utility>

#include "overture/sync/memory_ledger.hpp"
#include "overture/vfs/file_system.hpp"
#include "vfs/packed_data.hpp"

namespace overture {
namespace {

using vfs_detail::framed_bytes;

// `read` fills a span with the source's bytes at place.offset.
template <class Read>
result<framed_bytes> read_packed(const file_place& place, buffer_pool& buffers,
                                 Read read) noexcept {
  std::uint64_t read_bytes = place.read_bytes;
  for (;;) {
    result<blob> bytes = buffers.take(read_bytes);
    if (!bytes) return tl::unexpected(bytes.error());
    if (const result<void> done = read(bytes->span()); !done) return tl::unexpected(done.error());
    if (!place.framed) return framed_bytes{*std::move(bytes), 0};
    const result<std::span<const std::byte>> packed =
        file_system::packed_part(place, bytes->span());
    if (packed) {
      const auto at = static_cast<std::size_t>(packed->data() - bytes->data());
      return framed_bytes{*std::move(bytes), at};
    }
    // The header is longer than expected: read again, with the size it states.
    if (packed.error().code != errc::truncated || read_bytes != place.read_bytes) {
      return tl::unexpected(packed.error());
    }
    read_bytes = packed.error().offset;
  }
}

template <class Read>
result<blob> read_place(const file_place& place, memory_ledger& ledger, buffer_pool& buffers,
                        Read read) noexcept {
  const std::uint64_t needed =
      place.read_bytes + (place.method == compression::none ? 0 : place.bytes);
  const result<ledger_room> room = ledger_room::take(ledger, needed, memory_tag::vfs);
  if (!room) {
    error why = room.error();
    why.source = place.source;
    return tl::unexpected(why);
  }
  result<blob> bytes = read_packed(place, buffers, read).and_then([&](framed_bytes packed) {
    return vfs_detail::unpack_file(place, std::move(packed), buffers);
  });
  if (!bytes) return tl::unexpected(vfs_detail::error_at(place, bytes.error()));
  return bytes;
}

}  // namespace

result<blob> file_system::read_all(asset_path path, buffer_pool& buffers) noexcept {
  const result<opened_file> opened = open(path);
  if (!opened) return tl::unexpected(opened.error());
  const file_place& place = opened->place();
  const result<open_source> from = source(place.source);
  if (!from) return tl::unexpected(from.error());
  return about(path.id,
               read_place(place, *ledger(), buffers, [&](std::span<std::byte> to) noexcept {
                 return read_fully(*from->os, from->handle, place.offset, to);
               }));
}

result<blob> file_system::read_all(asset_path path, buffer_pool& buffers,
                                   read_queue& reads) noexcept {
  if (!reads.is_of_this_version()) return fail(errc::unsupported, other_version);
  const result<opened_file> opened = open(path);
  if (!opened) return tl::unexpected(opened.error());
  const file_place& place = opened->place();
  const auto read = [&](std::span<std::byte> to) noexcept -> result<void> {
    if (to.empty()) return {};
    read_request request{.source = place.source, .offset = place.offset, .destination = to};
    return reads.read_now(request);
  };
  return about(path.id, read_place(place, *ledger(), buffers, read));
}

}  // namespace overture
