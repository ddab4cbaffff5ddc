#include "vfs/mount_table.hpp"

#include <algorithm>

namespace overture::vfs {

mount_table::~mount_table() {
  for (mount* const left : mounts_) destroy(left);
}

mount* mount_table::make() noexcept {
  const std::size_t size = mounts_.size();
  if (size == mounts_.capacity() && !mounts_.reserve(size < 8 ? 8 : 2 * size)) return nullptr;
  mount* const made = make_object<mount>(mounts_.memory(), memory_tag::vfs, mounts_.memory());
  if (made) made->id = {next_id_};
  return made;
}

void mount_table::add(mount* made) noexcept {
  (void)mounts_.push_back(made);  // make() has seen to the room
  ++next_id_;
}

void mount_table::destroy(mount* ended) noexcept {
  destroy_object(mounts_.memory(), memory_tag::vfs, ended);
}

mount* mount_table::remove(mount_id id) noexcept {
  const std::size_t position = position_of(id);
  if (position == mounts_.size()) return nullptr;
  mount* const taken = mounts_[position];
  std::move(mounts_.begin() + position + 1, mounts_.end(), mounts_.begin() + position);
  mounts_.pop_back();
  return taken;
}

const mount* mount_table::find(mount_id id) const noexcept {
  const std::size_t position = position_of(id);
  return position == mounts_.size() ? nullptr : mounts_[position];
}

std::size_t mount_table::position_of(mount_id id) const noexcept {
  mount* const* const found =
      std::lower_bound(mounts_.begin(), mounts_.end(), id.value,
                       [](const mount* a, std::uint32_t value) { return a->id.value < value; });
  const bool known = found != mounts_.end() && (*found)->id == id;
  return known ? static_cast<std::size_t>(found - mounts_.begin()) : mounts_.size();
}

}  // namespace overture::vfs
