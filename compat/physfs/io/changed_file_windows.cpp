// SPDX-License-Identifier: Zlib
#include "io/changed_file.hpp"

#include "base/system/file_handles_windows.hpp"
#include "errors.hpp"
#include "overture/base/os.hpp"

namespace physfs {
namespace {

using overture::os_handle;
using overture::result;
using namespace overture::base_detail;

// What the system opens here is what its os_handle has.
overture::operating_system& os() noexcept {
  return overture::system_os();
}

bool failed() noexcept {
  return refuse(windows_failure("").value());
}

// Calls read_at() or write_at() until all bytes are through.
template <class Call>
PHYSFS_sint64 move(PHYSFS_uint64 bytes, Call call) noexcept {
  PHYSFS_uint64 done = 0;
  while (done < bytes) {
    const result<std::size_t> moved = call(done);
    if (!moved && done == 0) return refuse(moved.error()), -1;
    if (!moved || *moved == 0) break;
    done += *moved;
  }
  return static_cast<PHYSFS_sint64>(done);
}

}  // namespace

changed_file::~changed_file() {
  if (handle_ >= 0) os().close({handle_});
}

bool changed_file::open(const char* path) noexcept {
  wide_path wide;
  if (!wide.set(path)) return failed();
  owned_handle opened(
      open_wide(wide, GENERIC_READ | GENERIC_WRITE, share_all, OPEN_EXISTING, usual_flags));
  if (!opened.valid()) return failed();
  if (!is_regular(opened.get())) return refuse(PHYSFS_ERR_NOT_A_FILE);
  handle_ = opened.release().value;
  return true;
}

PHYSFS_sint64 changed_file::read_at(PHYSFS_uint64 position, void* to,
                                    PHYSFS_uint64 bytes) noexcept {
  return move(bytes, [&](PHYSFS_uint64 done) {
    return os().read_at({handle_}, position + done,
                        {static_cast<std::byte*>(to) + done, bytes - done});
  });
}

PHYSFS_sint64 changed_file::write_at(PHYSFS_uint64 position, const void* from,
                                     PHYSFS_uint64 bytes) noexcept {
  return move(bytes, [&](PHYSFS_uint64 done) {
    return os().write_at({handle_}, position + done,
                         {static_cast<const std::byte*>(from) + done, bytes - done});
  });
}

bool changed_file::make_empty() noexcept {
  return overture::base_detail::make_empty(of({handle_})) || failed();
}

PHYSFS_sint64 changed_file::length() noexcept {
  const result<overture::file_status> found = os().status({handle_});
  if (found) return static_cast<PHYSFS_sint64>(found->size);
  return refuse(found.error()), -1;
}

bool changed_file::sync() noexcept {
  const result<void> done = os().sync({handle_});
  return done || refuse(done.error());
}

}  // namespace physfs
