// SPDX-License-Identifier: Zlib
#include "support/zip_writer.hpp"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "archives/zip/zip_cipher.hpp"

namespace overture {
namespace {

class byte_text {
 public:
  byte_text& u8(std::uint64_t value) { return number(value, 1); }
  byte_text& u16(std::uint64_t value) { return number(value, 2); }
  byte_text& u32(std::uint64_t value) { return number(value, 4); }
  byte_text& u64(std::uint64_t value) { return number(value, 8); }
  byte_text& text(const std::string& added) {
    bytes_ += added;
    return *this;
  }
  [[nodiscard]] const std::string& str() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  byte_text& number(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
    return *this;
  }
  std::string bytes_;
};

std::string deflated(const std::string& data) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  std::string packed(libdeflate_deflate_compress_bound(compressor.get(), data.size()), '\0');
  packed.resize(libdeflate_deflate_compress(compressor.get(), data.data(), data.size(),
                                            packed.data(), packed.size()));
  return packed;
}

std::string zstd_packed(const std::string& data) {
  std::string packed(ZSTD_compressBound(data.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), data.data(), data.size(), 3));
  return packed;
}

// The cipher's header, which real archives fill at random.
std::string encrypted(const std::string& data, const std::string& password, std::uint8_t check) {
  std::string all = "overture...";
  all += static_cast<char>(check);
  all += data;
  archives_detail::zip_cipher(password).encrypt(std::as_writable_bytes(std::span(all)));
  return all;
}

// An unknown extra field of exactly that many bytes.
std::string unknown_extra(std::size_t bytes) {
  if (bytes == 0) return {};
  if (bytes < 4) throw std::invalid_argument("an extra field has at least 4 bytes");
  return byte_text().u16(0x7A7A).u16(bytes - 4).text(std::string(bytes - 4, 'x')).str();
}

std::string unicode_name_extra(const zip_entry& entry) {
  if (!entry.unicode_name) return {};
  const std::uint32_t crc = libdeflate_crc32(0, entry.name.data(), entry.name.size());
  const std::string& name = *entry.unicode_name;
  return byte_text().u16(0x7075).u16(5 + name.size()).u8(1).u32(crc).text(name).str();
}

struct packed_entry {
  std::string data;
  std::uint32_t crc = 0;
};

packed_entry pack(const zip_entry& entry) {
  packed_entry packed;
  packed.data = entry.method == zip_deflated ? deflated(entry.data)
                : entry.method == zip_zstd   ? zstd_packed(entry.data)
                                             : entry.data;
  packed.crc = libdeflate_crc32(0, entry.data.data(), entry.data.size());
  if (!entry.password.empty()) {
    // With a data descriptor, the time (0) is checked instead.
    const auto check = static_cast<std::uint8_t>(entry.sizes_in_descriptor ? 0 : packed.crc >> 24);
    packed.data = encrypted(packed.data, entry.password, check);
  }
  return packed;
}

std::uint16_t flags_of(const zip_entry& entry) {
  return static_cast<std::uint16_t>(entry.flags | (entry.sizes_in_descriptor ? 1u << 3 : 0u) |
                                    (entry.password.empty() ? 0u : 1u));
}

void write_local(byte_text& out, const zip_entry& entry, const packed_entry& packed) {
  const bool has_descriptor = entry.sizes_in_descriptor;
  const std::string extra =
      (entry.zip64 ? byte_text().u16(1).u16(16).u64(entry.data.size()).u64(packed.data.size()).str()
                   : std::string()) +
      unknown_extra(entry.local_extra_bytes);
  const std::uint64_t packed_bytes =
      entry.stated_local_packed_bytes.value_or(static_cast<std::uint32_t>(packed.data.size()));
  out.u32(0x04034B50).u16(entry.zip64 ? 45 : 20).u16(flags_of(entry));
  out.u16(entry.stated_local_method.value_or(entry.stated_method.value_or(entry.method)));
  out.u16(0).u16(0x21).u32(has_descriptor ? 0 : packed.crc);
  out.u32(entry.zip64 ? UINT32_MAX : has_descriptor ? 0 : packed_bytes);
  out.u32(entry.zip64 ? UINT32_MAX : has_descriptor ? 0 : entry.data.size());
  const std::string name = entry.local_name.value_or(entry.name);
  out.u16(name.size()).u16(extra.size()).text(name).text(extra).text(packed.data);
  if (has_descriptor) {
    out.u32(0x08074B50).u32(packed.crc).u32(packed.data.size()).u32(entry.data.size());
  }
}

void write_record(byte_text& out, const zip_entry& entry, const packed_entry& packed,
                  std::uint64_t header) {
  const std::uint64_t bytes = entry.stated_bytes.value_or(entry.data.size());
  const std::uint64_t packed_bytes = entry.stated_packed_bytes.value_or(packed.data.size());
  const std::uint64_t offset = entry.stated_offset.value_or(header);
  const std::string extra =
      unknown_extra(entry.central_extra_bytes) + unicode_name_extra(entry) +
      (entry.zip64 ? byte_text().u16(1).u16(24).u64(bytes).u64(packed_bytes).u64(offset).str()
                   : std::string());
  out.u32(0x02014B50).u8(63).u8(entry.made_on).u16(entry.zip64 ? 45 : 20).u16(flags_of(entry));
  out.u16(entry.stated_method.value_or(entry.method)).u16(0).u16(0x21);
  out.u32(entry.stated_crc32.value_or(packed.crc));
  out.u32(entry.zip64 ? UINT32_MAX : packed_bytes).u32(entry.zip64 ? UINT32_MAX : bytes);
  out.u16(entry.name.size()).u16(extra.size()).u16(entry.entry_comment.size()).u16(0).u16(0);
  out.u32(std::uint64_t{entry.mode} << 16 | entry.dos_attributes)
      .u32(entry.zip64 ? UINT32_MAX : offset);
  out.text(entry.name).text(extra).text(entry.entry_comment);
}

}  // namespace

std::string zip_writer::bytes(zip_layout* layout) const {
  zip_layout places;
  byte_text out;
  out.text(prefix);
  const std::size_t base = offsets_with_prefix ? 0 : prefix.size();
  std::vector<packed_entry> packed;
  for (const zip_entry& entry : entries_) {
    packed.push_back(pack(entry));
    places.local_headers.push_back(out.size());
    write_local(out, entry, packed.back());
  }
  const std::size_t directory = out.size();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    places.records.push_back(out.size());
    write_record(out, entries_[i], packed[i], places.local_headers[i] - base);
  }
  const std::uint64_t entries = stated_entries.value_or(entries_.size());
  const std::uint64_t size = stated_directory_bytes.value_or(out.size() - directory);
  const std::uint64_t offset = stated_directory_offset.value_or(directory - base);
  out.text(after_directory);
  if (zip64) {
    const std::size_t end64 = out.size();
    out.u32(0x06064B50).u64(44 + end64_extra_bytes).u16(45).u16(45).u32(0).u32(0);
    out.u64(entries).u64(entries).u64(size).u64(offset).text(std::string(end64_extra_bytes, 'x'));
    out.u32(0x07064B50).u32(0).u64(end64 - base).u32(1);
  }
  const std::uint64_t shown = zip64 ? UINT16_MAX : entries;
  out.u32(0x06054B50).u16(0).u16(0).u16(shown).u16(shown);
  out.u32(zip64 ? UINT32_MAX : size).u32(zip64 ? UINT32_MAX : offset);
  out.u16(comment.size()).text(comment);
  if (layout) *layout = places;
  return out.str();
}

void zip_writer::save(const std::filesystem::path& path) const {
  std::ofstream file(path, std::ios::binary);
  const std::string all = bytes();
  file.write(all.data(), static_cast<std::streamsize>(all.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace overture
