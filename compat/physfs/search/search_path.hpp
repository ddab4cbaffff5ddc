// SPDX-License-Identifier: Zlib
//
// The search path. Readers use an immutable snapshot: they take no lock, never wait and write only
// to a record of their own thread. Changes make another snapshot; what only an old one uses
// is freed when no reader is left in it, by the next change at the latest.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

#include "overture/base/atomic.hpp"
#include "search/name_index.hpp"
#include "storage.hpp"
#include "system/names.hpp"

namespace physfs {

struct mount {
  const char* name = "";   // as passed to PHYSFS_mount(); lives until PHYSFS_deinit()
  const char* point = "";  // "", or a clean path with a '/' at its end; lives as long
  overture::atomic<const char*> root{""};  // the folder of the storage that is mounted
  storage* contents = nullptr;
  std::uint64_t files_known = 0;  // storage::known_files()
  // The number of snapshots that have it, and of open files in the upper half.
  overture::atomic<std::uint64_t> users{0};

  static constexpr std::uint64_t one_file = std::uint64_t{1} << 32;
  [[nodiscard]] bool has_open_files() const noexcept { return users.load() >= one_file; }
  void release(std::uint64_t count) noexcept;  // destroys it with the last user

  enum class relation { outside, above, inside };
  // Where a path is seen from the mount. Inside: `rest` is what comes after the mount point.
  [[nodiscard]] relation relation_to(std::string_view path, std::string_view& rest) const noexcept;
  // As above for names in the storage, with its root in front where it has one.
  [[nodiscard]] relation locate(const clean_name& path, joined_name& room,
                                std::string_view& in_storage) const noexcept;
};

struct snapshot {
  overture::atomic<std::uint32_t> holders{0};  // readers that could not use their thread's record
  const snapshot* next_retired = nullptr;
  // Made when asking each archive has cost what it costs to make it: a game that mounts its mods
  // one by one and looks for something in each does not pay for an index each time.
  mutable overture::atomic<const name_index*> index{nullptr};
  mutable overture::atomic<bool> is_indexed{false};  // or will be, by one reader
  std::uint64_t files_known = 0;                     // of the mounts together
  std::uint32_t count = 0;
  mount* mounts[1];

  [[nodiscard]] mount* const* begin() const noexcept { return mounts; }
  [[nodiscard]] mount* const* end() const noexcept { return mounts + count; }
};

// A reader of the search path: the mounts stay until its end. If there is none, because the library
// is not initialised, the error is set.
class reading {
 public:
  reading() noexcept;
  ~reading();
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;

  explicit operator bool() const noexcept { return held_ != nullptr; }
  [[nodiscard]] mount* const* begin() const noexcept { return held_->begin(); }
  [[nodiscard]] mount* const* end() const noexcept { return held_->end(); }
  [[nodiscard]] bool empty() const noexcept { return held_->count == 0; }

 private:
  friend class asked_mounts;
  // So many archives were asked that an index would have left out.
  void count_asked_in_vain(std::uint32_t count) const noexcept;

  const snapshot* held_ = nullptr;
  struct reader_record* record_ = nullptr;
};

// The mounts that must be asked for a name, in order. Those that cannot have it are left out, with
// the error that they would have set.
class asked_mounts {
 public:
  asked_mounts(const reading& mounts, const clean_name& name) noexcept;
  ~asked_mounts();
  asked_mounts(const asked_mounts&) = delete;
  asked_mounts& operator=(const asked_mounts&) = delete;

  // Null at the end.
  [[nodiscard]] mount* next() noexcept;

 private:
  const reading& mounts_;
  const name_index* index_ = nullptr;
  std::uint32_t at_ = 0;
  std::uint32_t first_ = 0;     // archive that may have the name
  std::uint32_t archives_ = 0;  // asked without an index
};

// One thread at a time changes what the library knows. Never held while code of the host runs.
[[nodiscard]] std::mutex& changes() noexcept;

// A copy of a text that lives until PHYSFS_deinit(), the same for equal texts; null if out of
// memory. Any thread.
[[nodiscard]] const char* kept_text(std::string_view text) noexcept;

// The same for a table of pointers.
template <class T>
[[nodiscard]] T* kept_table(const list<T>& table) noexcept {
  const char* const kept =
      kept_text({reinterpret_cast<const char*>(table.data()), table.size() * sizeof(T)});
  return reinterpret_cast<T*>(const_cast<char*>(kept));
}

[[nodiscard]] bool begin_search_path() noexcept;
// Lets no thread begin to read, as if the library were not initialised, and waits for those that
// read. False, and an error, if the calling thread reads (an archiver of the host calls back) or
// another one ends the library.
[[nodiscard]] bool suspend_search_path() noexcept;
void resume_search_path() noexcept;
// Of a suspended search path, or none.
void end_search_path() noexcept;
[[nodiscard]] bool is_running() noexcept;

// Takes over `contents`. Gives it back and destroys it if it fails or if `name` is mounted already,
// which is a success.
[[nodiscard]] bool add_mount(storage* contents, const char* name, const clean_name& point,
                             bool append) noexcept;
[[nodiscard]] bool remove_mount(const char* name) noexcept;
// A mount that is in no snapshot, with one user. Takes over `contents`, and destroys it if it
// fails.
[[nodiscard]] mount* lone_mount(storage* contents, const char* name) noexcept;
// Mounts a folder of what is mounted already. Succeeds if there is no mount of that name.
[[nodiscard]] bool set_root(const char* name, const clean_name& folder) noexcept;

}  // namespace physfs
