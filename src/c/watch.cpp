// SPDX-License-Identifier: Zlib
//
// Changes in mounted folders: overture/c/watch.h.
#include "overture/c/watch.h"

#include <utility>

#include "c/handles.hpp"
#include "overture/vfs/file_watch.hpp"

using namespace overture;
using namespace overture::c;

struct overture_watch {
  overture_watch(overture_files* of, file_watch made) noexcept
      : files(of), changes(std::move(made)) {}

  use_of<overture_files> files;
  file_watch changes;
};

namespace {

constexpr const char* no_watch = "the watch is NULL";

constexpr std::int32_t number_of(change_kind kind) noexcept {
  return static_cast<std::int32_t>(kind);
}
static_assert(number_of(change_kind::written) == OVERTURE_CHANGE_WRITTEN);
static_assert(number_of(change_kind::removed) == OVERTURE_CHANGE_REMOVED);
static_assert(number_of(change_kind::rescan) == OVERTURE_CHANGE_RESCAN);

}  // namespace

overture_code overture_watch_make(overture_files* files, overture_watch** watch,
                                  overture_error* error) {
  if (watch == nullptr) return invalid(error, "there is no place for the watch");
  *watch = nullptr;
  if (files == nullptr) return invalid(error, "the files are NULL");
  result<file_watch> opened =
      file_watch::open(files->tree, {.memory = files->buffers.memory().get()});
  if (!opened) return failed(error, opened.error());
  *watch = make<overture_watch>(files, *std::move(opened));
  return *watch == nullptr ? out_of_memory(error) : fine(error);
}

overture_code overture_watch_free(overture_watch* watch, overture_error* error) {
  if (watch != nullptr) destroy(watch);
  return fine(error);
}

overture_code overture_watch_add(overture_watch* watch, overture_mount mount,
                                 overture_error* error) {
  if (watch == nullptr) return invalid(error, no_watch);
  const result<void> added = watch->changes.add({mount});
  if (added) return fine(error);
  return failed(error, added.error(), watch->files->tree.mount_of({mount}).path);
}

overture_code overture_watch_remove(overture_watch* watch, overture_mount mount,
                                    overture_error* error) {
  if (watch == nullptr) return invalid(error, no_watch);
  watch->changes.remove({mount});
  return fine(error);
}

overture_code overture_watch_poll(overture_watch* watch, overture_changed changed, void* context,
                                  overture_error* error) {
  if (watch == nullptr) return invalid(error, no_watch);
  if (changed == nullptr) return invalid(error, "there is no function to tell the changes");
  const auto tell = [&](const file_change& change) noexcept {
    const c_path path(change.path);
    const overture_change one = {
        .kind = number_of(change.kind), .path = path.text(), .mount = change.mount.value};
    changed(context, &one);
  };
  const result<std::size_t> polled = watch->changes.poll(tell);
  return polled ? fine(error) : failed(error, polled.error());
}

int overture_watch_descriptor(const overture_watch* watch) {
  return watch == nullptr ? -1 : watch->changes.descriptor();
}
