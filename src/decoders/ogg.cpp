// SPDX-License-Identifier: Zlib
#include "decoders/ogg.hpp"

#include <ogg/ogg.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/little_endian.hpp"
#include "decoders/text_of.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t page_header_bytes = 27;
constexpr std::size_t page_flags_at = 5;
constexpr std::size_t page_position_at = 6;
constexpr std::size_t page_serial_at = 14;
constexpr std::size_t page_number_at = 18;
constexpr std::uint32_t continues_packet = 1;  // flags
constexpr std::uint32_t begins_stream = 2;
constexpr std::size_t page_checksum_at = 22;
constexpr std::uint64_t no_position = ~std::uint64_t{0};  // of a page on which no packet ends
constexpr std::string_view page_magic("OggS\0", 5);       // and version 0

// The size of the first page of `file` according to its header. Both are larger than the file if
// the header is incomplete.
struct page_extent {
  std::size_t header = 0;  // up to the first packet
  std::size_t whole = 0;
};

page_extent extent_of_page(std::span<const std::byte> file) noexcept {
  if (file.size() < page_header_bytes) return {page_header_bytes, page_header_bytes};
  const std::size_t segments = std::to_integer<std::size_t>(file[page_header_bytes - 1]);
  page_extent extent{page_header_bytes + segments, page_header_bytes + segments};
  if (extent.header > file.size()) return extent;
  for (const std::byte lacing : file.subspan(page_header_bytes, segments)) {
    extent.whole += std::to_integer<std::size_t>(lacing);
  }
  return extent;
}

// From the next page's header to the end of the file; empty if there is none. Pages of other
// versions count, as they do for libogg.
std::span<const std::byte> from_next_page(std::span<const std::byte> file) noexcept {
  return file.subspan(std::min(text_of(file).find(page_magic.substr(0, 4)), file.size()));
}

// From the last page's header to the end of the file; empty if there is no page.
std::span<const std::byte> last_page(std::span<const std::byte> file) noexcept {
  const std::size_t last = text_of(file).rfind(page_magic);
  return file.subspan(std::min(last, file.size()));
}

void set_checksum(ogg_page_header& header, std::size_t header_bytes,
                  std::span<const std::byte> body) noexcept {
  // libogg does not write to the body, although the type would let it.
  auto* const content = const_cast<std::byte*>(body.data());
  ogg_page page{reinterpret_cast<unsigned char*>(header.data()), static_cast<long>(header_bytes),
                reinterpret_cast<unsigned char*>(content), static_cast<long>(body.size())};
  ogg_page_checksum_set(&page);
}

bool has_right_checksum(std::span<const std::byte> page, std::size_t header_bytes) noexcept {
  ogg_page_header header;
  std::memcpy(header.data(), page.data(), header_bytes);
  set_checksum(header, header_bytes, page.subspan(header_bytes));
  return std::memcmp(&header[page_checksum_at], &page[page_checksum_at], 4) == 0;
}

}  // namespace

ogg_codec codec_of_ogg(std::span<const std::byte> file) noexcept {
  if (!text_of(file).starts_with(page_magic)) return ogg_codec::none;
  const page_extent extent = extent_of_page(file);
  if (extent.header > file.size()) return ogg_codec::none;
  const std::string_view packet = text_of(file.subspan(extent.header));
  if (packet.starts_with("\x01vorbis")) return ogg_codec::vorbis;
  if (packet.starts_with("OpusHead")) return ogg_codec::opus;
  return ogg_codec::other;
}

bool is_cut_inside_page(std::span<const std::byte> file) noexcept {
  const std::span<const std::byte> last = last_page(file);
  return !last.empty() && extent_of_page(last).whole > last.size();
}

bool has_damaged_page(std::span<const std::byte> file) noexcept {
  for (file = from_next_page(file); !file.empty();) {
    const page_extent extent = extent_of_page(file);
    const bool right = extent.whole <= file.size() && text_of(file).starts_with(page_magic) &&
                       has_right_checksum(file.first(extent.whole), extent.header);
    if (!right) return true;
    file = from_next_page(file.subspan(extent.whole));
  }
  return false;
}

std::size_t bytes_of_first_link(std::span<const std::byte> file) noexcept {
  bool beginning = true;  // several streams may begin together
  std::span<const std::byte> rest = from_next_page(file);
  while (rest.size() >= page_header_bytes) {
    const bool begins = (load_u8(rest.data() + page_flags_at) & begins_stream) != 0;
    if (begins && !beginning) return file.size() - rest.size();
    beginning = begins;
    rest = from_next_page(rest.subspan(std::min(extent_of_page(rest).whole, rest.size())));
  }
  return file.size();
}

std::uint64_t position_of_last_page(std::span<const std::byte> file) noexcept {
  const std::span<const std::byte> last = last_page(file);
  if (last.size() < page_header_bytes) return 0;
  const std::uint64_t position = load_u64(last.data() + page_position_at);
  return position == no_position ? 0 : position;
}

std::span<const std::byte> renumber(const ogg_page_view& page, std::uint32_t number,
                                    ogg_page_header& room) noexcept {
  const std::size_t header_bytes = page.whole.size() - page.body.size();
  std::memcpy(room.data(), page.whole.data(), header_bytes);
  for (std::size_t i = 0; i < sizeof number; ++i) {
    room[page_number_at + i] = static_cast<std::byte>(number >> (8 * i));
  }
  set_checksum(room, header_bytes, page.body);
  return std::span(room).first(header_bytes);
}

bool ogg_page_walk::next(ogg_page_view& page) noexcept {
  while (!gave_up()) {
    rest_ = rest_.subspan(std::min(text_of(rest_).find(page_magic), rest_.size()));
    if (rest_.empty()) return false;
    const page_extent extent = extent_of_page(rest_);
    if (extent.whole > rest_.size() ||
        (checksums_ == page_checksums::unknown &&
         !has_right_checksum(rest_.first(extent.whole), extent.header))) {
      rest_ = rest_.subspan(1);
      ++damaged_;
      continue;
    }
    const std::uint32_t flags = load_u8(rest_.data() + page_flags_at);
    page = {.whole = rest_.first(extent.whole),
            .lacing = rest_.subspan(page_header_bytes, extent.header - page_header_bytes),
            .body = rest_.subspan(extent.header, extent.whole - extent.header),
            .serial = load_u32(rest_.data() + page_serial_at),
            .number = load_u32(rest_.data() + page_number_at),
            .continues = (flags & continues_packet) != 0,
            .begins = (flags & begins_stream) != 0};
    rest_ = rest_.subspan(extent.whole);
    return true;
  }
  return false;
}

}  // namespace overture::decoders_detail
