#include "decoders/ogg.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/little_endian.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t page_header_bytes = 27;
constexpr std::size_t page_flags_at = 5;
constexpr std::byte begins_stream{2};
constexpr std::size_t page_position_at = 6;
constexpr std::size_t page_checksum_at = 22;
constexpr std::uint64_t no_position = ~std::uint64_t{0};  // of a page on which no packet ends
constexpr std::string_view page_magic("OggS\0", 5);       // and version 0

std::string_view text_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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

// The CRC-32 of Ogg: the highest bit first, without complements.
class checksum {
 public:
  void add(std::span<const std::byte> bytes) noexcept {
    for (const std::byte each : bytes) {
      sum_ = sum_ << 8 ^ table[sum_ >> 24 ^ std::to_integer<std::uint32_t>(each)];
    }
  }
  [[nodiscard]] std::uint32_t value() const noexcept { return sum_; }

 private:
  static constexpr std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> sums{};
    for (std::uint32_t first = 0; first < sums.size(); ++first) {
      std::uint32_t sum = first << 24;
      for (int bit = 0; bit < 8; ++bit) sum = sum << 1 ^ (sum >> 31 != 0 ? 0x04C11DB7u : 0);
      sums[first] = sum;
    }
    return sums;
  }();

  std::uint32_t sum_ = 0;
};

bool is_damaged(std::span<const std::byte> page) noexcept {
  constexpr std::byte none[4]{};  // the checksum itself counts as zero
  checksum sum;
  sum.add(page.first(page_checksum_at));
  sum.add(none);
  sum.add(page.subspan(page_checksum_at + 4));
  return page[page_magic.size() - 1] != std::byte{0} ||
         sum.value() != load_u32(page.data() + page_checksum_at);
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
    const std::size_t whole = extent_of_page(file).whole;
    if (whole > file.size() || is_damaged(file.first(whole))) return true;
    file = from_next_page(file.subspan(whole));
  }
  return false;
}

std::size_t bytes_of_first_link(std::span<const std::byte> file) noexcept {
  bool beginning = true;  // several streams may begin together
  std::span<const std::byte> rest = from_next_page(file);
  while (rest.size() >= page_header_bytes) {
    const bool begins = (rest[page_flags_at] & begins_stream) != std::byte{0};
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

}  // namespace overture::decoders_detail
