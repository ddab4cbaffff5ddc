#include "decoders/ogg.hpp"

#include <string_view>

namespace overture {
namespace {

constexpr std::size_t page_header_bytes = 27;
constexpr std::string_view page_magic("OggS\0", 5);  // and version 0

std::string_view text_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The length of the page at the beginning of `file` as its header tells, up to the first packet and
// as a whole. Both are larger than the file if not even the header is there.
struct page_extent {
  std::size_t header = 0;
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
  const std::size_t last = text_of(file).rfind(page_magic);
  return last != std::string_view::npos &&
         extent_of_page(file.subspan(last)).whole > file.size() - last;
}

}  // namespace overture
