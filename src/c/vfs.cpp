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
    if (known.wins_over != nullptr) options.wins_over = {*known.wins_over};
    if (known.loses_to != nullptr) options.loses_to = {*known.loses_to};
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

// The mounts of a remount(), with room for what their options point to.
class given_mounts {
 public:
  given_mounts() noexcept = default;
  ~given_mounts() {
    for (std::size_t i = count_; i-- > 0;) all_[i].~one();
    give_back(all_);
    give_back(requests_);
    give_back(ids_);
  }
  given_mounts(const given_mounts&) = delete;
  given_mounts& operator=(const given_mounts&) = delete;

  overture_code read(const overture_mount_request* in, std::size_t count,
                     overture_error* error) noexcept {
    if (count == 0) return OVERTURE_OK;
    if (in == nullptr) return invalid(error, "there are no mounts");
    if (count > limits::mounts_max) return failed(error, errc::limit, "too many mounts");
    room_ = count;
    all_ = take<one>(count);
    requests_ = take<mount_request>(count);
    ids_ = take<mount_id>(count);
    if (all_ == nullptr || requests_ == nullptr || ids_ == nullptr) return out_of_memory(error);
    const auto* next = reinterpret_cast<const std::byte*>(in);
    const std::size_t size = in->size;  // a program of another version has others
    for (; count_ < count; next += size) {
      const auto& each = *reinterpret_cast<const overture_mount_request*>(next);
      if (each.size != size) return invalid(error, wrong_size(0));
      if (const overture_code flaw = read(each, error)) return flaw;
    }
    return OVERTURE_OK;
  }
  // They have what their options point to from now on. Writes their numbers, if there is room.
  void mounted(overture_mount* numbers) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      all_[i].mounted();
      if (numbers != nullptr) numbers[i] = ids_[i].value;
    }
  }
  [[nodiscard]] std::span<const mount_request> requests() const noexcept {
    return {requests_, count_};
  }
  [[nodiscard]] std::span<mount_id> ids() const noexcept { return {ids_, count_}; }
  // What an error is about; `culprit` is the place of a mount, or their number.
  [[nodiscard]] const char* path_of(std::size_t culprit) const noexcept {
    return culprit < count_ ? requests_[culprit].path : "";
  }

 private:
  using one = given_options;

  template <class T>
  static T* take(std::size_t count) noexcept {
    return static_cast<T*>(
        default_allocator().allocate(count * sizeof(T), alignof(T), memory_tag::host));
  }
  template <class T>
  void give_back(T* taken) noexcept {
    default_allocator().deallocate(taken, room_ * sizeof(T), alignof(T), memory_tag::host);
  }
  overture_code read(const overture_mount_request& each, overture_error* error) noexcept {
    overture_mount_request known;
    if (const overture_code flaw = read_options(&each, known, error)) return flaw;
    if (known.path == nullptr) return invalid(error, "the path is NULL");
    one& made = *::new (static_cast<void*>(all_ + count_)) one;
    mount_request& request = *::new (static_cast<void*>(requests_ + count_)) mount_request;
    ::new (static_cast<void*>(ids_ + count_)) mount_id;
    ++count_;
    request.path = known.path;
    request.bytes = {static_cast<const std::byte*>(known.bytes), known.byte_count};
    if (const overture_code flaw = made.read(known.options, error)) return flaw;
    request.options = made.options;
    return OVERTURE_OK;
  }

  one* all_ = nullptr;
  mount_request* requests_ = nullptr;
  mount_id* ids_ = nullptr;
  std::size_t room_ = 0;
  std::size_t count_ = 0;
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
  return end_unused(files, "a file is open, or reads or a watch still use the files", error);
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

overture_code overture_files_remount(overture_files* files, const overture_mount* out,
                                     size_t out_count, const overture_mount_request* in,
                                     size_t in_count, overture_mount* mounts,
                                     overture_error* error) {
  if (files == nullptr) return invalid(error, no_file_system);
  if (out == nullptr && out_count != 0) return invalid(error, "there are no mounts to end");
  given_mounts given;
  if (const overture_code flaw = given.read(in, in_count, error)) return flaw;
  const std::span<const mount_id> ends(reinterpret_cast<const mount_id*>(out), out_count);
  std::size_t culprit = in_count;
  const result<void> changed = files->tree.remount(ends, given.requests(), given.ids(), &culprit);
  if (!changed) return failed(error, changed.error(), given.path_of(culprit));
  given.mounted(mounts);
  return fine(error);
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
  if (files->loads.any()) {
    return failed(error, errc::busy, "a load still uses the frozen tree: free it first");
  }
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
