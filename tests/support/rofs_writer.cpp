// SPDX-License-Identifier: Zlib
#include "support/rofs_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "archives/tables/rofs_block.hpp"

namespace overture {
namespace {

std::string rofs_number(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (; bytes-- > 0; value >>= 8) text += static_cast<char>(value & 0xFF);
  return text;
}
std::string rofs_u32(std::uint64_t value) {
  return rofs_number(value, 4);
}

class bit_text {
 public:
  void add(std::uint32_t value, unsigned count) {
    for (; count-- > 0; ++bits_) {
      if (bits_ % 8 == 0) bytes_ += '\0';
      if ((value >> count & 1) != 0) {
        bytes_.back() = static_cast<char>(bytes_.back() | 0x80 >> bits_ % 8);
      }
    }
  }
  [[nodiscard]] const std::string& str() const { return bytes_; }

 private:
  std::string bytes_;
  std::size_t bits_ = 0;
};

// Copies from the last occurrence of the same two bytes.
std::string pack(const std::string& data) {
  std::array<char, 4096 + 32> window{};
  for (std::size_t i = 0; i < 4096; ++i) window[i] = static_cast<char>(i / 16);
  std::vector<int> place_of(65536, -1);
  std::size_t next = 0;
  bit_text out;
  for (std::size_t at = 0; at < data.size();) {
    std::size_t length = 0;
    int place = -1;
    const auto pair = [&](std::size_t i) {
      return static_cast<unsigned char>(data[i]) << 8 | static_cast<unsigned char>(data[i + 1]);
    };
    if (at + 1 < data.size()) place = place_of[static_cast<std::size_t>(pair(at))];
    while (place >= 0 && length < 17 && at + length < data.size() &&
           window[static_cast<std::size_t>(place) + length] == data[at + length]) {
      ++length;
    }
    if (length >= 2) {
      out.add(1, 1), out.add(static_cast<std::uint32_t>(place), 12);
      out.add(static_cast<std::uint32_t>(length - 2), 4);
    } else {
      length = 1;
      out.add(0, 1), out.add(static_cast<unsigned char>(data[at]), 8);
    }
    std::memcpy(window.data() + next, data.data() + at, length);
    // Copies have 12-bit offsets.
    for (std::size_t i = next == 0 || at == 0 ? 1 : 0; i < length && next + i <= 4096; ++i) {
      place_of[static_cast<std::size_t>(pair(at + i - 1))] = static_cast<int>(next + i - 1);
    }
    next = next + length >= 4096 ? 0 : next + length;
    at += length;
  }
  return out.str();
}

std::string file_text(const rofs_file& file) {
  std::string keys;
  std::string sizes;
  std::string data;
  std::uint32_t key = 0x12345;
  std::uint16_t blocks = 0;
  for (std::size_t at = 0; at < file.data.size();
       at += archives_detail::rofs_block_bytes, ++blocks) {
    const std::string part = file.data.substr(at, archives_detail::rofs_block_bytes);
    std::string block = file.packed ? pack(part) : part;
    archives_detail::scramble_rofs(++key, std::as_writable_bytes(std::span(block)));
    keys += rofs_u32(key);
    sizes += rofs_u32(block.size());
    data += block;
  }
  std::string ident(file.packed ? "Hi_Comp" : "NotComp", 8);
  for (char& c : ident) c = static_cast<char>(c ^ 0x5A);
  return rofs_number(16 + keys.size() + sizes.size(), 2) +
         rofs_number(file.stated_blocks.value_or(blocks), 2) +
         rofs_u32(file.stated_bytes.value_or(static_cast<std::uint32_t>(file.data.size()))) +
         ident + keys + sizes + data;
}

}  // namespace

std::string write_rofs(const std::vector<rofs_file>& files,
                       std::optional<std::uint32_t> stated_files) {
  const auto aligned = [](std::size_t bytes) { return (bytes + 7) / 8 * 8; };
  const std::string mark("\3\0\0\0\1\0\0\0\4\0\0\0\0\1\1\0\0\4\0\0\0", 21);
  std::size_t table_bytes = 4;
  for (const rofs_file& file : files) table_bytes += 8 + file.name.size() + 1;
  const std::size_t table_at = aligned(mark.size() + 5 + 8 + 4);
  std::string archive =
      mark + "DATA" + '\0' + rofs_u32(table_at / 8) + rofs_u32(table_bytes) + "PSX" + '\0';
  archive.resize(table_at, '\0');
  archive += rofs_u32(stated_files.value_or(static_cast<std::uint32_t>(files.size())));
  std::size_t at = aligned(table_at + table_bytes);
  std::string data;
  for (const rofs_file& file : files) {
    const std::string text = file_text(file);
    archive += rofs_u32(file.stated_offset.value_or(static_cast<std::uint32_t>(at / 8))) +
               rofs_u32(text.size()) + file.name + '\0';
    data += text;
    data.resize(aligned(data.size()), '\0');
    at += aligned(text.size());
  }
  archive.resize(aligned(archive.size()), '\0');
  return archive + data;
}

}  // namespace overture
