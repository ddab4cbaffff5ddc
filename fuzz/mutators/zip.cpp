// SPDX-License-Identifier: Zlib
//
// ZIP: each record of the directory together with the local header and the data that it points to.
// Names, sizes and checksums change in both places, offsets follow.
#include <algorithm>
#include <array>
#include <optional>

#include "mutators/mutators.hpp"

namespace overture::fuzz {
namespace {

constexpr std::uint32_t local_signature = 0x04034B50;
constexpr std::uint32_t record_signature = 0x02014B50;
constexpr std::uint32_t end_signature = 0x06054B50;
constexpr std::uint32_t end64_signature = 0x06064B50;
constexpr std::uint32_t locator_signature = 0x07064B50;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t end64_bytes = 56;
constexpr std::size_t locator_bytes = 20;
constexpr std::size_t content_bytes_max = 1u << 16;
constexpr std::uint16_t zip64_field = 1;
constexpr std::uint16_t flag_sizes_after_data = 8;

constexpr std::array<std::uint16_t, 11> methods{0, 8, 93, 20, 9, 12, 14, 95, 98, 99, 1};
constexpr std::array<std::uint16_t, 8> flag_words{0, 1, 8, 9, 0x40, 0x800, 0x2000, 0x20};
constexpr std::array<std::uint16_t, 7> systems{0x0014, 0x0314, 0x0A14, 0x0B14,
                                               0x0E14, 0x1314, 0x0714};
constexpr std::array<std::uint32_t, 6> attributes_known{0,           0x10,        0x81A40000,
                                                        0xA1FF0000u, 0x41ED0000u, 0x11A40000};

struct local_header {
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  bool own_sizes = false;  // sizes and checksum are not those of the record
  std::uint32_t crc = 0;
  std::uint32_t packed = 0;
  std::uint32_t bytes = 0;
  std::string name;
  std::string extra;
  std::string data;
  std::string gap;  // up to the next header
};

struct record {
  std::uint16_t made_on = 0;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint16_t time = 0;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;
  std::uint64_t packed_off = 0;  // what the stated packed size is too large by
  std::uint16_t part = 0;
  std::uint32_t attributes = 0;
  bool zip64 = false;
  std::string name;
  std::string extra;
  std::string comment;
  std::uint64_t offset = 0;  // as stated; follows the local header if there is one
  std::optional<local_header> local;

  // Unpacks the data, changes and packs it.
  void change_content(field_mutator& by);
};

void record::change_content(field_mutator& by) {
  if (!local) return;
  std::string content =
      method == 8 ? inflated(local->data, deflate_frame::none, content_bytes_max) : local->data;
  by.text(content, content_bytes_max);
  crc = crc32_of(content);
  bytes = content.size();
  local->data = method == 8 ? deflated(content, deflate_frame::none) : content;
}

class zip_model {
 public:
  bool read(std::string_view bytes);
  void list_fields(field_list& fields);
  std::string write(liar& lies) const;

 private:
  bool find_end(std::string_view bytes);
  void read_end64(std::string_view bytes);
  bool read_record(std::string_view bytes, field_reader& in);
  void read_local(std::string_view bytes, record& of) const;
  static void list_record(field_list& fields, record& each);
  static void write_local(std::string& to, const record& of, liar& lies);
  static void write_record(std::string& to, const record& of, std::uint64_t offset, liar& lies);
  void write_end(std::string& to, std::size_t directory, liar& lies) const;

  std::string prefix_;
  bool offsets_from_prefix_ = true;
  std::vector<record> records_;
  std::string gap_;  // between the directory and the end records
  bool zip64_ = false;
  std::string end64_extra_;
  std::uint16_t parts_ = 0;
  std::string comment_;
  // Found while reading.
  std::uint64_t base_ = 0;
  std::uint64_t directory_offset_ = 0;
  std::uint64_t directory_bytes_ = 0;
  std::size_t end_at_ = 0;  // of the first end record
};

bool zip_model::find_end(std::string_view bytes) {
  std::size_t at = bytes.npos;
  do {  // a comment may contain what looks like an end record
    at = at == 0 ? bytes.npos : bytes.rfind("PK\5\6", at - 1);
    if (at == bytes.npos) return false;
  } while (bytes.size() - at < end_bytes);
  end_at_ = at;
  field_reader in(bytes, at + 4);
  parts_ = static_cast<std::uint16_t>(in.little(2));
  (void)in.text(6);
  directory_bytes_ = in.little(4);
  directory_offset_ = in.little(4);
  comment_ = in.text(in.little(2));
  read_end64(bytes);
  if (directory_bytes_ > end_at_) directory_bytes_ = end_at_;
  return true;
}

void zip_model::read_end64(std::string_view bytes) {
  if (end_at_ < locator_bytes + end64_bytes) return;
  field_reader locator(bytes, end_at_ - locator_bytes);
  if (locator.little(4) != locator_signature) return;
  const std::size_t at = bytes.rfind("PK\6\6", end_at_ - locator_bytes);
  if (at == bytes.npos || end_at_ - locator_bytes - at < end64_bytes) return;
  zip64_ = true;
  end64_extra_ = bytes.substr(at + end64_bytes, end_at_ - locator_bytes - at - end64_bytes);
  end_at_ = at;
  field_reader in(bytes, at + 40);
  directory_bytes_ = in.little(8);
  directory_offset_ = in.little(8);
}

bool zip_model::read(std::string_view bytes) {
  if (!find_end(bytes)) return false;
  std::size_t at = end_at_ - static_cast<std::size_t>(directory_bytes_);
  if (!bytes.substr(at).starts_with("PK\1\2") && directory_offset_ < end_at_) {
    at = static_cast<std::size_t>(directory_offset_);
  }
  base_ = at - directory_offset_;
  field_reader in(bytes.substr(0, end_at_), at);
  while (read_record(bytes, in)) {
  }
  gap_ = bytes.substr(in.at(), end_at_ - in.at());
  std::uint64_t first = at;
  for (const record& each : records_) {
    if (each.local) first = std::min(first, base_ + each.offset);
  }
  prefix_ = bytes.substr(0, first);
  offsets_from_prefix_ = base_ == prefix_.size();
  return true;
}

bool zip_model::read_record(std::string_view bytes, field_reader& in) {
  static constexpr std::size_t least_bytes = 46;
  if (in.left() < least_bytes) return false;
  field_reader ahead = in;
  if (ahead.little(4) != record_signature) return false;
  record each;
  each.made_on = static_cast<std::uint16_t>(ahead.little(2));
  (void)ahead.little(2);
  each.flags = static_cast<std::uint16_t>(ahead.little(2));
  each.method = static_cast<std::uint16_t>(ahead.little(2));
  each.time = static_cast<std::uint16_t>(ahead.little(2));
  (void)ahead.little(2);
  each.crc = static_cast<std::uint32_t>(ahead.little(4));
  each.packed_off = ahead.little(4);
  each.bytes = ahead.little(4);
  const std::size_t name = ahead.little(2);
  const std::size_t extra = ahead.little(2);
  const std::size_t comment = ahead.little(2);
  each.part = static_cast<std::uint16_t>(ahead.little(2));
  (void)ahead.little(2);
  each.attributes = static_cast<std::uint32_t>(ahead.little(4));
  each.offset = ahead.little(4);
  each.name = ahead.text(name);
  each.extra = ahead.text(extra);
  each.comment = ahead.text(comment);
  field_reader field(each.extra);
  if (each.bytes == UINT32_MAX && each.packed_off == UINT32_MAX && each.offset == UINT32_MAX &&
      field.little(2) == zip64_field && field.little(2) == 24) {
    each.zip64 = true;
    each.bytes = field.little(8);
    each.packed_off = field.little(8);
    each.offset = field.little(8);
    each.extra.erase(0, field.at());
  }
  in = ahead;
  read_local(bytes, each);
  if (each.local) each.packed_off -= each.local->data.size();
  records_.push_back(std::move(each));
  return true;
}

void zip_model::read_local(std::string_view bytes, record& of) const {
  static constexpr std::size_t least_bytes = 30;
  const std::uint64_t at = base_ + of.offset;
  if (at > end_at_ || end_at_ - at < least_bytes) return;
  field_reader in(bytes.substr(0, end_at_), at);
  if (in.little(4) != local_signature) return;
  local_header header;
  (void)in.little(2);
  header.flags = static_cast<std::uint16_t>(in.little(2));
  header.method = static_cast<std::uint16_t>(in.little(2));
  (void)in.little(4);
  header.crc = static_cast<std::uint32_t>(in.little(4));
  header.packed = static_cast<std::uint32_t>(in.little(4));
  header.bytes = static_cast<std::uint32_t>(in.little(4));
  header.own_sizes =
      header.crc != of.crc || header.packed != of.packed_off || header.bytes != of.bytes;
  const std::size_t name = in.little(2);
  const std::size_t extra = in.little(2);
  header.name = in.text(name);
  header.extra = in.text(extra);
  header.data = in.text(of.packed_off);
  if ((header.flags & flag_sizes_after_data) != 0) {  // a data descriptor, if that is what it is
    const std::size_t next = bytes.substr(0, end_at_).find("PK", in.at() + 2);
    if (next != bytes.npos && next - in.at() <= 24) header.gap = in.text(next - in.at());
  }
  of.local = std::move(header);
}

void zip_model::list_record(field_list& fields, record& each) {
  fields.one_of<std::uint16_t>(each.made_on, systems);
  fields.one_of<std::uint16_t>(each.flags, flag_words);
  fields.one_of<std::uint16_t>(each.method, methods);
  fields.one_of<std::uint32_t>(each.attributes, attributes_known);
  fields.number(each.time);
  fields.number(each.crc);
  fields.number(each.bytes);
  fields.number(each.packed_off);
  fields.number(each.part);
  fields.flag(each.zip64);
  fields.text(each.extra);
  fields.text(each.comment);
  fields.add([&each](field_mutator& by) {
    by.text(each.name);
    if (each.local) each.local->name = each.name;
  });
  fields.add([&each](field_mutator& by) { each.change_content(by); });
  // Without its header a record keeps the stated offset, which then changes like any number.
  fields.number(each.offset);
  if (!each.local) return;
  fields.add([&each](field_mutator& by) {
    if (by.random().one_in(16)) each.local.reset();
  });
  local_header& header = *each.local;
  fields.one_of<std::uint16_t>(header.flags, flag_words);
  fields.one_of<std::uint16_t>(header.method, methods);
  fields.flag(header.own_sizes);
  fields.number(header.packed);
  fields.text(header.name);
  fields.text(header.extra);
  fields.text(header.data);
  fields.text(header.gap);
}

void zip_model::list_fields(field_list& fields) {
  fields.items(records_);
  fields.flag(zip64_);
  fields.flag(offsets_from_prefix_);
  for (std::string* const text : {&prefix_, &gap_, &end64_extra_, &comment_}) fields.text(*text);
  fields.add([this](field_mutator& by) {
    if (by.random().one_in(8)) by.number(parts_);
  });
  for (record& each : records_) list_record(fields, each);
}

void zip_model::write_local(std::string& to, const record& of, liar& lies) {
  const local_header& header = *of.local;
  append_little(to, local_signature, 4);
  append_little(to, 20, 2);
  append_little(to, header.flags, 2);
  append_little(to, header.method, 2);
  append_little(to, of.time, 4);
  append_little(to, header.own_sizes ? header.crc : of.crc, 4);
  append_little(to, header.own_sizes ? header.packed : header.data.size() + of.packed_off, 4);
  append_little(to, header.own_sizes ? header.bytes : of.bytes, 4);
  append_little(to, lies(header.name.size()), 2);
  append_little(to, lies(header.extra.size()), 2);
  to += header.name + header.extra + header.data + header.gap;
}

void zip_model::write_record(std::string& to, const record& of, std::uint64_t offset, liar& lies) {
  const std::uint64_t packed = lies((of.local ? of.local->data.size() : 0) + of.packed_off);
  const std::uint64_t at = lies(offset);
  std::string extra;
  if (of.zip64) {
    append_little(extra, zip64_field, 2);
    append_little(extra, lies(std::uint16_t{24}), 2);
    append_little(extra, of.bytes, 8);
    append_little(extra, packed, 8);
    append_little(extra, at, 8);
  }
  extra += of.extra;
  append_little(to, record_signature, 4);
  append_little(to, of.made_on, 2);
  append_little(to, 20, 2);
  append_little(to, of.flags, 2);
  append_little(to, of.method, 2);
  append_little(to, of.time, 4);
  append_little(to, of.crc, 4);
  append_little(to, of.zip64 ? UINT32_MAX : packed, 4);
  append_little(to, of.zip64 ? UINT32_MAX : of.bytes, 4);
  append_little(to, lies(of.name.size()), 2);
  append_little(to, lies(extra.size()), 2);
  append_little(to, lies(of.comment.size()), 2);
  append_little(to, of.part, 2);
  append_little(to, 0, 2);
  append_little(to, of.attributes, 4);
  append_little(to, of.zip64 ? UINT32_MAX : at, 4);
  to += of.name + extra + of.comment;
}

void zip_model::write_end(std::string& to, std::size_t directory, liar& lies) const {
  const std::uint64_t base = offsets_from_prefix_ ? prefix_.size() : 0;
  const std::uint64_t count = lies(records_.size());
  const std::uint64_t bytes = lies(to.size() - directory);
  const std::uint64_t offset = lies(directory - base);
  to += gap_;
  if (zip64_) {
    const std::uint64_t at = to.size() - base;
    append_little(to, end64_signature, 4);
    append_little(to, lies(end64_bytes - 12 + end64_extra_.size()), 8);
    append_little(to, 45, 2);
    append_little(to, 45, 2);
    append_little(to, parts_, 4);
    append_little(to, parts_, 4);
    append_little(to, count, 8);
    append_little(to, count, 8);
    append_little(to, bytes, 8);
    append_little(to, offset, 8);
    to += end64_extra_;
    append_little(to, locator_signature, 4);
    append_little(to, parts_, 4);
    append_little(to, lies(at), 8);
    append_little(to, lies(std::uint32_t{1}), 4);
  }
  append_little(to, end_signature, 4);
  append_little(to, parts_, 2);
  append_little(to, parts_, 2);
  append_little(to, zip64_ ? UINT16_MAX : count, 2);
  append_little(to, zip64_ ? UINT16_MAX : count, 2);
  append_little(to, zip64_ ? UINT32_MAX : bytes, 4);
  append_little(to, zip64_ ? UINT32_MAX : offset, 4);
  append_little(to, lies(comment_.size()), 2);
  to += comment_;
}

std::string zip_model::write(liar& lies) const {
  const std::uint64_t base = offsets_from_prefix_ ? prefix_.size() : 0;
  std::string bytes = prefix_;
  std::vector<std::uint64_t> offsets;
  for (const record& each : records_) {
    offsets.push_back(each.local ? bytes.size() - base : each.offset);
    if (each.local) write_local(bytes, each, lies);
  }
  const std::size_t directory = bytes.size();
  for (std::size_t i = 0; i < records_.size(); ++i) {
    write_record(bytes, records_[i], offsets[i], lies);
  }
  write_end(bytes, directory, lies);
  return bytes;
}

}  // namespace

std::string mutate_zip(std::string_view bytes, std::size_t size_max, unsigned seed,
                       byte_mutator mutate_bytes) {
  return mutate_by<zip_model>(bytes, size_max, seed, mutate_bytes);
}

}  // namespace overture::fuzz
