// SPDX-License-Identifier: Zlib
//
// 7z: the start, packed data, and the header: streams and files. A packed header is unpacked and
// packed again. Counts, sizes and checksums follow.
#include <algorithm>
#include <array>
#include <map>

#include "mutators/mutators.hpp"
#include "mutators/seven_zip_parts.hpp"

namespace overture::fuzz {
namespace {

constexpr std::string_view seven_zip_mark("7z\xBC\xAF\x27\x1C", 6);
constexpr std::size_t start_bytes = 32;
constexpr std::size_t files_max = 64;
constexpr std::array<std::uint8_t, 5> encodings_known{0, 1, 2, 4, 5};
constexpr std::array<std::uint32_t, 6> seven_zip_attributes{0,          0x10,        0x20,
                                                            0x81A48000, 0xA1FF8000u, 0x41ED8000u};

struct listed_file {
  std::string name;  // UTF-16 without the end
  bool no_stream = false;
  bool empty_file = false;
  bool anti = false;
  std::uint32_t attributes = 0;
};

struct other_property {
  std::uint64_t kind = 0;
  std::string content;
};

class seven_zip_model {
 public:
  bool read(std::string_view bytes);
  void list_fields(field_list& fields);
  std::string write(liar& lies) const;

 private:
  void read_header(std::string_view header, std::string_view area);
  void read_files(field_reader& in);
  void read_file_property(std::uint64_t kind, std::string_view content);
  void read_names(std::string_view names);
  void write_files(std::string& to, liar& lies) const;
  [[nodiscard]] std::string header(liar& lies) const;
  // A header that says where the packed `inner` one is; appends that to the data.
  std::string encoded(const std::string& inner, std::string& data, liar& lies) const;

  std::string version_;
  std::string gap_;    // in front of the packed data
  std::string other_;  // a header that could not be read
  std::uint8_t encodings_ = 0;
  bool has_archive_properties_ = false;
  seven_zip_streams streams_;
  std::vector<listed_file> files_;
  bool has_attributes_ = false;
  std::vector<other_property> others_;
};

bool seven_zip_model::read(std::string_view bytes) {
  if (!bytes.starts_with(seven_zip_mark)) return false;
  field_reader in(bytes, seven_zip_mark.size());
  version_ = in.text(2);
  (void)in.text(4);
  const std::uint64_t offset = in.little(8);
  const std::uint64_t size = in.little(8);
  const std::string_view area = bytes.substr(std::min(start_bytes, bytes.size()));
  read_header(area.substr(std::min<std::uint64_t>(offset, area.size()), size), area);
  gap_ = area.substr(0, std::min<std::uint64_t>(streams_.offset, 64));
  return true;
}

void seven_zip_model::read_header(std::string_view header, std::string_view area) {
  field_reader in(header);
  std::uint64_t kind = read_number(in);
  if (kind == property_encoded_header && encodings_ < encodings_known.back()) {
    ++encodings_;
    seven_zip_streams outer;
    outer.read(in, area);
    std::string inner;
    const bool there = !in.cut() && outer.folders.size() == 1 && outer.packed.size() == 1;
    if (there && unpack_folder(outer.folders[0], outer.packed[0].data, inner)) {
      return read_header(inner, area);
    }
    in.give_up();
  }
  if (kind != property_header) in.give_up();
  for (kind = read_number(in); kind != property_end && !in.cut(); kind = read_number(in)) {
    if (kind == property_main_streams) {
      streams_.read(in, area);
    } else if (kind == property_files) {
      read_files(in);
    } else if (kind == property_archive) {
      has_archive_properties_ = true;
      while (read_number(in) != property_end && !in.cut()) (void)in.text(read_number(in));
    } else {
      in.give_up();
    }
  }
  if (!in.cut()) return;
  other_ = header;
  encodings_ = 0;
}

void seven_zip_model::read_files(field_reader& in) {
  const std::uint64_t count = read_number(in);
  if (count > files_max) return in.give_up();
  files_.resize(count);
  for (std::uint64_t kind = read_number(in); kind != property_end && !in.cut();
       kind = read_number(in)) {
    read_file_property(kind, in.text(read_number(in)));
  }
}

void seven_zip_model::read_file_property(std::uint64_t kind, std::string_view content) {
  field_reader in(content);
  const auto read_of_empty = [&](bool listed_file::* flag) {
    const std::string bits = read_bits(in, files_.size());
    std::size_t at = 0;
    for (listed_file& each : files_) {
      if (!each.no_stream || at == bits.size()) continue;
      each.*flag = bits[at] != 0;
      ++at;
    }
  };
  switch (kind) {
    case property_empty_stream: {
      const std::string bits = read_bits(in, files_.size());
      for (std::size_t i = 0; i < bits.size(); ++i) files_[i].no_stream = bits[i] != 0;
      break;
    }
    case property_empty_file:
      read_of_empty(&listed_file::empty_file);
      break;
    case property_anti:
      read_of_empty(&listed_file::anti);
      break;
    case property_names:
      read_names(content.substr(std::min<std::size_t>(content.size(), 1)));
      break;
    case property_attributes:
      has_attributes_ = in.little(1) != 0 && in.little(1) == 0;
      for (listed_file& each : files_) each.attributes = static_cast<std::uint32_t>(in.little(4));
      break;
    default:
      others_.push_back({kind, std::string(content)});
  }
}

void seven_zip_model::read_names(std::string_view names) {
  std::size_t file = 0;
  for (std::size_t at = 0; at + 2 <= names.size() && file < files_.size(); at += 2) {
    const std::string_view unit = names.substr(at, 2);
    if (unit == std::string_view("\0\0", 2)) {
      ++file;
    } else {
      files_[file].name += unit;
    }
  }
}

void seven_zip_model::list_fields(field_list& fields) {
  fields.one_of<std::uint8_t>(encodings_, encodings_known);
  fields.add([this](field_mutator& by) {
    if (by.random().one_in(8)) by.fixed(version_, 0, 2);
  });
  if (!other_.empty()) return fields.text(other_);
  fields.text(gap_);
  fields.flag(has_archive_properties_);
  fields.flag(has_attributes_);
  fields.items(files_);
  fields.items(others_);
  fields.add([this](field_mutator& by) {
    if (others_.size() < 8) others_.push_back({by.random().below(0x1A), "x"});
  });
  streams_.list_fields(fields);
  for (listed_file& each : files_) {
    fields.text(each.name);
    fields.add([&each](field_mutator& by) {  // a character of it, or a separator
      if (each.name.size() < 2) return;
      const std::size_t at = by.random().below(each.name.size() / 2) * 2;
      static constexpr std::string_view known("/\\.:A\xD8\xDC\0", 8);
      each.name[at] = known[by.random().below(known.size())];
      if (by.random().one_in(4)) by.fixed(each.name, at, 2);
    });
    fields.flag(each.no_stream);
    fields.flag(each.empty_file);
    fields.flag(each.anti);
    fields.one_of<std::uint32_t>(each.attributes, seven_zip_attributes);
  }
  for (other_property& each : others_) {
    fields.number(each.kind);
    fields.text(each.content);
  }
}

void seven_zip_model::write_files(std::string& to, liar& lies) const {
  std::vector<bool> no_stream;
  std::vector<bool> empty;
  std::vector<bool> anti;
  std::string names(1, '\0');
  std::string attributes("\1\0", 2);
  for (const listed_file& each : files_) {
    no_stream.push_back(each.no_stream);
    if (each.no_stream) empty.push_back(each.empty_file);
    if (each.no_stream) anti.push_back(each.anti);
    names += each.name + std::string(2 + each.name.size() % 2, '\0');
    append_little(attributes, each.attributes, 4);
  }
  const auto add = [&](std::uint64_t kind, const std::string& content) {
    append_number(to, kind);
    append_number(to, lies(std::uint64_t{content.size()}));
    to += content;
  };
  const auto bits = [&](seven_zip_property kind, const std::vector<bool>& list) {
    if (std::ranges::find(list, true) == list.end()) return;
    std::string content;
    append_bits(content, list);
    add(kind, content);
  };
  append_property(to, property_files);
  append_number(to, lies(std::uint64_t{files_.size()}));
  bits(property_empty_stream, no_stream);
  bits(property_empty_file, empty);
  bits(property_anti, anti);
  add(property_names, names);
  if (has_attributes_) add(property_attributes, attributes);
  for (const other_property& each : others_) add(each.kind, each.content);
  append_property(to, property_end);
}

std::string seven_zip_model::header(liar& lies) const {
  if (!other_.empty()) return other_;
  std::string bytes;
  append_property(bytes, property_header);
  if (has_archive_properties_) bytes.append("\2\1\2xy\0", 6);
  if (!streams_.packed.empty() || !streams_.folders.empty()) {
    append_property(bytes, property_main_streams);
    streams_.write(bytes, gap_.size(), lies);
  }
  write_files(bytes, lies);
  append_property(bytes, property_end);
  return bytes;
}

std::string seven_zip_model::encoded(const std::string& inner, std::string& data,
                                     liar& lies) const {
  seven_zip_streams outer;
  outer.packed.resize(1);
  outer.folders.resize(1);
  seven_zip_folder& folder = outer.folders[0];
  folder.files.resize(1);
  folder.digest.known = true;
  folder.coders.push_back({.id = std::string("\3\1\1"),
                           .has_properties = true,
                           .properties = std::string("\x5D\0\0\1\0", 5)});
  pack_folder(folder, outer.packed[0].data, inner);
  std::string bytes;
  append_property(bytes, property_encoded_header);
  outer.write(bytes, data.size(), lies);
  data += outer.packed_data();
  return bytes;
}

std::string seven_zip_model::write(liar& lies) const {
  std::string data = gap_ + streams_.packed_data();
  std::string head = header(lies);
  for (int i = 0; i < encodings_ % 8; ++i) head = encoded(head, data, lies);
  std::string start;
  append_little(start, lies(std::uint64_t{data.size()}), 8);
  append_little(start, lies(std::uint64_t{head.size()}), 8);
  append_little(start, lies(crc32_of(head)), 4);
  std::string bytes(seven_zip_mark);
  bytes += version_;
  bytes.resize(8);
  append_little(bytes, lies(crc32_of(start)), 4);
  return bytes + start + data + head;
}

}  // namespace

std::string mutate_seven_zip(std::string_view bytes, std::size_t size_max, unsigned seed,
                             byte_mutator mutate_bytes) {
  return mutate_by<seven_zip_model>(bytes, size_max, seed, mutate_bytes);
}

}  // namespace overture::fuzz
