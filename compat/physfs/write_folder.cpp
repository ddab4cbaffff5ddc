#include "write_folder.hpp"

#include <utility>

#include "errors.hpp"
#include "folder_storage.hpp"
#include "open_file.hpp"
#include "search_path.hpp"

namespace physfs {
namespace {

// Changed under changes(), which is also held while it is used.
folder_storage* folder = nullptr;
overture::atomic<const char*> folder_name{nullptr};

// Calls `act` with the folder and a clean path in it.
template <class Act>
auto in_write_folder(const char* path, Act act) noexcept -> decltype(act(*folder, "")) {
  clean_name name;
  if (!is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED), decltype(act(*folder, ""))();
  if (!name.clean(path)) return {};
  const std::scoped_lock lock(changes());
  if (!folder) return refuse(PHYSFS_ERR_NO_WRITE_DIR), decltype(act(*folder, ""))();
  return act(*folder, name.view());
}

}  // namespace

bool has_write_folder() noexcept {
  return folder_name.load() != nullptr;
}

void end_write_folder() noexcept {
  folder_name.store(nullptr);
  destroy(std::exchange(folder, nullptr));
}

PHYSFS_File* write_folder_open(const char* path, bool append) noexcept {
  return in_write_folder(path, [&](folder_storage& to, std::string_view name) -> PHYSFS_File* {
    if (name.empty()) return refuse(PHYSFS_ERR_NOT_A_FILE), nullptr;
    content* const opened = to.create(name, append);
    if (!opened) return nullptr;
    const std::int64_t end = append ? opened->length() : 0;
    return open_file::to_write(opened, end < 0 ? 0 : static_cast<std::uint64_t>(end));
  });
}

}  // namespace physfs

const char* PHYSFS_getWriteDir(void) {
  return physfs::folder_name.load();
}

int PHYSFS_setWriteDir(const char* path) {
  using namespace physfs;
  if (!is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
  const std::scoped_lock lock(changes());
  if (open_file::any_written()) return refuse(PHYSFS_ERR_FILES_STILL_OPEN);
  end_write_folder();
  if (!path) return 1;
  // Only a folder_storage comes from open_folder().
  folder = static_cast<folder_storage*>(open_folder(path));
  if (!folder) return 0;
  folder_name.store(folder->name());
  return 1;
}

int PHYSFS_mkdir(const char* path) {
  return physfs::in_write_folder(
      path, [](physfs::folder_storage& to, std::string_view name) { return to.make_folder(name); });
}

int PHYSFS_delete(const char* path) {
  return physfs::in_write_folder(
      path, [](physfs::folder_storage& to, std::string_view name) { return to.remove(name); });
}
