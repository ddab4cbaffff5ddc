#include "vfs/writing.hpp"

#include <cstring>

#include "vfs/state.hpp"

namespace overture {

namespace vfs {

result<void> find_name(const mount& in, asset_path path, name_on_disk& name) noexcept {
  if (const char* const flaw = path_flaw(path.text)) return fail(errc::bad_path, flaw);
  const std::string_view point(in.prefix.data(), in.prefix.size());
  if (!path.text.starts_with(point) || path.text.size() == point.size()) {
    return fail(errc::not_found, "the path does not lie in this mount");
  }
  const std::string_view rest = path.text.substr(point.size());
  std::memcpy(name.text.data(), rest.data(), rest.size());
  name.text[rest.size()] = '\0';
  return {};
}

namespace {

// Makes a folder, and if that fails for want of those above it, these first.
result<void> make_folders(operating_system& os, os_handle root, name_on_disk& name) noexcept {
  for (char* slash = std::strchr(name.text.data(), '/');; slash = std::strchr(slash + 1, '/')) {
    if (slash) *slash = '\0';
    const result<void> made = os.make_folder_below(root, name.c_str());
    if (!made && made.error().code != errc::exists) return made;
    if (!slash) break;
    *slash = '/';
  }
  // What is in the way may be a file; then nothing could be opened below it.
  const result<os_handle> opened = os.open_below(root, name.c_str());
  if (!opened) return tl::unexpected(opened.error());
  const owned_handle handle(os, *opened);
  return os.status(handle.get()).and_then([](const file_status& status) -> result<void> {
    if (status.kind == file_kind::folder) return {};
    return fail(errc::exists, "a file has this name");
  });
}

}  // namespace

}  // namespace vfs

result<const vfs::mount*> file_system::claim_writable(mount_id mount) noexcept {
  if (!state_) return fail(errc::out_of_memory, "no memory for the file system");
  const reading now(*state_);
  const vfs::mount* const found = now->find(mount);
  if (!found) return fail(errc::not_found, "no such mount");
  if (!found->writable) return fail(errc::permission, "the mount is not writable");
  state_->mounts.pin(*found);
  return found;
}

void file_system::give_up(const vfs::mount& claimed) noexcept {
  state_->mounts.unpin(claimed);
}

result<void> file_system::make_folder(mount_id mount, asset_path path) noexcept {
  const result<const vfs::mount*> in = claim_writable(mount);
  if (!in) return tl::unexpected(in.error());
  vfs::name_on_disk name;
  result<void> done = vfs::find_name(**in, path, name);
  if (done) done = vfs::make_folders(*(*in)->os, (*in)->content.handle.get(), name);
  give_up(**in);
  return done;
}

result<void> file_system::remove(mount_id mount, asset_path path) noexcept {
  const result<const vfs::mount*> in = claim_writable(mount);
  if (!in) return tl::unexpected(in.error());
  vfs::name_on_disk name;
  result<void> done = vfs::find_name(**in, path, name);
  if (done) done = (*in)->os->remove_below((*in)->content.handle.get(), name.c_str());
  give_up(**in);
  return done;
}

result<void> file_system::rename(mount_id mount, asset_path from, asset_path to) noexcept {
  const result<const vfs::mount*> in = claim_writable(mount);
  if (!in) return tl::unexpected(in.error());
  vfs::name_on_disk old_name;
  vfs::name_on_disk new_name;
  result<void> done = vfs::find_name(**in, from, old_name);
  if (done) done = vfs::find_name(**in, to, new_name);
  if (done) {
    done = (*in)->os->rename_below((*in)->content.handle.get(), old_name.c_str(), new_name.c_str());
  }
  give_up(**in);
  return done;
}

}  // namespace overture
