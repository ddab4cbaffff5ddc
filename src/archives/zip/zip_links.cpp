// SPDX-License-Identifier: Zlib
#include "archives/zip/zip_links.hpp"

#include "archives/names/skip_reason.hpp"
#include "archives/zip/zip.hpp"

namespace overture::archives_detail {
using namespace base_detail;

result<link_text> zip_link_reader::read(const archive_entry& entry,
                                        std::span<char> target) noexcept {
  if (entry.flaw != entry_flaw::none) {
    const error flaw = error_of(entry.flaw);
    return link_text{0, flaw.reason, flaw.code == errc::corrupt};
  }
  if (entry.bytes > limits::link_target_bytes_max ||
      entry.packed_bytes > limits::link_target_bytes_max) {
    return link_text{0, skip_reason::link_target_too_long};
  }
  const result<std::span<const std::byte>> packed = read_packed(zip_place(entry));
  const bool readable =
      packed || packed.error().code == errc::corrupt || packed.error().code == errc::truncated;
  if (!readable) return tl::unexpected(packed.error());
  if (packed) {
    const std::span<std::byte> bytes = std::as_writable_bytes(target.first(entry.bytes));
    const result<void> unpacked = unpacker_.unpack(entry.method, *packed, bytes);
    if (!unpacked && unpacked.error().code == errc::out_of_memory) {
      return tl::unexpected(unpacked.error());
    }
    if (unpacked && crc32(bytes) == entry.crc32) return link_text{entry.bytes};
  }
  return link_text{0, skip_reason::link_target_damaged, true};
}

result<std::span<const std::byte>> zip_link_reader::read_packed(const file_place& place) noexcept {
  file_place longer = place;
  for (;;) {
    if (!room_.resize_for_overwrite(longer.read_bytes)) {
      return fail(errc::out_of_memory, "out of memory for following the archive's links");
    }
    const std::span<std::byte> bytes(room_.data(), room_.size());
    result<void> read = read_fully(os_, from_.handle.get(), longer.offset, bytes);
    if (!read) return tl::unexpected(read.error());
    const result<std::span<const std::byte>> packed = zip_packed_part(longer, bytes);
    const bool once_more =
        !packed && packed.error().code == errc::truncated && longer.read_bytes == place.read_bytes;
    if (!once_more) return packed;
    longer.read_bytes = packed.error().offset;
  }
}

}  // namespace overture::archives_detail
