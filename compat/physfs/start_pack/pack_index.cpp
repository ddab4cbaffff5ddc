// SPDX-License-Identifier: Zlib
#include "start_pack/pack_index.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/little_endian.hpp"
#include "overture/base/limits.hpp"
#include "overture/io/unpack.hpp"

namespace overture::start_pack {
using namespace base_detail;

namespace {

constexpr std::size_t checked_header_bytes = header_bytes - 4;

tl::unexpected<error> damaged(const char* reason, std::uint64_t offset = 0) noexcept {
  return fail(errc::corrupt, reason, {}, offset);
}

int compare(const entry& one, std::string_view path, std::string_view name) noexcept {
  const int order = one.path.compare(path);
  return order != 0 ? order : one.name.compare(name);
}

// The fixed part of a record. False if it cannot be right.
bool read_record(const std::byte* at, entry& into, std::uint64_t& path_bytes,
                 std::uint64_t& name_bytes) noexcept {
  into.real = {load_u64(at), load_u64(at + 8), static_cast<std::int64_t>(load_u64(at + 16)),
               static_cast<std::int64_t>(load_u64(at + 24))};
  into.bytes = load_u64(at + 32);
  into.packed_bytes = load_u64(at + 40);
  into.crc32 = load_u32(at + 48);
  const std::uint32_t packing = load_u32(at + 52);
  path_bytes = load_u32(at + 56);
  name_bytes = load_u32(at + 60);
  if (packing > static_cast<std::uint32_t>(method::deflate)) return false;
  into.packing = static_cast<method>(packing);
  if (into.bytes > entry_bytes_max || into.packed_bytes > into.bytes || path_bytes == 0)
    return false;
  return into.packing == method::stored
             ? into.packed_bytes == into.bytes
             : into.bytes <= into.packed_bytes * limits::deflate_ratio_max;
}

}  // namespace

result<pack_index> pack_index::read(operating_system& os, os_handle file,
                                    allocator& memory) noexcept {
  const result<file_status> status = os.status(file);
  if (!status) return tl::unexpected(status.error());
  std::byte header[header_bytes];
  if (status->size < header_bytes) return damaged("not a start pack");
  if (result<void> done = read_fully(os, file, 0, header); !done) {
    return tl::unexpected(done.error());
  }
  if (std::memcmp(header, magic.data(), magic.size()) != 0) return damaged("not a start pack");
  if (crc32(std::span(header).first(checked_header_bytes)) !=
      load_u32(header + checked_header_bytes)) {
    return damaged("the start pack's header is damaged");
  }
  const std::uint64_t begin = load_u64(header + 8);
  const std::uint64_t bytes = load_u64(header + 16);
  if (begin < header_bytes || !fits(begin, 1, bytes, status->size) ||
      begin + bytes != status->size) {
    return damaged("the start pack is cut off");
  }
  if (bytes > index_bytes_max) return fail(errc::limit, "the start pack's index exceeds 64 MiB");
  pack_index made(memory);
  if (!made.bytes_.resize_for_overwrite(static_cast<std::size_t>(bytes))) {
    return fail(errc::out_of_memory, "out of memory for the start pack's index", {}, bytes);
  }
  const std::span<std::byte> room(made.bytes_.data(), made.bytes_.size());
  if (result<void> done = read_fully(os, file, begin, room); !done) {
    return tl::unexpected(done.error());
  }
  if (crc32(room) != load_u32(header + 32))
    return damaged("the start pack's index is damaged", begin);
  if (result<void> done = made.parse(begin, load_u32(header + 24), load_u32(header + 28)); !done) {
    return tl::unexpected(done.error());
  }
  return made;
}

result<void> pack_index::parse(std::uint64_t data_end, std::uint32_t count,
                               std::uint32_t program_bytes) noexcept {
  constexpr const char* flaw = "the start pack's index contradicts itself";
  if (!fits(0, count, record_bytes, bytes_.size())) return damaged(flaw);
  std::string_view texts(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  texts.remove_prefix(std::size_t{count} * record_bytes);
  const auto take = [&texts](std::uint64_t bytes, std::string_view& into) {
    if (bytes > texts.size()) return false;
    into = texts.substr(0, static_cast<std::size_t>(bytes));
    texts.remove_prefix(into.size());
    return true;
  };
  if (!take(program_bytes, program_)) return damaged(flaw);
  if (!entries_.reserve(count)) {
    return fail(errc::out_of_memory, "out of memory for the start pack's index");
  }
  std::uint64_t offset = header_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    entry one;
    std::uint64_t path_bytes = 0;
    std::uint64_t name_bytes = 0;
    const bool right = read_record(bytes_.data() + i * record_bytes, one, path_bytes, name_bytes) &&
                       take(path_bytes, one.path) && take(name_bytes, one.name);
    if (!right || one.packed_bytes > data_end - offset) return damaged(flaw);
    one.offset = offset;
    offset += one.packed_bytes;
    (void)entries_.push_back(one);  // has room
  }
  if (offset != data_end || !texts.empty()) return damaged(flaw);
  if (!sort_by_name()) return fail(errc::out_of_memory, "out of memory for the start pack's index");
  return {};
}

bool pack_index::sort_by_name() noexcept {
  if (!by_name_.resize(entries_.size())) return false;
  std::iota(by_name_.begin(), by_name_.end(), 0u);
  std::sort(by_name_.begin(), by_name_.end(), [this](std::uint32_t a, std::uint32_t b) {
    const int order = compare(entries_[a], entries_[b].path, entries_[b].name);
    return order != 0 ? order < 0 : a < b;
  });
  return true;
}

std::size_t pack_index::find(std::string_view path, std::string_view name) const noexcept {
  const auto* const found = std::partition_point(
      by_name_.begin(), by_name_.end(),
      [&](std::uint32_t each) { return compare(entries_[each], path, name) < 0; });
  const bool is_it = found != by_name_.end() && compare(entries_[*found], path, name) == 0;
  return is_it ? *found : none;
}

}  // namespace overture::start_pack
