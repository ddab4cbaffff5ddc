// SPDX-License-Identifier: Zlib
#include "watch/recorder/open_files.hpp"

namespace overture::watch {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constinit descriptor descriptors[descriptors_max];

}  // namespace

descriptor& descriptor_of(int file) noexcept {
  const auto number = static_cast<std::size_t>(file);  // -1 is the largest
  return descriptors[number < descriptors_max - 1 ? number : descriptors_max - 1];
}

void note_descriptor(int file, std::uint32_t name, descriptor_kind kind) noexcept {
  if (file < 0 || static_cast<std::size_t>(file) >= descriptors_max - 1) return;
  descriptor& one = descriptor_of(file);
  one.place.store(0, relaxed);
  one.list_ns.store(0, relaxed);
  one.name.store(name, relaxed);
  one.kind.store(kind, relaxed);
}

void forget_descriptor(int file) noexcept {
  note_descriptor(file, 0, descriptor_kind::unknown);
}

}  // namespace overture::watch
