// SPDX-License-Identifier: Zlib
#include "archives/names/path_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "overture/base/hash.hpp"
#include "overture/base/prefetch.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t key_bytes = 8;
// Longer common prefixes are rare and compared in full.
constexpr std::size_t keyed_bytes_max = 256;
constexpr std::size_t keyed_count_min = 8;

constexpr std::size_t ahead = 16;  // the texts are scattered over the archive's names

// Swaps the byte order and makes each '/' 0.
std::uint64_t key_of_word(std::uint64_t word) noexcept {
  constexpr std::uint64_t low_bits = 0x7F7F7F7F7F7F7F7Fu;
  const std::uint64_t other = word ^ 0x2F2F2F2F2F2F2F2Fu;  // 0 for each '/'
  const std::uint64_t slashes = ~(((other & low_bits) + low_bits) | other | low_bits);
  word &= ~((slashes >> 7) * 0xFF);
  word = word >> 32 | word << 32;
  word = (word & 0xFFFF0000FFFF0000u) >> 16 | (word & 0x0000FFFF0000FFFFu) << 16;
  return (word & 0xFF00FF00FF00FF00u) >> 8 | (word & 0x00FF00FF00FF00FFu) << 8;
}

// Eight bytes as a big-endian number. '/' and bytes past the end are both 0. That is unambiguous: a
// '/' is never last nor next to another, so at the latest the next byte tells them apart.
std::uint64_t key_of(const ordered_path& path, std::size_t from) noexcept {
  if (from + key_bytes <= path.length) return key_of_word(detail::load_u64(path.text + from));
  std::uint64_t key = 0;
  for (std::size_t i = from; i < from + key_bytes; ++i) {
    const auto byte = static_cast<unsigned char>(i < path.length ? path.text[i] : '/');
    key = key << 8 | (byte == '/' ? 0u : byte);
  }
  return key;
}

constexpr std::size_t byte_values = 256;
// With fewer paths, comparing is faster than counting.
constexpr std::size_t counted_min = 64;

// Sorts by one byte of the keys, stably.
void spread_by_byte(std::span<const ordered_path> paths, unsigned shift, std::size_t* next,
                    std::span<ordered_path> into) noexcept {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < byte_values; ++i) begin += std::exchange(next[i], begin);
  for (const ordered_path& path : paths) into[next[path.key >> shift & 0xFF]++] = path;
}

void sort_by_key(std::span<ordered_path> paths, std::span<ordered_path> room) noexcept {
  const auto by_key = [](const ordered_path& a, const ordered_path& b) { return a.key < b.key; };
  if (paths.size() < counted_min) return std::sort(paths.begin(), paths.end(), by_key);
  std::uint64_t differs = 0;
  bool in_order = true;
  for (std::size_t i = 1; i < paths.size(); ++i) {
    differs |= paths[i].key ^ paths[0].key;
    in_order = in_order && paths[i - 1].key <= paths[i].key;
  }
  if (in_order) return;
  std::span<ordered_path> from = paths;
  std::span<ordered_path> to = room.first(paths.size());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((differs >> shift & 0xFF) == 0) continue;
    std::size_t counts[byte_values] = {};
    for (const ordered_path& path : from) ++counts[path.key >> shift & 0xFF];
    spread_by_byte(from, shift, counts, to);
    std::swap(from, to);
  }
  if (from.data() != paths.data()) std::copy(from.begin(), from.end(), paths.begin());
}

// Sorts paths that are equal in front of `from`.
void sort_from(std::span<ordered_path> paths, std::size_t from,
               std::span<ordered_path> room) noexcept {
  const auto whole = [](const ordered_path& a, const ordered_path& b) {
    return path_before(a.path(), b.path());
  };
  if (paths.size() < keyed_count_min || from >= keyed_bytes_max) {
    std::sort(paths.begin(), paths.end(), whole);
    return;
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (i + ahead < paths.size()) {
      const ordered_path& later = paths[i + ahead];
      prefetch_to_read(later.text + std::min<std::size_t>(from, later.length));
    }
    paths[i].key = key_of(paths[i], from);
  }
  sort_by_key(paths, room);
  for (std::size_t i = 0; i < paths.size();) {
    std::size_t end = i + 1;
    while (end < paths.size() && paths[end].key == paths[i].key) ++end;
    if (end - i > 1) sort_from(paths.subspan(i, end - i), from + key_bytes, room);
    i = end;
  }
}

}  // namespace

bool path_before(std::string_view a, std::string_view b) noexcept {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t same = 0;
  while (shorter - same >= 8 && std::memcmp(a.data() + same, b.data() + same, 8) == 0) same += 8;
  while (same < shorter && a[same] == b[same]) ++same;
  if (same == shorter) return a.size() < b.size();
  const auto weight = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return weight(a[same]) < weight(b[same]);
}

bool sort_paths(vec<ordered_path>& paths) noexcept {
  vec<ordered_path> room(paths.memory(), memory_tag::vfs);
  if (!room.resize_for_overwrite(paths.size())) return false;
  sort_from({paths.data(), paths.size()}, 0, {room.data(), room.size()});
  return true;
}

}  // namespace overture::archives_detail
