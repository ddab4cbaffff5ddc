// SPDX-License-Identifier: Zlib
#include "watch/recorder/open_files.hpp"

#include "watch/recorder/layout.hpp"

namespace overture::watch {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constinit descriptor descriptors[descriptors_max];
constinit atomic<std::uint16_t> open_counts[name_slots + 1];  // by name
constinit atomic<bool> is_used{false};

}  // namespace

descriptor& descriptor_of(int file) noexcept {
  const auto number = static_cast<std::size_t>(file);  // -1 is the largest
  return descriptors[number < descriptors_max - 1 ? number : descriptors_max - 1];
}

void note_descriptor(int file, std::uint32_t name, descriptor_kind kind) noexcept {
  if (file < 0 || static_cast<std::size_t>(file) >= descriptors_max - 1) return;
  is_used.store(true, relaxed);
  descriptor& one = descriptor_of(file);
  one.place.store(0, relaxed);
  one.list_ns.store(0, relaxed);
  // A descriptor that was closed unseen has its old name until it is used again.
  const std::uint32_t before = one.name.exchange(name, relaxed);
  if (before != 0) open_counts[before].fetch_sub(1, relaxed);
  if (name != 0) open_counts[name].fetch_add(1, relaxed);
  one.kind.store(kind, relaxed);
}

std::uint32_t name_of_file(int file) noexcept {
  const descriptor& of = descriptor_of(file);
  return of.kind.load(relaxed) == descriptor_kind::file ? of.name.load(relaxed) : 0;
}

bool is_open(std::uint32_t name) noexcept {
  return name != 0 && open_counts[name].load(relaxed) != 0;
}

void forget_descriptors() noexcept {
  if (!is_used.load(relaxed)) return;
  for (std::size_t i = 0; i + 1 < descriptors_max; ++i) {
    if (descriptors[i].name.load(relaxed) != 0) forget_descriptor(static_cast<int>(i));
  }
}

void forget_descriptor(int file) noexcept {
  note_descriptor(file, 0, descriptor_kind::unknown);
}

}  // namespace overture::watch
