// SPDX-License-Identifier: Zlib
#include "mutators/seven_zip_parts.hpp"

#include <lzma.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace overture::fuzz {
namespace {

constexpr std::string_view id_copy("\0", 1);
constexpr std::string_view id_lzma("\3\1\1", 3);
constexpr std::size_t items_max = 64;
constexpr std::size_t folder_bytes_max = 1u << 16;
constexpr std::uint64_t no_size = ~std::uint64_t{0};

// A count of things; gives up if there are too many to be worth it.
std::uint64_t read_count(field_reader& in) {
  const std::uint64_t count = read_number(in);
  if (count > items_max) in.give_up();
  return in.cut() ? 0 : count;
}

void read_packed(field_reader& in, std::string_view area, seven_zip_streams& into) {
  into.offset = read_number(in);
  into.packed.resize(read_count(in));
  std::vector<seven_zip_digest> digests(into.packed.size());
  std::uint64_t at = into.offset;
  for (std::uint64_t part = read_number(in); part != property_end && !in.cut();
       part = read_number(in)) {
    if (part == property_size) {
      for (seven_zip_packed& each : into.packed) {
        const std::uint64_t size = read_number(in);
        each.data = area.substr(std::min<std::uint64_t>(at, area.size()), size);
        each.size_off = size - each.data.size();
        at += each.data.size();
      }
    } else if (part == property_crc) {
      std::vector<seven_zip_digest*> all;
      all.reserve(digests.size());
      for (seven_zip_digest& each : digests) all.push_back(&each);
      read_digests(in, all);
    } else {
      in.give_up();
    }
  }
}

void read_coder(field_reader& in, seven_zip_coder& into) {
  const std::uint64_t flags = in.little(1);
  into.id = in.text(flags & 15u);
  into.has_streams = (flags & 0x10u) != 0;
  into.has_properties = (flags & 0x20u) != 0;
  if (into.has_streams) {
    into.inputs = read_count(in);
    into.outputs = read_count(in);
  }
  if (into.has_properties) into.properties = in.text(read_number(in));
}

void read_folder(field_reader& in, seven_zip_folder& into) {
  into.coders.resize(read_count(in));
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  for (seven_zip_coder& each : into.coders) {
    read_coder(in, each);
    inputs += each.inputs;
    outputs += each.outputs;
  }
  if (outputs == 0 || inputs + 1 < outputs) return in.give_up();
  into.sizes.resize(outputs);
  into.bonds.resize(outputs - 1);
  for (seven_zip_bond& each : into.bonds) {
    each.input = read_number(in);
    each.output = read_number(in);
  }
  const std::uint64_t packed = inputs + 1 - outputs;
  if (packed < 2) return;
  into.packed_inputs.resize(packed);
  for (std::uint64_t& each : into.packed_inputs) each = read_number(in);
}

void read_folders(field_reader& in, seven_zip_streams& into) {
  if (read_number(in) != property_folder) return in.give_up();
  into.folders.resize(read_count(in));
  if (in.little(1) != 0) return in.give_up();
  std::vector<seven_zip_digest*> digests;
  for (seven_zip_folder& each : into.folders) {
    read_folder(in, each);
    if (in.cut()) return;
    each.files.resize(1);
    digests.push_back(&each.digest);
  }
  if (read_number(in) != property_unpack_size) return in.give_up();
  for (seven_zip_folder& each : into.folders) {
    for (std::uint64_t& size : each.sizes) size = read_number(in);
  }
  for (std::uint64_t part = read_number(in); part != property_end && !in.cut();
       part = read_number(in)) {
    if (part != property_crc) return in.give_up();
    read_digests(in, digests);
  }
}

void read_substreams(field_reader& in, seven_zip_streams& into) {
  std::uint64_t part = read_number(in);
  if (part == property_stream_count) {
    for (seven_zip_folder& each : into.folders) each.files.resize(read_count(in));
    part = read_number(in);
  }
  if (part == property_size) {
    for (seven_zip_folder& folder : into.folders) {
      for (std::size_t i = 0; i + 1 < folder.files.size(); ++i) {
        folder.files[i].bytes = read_number(in);
      }
    }
    part = read_number(in);
  }
  for (; part != property_end && !in.cut(); part = read_number(in)) {
    if (part != property_crc) return in.give_up();
    std::vector<seven_zip_digest*> digests;
    for (seven_zip_folder& folder : into.folders) {
      if (folder.files.size() == 1 && folder.digest.known) continue;
      for (seven_zip_substream& each : folder.files) digests.push_back(&each.digest);
    }
    read_digests(in, digests);
  }
}

// Deletes the packed inputs that are too many, so that the coders fit together.
void append_folder(std::string& to, const seven_zip_folder& from, liar& lies) {
  append_number(to, lies(std::uint64_t{from.coders.size()}));
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  for (const seven_zip_coder& each : from.coders) {
    const std::size_t id = std::min<std::size_t>(each.id.size(), 15);
    to += static_cast<char>(id | (each.has_streams ? 0x10u : 0u) |
                            (each.has_properties ? 0x20u : 0u));
    to.append(each.id, 0, id);
    if (each.has_streams) {
      append_number(to, each.inputs);
      append_number(to, each.outputs);
    }
    inputs += each.has_streams ? each.inputs : 1;
    outputs += each.has_streams ? each.outputs : 1;
    if (!each.has_properties) continue;
    append_number(to, lies(std::uint64_t{each.properties.size()}));
    to += each.properties;
  }
  for (std::uint64_t i = 0; i + 1 < std::min<std::uint64_t>(outputs, items_max); ++i) {
    // A bond that is missing joins one coder to the next.
    const seven_zip_bond bond =
        i < from.bonds.size() ? from.bonds[i] : seven_zip_bond{.input = i + 1, .output = i};
    append_number(to, bond.input);
    append_number(to, bond.output);
  }
  const std::uint64_t packed = inputs + 1 - outputs;
  if (packed < 2 || packed > items_max) return;
  for (std::uint64_t i = 0; i < packed; ++i) {
    append_number(to, i < from.packed_inputs.size() ? from.packed_inputs[i] : i);
  }
}

void append_substreams(std::string& to, const std::vector<seven_zip_folder>& folders, liar& lies) {
  append_property(to, property_substreams);
  append_property(to, property_stream_count);
  for (const seven_zip_folder& each : folders) {
    append_number(to, lies(std::uint64_t{each.files.size()}));
  }
  std::vector<const seven_zip_digest*> digests;
  std::string sizes;
  for (const seven_zip_folder& folder : folders) {
    for (std::size_t i = 0; i + 1 < folder.files.size(); ++i) {
      append_number(sizes, folder.files[i].bytes);
    }
    if (folder.files.size() == 1 && folder.digest.known) continue;
    for (const seven_zip_substream& each : folder.files) digests.push_back(&each.digest);
  }
  if (!sizes.empty()) {
    append_property(to, property_size);
    to += sizes;
  }
  const bool any = std::ranges::any_of(digests, [](const auto* each) { return each->known; });
  if (any) {
    append_property(to, property_crc);
    append_digests(to, digests);
  }
  append_property(to, property_end);
}

void list_folder(field_list& fields, seven_zip_folder& folder) {
  static constexpr std::array<std::string_view, 16> ids{
      id_copy, id_lzma, "\x21", "\3",       "\4",         "\5",     "\6",         "\7",
      "\x08",  "\x09",  "\x0A", "\3\3\1\3", "\3\3\1\x1B", "\3\4\1", "\6\xF1\7\1", "\4\2\2"};
  fields.items(folder.coders);
  fields.items(folder.bonds);
  fields.items(folder.files);
  for (seven_zip_coder& each : folder.coders) {
    fields.add([&each](field_mutator& by) { each.id = ids[by.random().below(ids.size())]; });
    fields.flag(each.has_streams);
    fields.flag(each.has_properties);
    fields.number(each.inputs);
    fields.number(each.outputs);
    fields.text(each.properties);
  }
  for (seven_zip_bond& each : folder.bonds) {
    fields.number(each.input);
    fields.number(each.output);
  }
  for (std::uint64_t& each : folder.sizes) fields.number(each);
  fields.flag(folder.digest.known);
  fields.number(folder.digest.crc);
  for (seven_zip_substream& each : folder.files) {
    fields.number(each.bytes);
    fields.flag(each.digest.known);
    fields.number(each.digest.crc);
  }
}

lzma_options_lzma lzma_options(std::string_view properties, std::uint32_t dictionary_bytes) {
  lzma_options_lzma options{};
  (void)lzma_lzma_preset(&options, 0);
  const auto bits = properties.empty() ? 0u : static_cast<std::uint8_t>(properties[0]);
  options.lc = bits % 9;
  options.lp = bits / 9 % 5;
  options.pb = bits / 45;
  options.dict_size = dictionary_bytes;
  options.ext_flags = 0;
  return options;
}

bool is_single(const seven_zip_folder& folder, std::string_view id) {
  return folder.coders.size() == 1 && folder.coders[0].id == id && folder.bonds.empty();
}

}  // namespace

void append_property(std::string& to, seven_zip_property kind) {
  to += static_cast<char>(kind);
}

std::uint64_t read_number(field_reader& in) {
  const std::uint64_t first = in.little(1);
  std::uint64_t value = 0;
  std::uint64_t mask = 0x80;
  for (unsigned i = 0; i < 8; ++i, mask >>= 1) {
    if ((first & mask) == 0) return value | (first & (mask - 1)) << 8 * i;
    value |= in.little(1) << 8 * i;
  }
  return value;
}

void append_number(std::string& to, std::uint64_t value) {
  unsigned more = 0;
  while (more < 8 && value >> (7 * more + 7) != 0) ++more;
  const unsigned mark = 0xFF00u >> more & 0xFFu;
  to += static_cast<char>(mark | (more < 7 ? value >> 8 * more : 0));
  append_little(to, value, more);
}

std::string read_bits(field_reader& in, std::uint64_t count) {
  const std::string_view bytes = in.text((count + 7) / 8);
  std::string bits;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, bytes.size() * 8); ++i) {
    bits += static_cast<char>(static_cast<std::uint8_t>(bytes[i / 8]) >> (7 - i % 8) & 1);
  }
  return bits;
}

void append_bits(std::string& to, const std::vector<bool>& bits) {
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (i % 8 == 0) to += '\0';
    if (bits[i]) to.back() = static_cast<char>(to.back() | 0x80 >> i % 8);
  }
}

void read_digests(field_reader& in, std::span<seven_zip_digest* const> into) {
  const std::string known =
      in.little(1) != 0 ? std::string(into.size(), '\1') : read_bits(in, into.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    into[i]->known = known[i] != 0;
    if (into[i]->known) into[i]->crc = static_cast<std::uint32_t>(in.little(4));
  }
}

void append_digests(std::string& to, std::span<const seven_zip_digest* const> from) {
  std::vector<bool> known;
  for (const seven_zip_digest* const each : from) known.push_back(each->known);
  const bool all = std::ranges::find(known, false) == known.end();
  to += static_cast<char>(all);
  if (!all) append_bits(to, known);
  for (const seven_zip_digest* const each : from) {
    if (each->known) append_little(to, each->crc, 4);
  }
}

void seven_zip_streams::read(field_reader& in, std::string_view area) {
  for (std::uint64_t part = read_number(in); part != property_end && !in.cut();
       part = read_number(in)) {
    if (part == property_pack) {
      read_packed(in, area, *this);
    } else if (part == property_unpack) {
      read_folders(in, *this);
    } else if (part == property_substreams) {
      read_substreams(in, *this);
    } else {
      in.give_up();
    }
  }
}

void seven_zip_streams::list_fields(field_list& fields) {
  fields.items(packed);
  fields.items(folders);
  fields.number(offset);
  for (seven_zip_packed& each : packed) {
    fields.text(each.data);
    fields.number(each.size_off);
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    list_folder(fields, folders[i]);
    if (i >= packed.size()) continue;
    fields.add([this, i](field_mutator& by) {
      std::string content;
      if (!unpack_folder(folders[i], packed[i].data, content)) return;
      by.text(content);
      pack_folder(folders[i], packed[i].data, content);
    });
  }
}

void seven_zip_streams::write(std::string& to, std::uint64_t at, liar& lies) const {
  if (!packed.empty()) {
    append_property(to, property_pack);
    append_number(to, lies(at));
    append_number(to, lies(std::uint64_t{packed.size()}));
    append_property(to, property_size);
    for (const seven_zip_packed& each : packed) {
      append_number(to, lies(each.data.size() + each.size_off));
    }
    append_property(to, property_end);
  }
  if (!folders.empty()) {
    append_property(to, property_unpack);
    append_property(to, property_folder);
    append_number(to, lies(std::uint64_t{folders.size()}));
    to += '\0';
    for (const seven_zip_folder& each : folders) append_folder(to, each, lies);
    append_property(to, property_unpack_size);
    std::vector<const seven_zip_digest*> digests;
    for (const seven_zip_folder& each : folders) {
      std::uint64_t outputs = 0;
      for (const seven_zip_coder& coder : each.coders) {
        outputs += coder.has_streams ? std::min<std::uint64_t>(coder.outputs, items_max) : 1;
      }
      for (std::uint64_t i = 0; i < outputs; ++i) {
        append_number(to, each.sizes.empty() ? 0 : each.sizes[i % each.sizes.size()]);
      }
      digests.push_back(&each.digest);
    }
    if (std::ranges::any_of(digests, [](const auto* each) { return each->known; })) {
      append_property(to, property_crc);
      append_digests(to, digests);
    }
    append_property(to, property_end);
  }
  append_substreams(to, folders, lies);
  append_property(to, property_end);
}

std::string seven_zip_streams::packed_data() const {
  std::string all;
  for (const seven_zip_packed& each : packed) all += each.data;
  return all;
}

bool unpack_folder(const seven_zip_folder& folder, std::string_view packed, std::string& content) {
  if (is_single(folder, id_copy)) {
    content = packed;
    return true;
  }
  if (!is_single(folder, id_lzma) || folder.sizes.empty()) return false;
  if (folder.sizes[0] > folder_bytes_max) return false;
  lzma_options_lzma options = lzma_options(folder.coders[0].properties, folder_bytes_max);
  lzma_set_ext_size(options, folder.sizes[0]);
  const lzma_filter filters[] = {{LZMA_FILTER_LZMA1EXT, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  content.assign(folder.sizes[0], '\0');
  std::size_t from = 0;
  std::size_t to = 0;
  return lzma_raw_buffer_decode(filters, nullptr,
                                reinterpret_cast<const std::uint8_t*>(packed.data()), &from,
                                packed.size(), reinterpret_cast<std::uint8_t*>(content.data()), &to,
                                content.size()) == LZMA_OK;
}

void pack_folder(seven_zip_folder& folder, std::string& packed, std::string_view content) {
  if (is_single(folder, id_copy)) {
    packed = content;
  } else {
    // Small, because the encoder clears tables of that size each time.
    constexpr std::uint32_t dictionary_bytes = 1u << 12;
    lzma_options_lzma options = lzma_options(folder.coders[0].properties, dictionary_bytes);
    lzma_set_ext_size(options, no_size);
    const lzma_filter filters[] = {{LZMA_FILTER_LZMA1EXT, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    std::string room(content.size() * 2 + 1000, '\0');
    std::size_t size = 0;
    if (lzma_raw_buffer_encode(
            filters, nullptr, reinterpret_cast<const std::uint8_t*>(content.data()), content.size(),
            reinterpret_cast<std::uint8_t*>(room.data()), &size, room.size()) != LZMA_OK) {
      return;
    }
    packed = room.substr(0, size);
  }
  folder.sizes.assign(1, content.size());
  folder.digest.crc = crc32_of(content);
  std::string_view rest = content;
  for (std::size_t i = 0; i < folder.files.size(); ++i) {
    seven_zip_substream& file = folder.files[i];
    if (i + 1 == folder.files.size()) file.bytes = rest.size();
    file.bytes = std::min<std::uint64_t>(file.bytes, rest.size());
    file.digest.crc = crc32_of(rest.substr(0, file.bytes));
    rest.remove_prefix(file.bytes);
  }
}

}  // namespace overture::fuzz
