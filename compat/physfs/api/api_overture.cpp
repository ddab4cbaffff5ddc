// SPDX-License-Identifier: Zlib
//
// What goes beyond the interface of PhysicsFS: files as memory, names without regard to case.
#include <algorithm>
#include <cstring>

#include "errors.hpp"
#include "files/open_file.hpp"
#include "memory.hpp"
#include "physfs_overture.h"
#include "search/search_path.hpp"

using physfs::clean_name;
using physfs::refuse;

namespace {

constexpr std::size_t mapped_bytes_min = std::size_t{256} << 10;

bool map(physfs::content& opened, PHYSFS_overture_Memory& memory) {
  const overture::mapping mapped = opened.map();
  if (!mapped.data) return false;
  memory = {mapped.data, mapped.size, const_cast<std::byte*>(mapped.data)};
  return true;
}

bool read(physfs::content& opened, std::uint64_t length, PHYSFS_overture_Memory& memory) {
  if (length >= SIZE_MAX) return refuse(PHYSFS_ERR_OUT_OF_MEMORY);
  auto* const room = static_cast<char*>(physfs::allocate(static_cast<std::size_t>(length) + 1));
  if (!room) return false;
  const std::int64_t got = opened.read(0, room, static_cast<std::size_t>(length));
  if (got < 0) {
    physfs::deallocate(room);
    return false;
  }
  room[got] = '\0';
  memory = {room, static_cast<PHYSFS_uint64>(got), nullptr};
  return true;
}

int read_whole(const char* path, PHYSFS_overture_Memory* memory, bool may_map) {
  if (!memory) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  *memory = {};
  clean_name name;
  if (!name.clean(path)) return 0;
  const physfs::reading mounts;
  if (!mounts) return 0;
  physfs::mount* from = nullptr;
  physfs::content* const opened = physfs::open_content(mounts, name, from);
  if (!opened) return 0;
  const std::int64_t length = opened->length();
  const auto bytes = static_cast<std::uint64_t>(length);
  const bool done =
      length >= 0 && ((may_map && bytes >= mapped_bytes_min && map(*opened, *memory)) ||
                      read(*opened, bytes, *memory));
  physfs::destroy(opened);
  return done ? 1 : 0;
}

// Searches the tree for a name that may be spelled otherwise. What is found so far is always
// followed by a NUL that is not counted.
class name_search {
 public:
  // False if the name is not there or, with an error, if memory ran out.
  [[nodiscard]] bool run(std::string_view name) noexcept {
    if (!wanted_.append(name.data(), name.size()) || !wanted_.push('\0')) return fail();
    std::replace(wanted_.begin(), wanted_.end(), '/', '\0');
    return find(0);
  }
  [[nodiscard]] std::string_view found() noexcept { return {found_.data(), found_.size()}; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  // The elements of the name from `at` on, in the folder that was found so far.
  [[nodiscard]] bool find(std::size_t at) noexcept {
    if (at + 1 >= wanted_.size()) return true;
    const char* const element = wanted_.data() + at;
    const std::size_t next = at + std::strlen(element) + 1;
    if (try_name(element, next)) return true;
    char** const names =
        failed_ ? nullptr : PHYSFS_enumerateFiles(found_.size() > 0 ? found_.data() : "");
    if (!names) return fail();
    bool done = false;
    for (char** each = names; *each && !done && !failed_; ++each) {
      if (std::strcmp(element, *each) != 0 && PHYSFS_utf8stricmp(element, *each) == 0) {
        done = try_name(*each, next);
      }
    }
    PHYSFS_freeList(static_cast<void*>(names));
    return done;
  }

  [[nodiscard]] bool try_name(const char* element, std::size_t next) noexcept {
    const std::size_t before = found_.size();
    const bool fits =
        (before == 0 || found_.push('/')) && found_.append(element, std::strlen(element) + 1);
    if (!fits) return fail();
    found_.shorten(found_.size() - 1);
    if (PHYSFS_exists(found_.data()) != 0 && find(next)) return true;
    found_.shorten(before);
    if (before > 0) found_[before] = '\0';
    return false;
  }

  bool fail() noexcept {
    failed_ = true;
    return false;
  }

  physfs::list<char> wanted_;  // a NUL after each element
  physfs::list<char> found_;
  bool failed_ = false;
};

}  // namespace

int PHYSFS_overture_readFile(const char* path, PHYSFS_overture_Memory* memory) {
  return read_whole(path, memory, false);
}

int PHYSFS_overture_mapFile(const char* path, PHYSFS_overture_Memory* memory) {
  return read_whole(path, memory, true);
}

void PHYSFS_overture_giveBack(PHYSFS_overture_Memory* memory) {
  if (!memory) return;
  if (memory->opaque) {
    overture::system_os().unmap(
        {static_cast<const std::byte*>(memory->bytes), static_cast<std::size_t>(memory->size)});
  } else {
    physfs::deallocate(const_cast<void*>(memory->bytes));
  }
  *memory = {};
}

int PHYSFS_overture_findName(const char* path, char* found, PHYSFS_uint64 room) {
  clean_name name;
  if (!found) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  if (!name.clean(path)) return 0;
  if (!physfs::is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
  const PHYSFS_ErrorCode before = physfs::take_error();
  name_search search;
  if (!search.run(name.view())) return search.failed() ? 0 : refuse(PHYSFS_ERR_NOT_FOUND);
  (void)physfs::take_error();  // of what was tried in vain
  physfs::set_error(before);
  const std::string_view text = search.found();
  if (room <= text.size()) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  if (!text.empty()) std::memcpy(found, text.data(), text.size());
  found[text.size()] = '\0';
  return 1;
}
