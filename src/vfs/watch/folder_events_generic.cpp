// SPDX-License-Identifier: Zlib
#include "vfs/watch/folder_events.hpp"

namespace overture::vfs_detail {

namespace {

tl::unexpected<error> unknown_here() {
  return fail(errc::unsupported, "watching folders is not supported on this system");
}

}  // namespace

found_kind look_at(const char*) noexcept {
  return found_kind::unknown;
}

result<void> folder_events::open() noexcept {
  return unknown_here();
}

void folder_events::close() noexcept {}

result<int> folder_events::add(const char*) noexcept {
  return unknown_here();
}

void folder_events::remove(int) noexcept {}

result<void> folder_events::read(function_ref<void(const folder_event&)>) noexcept {
  return unknown_here();
}

}  // namespace overture::vfs_detail
