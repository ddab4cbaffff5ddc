// SPDX-License-Identifier: Zlib
#include "storage/folder_storage.hpp"

#include <algorithm>

#include "errors.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/os.hpp"
#include "search/search_path.hpp"
#include "storage/boost.hpp"
#include "system/names.hpp"
#include "system/platform.hpp"

namespace physfs {
namespace {

using overture::file_kind;
using overture::file_status;
using overture::os_handle;
using overture::result;

overture::atomic<bool> permitted{false};

overture::operating_system& os() noexcept {
  return overture::system_os();
}

std::int64_t seconds(std::int64_t ns) noexcept {
  constexpr std::int64_t second = 1'000'000'000;
  return ns >= 0 ? ns / second : -((second - 1 - ns) / second);
}

PHYSFS_FileType type_of(file_kind kind) noexcept {
  switch (kind) {
    case file_kind::file:
      return PHYSFS_FILETYPE_REGULAR;
    case file_kind::folder:
      return PHYSFS_FILETYPE_DIRECTORY;
    case file_kind::link:
      return PHYSFS_FILETYPE_SYMLINK;
    case file_kind::other:
      break;
  }
  return PHYSFS_FILETYPE_OTHER;
}

// A path in a folder, as the system takes it.
class full_path {
 public:
  [[nodiscard]] bool join(const char* folder, std::string_view path) noexcept {
    folder_bytes_ = std::string_view(folder).size();
    if (!is_possible(path)) return refuse(PHYSFS_ERR_BAD_FILENAME);
    return text_.join(folder, path);
  }
  [[nodiscard]] const char* c_str() const noexcept { return text_.c_str(); }
  [[nodiscard]] bool is_root() const noexcept { return text_.view().size() == folder_bytes_; }

  // The status of the file itself, not of what a link leads to. If links are forbidden, that there
  // is none on the way to it is certain only if it exists: looking costs a call for each folder.
  [[nodiscard]] bool status(file_status& found) noexcept {
    const result<file_status> asked = os().status(text_.c_str(), is_root());
    if (!asked) return refuse(asked.error());
    found = *asked;
    return is_root() || links_permitted() || no_link_above();
  }

  // As status(), and not a link where these are forbidden.
  [[nodiscard]] bool visible_status(file_status& found) noexcept {
    if (!status(found)) return false;
    if (found.kind == file_kind::link && !links_permitted()) {
      return refuse(PHYSFS_ERR_SYMLINK_FORBIDDEN);
    }
    return true;
  }

 private:
  [[nodiscard]] bool no_link_above() noexcept {
    const std::string_view all = text_.view();
    for (std::size_t end = all.rfind('/'); end != std::string_view::npos && end > folder_bytes_;
         end = all.rfind('/', end - 1)) {
      joined_name above;
      if (!above.join(all.substr(0, end), "")) return false;
      const result<file_status> found = os().status(above.c_str(), false);
      if (!found) return refuse(found.error());
      if (found->kind == file_kind::link) return refuse(PHYSFS_ERR_SYMLINK_FORBIDDEN);
    }
    return true;
  }

  std::size_t folder_bytes_ = 0;
  joined_name text_;
};

class loose_file final : public content {
 public:
  loose_file(os_handle handle, std::int64_t length) noexcept : handle_(handle) {
    expected_length_ = length;
  }
  ~loose_file() override { os().close(handle_); }

  std::int64_t read(std::uint64_t position, void* to, std::size_t bytes) noexcept override {
    std::size_t done = 0;
    while (done < bytes) {
      const result<std::size_t> got = os().read_at(
          handle_, position + done, {static_cast<std::byte*>(to) + done, bytes - done});
      if (!got) {
        set_error(code_of(got.error()));
        return done > 0 ? static_cast<std::int64_t>(done) : -1;
      }
      if (*got == 0) break;
      done += *got;
      if (expected_length_ > 0 && position + done == static_cast<std::uint64_t>(expected_length_)) {
        break;  // it is the end, unless the file has grown
      }
    }
    return static_cast<std::int64_t>(done);
  }

  std::int64_t write(std::uint64_t position, const void* from,
                     std::size_t bytes) noexcept override {
    const result<void> done = overture::write_fully(os(), handle_, position,
                                                    {static_cast<const std::byte*>(from), bytes});
    if (done) return static_cast<std::int64_t>(bytes);
    set_error(code_of(done.error()));
    return -1;
  }

  std::int64_t length() noexcept override {
    const result<file_status> found = os().status(handle_);
    if (found) return static_cast<std::int64_t>(found->size);
    set_error(code_of(found.error()));
    return -1;
  }

  bool may_seek(std::uint64_t position) noexcept override {
    return position <= INT64_MAX || refuse(PHYSFS_ERR_OS_ERROR);
  }

  overture::mapping map() noexcept override {
    const result<overture::mapping> mapped = os().map(handle_);
    return mapped ? *mapped : overture::mapping{};
  }

  bool sync() noexcept override {
    const result<void> done = os().sync(handle_);
    return done || refuse(done.error());
  }

 private:
  os_handle handle_;
};

content* file_of(os_handle handle, std::int64_t length = -1) noexcept {
  content* const made = make<loose_file>(handle, length);
  if (!made) os().close(handle);
  return made;
}

// An open folder, for what is named by a path below it.
class opened_folder {
 public:
  explicit opened_folder(const char* path) noexcept : handle_(os().open(path)) {
    if (!handle_) set_error(code_of(handle_.error()));
  }
  ~opened_folder() {
    if (handle_) os().close(*handle_);
  }
  opened_folder(const opened_folder&) = delete;
  opened_folder& operator=(const opened_folder&) = delete;
  explicit operator bool() const noexcept { return handle_.has_value(); }
  [[nodiscard]] os_handle get() const noexcept { return *handle_; }

 private:
  result<os_handle> handle_;
};

}  // namespace

bool links_permitted() noexcept {
  return permitted.load(std::memory_order_relaxed);
}

void permit_links(bool permit) noexcept {
  permitted.store(permit, std::memory_order_relaxed);
}

bool folder_storage::stat(std::string_view path, PHYSFS_Stat& found) noexcept {
  full_path full;
  file_status status;
  if (!full.join(folder_, path) || !full.visible_status(status)) return false;
  found.filesize = static_cast<PHYSFS_sint64>(status.size);
  found.modtime = seconds(status.mtime_ns);
  found.createtime = seconds(status.ctime_ns);
  found.accesstime = seconds(status.atime_ns);
  found.filetype = type_of(status.kind);
  complete_stat(full.c_str(), found);
  return true;
}

bool folder_storage::exists(std::string_view path) noexcept {
  full_path full;
  file_status status;
  return full.join(folder_, path) && full.visible_status(status);
}

content* folder_storage::open(std::string_view path) noexcept {
  full_path full;
  file_status status;
  if (!full.join(folder_, path)) return nullptr;
  // Where links are followed only the open file's status tells what it is.
  const bool follows = links_permitted();
  if (!follows && !full.visible_status(status)) return nullptr;
  if (is_boosted()) {
    if (content* const packed = boosted(full.c_str(), {})) return packed;
  }
  const result<os_handle> opened = os().open(full.c_str());
  if (!opened) {
    set_error(code_of(opened.error()));
    return nullptr;
  }
  if (follows) {
    const result<file_status> asked = os().status(*opened);
    if (asked) status = *asked;
  }
  if (status.kind == file_kind::folder) {
    os().close(*opened);
    set_error(PHYSFS_ERR_NOT_A_FILE);
    return nullptr;
  }
  return file_of(*opened, static_cast<std::int64_t>(status.size));
}

bool folder_storage::list(std::string_view path, text_list& names) noexcept {
  full_path full;
  file_status status;
  if (!full.join(folder_, path)) return false;
  if (!full.visible_status(status) || status.kind != file_kind::folder) return true;
  bool fits = true;
  const bool with_links = links_permitted();
  const result<void> listed =
      os().list(full.c_str(), [&](const overture::folder_entry& entry) noexcept {
        if (with_links || entry.kind != file_kind::link) fits = fits && names.push(entry.name);
      });
  return fits && (listed || refuse(listed.error()));
}

content* folder_storage::create(std::string_view path, bool append) noexcept {
  full_path full;
  file_status status;
  if (!full.join(folder_, path)) return nullptr;
  if (!full.visible_status(status)) {
    const PHYSFS_ErrorCode why = take_error();
    if (why != PHYSFS_ERR_NOT_FOUND) {
      set_error(why);
      return nullptr;
    }
  }
  if (!append) {
    const result<os_handle> made = os().create(full.c_str());
    if (made) return file_of(*made);
    set_error(code_of(made.error()));
    return nullptr;
  }
  const opened_folder folder(folder_);
  if (!folder) return nullptr;
  joined_name relative;
  if (!relative.join("", path)) return nullptr;
  const result<os_handle> made =
      os().open_to_write(folder.get(), relative.c_str(), overture::write_mode::update);
  if (made) return file_of(*made);
  set_error(code_of(made.error()));
  return nullptr;
}

bool folder_storage::make_folder(std::string_view path) noexcept {
  const opened_folder folder(folder_);
  if (!folder) return false;
  for (std::size_t end = 0; end != path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    full_path full;
    file_status status;
    const std::string_view front = path.substr(0, end);
    if (!full.join(folder_, front)) return false;
    if (full.visible_status(status)) {
      if (status.kind != file_kind::folder) return refuse(PHYSFS_ERR_DUPLICATE);
      continue;
    }
    const PHYSFS_ErrorCode why = take_error();
    if (why != PHYSFS_ERR_NOT_FOUND) return refuse(why);
    joined_name relative;
    if (!relative.join("", front)) return false;
    const result<void> made = os().make_folder_below(folder.get(), relative.c_str());
    if (!made && made.error().code != overture::errc::exists) return refuse(made.error());
  }
  return true;
}

bool folder_storage::remove(std::string_view path) noexcept {
  full_path full;
  file_status status;
  if (!full.join(folder_, path) || !full.visible_status(status)) return false;
  const opened_folder folder(folder_);
  joined_name relative;
  if (!folder || !relative.join("", path)) return false;
  const result<void> done = os().remove_below(folder.get(), relative.c_str());
  return done || refuse(done.error());
}

bool folder_storage::rename(std::string_view from, std::string_view to) noexcept {
  full_path full;
  file_status status;
  if (!full.join(folder_, from) || !full.visible_status(status)) return false;
  const opened_folder folder(folder_);
  joined_name old_name;
  joined_name new_name;
  if (!folder || !old_name.join("", from) || !new_name.join("", to)) return false;
  const result<void> done = os().rename_below(folder.get(), old_name.c_str(), new_name.c_str());
  return done || refuse(done.error());
}

storage* open_folder(const char* path, bool writable) noexcept {
  const result<file_status> found = os().status(path, true);
  if (!found) {
    set_error(code_of(found.error()));
    return nullptr;
  }
  if (found->kind != file_kind::folder) {
    set_error(PHYSFS_ERR_UNSUPPORTED);
    return nullptr;
  }
  const char* const kept = kept_text(path);
  return kept ? make<folder_storage>(kept, writable) : nullptr;
}

}  // namespace physfs
