// SPDX-License-Identifier: Zlib
//
// ogg_packets: the packets of one stream of an Ogg file, read page by page from a file_reader, and
// the pages found again by their positions.
//
// Bounded whatever the file holds: a page is at most 64 KiB, a packet 1 MiB, and pages that do not
// match their checksum cost no more than some times the length of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/vec.hpp"
#include "overture/base/error.hpp"
#include "overture/vfs/file_reader.hpp"
#include "sounds/codecs/damage_log.hpp"

namespace overture::sounds_detail {

inline constexpr std::int64_t no_granule = -1;

struct ogg_page_place {
  std::uint64_t at = 0;               // of its first byte, in the file
  std::uint64_t end = 0;              // of the page
  std::int64_t granule = no_granule;  // what ends on it
};

struct sound_packet {
  std::span<const std::byte> bytes;   // until the next call
  std::int64_t granule = no_granule;  // of the page, at the last packet that ends on it
  bool begins_page = false;           // the first packet that ends on its page
  bool after_gap = false;             // something is missing before it, or a seek
  bool ends_stream = false;
};

class ogg_packets {
 public:
  ogg_packets(file_reader& file, allocator& memory, damage_log& log) noexcept
      : file_(file),
        log_(log),
        page_(memory, memory_tag::decode),
        packet_(memory, memory_tag::decode) {}

  // Takes memory for a page, and follows the first stream that begins with `magic`. False if there
  // is none, at the beginning of the file.
  [[nodiscard]] result<bool> begin(std::string_view magic) noexcept;
  // The next packet; false at the end.
  [[nodiscard]] result<bool> next(sound_packet& packet) noexcept;
  // Right after next(): calls visit(bytes) for the other packets that end on the page, for codecs
  // that count before they decode.
  template <class Visit>
  void for_rest_of_page(Visit&& visit) const noexcept {
    std::size_t at = packet_at_;
    std::size_t bytes = 0;
    for (std::size_t i = lacing_at_; i < lacing_count_; ++i) {
      const std::size_t part = std::to_integer<std::size_t>(lacing()[i]);
      bytes += part;
      if (part == 255) continue;
      visit(page_.span().subspan(at, bytes));
      at += bytes;
      bytes = 0;
    }
  }
  [[nodiscard]] std::int64_t granule_of_page() const noexcept { return place_.granule; }
  [[nodiscard]] bool page_ends_stream() const noexcept { return ends_stream_; }
  [[nodiscard]] std::uint64_t page_at() const noexcept { return place_.at; }
  // Where the next page is looked for.
  [[nodiscard]] std::uint64_t next_at() const noexcept { return next_at_; }

  // The next packet is the first that begins on the page at `at` or after it.
  void go_to(std::uint64_t at) noexcept;
  // The last page between `from` and the end of the file whose granule is at most `granule`;
  // `from` itself, with the granule `no_granule`, if there is none. The pages from `from` on have
  // sound. Moves the file: go_to() comes next.
  [[nodiscard]] result<ogg_page_place> find(std::int64_t granule, std::uint64_t from) noexcept;
  // The granule of the last page from `from` on; no_granule if none has one. Takes memory for a
  // page of its own, so that next() goes on where it was.
  [[nodiscard]] result<std::int64_t> last_granule(std::uint64_t from) const noexcept;

  // The song has ended: notes if the file is cut, or has another one after it.
  void note_end() noexcept;
  // Gives back what long headers took.
  void shrink() noexcept;

 private:
  static constexpr std::size_t header_bytes = 27;
  static constexpr std::size_t page_bytes_max = header_bytes + 255 + std::size_t{255} * 255;
  static constexpr std::size_t packet_bytes_max = 1u << 20;

  enum class seen : std::uint8_t { page, nothing, damage };

  [[nodiscard]] const std::byte* lacing() const noexcept { return page_.data() + header_bytes; }
  // Reads the page that begins at `at`, which must be whole and match its checksum.
  [[nodiscard]] result<seen> read_page(std::uint64_t at) noexcept;
  // The first page at `at` or later that begins before `limit`: false if there is none.
  [[nodiscard]] result<bool> find_page(std::uint64_t at, std::uint64_t limit, bool notes) noexcept;
  [[nodiscard]] result<std::uint64_t> find_magic(std::uint64_t at, std::uint64_t limit) noexcept;
  [[nodiscard]] result<bool> next_page() noexcept;
  [[nodiscard]] bool has_granule() const noexcept;
  void enter_page() noexcept;
  [[nodiscard]] result<std::int64_t> find_last_granule(std::uint64_t from) noexcept;
  // The granule of the next page of the stream, up to `limit`; false if there is none.
  [[nodiscard]] result<bool> find_granule(std::uint64_t at, std::uint64_t limit,
                                          ogg_page_place& place) noexcept;

  file_reader& file_;
  damage_log& log_;
  base_detail::vec<std::byte> page_;
  base_detail::vec<std::byte> packet_;  // one that goes on in another page
  bool packet_done_ = false;            // it was handed out
  std::uint32_t serial_ = 0;
  std::uint32_t number_ = 0;  // of the page that comes next
  bool knows_number_ = false;
  ogg_page_place place_;
  std::uint64_t next_at_ = 0;
  std::uint64_t wasted_ = 0;  // bytes of pages that did not match
  std::uint64_t used_ = 0;    // and of those that did
  // In the current page:
  std::size_t lacing_count_ = 0;
  std::size_t lacing_at_ = 0;
  std::size_t packet_at_ = 0;
  std::size_t last_end_ = 0;  // the lacing value with which its last packet ends, plus one
  bool is_first_ = true;      // no packet has ended on it yet
  bool ends_stream_ = false;
  bool skips_continued_ = false;  // the rest of a packet whose beginning is not known
  bool after_gap_ = false;
  bool told_of_chain_ = false;
  bool told_of_cut_ = false;
};

}  // namespace overture::sounds_detail
