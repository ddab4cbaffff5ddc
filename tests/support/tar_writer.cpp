// SPDX-License-Identifier: Zlib
#include "support/tar_writer.hpp"

#include <bzlib.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <stdexcept>

#include "overture/io/unpack.hpp"

namespace overture {
namespace {

std::string octal(std::uint64_t value, int digits) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
  return text;
}
std::string low_first(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (; bytes-- > 0; value >>= 8) text += static_cast<char>(value & 0xFF);
  return text;
}

}  // namespace

std::string tar_header_of(const tar_entry& entry) {
  std::string block(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  put(0, entry.name.substr(0, 100));
  put(100, octal(entry.mode, 7));
  put(124, entry.stated_size.value_or(octal(entry.data.size(), 11)));
  put(136, octal(entry.time, 11));
  put(148, std::string(8, ' '));
  block[156] = entry.type;
  put(157, entry.link.substr(0, 100));
  put(257, entry.magic);
  put(345, entry.prefix.substr(0, 155));
  std::uint64_t sum = entry.wrong_checksum ? 1 : 0;
  for (const char each : block) sum += static_cast<unsigned char>(each);
  put(148, octal(sum, 6) + std::string("\0 ", 2));
  return block;
}

std::string pax_record(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

std::string write_tar(const std::vector<tar_entry>& entries, bool with_end) {
  std::string text;
  for (const tar_entry& entry : entries) {
    text += tar_header_of(entry) + entry.data;
    text.resize((text.size() + 511) / 512 * 512, '\0');
  }
  if (with_end) text.append(1024, '\0');
  return text;
}

std::string pack_gzip(const std::string& data) {
  std::string text("\x1F\x8B\x08\x08\0\0\0\0\0\x03", 10);
  text += std::string("packed.tar\0", 11);
  std::size_t at = 0;
  do {
    const std::size_t count = std::min<std::size_t>(data.size() - at, 0xFFFF);
    text += static_cast<char>(at + count == data.size() ? 1 : 0);
    text += low_first(count, 2) + low_first(~count, 2) + data.substr(at, count);
    at += count;
  } while (at < data.size());
  return text + low_first(crc32(std::as_bytes(std::span(data))), 4) + low_first(data.size(), 4);
}

std::string pack_xz(const std::string& data) {
  std::string text(lzma_stream_buffer_bound(data.size()), '\0');
  std::size_t made = 0;
  const lzma_ret outcome = lzma_easy_buffer_encode(
      1, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(data.data()), data.size(),
      reinterpret_cast<std::uint8_t*>(text.data()), &made, text.size());
  if (outcome != LZMA_OK) throw std::runtime_error("xz");
  text.resize(made);
  return text;
}

std::string pack_zstd(const std::string& data) {
  std::string text(ZSTD_compressBound(data.size()), '\0');
  const std::size_t made = ZSTD_compress(text.data(), text.size(), data.data(), data.size(), 3);
  if (ZSTD_isError(made) != 0) throw std::runtime_error("zstd");
  text.resize(made);
  return text;
}

std::string pack_bzip2(const std::string& data) {
  auto made = static_cast<unsigned>(data.size() + data.size() / 100 + 600);
  std::string text(made, '\0');
  const int outcome = BZ2_bzBuffToBuffCompress(text.data(), &made, const_cast<char*>(data.data()),
                                               static_cast<unsigned>(data.size()), 1, 0, 0);
  if (outcome != BZ_OK) throw std::runtime_error("BZip2");
  text.resize(made);
  return text;
}

}  // namespace overture
