// SPDX-License-Identifier: Zlib
#include "storage/archivers.hpp"

#include <mutex>
#include <utility>

#include "io/lent_io.hpp"
#include "search/search_path.hpp"
#include "storage/folder_storage.hpp"

namespace physfs {
namespace {

struct archiver {
  PHYSFS_Archiver functions{};
  std::recursive_mutex mutex;
  std::uint32_t mounts = 0;  // guarded by changes()
  archiver* next = nullptr;
};

archiver* first_archiver = nullptr;  // guarded by changes()
overture::atomic<bool> any{false};

using serialised = std::scoped_lock<std::recursive_mutex>;

// Paths of a storage are NUL-terminated.
const char* c_str(std::string_view path) noexcept {
  return path.data();
}

class archiver_file final : public content {
 public:
  archiver_file(archiver& by, PHYSFS_Io* io, std::uint64_t position) noexcept
      : by_(by), io_(io), position_(position) {}
  ~archiver_file() override {
    const serialised lock(by_.mutex);
    if (io_->destroy) io_->destroy(io_);
  }

  std::int64_t read(std::uint64_t position, void* to, std::size_t bytes) noexcept override {
    const serialised lock(by_.mutex);
    if (position != position_ && io_->seek(io_, position) == 0) return -1;
    const std::int64_t got = io_->read(io_, to, bytes);
    position_ = got > 0 ? position + static_cast<std::uint64_t>(got) : UINT64_MAX;
    return got;
  }
  std::int64_t length() noexcept override {
    const serialised lock(by_.mutex);
    return io_->length(io_);
  }
  bool may_seek(std::uint64_t position) noexcept override {
    const serialised lock(by_.mutex);
    position_ = UINT64_MAX;
    if (io_->seek(io_, position) == 0) return false;
    position_ = position;
    return true;
  }
  std::int64_t write(std::uint64_t position, const void* from,
                     std::size_t bytes) noexcept override {
    const serialised lock(by_.mutex);
    if (!io_->write) return set_error(PHYSFS_ERR_READ_ONLY), -1;
    if (position != position_ && io_->seek(io_, position) == 0) return -1;
    const std::int64_t put = io_->write(io_, from, bytes);
    position_ = put > 0 ? position + static_cast<std::uint64_t>(put) : UINT64_MAX;
    return put;
  }
  bool sync() noexcept override {
    const serialised lock(by_.mutex);
    return !io_->flush || io_->flush(io_) != 0;
  }

 private:
  archiver& by_;
  PHYSFS_Io* io_;
  std::uint64_t position_;
};

class archiver_storage final : public storage, public write_target {
 public:
  archiver_storage(archiver& by, void* archive, bool writable) noexcept
      : by_(by), archive_(archive), writable_(writable) {}
  ~archiver_storage() override {
    {
      const serialised lock(by_.mutex);
      by_.functions.closeArchive(archive_);
    }
    const std::scoped_lock lock(changes());
    --by_.mounts;
  }

  bool stat(std::string_view path, PHYSFS_Stat& found) noexcept override {
    const serialised lock(by_.mutex);
    return is_visible(path) && by_.functions.stat(archive_, c_str(path), &found) != 0;
  }
  content* open(std::string_view path) noexcept override {
    const serialised lock(by_.mutex);
    if (!is_visible(path)) return nullptr;
    PHYSFS_Io* const io = by_.functions.openRead(archive_, c_str(path));
    return file_of(io, 0);
  }
  bool list(std::string_view path, text_list& names) noexcept override {
    const serialised lock(by_.mutex);
    PHYSFS_Stat found{};
    if (!stat(path, found) || found.filetype != PHYSFS_FILETYPE_DIRECTORY) return true;
    listing all{this, path, &names};
    return by_.functions.enumerate(archive_, c_str(path), add_name, c_str(path), &all) !=
           PHYSFS_ENUM_ERROR;
  }

  write_target* writable() noexcept override { return writable_ ? this : nullptr; }
  content* create(std::string_view path, bool append) noexcept override {
    const serialised lock(by_.mutex);
    if (!is_visible(path)) return nullptr;
    PHYSFS_Io* const io = append ? by_.functions.openAppend(archive_, c_str(path))
                                 : by_.functions.openWrite(archive_, c_str(path));
    const PHYSFS_sint64 position = io && append ? io->tell(io) : 0;
    return file_of(io, position < 0 ? UINT64_MAX : static_cast<std::uint64_t>(position));
  }
  bool make_folder(std::string_view path) noexcept override {
    const serialised lock(by_.mutex);
    if (!is_visible(path)) return false;
    for (std::size_t end = 0; end != path.size();) {
      end = std::min(path.find('/', end + 1), path.size());
      joined_name front;
      if (!front.join(path.substr(0, end), "")) return false;
      if (!make_one_folder(front.c_str())) return false;
    }
    return true;
  }
  bool remove(std::string_view path) noexcept override {
    const serialised lock(by_.mutex);
    if (path.empty()) return refuse(PHYSFS_ERR_BAD_FILENAME);
    return is_visible(path) && by_.functions.remove(archive_, c_str(path)) != 0;
  }

 private:
  // Takes over the Io.
  [[nodiscard]] content* file_of(PHYSFS_Io* io, std::uint64_t position) noexcept {
    if (!io) return nullptr;
    content* const made = make<archiver_file>(by_, io, position);
    if (!made && io->destroy) io->destroy(io);
    return made;
  }

  [[nodiscard]] bool make_one_folder(const char* path) noexcept {
    PHYSFS_Stat found{};
    if (by_.functions.stat(archive_, path, &found) != 0) {
      const bool is_folder =
          found.filetype == PHYSFS_FILETYPE_DIRECTORY || found.filetype == PHYSFS_FILETYPE_SYMLINK;
      return is_folder || refuse(PHYSFS_ERR_DUPLICATE);
    }
    const PHYSFS_ErrorCode why = take_error();
    if (why != PHYSFS_ERR_NOT_FOUND && why != PHYSFS_ERR_OK) return refuse(why);
    return by_.functions.mkdir(archive_, path) != 0;
  }

  struct listing {
    archiver_storage* from;
    std::string_view folder;
    text_list* names;
  };
  static PHYSFS_EnumerateCallbackResult add_name(void* data, const char* folder, const char* name) {
    (void)folder;
    const auto& into = *static_cast<listing*>(data);
    joined_name path;
    if (!path.join(into.folder, name)) return PHYSFS_ENUM_ERROR;
    if (into.from->is_hidden_link(path.c_str())) return PHYSFS_ENUM_OK;
    return into.names->push(name) ? PHYSFS_ENUM_OK : PHYSFS_ENUM_ERROR;
  }

  [[nodiscard]] bool is_hidden_link(const char* path) noexcept {
    if (links_permitted() || by_.functions.info.supportsSymlinks == 0) return false;
    PHYSFS_Stat found{};
    return by_.functions.stat(archive_, path, &found) != 0 &&
           found.filetype == PHYSFS_FILETYPE_SYMLINK;
  }
  // Whether there is no forbidden link on the way.
  [[nodiscard]] bool is_visible(std::string_view path) noexcept {
    if (links_permitted() || by_.functions.info.supportsSymlinks == 0) return true;
    for (std::size_t end = 0; end != path.size();) {
      end = std::min(path.find('/', end + 1), path.size());
      joined_name front;
      if (!front.join(path.substr(0, end), "")) return false;
      if (is_hidden_link(front.c_str())) return refuse(PHYSFS_ERR_SYMLINK_FORBIDDEN);
    }
    return true;
  }

  archiver& by_;
  void* archive_;
  const bool writable_;
};

bool has_extension(std::string_view name, const char* extension) noexcept {
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos && PHYSFS_utf8stricmp(name.data() + dot + 1, extension) == 0;
}

// Counts a mount of the archiver, so that it stays.
archiver* next_archiver(archiver* after, const char* name, bool by_extension) noexcept {
  const std::scoped_lock lock(changes());
  archiver* each = after ? after->next : first_archiver;
  while (each && has_extension(name, each->functions.info.extension) != by_extension) {
    each = each->next;
  }
  if (each) ++each->mounts;
  if (after) --after->mounts;
  return each;
}

void forget(archiver* by) noexcept {
  const std::scoped_lock lock(changes());
  --by->mounts;
}

bool is_complete(const PHYSFS_Archiver& given) noexcept {
  return given.info.extension && given.info.description && given.info.author && given.info.url &&
         given.openArchive && given.enumerate && given.openRead && given.openWrite &&
         given.openAppend && given.remove && given.mkdir && given.stat && given.closeArchive;
}

PHYSFS_Io* new_io(const char* name, const loan& lent, bool to_write) noexcept {
  return to_write ? io_to_change(name) : io_for(name, lent);
}

storage* open_by_archivers(const char* name, const loan& lent, bool by_extension, bool to_write,
                           bool& claimed) noexcept {
  claimed = false;
  archiver* by = nullptr;
  while ((by = next_archiver(by, name, by_extension)) != nullptr) {
    PHYSFS_Io* const io = new_io(name, lent, to_write);
    if (!io) return forget(by), nullptr;
    int knows = 0;
    void* archive = nullptr;
    {
      const serialised lock(by->mutex);
      if (io->seek(io, 0) != 0) {
        archive = by->functions.openArchive(io, name, to_write ? 1 : 0, &knows);
      }
    }
    if (archive) {
      auto* const made = make<archiver_storage>(*by, archive, to_write);
      if (made) return made;
      by->functions.closeArchive(archive);
    } else if (to_write) {
      io->destroy(io);
    } else {
      give_back_io(io, lent);
    }
    claimed = archive || knows != 0;
    if (claimed) return forget(by), nullptr;
  }
  return nullptr;
}

}  // namespace

bool list_archivers(list<const PHYSFS_ArchiveInfo*>& infos) noexcept {
  const std::scoped_lock lock(changes());
  for (const archiver* each = first_archiver; each; each = each->next) {
    if (!infos.push(&each->functions.info)) return false;
  }
  return true;
}

bool has_archivers() noexcept {
  return any.load(std::memory_order_acquire);
}

storage* open_by_archivers(const char* name, const loan& lent, bool by_extension,
                           bool& claimed) noexcept {
  return open_by_archivers(name, lent, by_extension, false, claimed);
}

storage* open_to_write(const char* path) noexcept {
  const overture::result<overture::file_status> found = overture::system_os().status(path, true);
  if (!found) return refuse(found.error()), nullptr;
  if (found->kind == overture::file_kind::folder) return open_folder(path, true);
  bool claimed = false;
  storage* opened = nullptr;
  if (has_archivers()) {
    opened = open_by_archivers(path, {}, true, true, claimed);
    if (!opened && !claimed) opened = open_by_archivers(path, {}, false, true, claimed);
  }
  if (!opened && !claimed) set_error(PHYSFS_ERR_UNSUPPORTED);
  return opened;
}

bool add_archiver(const PHYSFS_Archiver& added) noexcept {
  if (added.version != 0) return refuse(PHYSFS_ERR_UNSUPPORTED);
  if (!is_complete(added)) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  const char* const texts[] = {kept_text(added.info.extension), kept_text(added.info.description),
                               kept_text(added.info.author), kept_text(added.info.url)};
  for (const char* each : texts) {
    if (!each) return false;
  }
  auto* const made = make<archiver>();
  if (!made) return false;
  made->functions = added;
  made->functions.info = {texts[0], texts[1], texts[2], texts[3], added.info.supportsSymlinks};
  const std::scoped_lock lock(changes());
  for (const archiver* each = first_archiver; each; each = each->next) {
    if (PHYSFS_utf8stricmp(each->functions.info.extension, texts[0]) != 0) continue;
    destroy(made);
    return refuse(PHYSFS_ERR_DUPLICATE);
  }
  made->next = std::exchange(first_archiver, made);
  any.store(true);
  return true;
}

bool remove_archiver(const char* extension) noexcept {
  const std::scoped_lock lock(changes());
  for (archiver** link = &first_archiver; *link; link = &(*link)->next) {
    archiver* const each = *link;
    if (PHYSFS_utf8stricmp(each->functions.info.extension, extension) != 0) continue;
    if (each->mounts > 0) return refuse(PHYSFS_ERR_FILES_STILL_OPEN);
    *link = each->next;
    destroy(each);
    any.store(first_archiver != nullptr);
    return true;
  }
  return refuse(PHYSFS_ERR_NOT_FOUND);
}

void end_archivers() noexcept {
  while (first_archiver) destroy(std::exchange(first_archiver, first_archiver->next));
  any.store(false);
}

}  // namespace physfs
