// SPDX-License-Identifier: Zlib
#include "archives/tar/tar_header.hpp"

#include <algorithm>
#include <charconv>

namespace overture::archives_detail {
namespace {

constexpr std::size_t checksum_at = 148;
constexpr std::size_t checksum_bytes = 8;

// A field, up to its first NUL.
std::string_view text_at(const tar_block& block, std::size_t at, std::size_t bytes) noexcept {
  const std::string_view field(reinterpret_cast<const char*>(block.data()) + at, bytes);
  return field.substr(0, field.find('\0'));
}

bool number_at(const tar_block& block, std::size_t at, std::size_t bytes,
               std::uint64_t& number) noexcept {
  number = 0;
  if (block[at] == std::byte{0x80}) {
    for (std::size_t i = 1; i < bytes; ++i) {
      if (number >> 56 != 0) return false;
      number = number << 8 | std::to_integer<std::uint64_t>(block[at + i]);
    }
    return true;
  }
  std::string_view digits = text_at(block, at, bytes);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  digits = digits.substr(0, digits.find(' '));
  if (digits.empty()) return true;
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 8);
  return failed == std::errc{} && end == digits.data() + digits.size();
}

}  // namespace

bool is_empty(const tar_block& block) noexcept {
  return std::all_of(block.begin(), block.end(),
                     [](std::byte each) { return each == std::byte{}; });
}

// Some programs have added the bytes with their signs.
bool is_tar_header(const tar_block& block) noexcept {
  std::uint64_t stated = 0;
  if (is_empty(block) || !number_at(block, checksum_at, checksum_bytes, stated)) return false;
  std::int64_t sum = 0;
  std::int64_t with_signs = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool in_sum = i < checksum_at || i >= checksum_at + checksum_bytes;
    const auto value = in_sum ? std::to_integer<std::uint8_t>(block[i]) : std::uint8_t{' '};
    sum += value;
    with_signs += static_cast<std::int8_t>(value);
  }
  const auto wanted = static_cast<std::int64_t>(stated);
  return sum == wanted || with_signs == wanted;
}

bool has_tar_magic(const tar_block& block) noexcept {
  return text_at(block, 257, 5) == "ustar";
}

bool read_tar_header(const tar_block& block, tar_header& header) noexcept {
  header = {};
  header.type = std::to_integer<char>(block[156]);
  header.name = text_at(block, 0, 100);
  header.link = text_at(block, 157, 100);
  // GNU tar has other fields there, and a blank after the magic.
  const bool is_posix = has_tar_magic(block) && block[262] == std::byte{};
  if (is_posix) header.prefix = text_at(block, 345, 155);
  std::uint64_t mode = 0;
  std::uint64_t time = 0;
  header.executable = number_at(block, 100, 8, mode) && (mode & 0100) != 0;
  if (number_at(block, 136, 12, time) && time <= UINT32_MAX) {
    header.modified_s = static_cast<std::uint32_t>(time);
  }
  return number_at(block, 124, 12, header.bytes);
}

bool read_pax(std::string_view data, pax_values& values) noexcept {
  values = {};
  while (!data.empty()) {
    std::size_t length = 0;
    const auto [end, failed] = std::from_chars(data.data(), data.data() + data.size(), length);
    const auto digits = static_cast<std::size_t>(end - data.data());
    if (failed != std::errc{} || length > data.size() || length < digits + 3) return false;
    if (data[digits] != ' ' || data[length - 1] != '\n') return false;
    const std::string_view record = data.substr(digits + 1, length - digits - 2);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") values.path = value;
    if (key == "linkpath") values.link = value;
    if (key == "size") values.size = value;
    if (key == "mtime") values.mtime = value;
    if (key.starts_with("GNU.sparse.")) values.sparse = true;
    if (key == "GNU.sparse.name") values.path = value;
    data.remove_prefix(length);
  }
  return true;
}

bool read_pax_number(std::string_view text, std::uint64_t& number) noexcept {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc{} && (end == text.data() + text.size() || *end == '.');
}

}  // namespace overture::archives_detail
