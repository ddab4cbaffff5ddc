// SPDX-License-Identifier: Zlib
#include "overture/base/replace_file.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/guarded_call.hpp"
#include "base/limit_text.hpp"
#include "base/system/link_target.hpp"
#include "base/system/system_text.hpp"
#include "base/system/temporary_name.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/hash.hpp"
#include "overture/base/thread.hpp"

namespace overture {
using namespace base_detail;

namespace {

constexpr int names_tried_max = 16;
constexpr int links_followed_max = 40;  // as many as Linux follows
// In a folder of temporary files, the file whose lock says that their writer lives.
constexpr const char* lock_name = "lock";
// What is in it: a folder in which another program has made a file of that name stays.
constexpr std::string_view lock_text = "the temporary files of overture\n";

// The path of a name in a folder. False if it does not fit.
bool join(std::string_view folder, std::string_view name, std::span<char> room) noexcept {
  const bool separates = !folder.empty() && folder_bytes(folder) != folder.size();
  if (folder.size() + (separates ? 1 : 0) + name.size() >= room.size()) return false;
  char* at = std::copy(folder.begin(), folder.end(), room.data());
  if (separates) *at++ = '/';
  *std::copy(name.begin(), name.end(), at) = '\0';
  return true;
}

bool is_same(const file_status& one, const file_status& other) noexcept {
  return one.volume == other.volume && one.number == other.number;
}

// Whether a path still names the file that is open, as far as the system can tell.
bool is_still_at(operating_system& os, os_handle file, const char* path) noexcept {
  const result<file_status> opened = os.status(file);
  const result<file_status> named = os.status(path, false);
  return opened && named && is_same(*opened, *named);
}

// Calls `use` with the open folder that contains `path`.
result<void> in_folder_of(operating_system& os, const char* path,
                          function_ref<result<void>(os_handle folder) noexcept> use) noexcept {
  char folder[limits::path_bytes_max + 1];
  std::size_t length = folder_bytes(path);
  std::memcpy(folder, path, length);
  // The separator stays where it says that the folder is a root or a drive.
  if (length > 1 && folder[length - 1] != ':' && folder[length - 2] != ':') --length;
  if (length == 0) folder[length++] = '.';
  folder[length] = '\0';
  const result<os_handle> opened = os.open(folder);
  if (!opened) return tl::unexpected<error>(opened.error());
  const result<void> used = use(*opened);
  os.close(*opened);
  return used;
}

// Where all may make files, a link may be another user's trap. `own`: a file of this process.
result<void> check_link(operating_system& os, const char* path, os_handle own) noexcept {
  const result<file_status> link = os.status(path, false);
  if (!link || link->kind != file_kind::link) return {};
  const result<file_status> mine = os.status(own);
  if (!mine) return tl::unexpected<error>(mine.error());
  return in_folder_of(os, path, [&](os_handle folder) noexcept -> result<void> {
    const result<file_status> above = os.status(folder);
    if (!above) return tl::unexpected<error>(above.error());
    const bool is_for_all =
        above->permissions != file_status::unknown_permissions && (above->permissions & 0002) != 0;
    if (!is_for_all || link->owner == above->owner || link->owner == mine->owner) return {};
    return fail(errc::permission,
                "another user has made this link, in a folder for all; give the path of the file");
  });
}

// A link may lead to another one.
result<void> check_links(operating_system& os, const char* path, os_handle own) noexcept {
  char link[limits::path_bytes_max + 1];
  char target[limits::path_bytes_max + 1];
  if (!join({}, path, link)) return {};
  for (int followed = 0; followed < links_followed_max; ++followed) {
    if (result<void> checked = check_link(os, link, own); !checked) return checked;
    const std::size_t length = link_target(link, target);
    if (length == 0) return {};
    const std::string_view folder(link, target[0] == '/' ? 0 : folder_bytes(link));
    char next[limits::path_bytes_max + 1];
    if (!join(folder, {target, length}, next)) return fail(errc::limit, "a link is too long");
    (void)join({}, next, link);
  }
  return fail(errc::limit, "too many links lead to one another");
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

result<void> file_replacement::begin(operating_system& os, const char* path,
                                     replacing how) noexcept {
  end();
  os_ = &os;
  how_ = how;
  is_in_place_ = false;
  is_old_there_ = false;
  if (result<void> found = find_target(path); !found) return found;
  if (result<void> created = create(); !created) return created;
  result<void> kept = check_links(os, path, file_);
  if (kept) kept = take_permissions();
  if (!kept) end();
  return kept;
}

// Where a link leads, and what is there.
result<void> file_replacement::find_target(const char* path) noexcept {
  const std::size_t length = std::strlen(path);
  if (length >= target_.size()) return fail(errc::limit, limit_text::temporary_path);
  std::memcpy(target_.data(), path, length + 1);
  const result<file_status> named = os_->status(path, false);
  if (!named || named->kind != file_kind::link) return look_at(named);
  const result<std::size_t> resolved = os_->canonical_path(path, target_);
  if (!resolved && resolved.error().code == errc::not_found) {
    return fail(errc::not_found, "the link leads nowhere");
  }
  if (!resolved) return tl::unexpected<error>(resolved.error());
  const result<file_status> found = os_->status(target_.data(), false);
  const result<file_status> followed = os_->status(path, true);
  // A link below /proc/PID/root counts from the root of that process.
  if (found && followed && !is_same(*found, *followed)) {
    return fail(errc::unsupported, "the link leads to another root; give the path of the file");
  }
  return look_at(found);
}

// Whether it may be replaced. If it may, notes it.
result<void> file_replacement::look_at(const result<file_status>& found) noexcept {
  is_old_there_ = false;
  if (!found && found.error().code == errc::not_found) return {};
  if (!found) return tl::unexpected<error>(found.error());
  // rename() would replace a device or a pipe too.
  if (found->kind != file_kind::file) return fail(errc::not_a_file, "not a regular file");
  if (how_ == replacing::never) return fail(errc::exists, "the file exists");
  if (found->is_read_only()) return fail(errc::permission, "the file is read-only");
  is_old_there_ = true;
  old_ = *found;
  return {};
}

// As in begin(), and the permissions may have changed.
result<void> file_replacement::look_again() noexcept {
  const bool was_there = is_old_there_;
  const file_status before = old_;
  if (result<void> looked = look_at(os_->status(target_.data(), false)); !looked) return looked;
  if (!is_old_there_) return {};
  if (was_there && old_.ctime_ns == before.ctime_ns && is_same(old_, before)) return {};
  const result<file_status> own = os_->status(file_);
  if (!own) return tl::unexpected<error>(own.error());
  const bool was_theirs = was_there && old_.owner == before.owner;
  if (!was_theirs && old_.owner != own->owner) {
    return fail(errc::permission, "another user has made a file of this name meanwhile");
  }
  return take_permissions();
}

result<void> file_replacement::take_permissions() noexcept {
  if (!is_old_there_) return {};
  return os_->take_permissions_of(file_, old_, {}, target_.data());
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
  return commit([]() noexcept { return result<void>{}; });
}

result<void> file_replacement::commit(function_ref<result<void>() noexcept> may_replace) noexcept {
  if (!file_.valid()) return fail(errc::invalid, "no replacement is under way");
  result<void> done = os_->sync(file_);
  if (done) done = may_replace();
  if (done) done = look_again();
  if (done) done = put_in_place();
  if (!done) {
    end();
    return done;
  }
  is_in_place_ = true;
  os_->close(std::exchange(file_, {}));
  done = in_folder_of(*os_, target_.data(),
                      [this](os_handle folder) noexcept { return sync_names(*os_, folder); });
  if (!done) done.error().reason = "replaced, but the folder could not be synced";
  return done;
}

result<void> file_replacement::put_in_place() noexcept {
  if (how_ == replacing::allowed) return os_->rename(temporary_.data(), target_.data());
  return in_folder_of(*os_, target_.data(), [this](os_handle folder) noexcept {
    return os_->rename_new_below(folder, temporary_.data() + folder_bytes(temporary_.data()),
                                 target_.data() + folder_bytes(target_.data()));
  });
}

void file_replacement::end() noexcept {
  if (!file_.valid()) return;
  (void)os_->remove_file(temporary_.data());
  os_->close(std::exchange(file_, {}));
}

result<void> replace_file(operating_system& os, const char* path,
                          function_ref<result<void>(os_handle file)> write, replacing how) {
  file_replacement replacement;
  if (result<void> begun = replacement.begin(os, path, how); !begun) return begun;
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

result<void> temporary_folder::keep() noexcept {
  constexpr std::string_view kept_prefix = "overture-old-";
  std::array<char, 40> kept{};
  char* const digits = std::copy(kept_prefix.begin(), kept_prefix.end(), kept.data());
  std::copy_n(name_.data() + temporary_prefix.size(), temporary_digits, digits);
  result<void> renamed = os_->rename_new_below(above_, name_.data(), kept.data());
  if (!renamed) return renamed;
  name_ = kept;
  (void)join(name(), lock_name, lock_name_);
  return {};
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
    const result<void> marked =
        write_fully(os, *lock, 0, std::as_bytes(std::span(lock_text.data(), lock_text.size())));
    const result<void> locked = os.lock(*lock);
    const result<os_handle> again = os.open_below(above, lock_name_.data());
    const bool swept = (!again && again.error().code == errc::not_found) ||
                       (!locked && locked.error().code == errc::busy);
    if (again) os.close(*again);
    if (again && marked && !swept) {
      lock_ = *lock;
      return {};
    }
    if (!swept) (void)os.remove_below(above, lock_name_.data());
    os.close(*lock);
    if (swept) continue;
    (void)os.remove_below(above, name_.data());
    return tl::unexpected<error>(again ? marked.error() : again.error());
  }
  return fail(errc::busy, "temporary folders are removed as soon as they are made");
}

namespace {

// Removes leftovers through open folders and by name alone: if another user owns the folder, a path
// may already lead somewhere else.
class sweep {
 public:
  sweep(operating_system& os, os_handle above, const char* folder) noexcept
      : os_(os), above_(above), folder_(folder) {}

  // Whether it was removed.
  bool look_at(const folder_entry& each) noexcept {
    if (!is_temporary_name(each.name) || !join(folder_, each.name, path_)) return false;
    *std::copy(each.name.begin(), each.name.end(), name_) = '\0';
    if (each.kind == file_kind::file) return remove_file();
    return each.kind == file_kind::folder && remove_folder();
  }

 private:
  // Whether the lock of an open file can be had: its writer is gone.
  bool is_unused(os_handle file) noexcept { return os_.lock(file).has_value(); }

  // Also a file that its user may only write.
  result<os_handle> open_left(os_handle folder, const char* name) noexcept {
    const result<os_handle> file = os_.open_below(folder, name);
    if (file || file.error().code != errc::permission) return file;
    return os_.open_to_write(folder, name, write_mode::update);
  }

  bool remove_file() noexcept {
    const result<os_handle> file = open_left(above_, name_);
    if (!file) return false;
    const bool removed = is_unused(*file) && is_still_at(os_, *file, path_) &&
                         os_.remove_below(above_, name_).has_value();
    os_.close(*file);
    return removed;
  }

  // A folder of temporary files is in use as long as the lock in it is held.
  bool remove_folder() noexcept {
    const result<os_handle> inner = os_.open_below(above_, name_);
    if (!inner) return false;
    if (is_still_at(os_, *inner, path_)) empty(*inner);
    os_.close(*inner);
    return os_.remove_below(above_, name_).has_value();  // unless it is in use, and so not empty
  }
  // Without a lock, its temporary files alone.
  void empty(os_handle inner) noexcept {
    const result<os_handle> lock = os_.open_below(inner, lock_name);
    const bool all = lock && is_unused(*lock) && is_ours(*lock);
    if (all || (!lock && lock.error().code == errc::not_found)) {
      (void)os_.list(path_, [&](const folder_entry& each) noexcept {
        char file[limits::path_bytes_max + 1];
        if (each.name == lock_name || !join({}, each.name, file)) return;
        if (all || is_left(inner, file)) (void)os_.remove_below(inner, file);
      });
    }
    if (all) (void)os_.remove_below(inner, lock_name);
    if (lock) os_.close(*lock);
  }
  // Whether it is a temporary file without a writer.
  bool is_left(os_handle folder, const char* name) noexcept {
    if (!is_temporary_name(name)) return false;
    const result<os_handle> file = open_left(folder, name);
    if (!file) return false;
    const result<file_status> found = os_.status(*file);
    const bool left = found && found->kind == file_kind::file && is_unused(*file);
    os_.close(*file);
    return left;
  }
  // By the text in the lock. A writer that died before it wrote that has left nothing else.
  bool is_ours(os_handle lock) noexcept {
    char text[lock_text.size() + 1];
    const result<std::size_t> read = os_.read_at(lock, 0, std::as_writable_bytes(std::span(text)));
    if (!read) return false;
    if (*read > 0) return std::string_view(text, *read) == lock_text;
    bool is_alone = true;
    const result<void> listed = os_.list(path_, [&](const folder_entry& each) noexcept {
      if (each.name != lock_name) is_alone = false;
    });
    return listed && is_alone;
  }

  operating_system& os_;
  os_handle above_;
  std::string_view folder_;
  char path_[limits::path_bytes_max + 1];
  char name_[temporary_name_bytes + 1];
};

}  // namespace

std::size_t sweep_temporaries(operating_system& os, const char* folder) noexcept {
  const result<os_handle> above = os.open(folder);
  if (!above) return 0;
  std::size_t removed = 0;
  sweep left(os, *above, folder);
  (void)os.list(folder, [&](const folder_entry& each) noexcept {
    if (left.look_at(each)) ++removed;
  });
  os.close(*above);
  return removed;
}

}  // namespace overture
