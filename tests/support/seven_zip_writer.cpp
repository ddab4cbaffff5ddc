// SPDX-License-Identifier: Zlib
#include "support/seven_zip_writer.hpp"

#include <lzma.h>

#include <stdexcept>

namespace overture {
namespace {

constexpr std::uint32_t delta_distance = 4;

std::string fixed(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (; bytes-- > 0; value >>= 8) text += static_cast<char>(value & 0xFF);
  return text;
}
// Uses the shortest form for small numbers, the longest for others.
std::string number(std::uint64_t value) {
  return value < 0x80 ? fixed(value, 1) : "\xFF" + fixed(value, 8);
}
std::uint32_t crc_of(const std::string& bytes) {
  return lzma_crc32(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), 0);
}

std::string data_of(const seven_zip_solid& block) {
  std::string all;
  for (const seven_zip_file& file : block.files) all += file.data;
  return all;
}

lzma_filter chain_of(seven_zip_method method, lzma_options_lzma& options) {
  return {method == seven_zip_method::lzma ? LZMA_FILTER_LZMA1EXT : LZMA_FILTER_LZMA2, &options};
}

std::string encode(const std::string& data, const lzma_filter* filters) {
  std::string packed(data.size() * 2 + 1000, '\0');
  std::size_t size = 0;
  const lzma_ret done = lzma_raw_buffer_encode(
      filters, nullptr, reinterpret_cast<const std::uint8_t*>(data.data()), data.size(),
      reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  if (done != LZMA_OK) throw std::runtime_error("liblzma cannot pack");
  packed.resize(size);
  return packed;
}

// Applies the filter alone, which liblzma does only in front of LZMA.
std::string decode(const std::string& packed, std::size_t bytes, const lzma_filter* filters) {
  std::string data(bytes, '\0');
  std::size_t from = 0;
  std::size_t to = 0;
  const lzma_ret done = lzma_raw_buffer_decode(
      filters, nullptr, reinterpret_cast<const std::uint8_t*>(packed.data()), &from, packed.size(),
      reinterpret_cast<std::uint8_t*>(data.data()), &to, data.size());
  if (done != LZMA_OK) throw std::runtime_error("liblzma cannot unpack");
  return data;
}

std::string pack(const std::string& data, seven_zip_method method, seven_zip_filter filter) {
  const bool lzma = method == seven_zip_method::lzma || method == seven_zip_method::lzma2;
  if (!lzma && filter == seven_zip_filter::none) return data;
  lzma_options_lzma options;
  if (lzma_lzma_preset(&options, 1)) throw std::logic_error("liblzma has no preset 1");
  options.dict_size = 1u << 16;
  lzma_filter filters[3];
  std::size_t count = 0;
  lzma_options_delta delta{};
  delta.type = LZMA_DELTA_TYPE_BYTE;
  delta.dist = delta_distance;
  if (filter == seven_zip_filter::x86) filters[count++] = {LZMA_FILTER_X86, nullptr};
  if (filter == seven_zip_filter::delta) filters[count++] = {LZMA_FILTER_DELTA, &delta};
  options.ext_flags = 0;  // no end marker
  filters[count] = chain_of(method, options);
  filters[count + 1] = {LZMA_VLI_UNKNOWN, nullptr};
  const std::string packed = encode(data, filters);
  return lzma ? packed : decode(packed, data.size(), filters + count);
}

std::string coder_of(seven_zip_method method) {
  switch (method) {
    case seven_zip_method::lzma:
      return std::string("\x23\x03\x01\x01\x05\x5D", 6) + fixed(1u << 16, 4);
    case seven_zip_method::lzma2:
      return std::string("\x21\x21\x01\x08", 4);
    case seven_zip_method::copy:
      return std::string("\x01\x00", 2);
    case seven_zip_method::aes:
      return std::string("\x24\x06\xF1\x07\x01\x02\x07\x07", 8);
    case seven_zip_method::unknown:
      break;
  }
  return std::string("\x01\x77", 2);
}

// The coders of one block and their connections.
std::string coders_of(const seven_zip_solid& block) {
  const std::string packer = coder_of(block.method);
  if (block.filter == seven_zip_filter::none) return number(1) + packer;
  const std::string filter = block.filter == seven_zip_filter::x86
                                 ? std::string("\x04\x03\x03\x01\x03", 5)
                                 : "\x21\x03\x01" + fixed(delta_distance - 1, 1);
  return number(2) + packer + filter + number(1) + number(0);
}

std::string utf16(const std::string& ascii) {
  std::string text;
  for (const char c : ascii) text += fixed(static_cast<unsigned char>(c), 2);
  return text + fixed(0, 2);
}

std::string bits(const std::vector<bool>& list) {
  std::string text((list.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i]) text[i / 8] = static_cast<char>(text[i / 8] | 0x80 >> i % 8);
  }
  return text;
}

std::string property(char kind, const std::string& content) {
  return kind + number(content.size()) + content;
}

std::string packed_sizes(std::uint64_t offset, const std::vector<std::uint64_t>& sizes) {
  std::string text = "\x06" + number(offset) + number(sizes.size()) + "\x09";
  for (const std::uint64_t size : sizes) text += number(size);
  return text + '\0';
}

}  // namespace

std::string seven_zip_writer::header(const std::vector<std::string>& packed) const {
  std::string text = "\x01";
  std::vector<bool> no_stream;
  std::string names;
  if (!blocks_.empty()) {
    std::vector<std::uint64_t> sizes;
    std::string coders;
    std::string unpacked_sizes;
    std::string counts;
    std::string file_sizes;
    std::string digests;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const seven_zip_solid& block = blocks_[i];
      if (block.raw) {
        for (const std::string& stream : block.raw->streams) sizes.push_back(stream.size());
        coders += block.raw->coders;
        for (const std::uint64_t size : block.raw->sizes) unpacked_sizes += number(size);
      } else {
        sizes.push_back(block.stated_packed_bytes.value_or(packed[i].size()));
        coders += coders_of(block);
        const std::string bytes = number(block.stated_bytes.value_or(data_of(block).size()));
        unpacked_sizes += block.filter != seven_zip_filter::none ? bytes + bytes : bytes;
      }
      counts += number(block.files.size());
      for (std::size_t f = 0; f < block.files.size(); ++f) {
        const seven_zip_file& file = block.files[f];
        if (f + 1 < block.files.size()) file_sizes += number(file.data.size());
        digests += fixed(file.stated_crc32.value_or(crc_of(file.data)), 4);
        names += utf16(file.name);
        no_stream.push_back(false);
      }
    }
    text += "\x04" + packed_sizes(0, sizes);
    text += "\x07\x0B" + number(stated_blocks.value_or(blocks_.size())) + '\0' + coders;
    text += "\x0C" + unpacked_sizes + '\0';
    text += "\x08\x0D" + counts;
    if (!file_sizes.empty()) text += "\x09" + file_sizes;
    if (checksums) text += "\x0A\x01" + digests;
    text += std::string(2, '\0');
  }
  for (const std::string& name : empty_files) names += utf16(name);
  for (const std::string& name : folders) names += utf16(name);
  std::vector<bool> empty_file(empty_files.size(), true);
  empty_file.resize(empty_files.size() + folders.size(), false);
  no_stream.resize(no_stream.size() + empty_file.size(), true);
  text += "\x05" + number(stated_files.value_or(no_stream.size()));
  if (!empty_file.empty()) {
    text += property('\x0E', bits(no_stream)) + property('\x0F', bits(empty_file));
  }
  return text + property('\x11', '\0' + names) + std::string(2, '\0');
}

std::string seven_zip_writer::around(const std::string& packed, const std::string& header) {
  const std::string start =
      fixed(packed.size(), 8) + fixed(header.size(), 8) + fixed(crc_of(header), 4);
  return std::string("7z\xBC\xAF\x27\x1C\0\x04", 8) + fixed(crc_of(start), 4) + start + packed +
         header;
}

std::string seven_zip_writer::bytes() const {
  std::vector<std::string> packed;
  std::string all;
  for (const seven_zip_solid& block : blocks_) {
    std::string raw;
    if (block.raw) {
      for (const std::string& stream : block.raw->streams) raw += stream;
    }
    packed.push_back(block.raw ? raw : pack(data_of(block), block.method, block.filter));
    all += packed.back();
  }
  std::string plain = header(packed);
  std::string head = plain;
  if (packed_header) {
    const std::string small = pack(plain, seven_zip_method::lzma, seven_zip_filter::none);
    head = "\x17" + packed_sizes(all.size(), {small.size()}) + "\x07\x0B" + number(1) + '\0' +
           number(1) + coder_of(seven_zip_method::lzma) + "\x0C" + number(plain.size()) +
           "\x0A\x01" + fixed(crc_of(plain), 4) + std::string(2, '\0');
    all += small;
  }
  std::string archive = around(all, head);
  if (stated_header_offset || stated_header_bytes) {
    const std::string start = fixed(stated_header_offset.value_or(all.size()), 8) +
                              fixed(stated_header_bytes.value_or(head.size()), 8) +
                              fixed(crc_of(head), 4);
    archive.replace(8, 24, fixed(crc_of(start), 4) + start);
  }
  return archive;
}

}  // namespace overture
