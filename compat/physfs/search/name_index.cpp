// SPDX-License-Identifier: Zlib
#include "search/name_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>

#include "overture/base/hash.hpp"
#include "search/search_path.hpp"

namespace physfs {
namespace {

constexpr std::size_t slots_min = 16;
constexpr overture::memory_tag tag = overture::memory_tag::vfs;

// The texts of names below a mount point.
class names_below {
 public:
  explicit names_below(std::string_view point) noexcept : point_bytes_(point.size()) {
    std::copy_n(point.data(), point.size(), text_);
  }
  // Calls `add` for the path and for those folders on the way to it that the path before had not.
  template <class Add>
  [[nodiscard]] bool each(std::string_view path, Add add) noexcept {
    char* const text = text_ + point_bytes_;
    const std::size_t both = std::min(path.size(), last_bytes_);
    const auto shared =
        static_cast<std::size_t>(std::mismatch(text, text + both, path.begin()).first - text);
    std::copy_n(path.data(), path.size(), text);
    last_bytes_ = path.size();
    for (std::size_t end = path.find('/', shared); end != std::string_view::npos;
         end = path.find('/', end + 1)) {
      if (!add(std::string_view(text_, point_bytes_ + end))) return false;
    }
    return add(std::string_view(text_, point_bytes_ + path.size()));
  }

 private:
  const std::size_t point_bytes_;
  std::size_t last_bytes_ = 0;
  char text_[2 * name_bytes_max + 2];
};

}  // namespace

name_index::name_index(std::uint32_t count, std::size_t slots) noexcept
    : count_(count),
      slots_max_(slots),
      shift_(64 - std::countr_zero(slots)),
      slots_(reinterpret_cast<slot*>(this + 1)),
      always_asked_(reinterpret_cast<std::uint32_t*>(slots_ + slots)) {
  static_assert(sizeof(name_index) % alignof(slot) == 0 && sizeof(slot) % sizeof(count) == 0);
  std::uninitialized_value_construct_n(slots_, slots);
  std::uninitialized_value_construct_n(always_asked_, std::size_t{count} + 1);
  // An attacker does not know this address, and so cannot make names that share a slot.
  const auto here = reinterpret_cast<std::uintptr_t>(this);
  char bytes[sizeof here];
  std::memcpy(bytes, &here, sizeof here);
  multiplier_ = overture::hash64({bytes, sizeof bytes}) | 1;
}

std::size_t name_index::bytes_for(std::uint32_t count, std::size_t slots) noexcept {
  return sizeof(name_index) + slots * sizeof(slot) +
         (std::size_t{count} + 1) * sizeof(std::uint32_t);
}

name_index* name_index::allocate(std::uint32_t count, std::size_t slots) noexcept {
  void* const room = memory().allocate(bytes_for(count, slots), alignof(name_index), tag);
  return room ? new (room) name_index(count, slots) : nullptr;
}

const name_index* name_index::make(mount* const* mounts, std::uint32_t count,
                                   std::uint64_t names) noexcept {
  // Mods have files in the same folders, which then need one slot each.
  for (std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * names, slots_min));;
       slots *= 2) {
    name_index* const made = allocate(count, slots);
    if (!made || made->fill(mounts)) return made;
    const bool needs_more = made->is_full();
    destroy(made);
    if (!needs_more) return nullptr;
  }
}

void name_index::destroy(const name_index* index) noexcept {
  if (!index) return;
  const std::size_t bytes = bytes_for(index->count_, index->slots_max_);
  memory().deallocate(const_cast<name_index*>(index), bytes, alignof(name_index), tag);
}

name_index::slot& name_index::slot_of(std::uint64_t hash) const noexcept {
  const auto tag_of_name = static_cast<std::uint32_t>(hash);
  std::size_t at = static_cast<std::size_t>(hash * multiplier_ >> shift_);
  while (slots_[at].first != 0 && slots_[at].tag != tag_of_name) at = (at + 1) & (slots_max_ - 1);
  return slots_[at];
}

std::uint32_t name_index::first_with(std::string_view name) const noexcept {
  const slot& found = slot_of(overture::hash64(name));
  return found.first != 0 ? found.first - 1 : count_;
}

bool name_index::add(std::string_view name, std::uint32_t position) noexcept {
  const std::uint64_t hash = overture::hash64(name);
  slot& into = slot_of(hash);
  if (into.first != 0) return true;  // a mount in front of it, or another of its names
  into = {static_cast<std::uint32_t>(hash), position + 1};
  ++used_;
  return !is_full();
}

bool name_index::add_names_of(const mount& added, std::uint32_t position) noexcept {
  const std::string_view point(added.point);
  for (std::size_t end = point.find('/'); end != std::string_view::npos;
       end = point.find('/', end + 1)) {
    if (!add(point.substr(0, end), position)) return false;
  }
  names_below names(point);
  return added.contents->visit_files(added.root.load(), [&](std::string_view path) {
    return names.each(path, [&](std::string_view name) { return add(name, position); });
  });
}

bool name_index::fill(mount* const* mounts) noexcept {
  std::uint32_t always = count_;
  always_asked_[count_] = count_;
  for (std::uint32_t i = count_; i-- > 0;) {
    if (mounts[i]->files_known == 0) always = i;
    always_asked_[i] = always;
  }
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (mounts[i]->files_known > 0 && !add_names_of(*mounts[i], i)) return false;
  }
  return true;
}

}  // namespace physfs
