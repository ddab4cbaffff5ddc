// SPDX-License-Identifier: Zlib
//
// The writing functions of fake_os.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/fake_os.hpp"
#include "support/fake_os_lock.hpp"

namespace overture::test {
namespace {

tl::unexpected<error> failed_write(int os_error, const char* reason) {
  return tl::unexpected<error>(os_failure(os_error, reason));
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : path.substr(0, slash);
}

}  // namespace

void fake_os::shorten_writes(std::size_t bytes_max, std::uint64_t index, std::uint64_t count) {
  const lock guard{*this};
  rules_.push_back({os_call::write, index, count, 0, bytes_max, {}});
}

std::optional<std::string> fake_os::content(std::string_view path) const {
  const lock guard{*this};
  const auto found = nodes_.find(std::string(path));
  if (found == nodes_.end() || found->second->kind != file_kind::file) return std::nullopt;
  const file_bytes& bytes = *found->second->bytes;
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void fake_os::crash(names unsynced) {
  const lock guard{*this};
  handles_.clear();
  if (unsynced == names::lost) {
    for (auto& [path, before] : unsynced_names_) {
      if (before) {
        nodes_[path] = before;
      } else {
        nodes_.erase(path);
      }
    }
  }
  unsynced_names_.clear();
  for (auto& [path, what] : nodes_) {
    if (what->synced) what->bytes = std::move(what->synced);
    what->synced.reset();
  }
}

void fake_os::note_name(const std::string& path) {
  const auto found = nodes_.find(path);
  unsynced_names_.try_emplace(path, found != nodes_.end() ? found->second : nullptr);
}

// Resolves the path of a file that may not exist yet: its folder must exist, and a final link is
// not followed.
fake_os::resolution fake_os::resolve_new(std::string_view path) const {
  const std::string_view folder = folder_of(path);
  resolution found = resolve(folder, true, nullptr);
  if (found.os_error != 0) return found;
  if (found.what->kind != file_kind::folder) return {ENOTDIR, {}, nullptr};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.empty()) return {EISDIR, {}, nullptr};
  found.path = (found.path == "/" ? "" : found.path) + "/" + std::string(name);
  const auto at = nodes_.find(found.path);
  found.what = at != nodes_.end() ? at->second : nullptr;
  return found;
}

result<os_handle> fake_os::create(const char* path) noexcept {
  const verdict outcome = begin_call(os_call::create, path);
  if (outcome.os_error != 0) return failed_write(outcome.os_error, "cannot create");
  const lock guard{*this};
  resolution found = resolve_new(path);
  if (found.os_error != 0) return failed_write(found.os_error, "cannot create");
  if (found.what && found.what->kind == file_kind::link)
    return failed_write(ELOOP, "cannot create");
  if (found.what && found.what->kind != file_kind::file)
    return failed_write(EISDIR, "cannot create");
  if (!found.what) {
    note_name(found.path);
    found.what = nodes_[found.path] = std::make_shared<node>();
    found.what->kind = file_kind::file;
    found.what->bytes = std::make_shared<file_bytes>();
  }
  if (!found.what->synced) found.what->synced = found.what->bytes;
  set_bytes(*found.what, {});
  return open_resolved(found);
}

result<std::size_t> fake_os::write_at(os_handle handle, std::uint64_t offset,
                                      std::span<const std::byte> bytes) noexcept {
  const verdict outcome = begin_call(os_call::write, handle, offset, bytes.size());
  if (outcome.os_error != 0) return failed_write(outcome.os_error, "cannot write");
  const lock guard{*this};
  const open_file* const opened = find(handle);
  if (!opened) return failed_write(EBADF, "cannot write");
  node& file = *opened->what;
  if (file.kind != file_kind::file) return failed_write(EBADF, "cannot write");
  const std::size_t count = std::min(bytes.size(), outcome.bytes_max);
  if (!file.synced) file.synced = file.bytes;
  file_bytes changed = *file.bytes;
  const auto begin = static_cast<std::size_t>(offset);
  if (changed.size() < begin + count) changed.resize(begin + count);
  if (count != 0) std::memcpy(changed.data() + begin, bytes.data(), count);
  set_bytes(file, std::move(changed));
  return count;
}

result<void> fake_os::sync(os_handle handle) noexcept {
  const verdict outcome = begin_call(os_call::sync, handle);
  if (outcome.os_error != 0) return failed_write(outcome.os_error, "cannot sync");
  const lock guard{*this};
  const open_file* const opened = find(handle);
  if (!opened) return failed_write(EBADF, "cannot sync");
  opened->what->synced.reset();
  if (opened->what->kind == file_kind::folder) {
    std::erase_if(unsynced_names_,
                  [&](const auto& each) { return folder_of(each.first) == opened->path; });
  }
  return {};
}

result<void> fake_os::rename(const char* from, const char* to) noexcept {
  const verdict outcome = begin_call(os_call::rename, from);
  if (outcome.os_error != 0) return failed_write(outcome.os_error, "cannot rename");
  const lock guard{*this};
  const resolution source = resolve_new(from);
  const resolution target = resolve_new(to);
  if (source.os_error != 0) return failed_write(source.os_error, "cannot rename");
  if (target.os_error != 0) return failed_write(target.os_error, "cannot rename");
  if (!source.what) return failed_write(ENOENT, "cannot rename");
  if (source.what->kind == file_kind::folder) return failed_write(EINVAL, "cannot rename");
  if (target.what && target.what->kind == file_kind::folder)
    return failed_write(EISDIR, "cannot rename");
  note_name(source.path);
  note_name(target.path);
  nodes_[target.path] = source.what;
  if (source.path != target.path) nodes_.erase(source.path);
  return {};
}

result<void> fake_os::remove_file(const char* path) noexcept {
  const verdict outcome = begin_call(os_call::remove, path);
  if (outcome.os_error != 0) return failed_write(outcome.os_error, "cannot remove");
  const lock guard{*this};
  const resolution found = resolve_new(path);
  if (found.os_error != 0) return failed_write(found.os_error, "cannot remove");
  if (!found.what) return failed_write(ENOENT, "cannot remove");
  if (found.what->kind == file_kind::folder) return failed_write(EISDIR, "cannot remove");
  note_name(found.path);
  nodes_.erase(found.path);
  return {};
}

}  // namespace overture::test
