// SPDX-License-Identifier: Zlib
//
// The tree, its mounts and look-ups: overture/c/vfs.h. Reading and writing: files.cpp.
#include "overture/c/vfs.h"

#include <algorithm>

#include "c/handles.hpp"

using namespace overture;
using namespace overture::c;

namespace {

constexpr const char* no_file_system = "the files are NULL";

// Calls the program back when a mount has ended.
struct release_call {
  void (*call)(void* context);
  void* context;
};

void released(void* self) noexcept {
  auto* const call = static_cast<release_call*>(self);
  call->call(call->context);
  destroy(call);
}

// The options as the library takes them, with room for what they point to.
class given_options {
 public:
  given_options() noexcept = default;
  // Nothing is mounted: nothing will be released.
  ~given_options() {
    if (release_ != nullptr) destroy(release_);
  }
  given_options(const given_options&) = delete;
  given_options& operator=(const given_options&) = delete;

  overture_code read(const overture_mount_options* given, overture_error* error) noexcept {
    overture_mount_options known;
    if (const overture_code flaw = read_options(given, known, error)) return flaw;
    if (known.at != nullptr) {
      const result<asset_path> at = at_.read(known.at);
      if (!at) return failed(error, at.error(), known.at);
      options.at = at->text;
    }
    if (known.from != nullptr) {
      const result<asset_path> from = from_.read(known.from);
      if (!from) return failed(error, from.error(), known.from);
      options.from = from->text;
    }
    if (known.password != nullptr) options.password = known.password;
    options.writable = known.writable;
    options.removal_markers = known.removal_markers;
    options.immutable_source = known.immutable_source;
    options.allow_bombs = known.allow_bombs;
    if (known.released == nullptr) return OVERTURE_OK;
    release_ = make<release_call>(release_call{known.released, known.context});
    if (release_ == nullptr) return out_of_memory(error);
    options.release = {released, release_};
    return OVERTURE_OK;
  }
  // The mount has the call from now on.
  void mounted() noexcept { release_ = nullptr; }

  mount_options options;

 private:
  given_path at_;
  given_path from_;
  release_call* release_ = nullptr;
};

overture_code end_mount(given_options& options, const result<mount_id>& mounted, const char* path,
                        overture_mount* mount, overture_error* error) noexcept {
  if (!mounted) return failed(error, mounted.error(), path);
  options.mounted();
  if (mount != nullptr) *mount = mounted->value;
  return fine(error);
}

// What a visit of the library calls, for both kinds.
overture_code visit_items(overture_files* files, const char* folder, overture_visit visit,
                          void* context, overture_error* error, bool deep) noexcept {
  if (files == nullptr) return invalid(error, no_file_system);
  if (visit == nullptr) return invalid(error, "the visitor is NULL");
  given_path given;
  const result<asset_path> path = given.read(folder);
  if (!path) return failed(error, path.error(), folder == nullptr ? "" : folder);
  const auto each = [&](const folder_item& item) noexcept {
    const c_path text(item.path);
    const overture_item shown = {.size = sizeof(overture_item),
                                 .name = text.end(item.name.size()),
                                 .path = text.text(),
                                 .mount = item.mount.value,
                                 .is_folder = item.kind == entry_kind::folder};
    return visit(context, &shown);
  };
  const result<void> visited =
      deep ? files->tree.walk(*path, each) : files->tree.enumerate(*path, each);
  return visited ? fine(error) : failed(error, visited.error(), path->text);
}

}  // namespace

overture_code overture_files_make(const overture_files_config* config, overture_files** files,
                                  overture_error* error) {
  if (files == nullptr) return invalid(error, "there is no place for the files");
  *files = nullptr;
  overture_files_config wanted;
  if (const overture_code flaw = read_options(config, wanted, error)) return flaw;
  given_allocator memory;
  if (const char* const flaw = memory.set(wanted.memory)) return invalid(error, flaw);
  auto* const buffers = make<shared_buffers>(memory);
  if (buffers == nullptr) return out_of_memory(error);
  const file_system_config how{.first_wins = wanted.first_wins, .ignore_case = wanted.ignore_case};
  overture_files* made = make<overture_files>(how, *buffers);
  buffers->drop();
  if (made != nullptr && made->tree.ledger() == nullptr) {
    destroy(made);
    made = nullptr;
  }
  if (made == nullptr) return out_of_memory(error);
  *files = made;
  return fine(error);
}

overture_code overture_files_free(overture_files* files, overture_error* error) {
  return end_unused(files, "a file is open, or reads still use the files", error);
}

overture_code overture_files_mount(overture_files* files, const char* path,
                                   const overture_mount_options* options, overture_mount* mount,
                                   overture_error* error) {
  if (mount != nullptr) *mount = OVERTURE_NO_MOUNT;
  if (files == nullptr) return invalid(error, no_file_system);
  if (path == nullptr) return invalid(error, "the path is NULL");
  given_options given;
  if (const overture_code flaw = given.read(options, error)) return flaw;
  return end_mount(given, files->tree.mount(path, given.options), path, mount, error);
}

overture_code overture_files_mount_memory(overture_files* files, const char* name,
                                          const void* bytes, size_t byte_count,
                                          const overture_mount_options* options,
                                          overture_mount* mount, overture_error* error) {
  if (mount != nullptr) *mount = OVERTURE_NO_MOUNT;
  if (files == nullptr) return invalid(error, no_file_system);
  if (name == nullptr) return invalid(error, "the name is NULL");
  if (bytes == nullptr) return invalid(error, "there are no bytes");
  given_options given;
  if (const overture_code flaw = given.read(options, error)) return flaw;
  const std::span<const std::byte> content(static_cast<const std::byte*>(bytes), byte_count);
  const result<mount_id> mounted = files->tree.mount_memory(name, content, given.options);
  return end_mount(given, mounted, name, mount, error);
}

overture_code overture_files_unmount(overture_files* files, overture_mount mount,
                                     overture_error* error) {
  if (files == nullptr) return invalid(error, no_file_system);
  const result<void> done = files->tree.unmount({mount});
  return done ? fine(error) : failed(error, done.error());
}

size_t overture_files_mount_count(const overture_files* files) {
  return files == nullptr ? 0 : files->tree.mount_count();
}

overture_code overture_files_mount_at(const overture_files* files, size_t index,
                                      overture_mount_info* info, overture_error* error) {
  if (files == nullptr) return invalid(error, no_file_system);
  const mount_info found = files->tree.mount_at(index);
  if (found.id == mount_id{}) return failed(error, errc::not_found, "there are fewer mounts");
  overture_mount_info known = {};
  known.id = found.id.value;
  known.entries = found.entries;
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): kept as given to mount(), with a NUL
  known.path = found.path.data();
  known.format = to_string(found.format);
  return write_result(info, known, error);
}

size_t overture_files_problem_count(const overture_files* files) {
  return files == nullptr ? 0 : files->tree.failure_count() + files->tree.skipped_count();
}

overture_code overture_files_problem(const overture_files* files, size_t index,
                                     overture_problem* problem, overture_error* error) {
  if (files == nullptr) return invalid(error, no_file_system);
  if (index >= overture_files_problem_count(files)) {
    return failed(error, errc::not_found, "there are fewer problems");
  }
  overture_problem found = {};
  const std::size_t failures = files->tree.failure_count();
  if (index < failures) {
    const mount_failure failure = files->tree.failure(index);
    found.id = failure.mount.value;
    found.code = code_of(failure.why.code);
    copy_text(found.name, failure.path);
    (void)files->tree.explain(failure.why, found.reason);
  } else {
    const skipped_name name = files->tree.skipped(index - failures);
    found.id = name.mount.value;
    copy_text(found.name, name.name);
    copy_text(found.reason, name.reason);
  }
  return write_result(problem, found, error);
}

overture_code overture_files_freeze(overture_files* files, overture_error* error) {
  if (files == nullptr) return invalid(error, no_file_system);
  const result<void> frozen = files->tree.freeze();
  return frozen ? fine(error) : failed(error, frozen.error(), files->tree);
}

overture_code overture_files_thaw(overture_files* files, overture_error* error) {
  if (files == nullptr) return invalid(error, no_file_system);
  files->tree.thaw();
  return fine(error);
}

bool overture_files_is_frozen(const overture_files* files) {
  return files != nullptr && files->tree.frozen();
}

overture_code overture_files_stat(overture_files* files, const char* path, overture_stat* stat,
                                  overture_error* error) {
  if (files == nullptr) return invalid(error, no_file_system);
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  const result<file_stat> found = files->tree.stat(*normal);
  if (!found) return failed(error, found.error(), normal->text);
  return write_result(stat,
                      overture_stat{.size = 0,
                                    .bytes = found->bytes,
                                    .mtime_ns = found->mtime_ns,
                                    .mount = found->mount.value,
                                    .is_folder = found->kind == entry_kind::folder,
                                    .is_executable = found->executable,
                                    .mtime_is_local = found->mtime_is_local},
                      error);
}

bool overture_files_exists(overture_files* files, const char* path) {
  if (files == nullptr) return false;
  given_path given;
  const result<asset_path> normal = given.read(path);
  return normal && files->tree.exists(*normal);
}

overture_code overture_files_providers(overture_files* files, const char* path,
                                       overture_mount* mounts, size_t room, size_t* count,
                                       overture_error* error) {
  if (count == nullptr) return invalid(error, "there is no place for the count");
  *count = 0;
  if (files == nullptr) return invalid(error, no_file_system);
  if (mounts == nullptr && room != 0) return invalid(error, "there is no place for the mounts");
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  static_assert(sizeof(mount_id) == sizeof(overture_mount));
  static_assert(std::is_trivially_copyable_v<mount_id>);
  *count = files->tree.providers(*normal, {reinterpret_cast<mount_id*>(mounts), room});
  return fine(error);
}

overture_code overture_files_list(overture_files* files, const char* folder, overture_visit visit,
                                  void* context, overture_error* error) {
  return visit_items(files, folder, visit, context, error, false);
}

overture_code overture_files_walk(overture_files* files, const char* folder, overture_visit visit,
                                  void* context, overture_error* error) {
  return visit_items(files, folder, visit, context, error, true);
}
