// SPDX-License-Identifier: Zlib
//
// What a header of a 7z archive says of its packed data: read, changed and written by
// seven_zip.cpp.
#pragma once

#include "mutators/structured.hpp"

namespace overture::fuzz {

enum seven_zip_property : std::uint8_t {
  property_end = 0x00,
  property_header = 0x01,
  property_archive = 0x02,
  property_main_streams = 0x04,
  property_files = 0x05,
  property_pack = 0x06,
  property_unpack = 0x07,
  property_substreams = 0x08,
  property_size = 0x09,
  property_crc = 0x0A,
  property_folder = 0x0B,
  property_unpack_size = 0x0C,
  property_stream_count = 0x0D,
  property_empty_stream = 0x0E,
  property_empty_file = 0x0F,
  property_anti = 0x10,
  property_names = 0x11,
  property_attributes = 0x15,
  property_encoded_header = 0x17,
};
void append_property(std::string& to, seven_zip_property kind);

// A number whose first byte says how many follow.
std::uint64_t read_number(field_reader& in);
void append_number(std::string& to, std::uint64_t value);
// Bits, the highest of each byte first.
std::string read_bits(field_reader& in, std::uint64_t count);
void append_bits(std::string& to, const std::vector<bool>& bits);

struct seven_zip_digest {
  bool known = false;
  std::uint32_t crc = 0;
};
// All of them, with the byte in front that says whether all are known.
void read_digests(field_reader& in, std::span<seven_zip_digest* const> into);
void append_digests(std::string& to, std::span<const seven_zip_digest* const> from);

struct seven_zip_packed {
  std::string data;
  std::uint64_t size_off = 0;  // what the stated size is too large by
};

struct seven_zip_coder {
  std::string id;
  bool has_streams = false;  // states the two numbers
  std::uint64_t inputs = 1;
  std::uint64_t outputs = 1;
  bool has_properties = false;
  std::string properties;
};

struct seven_zip_bond {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
};

struct seven_zip_substream {
  std::uint64_t bytes = 0;
  seven_zip_digest digest;
};

// Files packed together.
struct seven_zip_folder {
  std::vector<seven_zip_coder> coders;
  std::vector<seven_zip_bond> bonds;
  std::vector<std::uint64_t> packed_inputs;
  std::vector<std::uint64_t> sizes;  // of each output
  seven_zip_digest digest;
  std::vector<seven_zip_substream> files;
};

struct seven_zip_streams {
  std::uint64_t offset = 0;  // of the packed data
  std::vector<seven_zip_packed> packed;
  std::vector<seven_zip_folder> folders;

  // `area` is what follows the archive's start. `in` is cut if the bytes make no sense.
  void read(field_reader& in, std::string_view area);
  void list_fields(field_list& fields);
  // `at` is where the packed data is written.
  void write(std::string& to, std::uint64_t at, liar& lies) const;
  [[nodiscard]] std::string packed_data() const;
};

// The content of a folder with one coder that stores or packs by LZMA; packs another one.
bool unpack_folder(const seven_zip_folder& folder, std::string_view packed, std::string& content);
void pack_folder(seven_zip_folder& folder, std::string& packed, std::string_view content);

}  // namespace overture::fuzz
