// SPDX-License-Identifier: Zlib
#include "overture/vfs/file_writer.hpp"

#include <algorithm>
#include <cstring>

#include "base/limit_text.hpp"
#include "base/system/temporary_name.hpp"
#include "sync/object_use.hpp"
#include "vfs/writing.hpp"

namespace overture {
using namespace base_detail;

namespace {

constexpr int writer_names_tried_max = 16;

// A unique temporary name in the same folder, from which the file is renamed into place. False if
// it does not fit.
bool set_temporary_name(const vfs_detail::name_on_disk& name,
                        vfs_detail::name_on_disk& temporary) noexcept {
  const char* const slash = std::strrchr(name.c_str(), '/');
  const auto folder = slash ? static_cast<std::size_t>(slash + 1 - name.c_str()) : 0;
  if (folder + temporary_name_bytes >= temporary.text.size()) return false;
  char* const at = std::copy_n(name.text.data(), folder, temporary.text.data());
  *make_temporary_name(at) = '\0';
  return true;
}

}  // namespace

struct OVERTURE_HIDDEN file_writer::state {
  state(allocator& from, file_system& in, const vfs_detail::mount& pinned) noexcept
      : memory(from),
        files(in),
        mount(pinned),
        path_text(from, memory_tag::vfs),
        buffer(from, memory_tag::vfs) {}
  ~state() { end(); }

  [[nodiscard]] os_handle root() const noexcept { return mount.content.handle.get(); }
  [[nodiscard]] result<void> begin(asset_path path, write_kind what,
                                   const file_writer_config& config) noexcept;
  [[nodiscard]] result<void> look_at_old() noexcept;
  [[nodiscard]] result<void> take_permissions() noexcept;
  [[nodiscard]] result<void> begin_temporary() noexcept;
  [[nodiscard]] bool is_still_there(os_handle opened) const noexcept;
  [[nodiscard]] result<void> write_out(std::span<const std::byte> bytes) noexcept;
  [[nodiscard]] result<void> flush() noexcept;
  [[nodiscard]] result<void> put_in_place() noexcept;
  [[nodiscard]] result<void> keep_path(asset_path path) noexcept;
  void end() noexcept;

  allocator& memory;
  file_system& files;
  const vfs_detail::mount& mount;
  write_kind kind = write_kind::create;
  bool sync = true;
  archives_detail::owned_handle file;
  vfs_detail::name_on_disk name;
  vfs_detail::name_on_disk temporary;
  bool is_old_there = false;
  file_status old;          // of the file that is to be replaced
  bool unfinished = false;  // the temporary file is removed if it is not committed
  vec<char> path_text;
  path_id id;
  vec<std::byte> buffer;
  std::size_t buffered = 0;
  std::uint64_t offset = 0;  // of the next byte written out
  result<void> outcome;      // the first error
};

result<file_writer> file_writer::open(file_system& files, mount_id mount, asset_path path,
                                      write_kind kind, const file_writer_config& config) noexcept {
  allocator& memory = config.memory ? *config.memory : default_allocator();
  const result<const vfs_detail::mount*> pinned = files.pin_writable(mount);
  if (!pinned) return tl::unexpected(pinned.error());
  state* const made = make_object<state>(memory, memory_tag::vfs, memory, files, **pinned);
  if (!made) {
    files.release_writable(**pinned);
    return fail(errc::out_of_memory, "out of memory for writing the file");
  }
  file_writer writer(made);
  if (result<void> begun = made->begin(path, kind, config); !begun) {
    return tl::unexpected(begun.error());
  }
  return writer;
}

file_writer::~file_writer() {
  if (!state_) return;
  file_system& files = state_->files;
  const vfs_detail::mount& mount = state_->mount;
  if (state_->kind == write_kind::append && state_->outcome) (void)state_->flush();
  destroy_object(state_->memory, memory_tag::vfs, state_);
  files.release_writable(mount);
}

result<void> file_writer::state::begin(asset_path path, write_kind what,
                                       const file_writer_config& config) noexcept {
  kind = what;
  sync = config.sync;
  if (result<void> known = vfs_detail::find_name(mount, path, name); !known) return known;
  if (result<void> room = keep_path(path); !room) return room;
  if (!buffer.resize_for_overwrite(std::max<std::size_t>(config.buffer_bytes, 1))) {
    return fail(errc::out_of_memory, "out of memory for writing the file");
  }
  if (kind == write_kind::append) {
    const result<os_handle> opened =
        mount.os->open_to_write(root(), name.c_str(), write_mode::append);
    if (!opened) return tl::unexpected(opened.error());
    file = archives_detail::owned_handle(*mount.os, *opened);
    return mount.os->status(file.get()).map([this](const file_status& found) {
      offset = found.size;
    });
  }
  if (result<void> fits = look_at_old(); !fits) return fits;
  if (result<void> begun = begin_temporary(); !begun) return begun;
  return take_permissions();
}

// Whether what has the name allows the write. If a file has it, the new one gets its permissions.
result<void> file_writer::state::look_at_old() noexcept {
  is_old_there = false;
  result<file_status> found = mount.os->status_below(root(), name.c_str());
  if (!found) return {};  // what it is shows when the new file takes its place
  if (kind == write_kind::create) return fail(errc::exists, "the file exists");
  if (found->kind == file_kind::link) {
    const result<os_handle> opened = mount.os->open_below(root(), name.c_str());
    if (!opened) return {};
    const archives_detail::owned_handle there(*mount.os, *opened);
    found = mount.os->status(there.get());
  }
  if (!found || found->kind != file_kind::file) return {};
  if (found->is_read_only()) return fail(errc::permission, "the file is read-only");
  is_old_there = true;
  old = *found;
  return {};
}

result<void> file_writer::state::take_permissions() noexcept {
  if (!is_old_there) return {};
  return mount.os->take_permissions_of(file.get(), old, root(), name.c_str());
}

result<void> file_writer::state::begin_temporary() noexcept {
  for (int tried = 0; tried < writer_names_tried_max; ++tried) {
    if (!set_temporary_name(name, temporary)) {
      return fail(errc::limit, limit_text::temporary_path);
    }
    const result<os_handle> opened =
        mount.os->open_to_write(root(), temporary.c_str(), write_mode::create);
    if (!opened && opened.error().code == errc::exists) continue;
    if (!opened) return tl::unexpected(opened.error());
    file = archives_detail::owned_handle(*mount.os, *opened);
    // As in file_replacement: a sweep may have come between the two calls.
    const result<void> locked = mount.os->lock(file.get());
    unfinished = locked ? is_still_there(file.get()) : locked.error().code != errc::busy;
    if (unfinished) return {};
    file = {};
  }
  return fail(errc::busy, "temporary files beside it are removed as soon as they are made");
}

bool file_writer::state::is_still_there(os_handle opened) const noexcept {
  const result<os_handle> again = mount.os->open_below(root(), temporary.c_str());
  if (!again) return again.error().code != errc::not_found;  // descriptors may have run out
  const archives_detail::owned_handle named(*mount.os, *again);
  const result<file_status> one = mount.os->status(opened);
  const result<file_status> other = mount.os->status(named.get());
  return one && other && one->volume == other->volume && one->number == other->number;
}

// Prepares everything commit() needs after the rename, when it must not fail any more.
result<void> file_writer::state::keep_path(asset_path path) noexcept {
  id = path.id;
  if (!path_text.append(path.text.data(), path.text.size())) {
    return fail(errc::out_of_memory, "out of memory for writing the file");
  }
  return vfs_detail::reserve_name(mount, path, name);
}

result<void> file_writer::state::write_out(std::span<const std::byte> bytes) noexcept {
  if (outcome) outcome = write_fully(*mount.os, file.get(), offset, bytes);
  offset += bytes.size();
  return outcome;
}

result<void> file_writer::state::flush() noexcept {
  return write_out(buffer.span().first(std::exchange(buffered, 0)));
}

namespace {

constexpr const char* writer_moved_from =
    "a file_writer was used after it was moved from: use the one that it was moved to";

}  // namespace

result<void> file_writer::write(std::span<const std::byte> bytes) noexcept {
  state& into = sync_detail::not_moved(state_, writer_moved_from);
  if (!into.outcome) return into.outcome;
  if (bytes.size() > into.buffer.size() - into.buffered) {
    if (result<void> flushed = into.flush(); !flushed) return flushed;
    if (bytes.size() >= into.buffer.size()) return into.write_out(bytes);
  }
  if (!bytes.empty()) std::memcpy(into.buffer.data() + into.buffered, bytes.data(), bytes.size());
  into.buffered += bytes.size();
  return {};
}

result<void> file_writer::commit() noexcept {
  state& into = sync_detail::not_moved(state_, writer_moved_from);
  if (into.outcome) into.outcome = into.flush();
  if (into.outcome && into.sync) into.outcome = into.mount.os->sync(into.file.get());
  if (into.outcome) into.outcome = into.put_in_place();
  const result<void> done = into.outcome;
  into.end();
  if (done) into.outcome = fail(errc::invalid, "the file is already committed");
  return done;
}

result<void> file_writer::state::put_in_place() noexcept {
  result<void> done;
  if (kind == write_kind::replace) {
    // The permissions may have changed meanwhile.
    done = look_at_old().and_then([this] { return take_permissions(); });
    if (done) done = mount.os->rename_below(root(), temporary.c_str(), name.c_str());
  } else if (kind == write_kind::create) {
    done = mount.os->rename_new_below(root(), temporary.c_str(), name.c_str());
  }
  if (!done) return done;
  unfinished = false;
  vfs_detail::note_written(mount, {{path_text.data(), path_text.size()}, id});
  if (!sync || kind == write_kind::append) return {};
  result<void> synced = vfs_detail::sync_folder_of(mount, name);
  if (!synced) synced.error().reason = "written, but the folder could not be synced";
  return synced;
}

void file_writer::state::end() noexcept {
  if (std::exchange(unfinished, false)) (void)mount.os->remove_below(root(), temporary.c_str());
  file = {};
}

}  // namespace overture
