// SPDX-License-Identifier: Zlib
#include "io/schedule/choice.hpp"

#include <tuple>

namespace overture::io_detail {
namespace {

// 0: onwards in the same file, 1: back in the same file, 2: onwards on the disk, 3: back.
int way_to(const disk_position& position, const disk_position& head) noexcept {
  if (position.file == head.file) return position.offset >= head.offset ? 0 : 1;
  return position.file > head.file ? 2 : 3;
}

bool is_in_danger(const candidate& of, const moment& now) noexcept {
  return of.deadline_ns <= now.danger_ns;
}

}  // namespace

bool goes_before(const candidate& a, const candidate& b, const moment& now) noexcept {
  const bool a_in_danger = is_in_danger(a, now);
  if (a_in_danger != is_in_danger(b, now)) return a_in_danger;
  if (a_in_danger) {
    return std::tie(a.deadline_ns, a.ticket) < std::tie(b.deadline_ns, b.ticket);
  }
  if (a.level != b.level) return a.level > b.level;
  return std::tuple(way_to(a.position, now.head), a.position, a.ticket) <
         std::tuple(way_to(b.position, now.head), b.position, b.ticket);
}

}  // namespace overture::io_detail
