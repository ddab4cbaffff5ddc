// SPDX-License-Identifier: Zlib
#include "archives/zip/zip_wrapped.hpp"

#include "archives/zip/zip_record.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

// Between the data of an entry and the next local header: the rest of the entry's own header, whose
// name and extra field are measured as none, and a data descriptor.
constexpr std::uint64_t gap_max = 2 * UINT16_MAX + 24;

std::uint64_t first_from(std::uint64_t least, std::uint64_t wrapped) noexcept {
  return least + ((wrapped - least) & (zip_wrap - 1));
}

// What DEFLATE makes larger, it makes larger by little.
std::uint64_t unwrapped_size(const zip_record& record, std::uint64_t packed_bytes) noexcept {
  if (record.method == zip_method_stored) return packed_bytes;
  std::uint64_t bytes = record.bytes;
  while (bytes + bytes / 512 + 64 < packed_bytes) bytes += zip_wrap;
  return bytes;
}

class wrapped_places {
 public:
  wrapped_places(std::uint64_t directory_offset, zip_reader read,
                 vec<zip_true_place>& places) noexcept
      : end_(directory_offset), read_(read), places_(places) {}

  result<bool> add(const zip_record& record) noexcept;
  // Ends the last entry, whose data must reach `next`.
  bool end_last(std::uint64_t next) noexcept;

 private:
  result<bool> has_header(std::uint64_t offset, const zip_record& record) noexcept;

  std::uint64_t end_;
  zip_reader read_;
  vec<zip_true_place>& places_;
  zip_record last_;
  std::uint64_t least_ = 0;  // where the next header can be
};

result<bool> wrapped_places::has_header(std::uint64_t offset, const zip_record& record) noexcept {
  std::byte bytes[zip_local_header_bytes];
  if (result<void> done = read_(offset, bytes); !done) return tl::unexpected(done.error());
  zip_local_header header;
  return read_zip_local_header(bytes, header) && header.method == record.method &&
         is_header_of(header, record.packed_bytes, record.crc32);
}

bool wrapped_places::end_last(std::uint64_t next) noexcept {
  if (places_.empty()) return true;
  zip_true_place& last = places_.back();
  last.packed_bytes += (next - least_) / zip_wrap * zip_wrap;
  last.bytes = unwrapped_size(last_, last.packed_bytes);
  return (next - least_) % zip_wrap <= gap_max;
}

result<bool> wrapped_places::add(const zip_record& record) noexcept {
  const bool narrow = record.header <= UINT32_MAX && record.packed_bytes <= UINT32_MAX &&
                      record.bytes <= UINT32_MAX;
  if (!narrow) return false;
  std::uint64_t at = first_from(least_, record.header);
  for (;; at += zip_wrap) {
    if (at >= end_ || zip_local_header_bytes + record.packed_bytes > end_ - at) return false;
    const result<bool> found = has_header(at, record);
    if (!found) return found;
    if (*found) break;
  }
  if (!end_last(at)) return false;
  if (!places_.push_back({at, record.packed_bytes, record.bytes})) {
    return fail(errc::out_of_memory, "out of memory for the archive's directory");
  }
  last_ = record;
  least_ = at + zip_local_header_bytes + record.packed_bytes;
  return true;
}

}  // namespace

result<bool> find_wrapped_places(std::span<const std::byte> directory,
                                 std::uint64_t directory_offset, zip_reader read,
                                 vec<zip_true_place>& places) noexcept {
  wrapped_places found(directory_offset, read, places);
  bool fits = true;
  for (std::span<const std::byte> rest = directory; fits && !rest.empty();) {
    zip_record record;
    rest = rest.subspan(read_zip_record(rest, record));
    const result<bool> added = found.add(record);
    if (!added) return added;
    fits = *added;
  }
  fits = fits && found.end_last(directory_offset);
  if (!fits) places.clear();
  return fits;
}

}  // namespace overture::archives_detail
