// SPDX-License-Identifier: Zlib
#include "vfs/writing.hpp"

#include <algorithm>
#include <cstring>

#include "base/limit_text.hpp"
#include "overture/base/path.hpp"
#include "vfs/state.hpp"
#include "vfs/tree/path_key.hpp"

namespace overture {

namespace vfs_detail {

namespace {

// The position after the first `count` elements and their '/'.
std::size_t after_elements(std::string_view path, std::ptrdiff_t count) noexcept {
  std::size_t at = 0;
  for (; count > 0 && at < path.size(); --count) {
    const std::size_t slash = path.find('/', at);
    if (slash == std::string_view::npos) return path.size();
    at = slash + 1;
  }
  return at;
}
std::ptrdiff_t slashes(std::string_view path) noexcept {
  return std::count(path.begin(), path.end(), '/');
}

// The spelling on disk of a file or folder that the mount knows, or nothing. For trees that ignore
// case.
std::string_view known_spelling(const mount& in, asset_path key) noexcept {
  if (const written_name* const name = in.written.find(key)) return name->on_disk;
  const auto on_disk = [&in](std::uint32_t entry) {
    return std::string_view(in.content.names.data() + in.content.entries[entry].offset);
  };
  const std::uint32_t entry = in.find_entry(key.text);
  if (entry != no_entry) return on_disk(entry);
  const std::uint32_t below = in.first_below(key.text);
  if (below == in.order.size()) return {};
  // A link's target need not be in the same folders.
  const std::string_view found = on_disk(in.order[below]);
  const std::string_view point(in.prefix.data(), in.prefix.size());
  if (slashes(found) != slashes(in.path_at(below)) - slashes(point)) return {};
  const std::ptrdiff_t elements = slashes(key.text) + 1 - slashes(point);
  const std::size_t length = after_elements(found, elements);
  return found.substr(0, length > 0 ? length - 1 : 0);
}

// Replaces the longest known part of the name by its spelling on disk.
void spell_as_known(const mount& in, asset_path key, name_on_disk& name) noexcept {
  const std::size_t point = in.prefix.size();
  for (std::string_view front = key.text; front.size() > point;) {
    const std::string_view known = known_spelling(in, {front, {hash64(front)}});
    if (!known.empty()) {
      path_buffer rest;
      const std::string_view asked(name.c_str());
      const std::ptrdiff_t elements = slashes(front.substr(point)) + 1;
      const std::size_t at = std::min(after_elements(asked, elements), asked.size());
      const std::size_t length = asked.size() - at;
      if (known.size() + 1 + length >= name.text.size()) return;
      if (length > 0) std::memcpy(rest.data(), asked.data() + at, length);
      std::memcpy(name.text.data(), known.data(), known.size());
      std::size_t end = known.size();
      if (length > 0) {
        name.text[end++] = '/';
        std::memcpy(name.text.data() + end, rest.data(), length);
      }
      name.text[end + length] = '\0';
      return;
    }
    const std::size_t slash = front.rfind('/');
    front = front.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
}

}  // namespace

result<void> find_name(const mount& in, asset_path path, name_on_disk& name) noexcept {
  if (const char* const flaw = path_flaw(path.text)) return fail(errc::bad_path, flaw);
  const path_key key(path, in.ignore_case);
  const std::string_view text = asset_path(key).text;
  if (const char* const flaw = path_flaw(text)) return fail(errc::bad_path, flaw);
  const std::string_view point(in.prefix.data(), in.prefix.size());
  if (!text.starts_with(point) || text.size() == point.size()) {
    return fail(errc::not_found, "the path is not below the mount point");
  }
  // The folded mount point may have a different length.
  const std::string_view rest = path.text.substr(after_elements(path.text, slashes(point)));
  std::memcpy(name.text.data(), rest.data(), rest.size());
  name.text[rest.size()] = '\0';
  if (in.ignore_case) spell_as_known(in, key, name);
  return {};
}

// --- Recording changes ---------------------------------------------------------------------------

result<void> reserve_name(const mount& in, asset_path path, const name_on_disk& name) noexcept {
  const path_key key(path, in.ignore_case);
  if (!key.fits()) return fail(errc::limit, detail::path_too_long);
  const std::string_view text = asset_path(key).text;
  const std::string_view on_disk(name.c_str());
  const std::ptrdiff_t above = slashes(text) - slashes(on_disk);  // elements of the mount point
  std::ptrdiff_t element = 0;
  written_name* folder = nullptr;
  for (std::size_t slash = text.find('/');; slash = text.find('/', slash + 1)) {
    const std::string_view front = text.substr(0, slash);
    const std::ptrdiff_t below = ++element - above;
    const std::size_t length = below > 0 ? after_elements(on_disk, below) : 0;
    const bool whole = slash == std::string_view::npos;
    const std::string_view spelled = whole        ? on_disk
                                     : length > 0 ? on_disk.substr(0, length - 1)
                                                  : std::string_view(".");
    folder = in.written.insert({front, {hash64(front)}}, spelled, folder);
    if (!folder) return fail(errc::out_of_memory, "out of memory for the file's name");
    if (whole) return {};
  }
}

namespace {

void note(const mount& in, asset_path path, written_state becomes) noexcept {
  const path_key key(path, in.ignore_case);
  const std::string_view text = asset_path(key).text;
  written_name* const name = in.written.find(key);
  if (!name) return;  // listed and unchanged
  const written_state was = name->state.exchange(becomes);
  const bool was_there = was == written_state::file ||
                         (was == written_state::as_listed && in.find_entry(text) != no_entry);
  const bool is_there = becomes == written_state::file;
  if (was_there == is_there) return;
  for (std::size_t slash = text.find('/'); slash != std::string_view::npos;
       slash = text.find('/', slash + 1)) {
    const std::string_view folder = text.substr(0, slash);
    in.written.find({folder, {hash64(folder)}})->files_below.fetch_add(is_there ? 1 : -1);
  }
}

}  // namespace

void note_written(const mount& in, asset_path path) noexcept {
  note(in, path, written_state::file);
}

void note_removed(const mount& in, asset_path path) noexcept {
  note(in, path, written_state::removed);
}

namespace {

bool is_file(const mount& in, const name_on_disk& name) noexcept {
  const result<os_handle> opened = in.os->open_below(in.content.handle.get(), name.c_str());
  if (!opened) return false;
  const archives_detail::owned_handle handle(*in.os, *opened);
  const result<file_status> status = in.os->status(handle.get());
  return status && status->kind == file_kind::file;
}

}  // namespace

result<void> note_change_by_others(const mount& in, asset_path path, std::string_view on_disk,
                                   bool made) noexcept {
  const path_key key(path, in.ignore_case);
  const written_name* const known = in.written.find(key);
  const written_state state = known ? known->state.load() : written_state::as_listed;
  const bool was_there = state == written_state::as_listed
                             ? in.find_entry(asset_path(key).text) != no_entry
                             : state == written_state::file;
  name_on_disk name;
  if (was_there == made || on_disk.size() >= name.text.size()) return {};
  *std::copy(on_disk.begin(), on_disk.end(), name.text.begin()) = '\0';
  if (made && !is_file(in, name)) return {};
  if (result<void> room = reserve_name(in, path, name); !room) return room;
  made ? note_written(in, path) : note_removed(in, path);
  return {};
}

result<void> sync_folder_of(const mount& in, const name_on_disk& name) noexcept {
  const char* const slash = std::strrchr(name.c_str(), '/');
  if (!slash) return sync_names(*in.os, in.content.handle.get());
  name_on_disk folder;
  const auto length = static_cast<std::size_t>(slash - name.c_str());
  std::memcpy(folder.text.data(), name.c_str(), length);
  folder.text[length] = '\0';
  const result<os_handle> opened = in.os->open_below(in.content.handle.get(), folder.c_str());
  if (!opened) return tl::unexpected(opened.error());
  const archives_detail::owned_handle handle(*in.os, *opened);
  return sync_names(*in.os, handle.get());
}

namespace {

// Makes a folder and those above it.
result<void> make_folders(operating_system& os, os_handle root, name_on_disk& name) noexcept {
  result<void> made;
  for (char* slash = std::strchr(name.text.data(), '/');; slash = std::strchr(slash + 1, '/')) {
    if (slash) *slash = '\0';
    made = os.make_folder_below(root, name.c_str());
    if (!made && made.error().code != errc::exists) return made;
    if (!slash) break;
    *slash = '/';
  }
  // What exists may be a file.
  const result<os_handle> opened = os.open_below(root, name.c_str());
  if (!opened) return made ? tl::unexpected(opened.error()) : made;
  const archives_detail::owned_handle handle(os, *opened);
  return os.status(handle.get()).and_then([](const file_status& status) -> result<void> {
    if (status.kind == file_kind::folder) return {};
    return fail(errc::exists, "a file has this name");
  });
}

}  // namespace

}  // namespace vfs_detail

result<const vfs_detail::mount*> file_system::pin_writable(mount_id mount) noexcept {
  if (!state_) return fail(errc::out_of_memory, "out of memory for the file system");
  const reading now(*state_);
  const vfs_detail::mount* const found = now->find(mount);
  if (!found) return fail(errc::not_found, "no such mount");
  if (!found->writable) return fail(errc::permission, "the mount is not writable");
  state_->mounts.pin(*found);
  return found;
}

void file_system::release_writable(const vfs_detail::mount& pinned) noexcept {
  state_->mounts.unpin(pinned);
}

result<void> file_system::make_folder(mount_id mount, asset_path path) noexcept {
  const result<const vfs_detail::mount*> in = pin_writable(mount);
  if (!in) return tl::unexpected(in.error());
  vfs_detail::name_on_disk name;
  result<void> done = vfs_detail::find_name(**in, path, name);
  if (done) done = vfs_detail::make_folders(*(*in)->os, (*in)->content.handle.get(), name);
  release_writable(**in);
  return done;
}

namespace vfs_detail {
namespace {

// Renames a file, or a folder with everything known to be in it.
class renaming {
 public:
  renaming(const mount& in, asset_path from, asset_path to) noexcept
      : in_(in), from_(from), to_(to), from_key_(from, in.ignore_case) {}

  result<void> run() noexcept {
    result<void> done = find_name(in_, from_, old_name_);
    if (done) done = find_name(in_, to_, new_name_);
    if (done) done = reserve_name(in_, from_, old_name_);
    if (done) done = reserve_name(in_, to_, new_name_);
    if (done)
      done = each_below(
          [this](asset_path file, std::string_view on_disk) { return reserve(file, on_disk); });
    if (!done) return done;
    done = in_.os->rename_below(in_.content.handle.get(), old_name_.c_str(), new_name_.c_str());
    if (done) note_all();
    return done;
  }

 private:
  using file_visit = function_ref<result<void>(asset_path, std::string_view)>;

  // Calls `visit` for each file below the folder, with the spelling on disk of its relative path.
  result<void> each_below(file_visit visit) noexcept {
    const std::string_view folder = asset_path(from_key_).text;
    const archives_detail::archive& content = in_.content;
    for (std::uint32_t i = in_.first_below(folder); i < in_.order.size(); ++i) {
      const archives_detail::archive_entry& entry = content.entries[in_.order[i]];
      const asset_path file{content.path_of(entry), entry.id};
      if (!is_below(file.text, folder)) break;
      const written_name* const name = in_.written.find(file);
      if (name && name->state.load() != written_state::as_listed) continue;  // visited below
      result<void> done =
          visit(file, spelled_below(file.text, content.names.data() + entry.offset));
      if (!done) return done;
    }
    for (const written_name* name = in_.written.newest(); name; name = name->older) {
      if (!is_below(name->path(), folder) || name->state.load() != written_state::file) continue;
      result<void> done =
          visit({name->path(), name->id}, spelled_below(name->path(), name->on_disk));
      if (!done) return done;
    }
    return {};
  }
  static bool is_below(std::string_view path, std::string_view folder) noexcept {
    return path.size() > folder.size() && path[folder.size()] == '/' && path.starts_with(folder);
  }
  // A file reached through a link has no name below the folder: use its path.
  std::string_view spelled_below(std::string_view file, std::string_view on_disk) const noexcept {
    const std::string_view old(old_name_.c_str());
    if (is_below(on_disk, old)) return on_disk.substr(old.size() + 1);
    return file.substr(asset_path(from_key_).text.size() + 1);
  }

  // The path of a file below the folder after renaming.
  result<asset_path> moved(asset_path file, path_buffer& room) const noexcept {
    const std::string_view rest = file.text.substr(asset_path(from_key_).text.size());
    if (to_.text.size() + rest.size() > room.size()) {
      return fail(errc::limit, limit_text::moved_path);
    }
    std::memcpy(room.data(), to_.text.data(), to_.text.size());
    std::memcpy(room.data() + to_.text.size(), rest.data(), rest.size());
    const std::string_view text(room.data(), to_.text.size() + rest.size());
    return asset_path{text, {hash64(text)}};
  }
  result<void> reserve(asset_path file, std::string_view on_disk) noexcept {
    path_buffer room;
    const result<asset_path> path = moved(file, room);
    if (!path) return tl::unexpected(path.error());
    name_on_disk name;
    result<void> done = join(new_name_, on_disk, name);
    if (done) done = reserve_name(in_, *path, name);
    if (done) done = join(old_name_, on_disk, name);
    if (done) done = reserve_name(in_, file, name);
    return done;
  }
  static result<void> join(const name_on_disk& folder, std::string_view name,
                           name_on_disk& joined) noexcept {
    const std::string_view front(folder.c_str());
    if (front.size() + 1 + name.size() >= joined.text.size()) {
      return fail(errc::limit, limit_text::moved_path);
    }
    char* at = std::copy(front.begin(), front.end(), joined.text.data());
    *at++ = '/';
    *std::copy(name.begin(), name.end(), at) = '\0';
    return {};
  }

  void note_all() noexcept {
    bool is_folder = false;
    (void)each_below([&](asset_path file, std::string_view) -> result<void> {
      is_folder = true;
      path_buffer room;
      const result<asset_path> path = moved(file, room);
      note_removed(in_, file);  // first: both may be the same path
      if (path) note_written(in_, *path);
      return {};
    });
    if (is_folder) return;
    note_removed(in_, from_);
    // What was renamed may be a file that another program has made, or an empty folder.
    if (is_file(in_, new_name_)) note_written(in_, to_);
  }

  const mount& in_;
  asset_path from_;
  asset_path to_;
  path_key from_key_;
  name_on_disk old_name_;
  name_on_disk new_name_;
};

}  // namespace
}  // namespace vfs_detail

result<void> file_system::remove(mount_id mount, asset_path path) noexcept {
  const result<const vfs_detail::mount*> in = pin_writable(mount);
  if (!in) return tl::unexpected(in.error());
  vfs_detail::name_on_disk name;
  result<void> done = vfs_detail::find_name(**in, path, name);
  if (done) done = vfs_detail::reserve_name(**in, path, name);
  if (done) done = (*in)->os->remove_below((*in)->content.handle.get(), name.c_str());
  if (done) vfs_detail::note_removed(**in, path);
  release_writable(**in);
  return done;
}

result<void> file_system::rename(mount_id mount, asset_path from, asset_path to) noexcept {
  const result<const vfs_detail::mount*> in = pin_writable(mount);
  if (!in) return tl::unexpected(in.error());
  result<void> done = vfs_detail::renaming(**in, from, to).run();
  release_writable(**in);
  return done;
}

}  // namespace overture
