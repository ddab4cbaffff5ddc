// SPDX-License-Identifier: Zlib
//
// Ogg: pages with their packets, the headers of Vorbis and Opus in the first ones. Lacing values,
// page numbers and checksums follow.
#include <algorithm>
#include <array>
#include <map>

#include "mutators/mutators.hpp"

namespace overture::fuzz {
namespace {

constexpr std::string_view magic("OggS", 4);
constexpr std::size_t page_header_bytes = 27;
constexpr std::size_t lacing_max = 255;
constexpr std::array<std::uint8_t, 7> flag_bytes{0, 1, 2, 3, 4, 5, 6};

struct page {
  std::uint8_t version = 0;
  std::uint8_t flags = 0;
  std::uint64_t position = 0;
  std::uint32_t serial = 0;
  std::uint32_t number_off = 0;  // what the number is too large by
  std::vector<std::string> packets;
  bool open = false;  // the last packet goes on in the next page
};

std::uint32_t checksum_of(std::string_view page) {
  std::uint32_t sum = 0;
  for (const char value : page) {
    sum ^= std::uint32_t{static_cast<std::uint8_t>(value)} << 24;
    for (int bit = 0; bit < 8; ++bit) sum = sum << 1 ^ (sum >> 31 != 0 ? 0x04C11DB7u : 0);
  }
  return sum;
}

// The number that comes next in each logical stream.
using page_numbers = std::map<std::uint32_t, std::uint32_t>;

class ogg_model {
 public:
  bool read(std::string_view bytes);
  void list_fields(field_list& fields);
  std::string write(liar& lies) const;

 private:
  static page read_page(field_reader& in, page_numbers& numbers);
  static void write_page(std::string& to, const page& from, page_numbers& numbers, liar& lies);

  std::vector<page> pages_;
  std::string tail_;
};

page ogg_model::read_page(field_reader& in, page_numbers& numbers) {
  page each;
  (void)in.text(magic.size());
  each.version = static_cast<std::uint8_t>(in.little(1));
  each.flags = static_cast<std::uint8_t>(in.little(1));
  each.position = in.little(8);
  each.serial = static_cast<std::uint32_t>(in.little(4));
  const auto number = static_cast<std::uint32_t>(in.little(4));
  std::uint32_t& next = numbers[each.serial];
  each.number_off = number - next;
  next = number + 1;
  (void)in.little(4);
  const std::string_view lacing = in.text(in.little(1));
  std::string packet;
  for (const char value : lacing) {
    const auto size = static_cast<std::uint8_t>(value);
    packet += in.text(size);
    each.open = size == lacing_max;
    if (!each.open) each.packets.push_back(std::exchange(packet, {}));
  }
  if (each.open) each.packets.push_back(packet);
  return each;
}

bool ogg_model::read(std::string_view bytes) {
  if (!bytes.starts_with(magic)) return false;
  field_reader in(bytes);
  page_numbers numbers;
  while (in.left() >= page_header_bytes && bytes.substr(in.at()).starts_with(magic)) {
    pages_.push_back(read_page(in, numbers));
  }
  tail_ = in.text(in.left());
  return true;
}

// Changes the vendor or a comment: their sizes are in front, and so is the number of comments.
void change_comments(std::string& packet, std::size_t magic_bytes, field_mutator& by) {
  field_reader in(packet, magic_bytes);
  std::string vendor(in.text(in.little(4)));
  std::vector<std::string> comments;
  for (std::uint64_t left = in.little(4); left > 0 && !in.cut() && comments.size() < 64; --left) {
    comments.emplace_back(in.text(in.little(4)));
  }
  const std::string_view rest = in.text(in.left());
  field_list fields;
  fields.text(vendor);
  fields.items(comments);
  for (std::string& each : comments) fields.text(each);
  fields.change_one(by);
  std::string changed = packet.substr(0, magic_bytes);
  append_little(changed, vendor.size(), 4);
  changed += vendor;
  append_little(changed, comments.size(), 4);
  for (const std::string& each : comments) {
    append_little(changed, each.size(), 4);
    changed += each;
  }
  packet = changed.append(rest);
}

// One field of a header: `widths` are the sizes of its fields.
void change_field(std::string& packet, std::span<const std::uint8_t> widths, field_mutator& by) {
  std::size_t at = 0;
  for (std::size_t chosen = 1 + by.random().below(widths.size() - 1), i = 0; i < chosen; ++i) {
    at += widths[i];
    if (i + 1 < chosen) continue;
    field_reader in(packet, at);
    std::uint64_t value = in.little(widths[chosen]);
    by.number(value);
    std::string bytes;
    append_little(bytes, value, widths[chosen]);
    if (!in.cut()) packet.replace(at, bytes.size(), bytes);
  }
}

void list_packet(field_list& fields, std::string& packet) {
  // The first width is that of the magic: type and "vorbis", "OpusHead".
  static constexpr std::array<std::uint8_t, 9> vorbis{7, 4, 1, 4, 4, 4, 4, 1, 1};
  static constexpr std::array<std::uint8_t, 9> opus{8, 1, 1, 2, 4, 2, 1, 1, 1};
  fields.text(packet);
  fields.add([&packet](field_mutator& by) { by.fixed(packet, 0, packet.size()); });
  fields.add([&packet](field_mutator& by) {
    const std::string_view text(packet);
    if (text.starts_with("\1vorbis")) {
      change_field(packet, vorbis, by);
    } else if (text.starts_with("OpusHead")) {
      change_field(packet, opus, by);
    } else if (text.starts_with("\3vorbis")) {
      change_comments(packet, 7, by);
    } else if (text.starts_with("OpusTags")) {
      change_comments(packet, 8, by);
    } else if (!packet.empty()) {  // near its beginning, where modes are
      by.fixed(packet, 0, 1 + by.random().below(8));
    }
  });
}

void ogg_model::list_fields(field_list& fields) {
  fields.items(pages_);
  fields.text(tail_);
  for (page& each : pages_) {
    fields.one_of<std::uint8_t>(each.flags, flag_bytes);
    fields.number(each.position);
    fields.number(each.number_off);
    fields.flag(each.open);
    fields.items(each.packets);
    fields.add([this, &each](field_mutator& by) {  // a serial number that is there, or a new one
      each.serial = pages_[by.random().below(pages_.size())].serial;
      if (by.random().one_in(4)) by.number(each.serial);
    });
    fields.add([&each](field_mutator& by) {
      if (by.random().one_in(8)) by.number(each.version);
    });
    for (std::string& packet : each.packets) list_packet(fields, packet);
  }
}

void ogg_model::write_page(std::string& to, const page& from, page_numbers& numbers, liar& lies) {
  std::string lacing;
  std::string data;
  for (std::size_t i = 0; i < from.packets.size(); ++i) {
    const std::string& packet = from.packets[i];
    // Only a multiple of 255 bytes can go on in the next page.
    const bool open = from.open && i + 1 == from.packets.size() && packet.size() >= lacing_max;
    const std::size_t size = open ? packet.size() / lacing_max * lacing_max : packet.size();
    const std::size_t values = size / lacing_max + !open;
    if (lacing.size() + values > lacing_max) break;
    lacing.append(size / lacing_max, '\xFF');
    if (!open) lacing += static_cast<char>(size % lacing_max);
    data.append(packet, 0, size);
  }
  std::uint32_t& next = numbers[from.serial];
  const std::uint32_t number = next + from.number_off;
  next = number + 1;
  std::string head(magic);
  append_little(head, from.version, 1);
  append_little(head, from.flags, 1);
  append_little(head, from.position, 8);
  append_little(head, from.serial, 4);
  append_little(head, number, 4);
  std::string rest;
  append_little(rest, lies(static_cast<std::uint8_t>(lacing.size())), 1);
  rest += lacing + data;
  const std::uint32_t sum = lies(checksum_of(head + std::string(4, '\0') + rest));
  append_little(head, sum, 4);
  to += head + rest;
}

std::string ogg_model::write(liar& lies) const {
  std::string bytes;
  page_numbers numbers;
  for (const page& each : pages_) write_page(bytes, each, numbers, lies);
  return bytes + tail_;
}

}  // namespace

std::string mutate_ogg(std::string_view bytes, std::size_t size_max, unsigned seed,
                       byte_mutator mutate_bytes) {
  return mutate_by<ogg_model>(bytes, size_max, seed, mutate_bytes);
}

}  // namespace overture::fuzz
