#include "vfs/path_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace overture::vfs {
namespace {

constexpr std::size_t key_bytes = 8;
// What is alike for longer is rare, and compared as a whole.
constexpr std::size_t keyed_bytes_max = 256;
constexpr std::size_t keyed_count_min = 8;

// Eight bytes as a number. '/' is 0 and so is what lies behind the end: no '/' is the last or
// stands beside another, so the end comes before it at the next byte at the latest.
std::uint64_t key_of(const ordered_path& path, std::size_t from) noexcept {
  std::uint64_t key = 0;
  const std::size_t end = std::min<std::size_t>(path.length, from + key_bytes);
  for (std::size_t i = from; i < end; ++i) {
    const auto byte = static_cast<unsigned char>(path.text[i]);
    key = key << 8 | (byte == '/' ? 0 : byte);
  }
  const std::size_t missing = from + key_bytes - std::max(end, from);
  return missing >= key_bytes ? 0 : key << 8 * missing;
}

// All of them are alike before `from`.
void sort_from(std::span<ordered_path> paths, std::size_t from) noexcept {
  const auto whole = [](const ordered_path& a, const ordered_path& b) {
    return path_before(a.path(), b.path());
  };
  const auto by_key = [](const ordered_path& a, const ordered_path& b) { return a.key < b.key; };
  if (paths.size() < keyed_count_min || from >= keyed_bytes_max) {
    std::sort(paths.begin(), paths.end(), whole);
    return;
  }
  for (ordered_path& path : paths) path.key = key_of(path, from);
  if (!std::is_sorted(paths.begin(), paths.end(), by_key)) {
    std::sort(paths.begin(), paths.end(), by_key);
  }
  for (std::size_t i = 0; i < paths.size();) {
    std::size_t end = i + 1;
    while (end < paths.size() && paths[end].key == paths[i].key) ++end;
    if (end - i > 1) sort_from(paths.subspan(i, end - i), from + key_bytes);
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

void sort_paths(std::span<ordered_path> paths) noexcept {
  sort_from(paths, 0);
}

}  // namespace overture::vfs
