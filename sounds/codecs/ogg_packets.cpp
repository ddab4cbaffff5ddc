// SPDX-License-Identifier: Zlib
#include "sounds/codecs/ogg_packets.hpp"

#include <ogg/ogg.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/little_endian.hpp"

namespace overture::sounds_detail {
using namespace base_detail;

namespace {

constexpr std::string_view page_magic("OggS\0", 5);  // and version 0
constexpr std::size_t flags_at = 5;
constexpr std::size_t granule_at = 6;
constexpr std::size_t serial_at = 14;
constexpr std::size_t number_at = 18;
constexpr std::size_t checksum_at = 22;
constexpr std::size_t segments_at = 26;
constexpr std::uint32_t continues_packet = 1;
constexpr std::uint32_t begins_stream = 2;
constexpr std::uint32_t last_of_stream = 4;

// Writes the right checksum into the page and returns whether it was there.
bool check_page(std::span<std::byte> page, std::size_t header_bytes) noexcept {
  std::byte stated[4];
  std::memcpy(stated, &page[checksum_at], sizeof stated);
  auto* const bytes = reinterpret_cast<unsigned char*>(page.data());
  ogg_page view{bytes, static_cast<long>(header_bytes), bytes + header_bytes,
                static_cast<long>(page.size() - header_bytes)};
  ogg_page_checksum_set(&view);
  return std::memcmp(stated, &page[checksum_at], sizeof stated) == 0;
}

}  // namespace

result<ogg_packets::seen> ogg_packets::read_page(std::uint64_t at) noexcept {
  const std::uint64_t rest = file_.size() - std::min(at, file_.size());
  if (rest < header_bytes) return seen::nothing;
  if (result<void> moved = file_.seek(at); !moved) return tl::unexpected<error>(moved.error());
  if (result<void> read = file_.read_all_of({page_.data(), header_bytes}); !read) {
    return tl::unexpected<error>(read.error());
  }
  const std::string_view text(reinterpret_cast<const char*>(page_.data()), page_magic.size());
  if (text != page_magic) return seen::nothing;
  const std::size_t segments = load_u8(&page_[segments_at]);
  const std::size_t header = header_bytes + segments;
  if (rest < header) return seen::nothing;
  if (result<void> read = file_.read_all_of({page_.data() + header_bytes, segments}); !read) {
    return tl::unexpected<error>(read.error());
  }
  std::size_t whole = header;
  for (std::size_t i = 0; i < segments; ++i) whole += load_u8(lacing() + i);
  if (rest < whole) return seen::nothing;
  if (result<void> read = file_.read_all_of({page_.data() + header, whole - header}); !read) {
    return tl::unexpected<error>(read.error());
  }
  if (!check_page({page_.data(), whole}, header)) {
    wasted_ += whole;
    return seen::damage;
  }
  used_ += whole;
  place_ = {at, at + whole, static_cast<std::int64_t>(load_u64(&page_[granule_at]))};
  next_at_ = at + whole;
  lacing_count_ = segments;
  return seen::page;
}

// Overlaps its blocks by what may be half of the magic.
result<std::uint64_t> ogg_packets::find_magic(std::uint64_t at, std::uint64_t limit) noexcept {
  constexpr std::string_view magic = page_magic.substr(0, 4);
  limit = std::min(limit, file_.size());
  while (at < limit) {
    char block[4096];
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(sizeof block, file_.size() - at));
    if (result<void> moved = file_.seek(at); !moved) return tl::unexpected<error>(moved.error());
    const std::span<char> part(block, wanted);
    if (result<void> read = file_.read_all_of(std::as_writable_bytes(part)); !read) {
      return tl::unexpected<error>(read.error());
    }
    const std::size_t found = std::string_view(block, wanted).find(magic);
    if (found != std::string_view::npos) return std::min(at + found, limit);
    if (wanted < sizeof block) break;
    at += wanted - (magic.size() - 1);
  }
  return limit;
}

result<bool> ogg_packets::find_page(std::uint64_t at, std::uint64_t limit, bool notes) noexcept {
  const std::uint64_t begin = at;
  bool noted = !notes;
  while (at < limit && at < file_.size()) {
    const result<seen> here = read_page(at);
    if (!here) return tl::unexpected<error>(here.error());
    if (*here == seen::page) {
      if (at != begin && !noted) {
        log_.note(errc::corrupt, "bytes between the pages of the Ogg file", begin);
      }
      return true;
    }
    if (*here == seen::damage && !noted) {
      noted = true;
      log_.note(errc::corrupt, "a page of the Ogg file does not match its checksum", at);
    }
    // Crafted bytes can look like a page at each of them.
    constexpr std::uint64_t always = 4u << 20;
    if (wasted_ > always + 4 * used_) {
      return fail(errc::corrupt, "too much of the Ogg file is damaged");
    }
    const result<std::uint64_t> next = find_magic(at + 1, limit);
    if (!next) return tl::unexpected<error>(next.error());
    at = *next;
  }
  return false;
}

result<bool> ogg_packets::begin(std::string_view magic) noexcept {
  if (!page_.resize_for_overwrite(page_bytes_max)) {
    return fail(errc::out_of_memory, "out of memory for a page of the Ogg file");
  }
  // Streams that belong together all begin before any goes on.
  std::uint64_t at = 0;
  for (unsigned pages = 0; pages < 64; ++pages) {
    const result<bool> found = find_page(at, file_.size(), true);
    if (!found || !*found) return found;
    if ((load_u8(&page_[flags_at]) & begins_stream) == 0) return false;
    const std::size_t header = header_bytes + lacing_count_;
    const std::string_view packet(reinterpret_cast<const char*>(page_.data()) + header,
                                  static_cast<std::size_t>(place_.end - place_.at) - header);
    if (packet.starts_with(magic)) {
      serial_ = load_u32(&page_[serial_at]);
      go_to(place_.at);
      after_gap_ = false;
      return true;
    }
    at = next_at_;
  }
  return false;
}

void ogg_packets::go_to(std::uint64_t at) noexcept {
  next_at_ = at;
  knows_number_ = false;
  after_gap_ = true;
  packet_.clear();
  packet_done_ = false;
  lacing_at_ = 0;
  lacing_count_ = 0;
}

void ogg_packets::enter_page() noexcept {
  const std::uint32_t number = load_u32(&page_[number_at]);
  const std::uint32_t flags = load_u8(&page_[flags_at]);
  const bool continues = (flags & continues_packet) != 0;
  if (knows_number_ && number != number_) after_gap_ = true;
  if (after_gap_ || !continues) packet_.clear();
  skips_continued_ = continues && packet_.empty();
  knows_number_ = true;
  number_ = number + 1;
  ends_stream_ = (flags & last_of_stream) != 0;
  lacing_at_ = 0;
  packet_at_ = header_bytes + lacing_count_;
  is_first_ = true;
  last_end_ = 0;
  for (std::size_t i = 0; i < lacing_count_; ++i) {
    if (lacing()[i] != std::byte{255}) last_end_ = i + 1;
  }
}

// The next page of the stream; false at the end.
result<bool> ogg_packets::next_page() noexcept {
  for (;;) {
    const result<bool> found = find_page(next_at_, file_.size(), true);
    if (!found) return found;
    if (!*found) {
      lacing_count_ = 0;
      lacing_at_ = 0;
      // A tag or zeros may follow the last page; half of a page is damage.
      if (!ends_stream_ && !told_of_cut_) {
        told_of_cut_ = true;
        log_.note(errc::truncated, "the Ogg file is truncated", next_at_);
      }
      return false;
    }
    if (load_u32(&page_[serial_at]) == serial_) {
      enter_page();
      return true;
    }
    const bool begins = (load_u8(&page_[flags_at]) & begins_stream) != 0;
    if (begins && ends_stream_ && !told_of_chain_) {
      told_of_chain_ = true;
      log_.note(errc::unsupported, "a chain of Ogg streams: only the first is played", place_.at);
    }
    lacing_count_ = 0;
    lacing_at_ = 0;
    if (begins && ends_stream_) return false;
  }
}

result<bool> ogg_packets::next(sound_packet& packet) noexcept {
  if (std::exchange(packet_done_, false)) packet_.clear();
  for (;;) {
    while (lacing_at_ < lacing_count_) {
      std::size_t bytes = 0;
      bool ends = false;
      while (lacing_at_ < lacing_count_ && !ends) {
        const std::size_t part = load_u8(lacing() + lacing_at_++);
        bytes += part;
        ends = part != 255;
      }
      const std::span<const std::byte> here = page_.span().subspan(packet_at_, bytes);
      packet_at_ += bytes;
      if (skips_continued_) {
        skips_continued_ = !ends;
        continue;
      }
      const bool is_whole = ends && packet_.empty();
      if (!is_whole) {
        if (packet_.size() + bytes > packet_bytes_max) {
          return fail(errc::limit, "an Ogg packet of more than 1 MiB: no sound has one");
        }
        if (!packet_.append(here.data(), bytes)) {
          return fail(errc::out_of_memory, "out of memory for a packet of the Ogg file");
        }
        if (!ends) continue;
        packet_done_ = true;
      }
      const bool is_last = lacing_at_ == last_end_;
      packet = {.bytes = is_whole ? here : packet_.span(),
                .granule = is_last ? place_.granule : no_granule,
                .begins_page = is_first_,
                .after_gap = std::exchange(after_gap_, false),
                .ends_stream = is_last && ends_stream_};
      is_first_ = false;
      return true;
    }
    const result<bool> more = next_page();
    if (!more || !*more) return more;
  }
}

void ogg_packets::note_end() noexcept {
  for (;;) {
    const result<bool> more = next_page();
    if (!more) log_.note(more.error(), next_at_);
    if (!more || !*more) return;
  }
}

void ogg_packets::shrink() noexcept {
  packet_ = vec<std::byte>(packet_.memory(), memory_tag::decode);
  packet_done_ = false;
}

bool ogg_packets::has_granule() const noexcept {
  return load_u32(&page_[serial_at]) == serial_ && place_.granule >= 0;
}

result<bool> ogg_packets::find_granule(std::uint64_t at, std::uint64_t limit,
                                       ogg_page_place& place) noexcept {
  for (;;) {
    const result<bool> found = find_page(at, limit, false);
    if (!found || !*found) return found;
    if (has_granule()) {
      place = place_;
      return true;
    }
    at = next_at_;
  }
}

// Guesses by proportion at first, because songs are even, and then halves.
result<ogg_page_place> ogg_packets::find(std::int64_t granule, std::uint64_t from) noexcept {
  ogg_page_place best{from, from, no_granule};
  std::uint64_t low = from;
  std::uint64_t high = file_.size();
  std::int64_t granule_low = 0;
  std::int64_t granule_high = 0;  // 0: not known
  constexpr std::uint64_t near = 24u << 10;
  for (unsigned probes = 0; high - low > near && probes < 64; ++probes) {
    std::uint64_t probe = low + (high - low) / 2;
    if (probes < 4 && granule_high > granule && granule >= granule_low) {
      const double part = static_cast<double>(granule - granule_low) /
                          static_cast<double>(granule_high - granule_low);
      const auto guess = static_cast<std::uint64_t>(static_cast<double>(high - low) * part);
      probe = low + std::min(guess - std::min<std::uint64_t>(guess, near / 2), high - low - 1);
    }
    ogg_page_place place;
    const result<bool> found = find_granule(probe, high, place);
    if (!found) return tl::unexpected<error>(found.error());
    if (*found && place.granule <= granule) {
      best = place;
      low = place.end;
      granule_low = place.granule;
    } else {
      if (*found) granule_high = place.granule;
      high = std::max(probe, low);
    }
  }
  for (ogg_page_place place;;) {
    const result<bool> found = find_granule(low, file_.size(), place);
    if (!found) return tl::unexpected<error>(found.error());
    if (!*found || place.granule > granule) return best;
    best = place;
    low = place.end;
  }
}

result<std::int64_t> ogg_packets::last_granule(std::uint64_t from) const noexcept {
  ogg_packets beside(file_, page_.memory(), log_);
  if (!beside.page_.resize_for_overwrite(page_bytes_max)) {
    return fail(errc::out_of_memory, "out of memory for a page of the Ogg file");
  }
  beside.serial_ = serial_;
  return beside.find_last_granule(from);
}

result<std::int64_t> ogg_packets::find_last_granule(std::uint64_t from) noexcept {
  // The last page is mostly in the last block; where it is not, in one of those before it.
  std::uint64_t limit = file_.size();
  for (std::uint64_t bytes = page_bytes_max + 1;; bytes *= 4) {
    const std::uint64_t begin = limit - std::min(limit - from, bytes);
    std::int64_t last = no_granule;
    std::uint64_t at = begin;
    for (ogg_page_place place;;) {
      const result<bool> found = find_granule(at, file_.size(), place);
      if (!found) return tl::unexpected<error>(found.error());
      if (!*found) break;
      last = place.granule;
      at = place.end;
    }
    if (last != no_granule || begin == from) return last;
  }
}

}  // namespace overture::sounds_detail
