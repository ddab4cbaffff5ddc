// SPDX-License-Identifier: Zlib
#include "mutators/structured.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace overture::fuzz {

std::uint64_t chance::bits() {
  // splitmix64
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 31;
}

void field_mutator::text(std::string& bytes, std::size_t size_max) {
  const std::size_t size = bytes.size();
  bytes.resize(std::max(size_max, size));
  bytes.resize(mutate_bytes_(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
}

void field_mutator::fixed(std::string& bytes, std::size_t at, std::size_t count) {
  if (at >= bytes.size()) return;
  std::string part = bytes.substr(at, count);
  const std::size_t size = part.size();
  text(part, size);
  part.resize(size);
  bytes.replace(at, size, part);
}

std::uint64_t field_mutator::changed(std::uint64_t value, std::size_t width) {
  const std::size_t bits = width * 8;
  switch (random_.below(4)) {
    case 0:  // near by
      return value + random_.below(33) - 16;
    case 1:  // all bits up to one of them
      return ~std::uint64_t{0} >> (64 - bits + random_.below(bits));
    case 2:
      return random_.below(20);
    default: {
      std::string bytes;
      append_little(bytes, value, width);
      fixed(bytes, 0, width);
      return field_reader(bytes).little(width);
    }
  }
}

void field_list::text(std::string& bytes) {
  add([&bytes](field_mutator& by) { by.text(bytes); });
}

void field_list::flag(bool& value) {
  add([&value](field_mutator&) { value = !value; });
}

std::string_view field_reader::text(std::uint64_t bytes) {
  cut_ = cut_ || bytes > left();
  const std::string_view found = bytes_.substr(at_, bytes);
  at_ += found.size();
  return found;
}

std::uint64_t field_reader::little(std::size_t width) {
  const std::string_view found = text(width);
  std::uint64_t value = 0;
  for (std::size_t i = found.size(); i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(found[i]);
  }
  return value;
}

std::uint64_t field_reader::big(std::size_t width) {
  std::uint64_t value = 0;
  for (const char part : text(width)) value = value << 8 | static_cast<std::uint8_t>(part);
  return value;
}

void append_little(std::string& to, std::uint64_t value, std::size_t width) {
  for (; width > 0; --width, value >>= 8) to += static_cast<char>(value & 0xFF);
}

void append_big(std::string& to, std::uint64_t value, std::size_t width) {
  while (width-- > 0) to += static_cast<char>(value >> 8 * width & 0xFF);
}

std::string inflated(std::string_view packed, deflate_frame frame, std::size_t bytes_max) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> unpacker(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!unpacker) return {};
  const auto unpack =
      frame == deflate_frame::zlib ? libdeflate_zlib_decompress : libdeflate_deflate_decompress;
  std::string bytes(bytes_max, '\0');
  std::size_t size = 0;
  const libdeflate_result done =
      unpack(unpacker.get(), packed.data(), packed.size(), bytes.data(), bytes.size(), &size);
  bytes.resize(done == LIBDEFLATE_SUCCESS ? size : 0);
  return bytes;
}

std::string deflated(std::string_view bytes, deflate_frame frame) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> packer(
      libdeflate_alloc_compressor(1), libdeflate_free_compressor);
  if (!packer) return {};
  const auto pack =
      frame == deflate_frame::zlib ? libdeflate_zlib_compress : libdeflate_deflate_compress;
  std::string packed(bytes.size() + 100, '\0');
  packed.resize(pack(packer.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  return packed;
}

std::uint32_t crc32_of(std::string_view bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace overture::fuzz
