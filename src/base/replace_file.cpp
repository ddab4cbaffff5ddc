// SPDX-License-Identifier: Zlib
#include "overture/base/replace_file.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/guarded_call.hpp"
#include "base/limit_text.hpp"
#include "base/system_text.hpp"
#include "base/temporary_name.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/hash.hpp"
#include "overture/base/thread.hpp"

namespace overture {
using namespace base_detail;

namespace {

constexpr int names_tried_max = 16;
// In a folder of temporary files, the file whose lock says that their writer lives.
constexpr const char* lock_name = "lock";

// The path of a name in a folder. False if it does not fit.
bool join(std::string_view folder, std::string_view name, std::span<char> room) noexcept {
  const bool separates = !folder.empty() && folder_bytes(folder) != folder.size();
  if (folder.size() + (separates ? 1 : 0) + name.size() >= room.size()) return false;
  char* at = std::copy(folder.begin(), folder.end(), room.data());
  if (separates) *at++ = '/';
  *std::copy(name.begin(), name.end(), at) = '\0';
  return true;
}

// Whether a path still names the file that is open, as far as the system can tell.
bool is_still_at(operating_system& os, os_handle file, const char* path) noexcept {
  const result<file_status> opened = os.status(file);
  const result<file_status> named = os.status(path, false);
  return opened && named && opened->volume == named->volume && opened->number == named->number;
}

// Syncs the names of the folder that contains `path`.
result<void> sync_folder_of(operating_system& os, const char* path) noexcept {
  char folder[limits::path_bytes_max + 1];
  std::size_t length = folder_bytes(path);
  std::memcpy(folder, path, length);
  // The separator stays where it says that the folder is a root or a drive.
  if (length > 1 && folder[length - 1] != ':' && folder[length - 2] != ':') --length;
  if (length == 0) folder[length++] = '.';
  folder[length] = '\0';
  const result<os_handle> opened = os.open(folder);
  if (!opened) return tl::unexpected<error>(opened.error());
  const result<void> synced = sync_names(os, *opened);
  os.close(*opened);
  return synced;
}

}  // namespace

char* base_detail::make_temporary_name(char* room) noexcept {
  static atomic<std::uint64_t> made{0};
  std::uint64_t parts[] = {now_ns(), made.fetch_add(1, std::memory_order_relaxed),
                           reinterpret_cast<std::uintptr_t>(&made), 0};
#if __has_include(<unistd.h>)  // MinGW has it too
  parts[3] = static_cast<std::uint64_t>(getpid());
#endif
  std::uint64_t number = hash64({reinterpret_cast<const char*>(parts), sizeof parts});
  char* at = std::copy(temporary_prefix.begin(), temporary_prefix.end(), room);
  for (std::size_t i = 0; i < temporary_digits; ++i, number /= 36) {
    *at++ = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36];
  }
  return std::copy(temporary_suffix.begin(), temporary_suffix.end(), at);
}

bool is_temporary_name(std::string_view name) noexcept {
  if (name.size() != temporary_name_bytes || !name.starts_with(temporary_prefix) ||
      !name.ends_with(temporary_suffix)) {
    return false;
  }
  const std::string_view digits = name.substr(temporary_prefix.size(), temporary_digits);
  return std::all_of(digits.begin(), digits.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}

file_replacement::~file_replacement() {
  end();
}

result<void> file_replacement::begin(operating_system& os, const char* path) noexcept {
  end();
  os_ = &os;
  std::uint32_t permissions = 0;
  if (result<void> found = find_target(path, permissions); !found) return found;
  if (result<void> created = create(); !created) return created;
  if (permissions == 0) return {};
  result<void> kept = os.set_permissions(file_, permissions);
  if (!kept) end();
  return kept;
}

// Where a link leads, and the permissions of what is there; 0: nothing is, or they are unknown.
result<void> file_replacement::find_target(const char* path, std::uint32_t& permissions) noexcept {
  const std::size_t length = std::strlen(path);
  if (length >= target_.size()) return fail(errc::limit, limit_text::temporary_path);
  std::memcpy(target_.data(), path, length + 1);
  result<file_status> old = os_->status(path, false);
  if (old && old->kind == file_kind::link) {
    const result<std::size_t> resolved = os_->canonical_path(path, target_);
    if (!resolved && resolved.error().code == errc::not_found) {
      return fail(errc::not_found, "the link leads nowhere");
    }
    if (!resolved) return tl::unexpected<error>(resolved.error());
    old = os_->status(target_.data(), false);
  }
  if (!old && old.error().code == errc::not_found) return {};
  if (!old) return tl::unexpected<error>(old.error());
  // rename() would replace a device or a pipe too.
  if (old->kind != file_kind::file) return fail(errc::not_a_file, "not a regular file");
  permissions = old->permissions;
  if (permissions != 0 && (permissions & 0222) == 0) {
    return fail(errc::permission, "the file is read-only");
  }
  return {};
}

result<void> file_replacement::create() noexcept {
  const std::string_view target(target_.data());
  const std::string_view folder = target.substr(0, folder_bytes(target));
  char name[temporary_name_bytes];
  for (int tried = 0; tried < names_tried_max; ++tried) {
    const char* const end_of_name = make_temporary_name(name);
    if (!join(folder, {name, end_of_name}, temporary_)) {
      temporary_[0] = '\0';
      return fail(errc::limit, limit_text::temporary_path);
    }
    const result<os_handle> created = os_->create(temporary_.data());
    if (!created) return tl::unexpected<error>(created.error());
    const result<void> locked = os_->lock(*created);
    // A sweep may have come between the two calls, and holds the lock or has removed the file.
    const bool swept = locked ? !is_still_at(*os_, *created, temporary_.data())
                              : locked.error().code == errc::busy;
    if (!swept) {
      file_ = *created;
      return {};
    }
    os_->close(*created);
  }
  return fail(errc::busy, "temporary files beside it are removed as soon as they are made");
}

result<void> file_replacement::commit() noexcept {
  if (!file_.valid()) return fail(errc::invalid, "no replacement is under way");
  result<void> done = os_->sync(file_);
  if (done) done = os_->rename(temporary_.data(), target_.data());
  if (!done) {
    end();
    return done;
  }
  os_->close(std::exchange(file_, {}));
  done = sync_folder_of(*os_, target_.data());
  if (!done) done.error().reason = "replaced, but the folder could not be synced";
  return done;
}

void file_replacement::end() noexcept {
  if (!file_.valid()) return;
  (void)os_->remove_file(temporary_.data());
  os_->close(std::exchange(file_, {}));
}

result<void> replace_file(operating_system& os, const char* path,
                          function_ref<result<void>(os_handle file)> write) {
  file_replacement replacement;
  if (result<void> begun = replacement.begin(os, path); !begun) return begun;
  result<void> written = guarded_result("the function that writes the file threw",
                                        [&] { return write(replacement.file()); });
  return written ? replacement.commit() : written;
}

temporary_folder::~temporary_folder() {
  if (!lock_.valid()) return;
  (void)os_->remove_below(above_, lock_name_.data());
  os_->close(lock_);
  (void)os_->remove_below(above_, name_.data());
}

std::string_view temporary_folder::name() const noexcept {
  return name_.data();
}

result<void> temporary_folder::begin(operating_system& os, os_handle above) noexcept {
  os_ = &os;
  above_ = above;
  for (int tried = 0; tried < names_tried_max; ++tried) {
    *make_temporary_name(name_.data()) = '\0';
    (void)join(name(), lock_name, lock_name_);
    result<void> made = os.make_folder_below(above, name_.data());
    if (!made) return made;
    // A sweep may come between any two of these steps. Then it all begins again.
    const result<os_handle> lock = os.open_to_write(above, lock_name_.data(), write_mode::create);
    if (!lock && lock.error().code == errc::not_found) continue;
    if (!lock) {
      (void)os.remove_below(above, name_.data());
      return tl::unexpected<error>(lock.error());
    }
    const result<void> locked = os.lock(*lock);
    const bool swept = locked ? !is_still_there() : locked.error().code == errc::busy;
    if (!swept) {
      lock_ = *lock;
      return {};
    }
    os.close(*lock);
  }
  return fail(errc::busy, "temporary folders are removed as soon as they are made");
}

bool temporary_folder::is_still_there() const noexcept {
  const result<os_handle> lock = os_->open_below(above_, lock_name_.data());
  if (lock) os_->close(*lock);
  return lock.has_value();
}

namespace {

// Removes a file whose lock can be had: its writer is gone.
bool remove_if_unused(operating_system& os, const char* path) noexcept {
  const result<os_handle> opened = os.open(path);
  if (!opened) return false;
  const bool removed = os.lock(*opened) && is_still_at(os, *opened, path) && os.remove_file(path);
  os.close(*opened);
  return removed;
}

// A folder of temporary files is in use as long as the lock in it is held.
bool remove_folder_if_unused(operating_system& os, os_handle above, const char* name,
                             const char* path) noexcept {
  char room[limits::path_bytes_max + 1];
  if (!join(path, lock_name, room)) return false;
  const result<os_handle> lock = os.open(room);
  if (lock) {
    if (os.lock(*lock)) {
      (void)os.list(path, [&](const folder_entry& each) noexcept {
        const bool is_lock = each.name == lock_name;
        if (!is_lock && join(path, each.name, room)) (void)os.remove_file(room);
      });
      if (join(path, lock_name, room)) (void)os.remove_file(room);
    }
    os.close(*lock);
  }
  return os.remove_below(above, name).has_value();  // unless it is in use, and so not empty
}

}  // namespace

std::size_t sweep_temporaries(operating_system& os, const char* folder) noexcept {
  const result<os_handle> above = os.open(folder);
  if (!above) return 0;
  std::size_t removed = 0;
  (void)os.list(folder, [&](const folder_entry& each) noexcept {
    char path[limits::path_bytes_max + 1];
    char name[temporary_name_bytes + 1];
    if (!is_temporary_name(each.name) || !join(folder, each.name, path)) return;
    *std::copy(each.name.begin(), each.name.end(), name) = '\0';
    const bool gone = each.kind == file_kind::file ? remove_if_unused(os, path)
                      : each.kind == file_kind::folder
                          ? remove_folder_if_unused(os, *above, name, path)
                          : false;
    if (gone) ++removed;
  });
  os.close(*above);
  return removed;
}

}  // namespace overture
