// SPDX-License-Identifier: Zlib
//
// An operating system in memory that fails on demand, for tests of everything that uses files.
//
//   test::fake_os os;
//   os.add_file("/game/maps/one.txt", "...");
//   os.add_link("/game/latest", "maps/one.txt");
//   os.fail_call(os_call::read, 3, EIO);              // the fourth read fails
//   os.shorten_reads_at_random(42);
//   os.crash(test::names::lost);                     // what was not synced is gone
//   os.at_call(os_call::read, 0, [&] { os.truncate("/game/maps/one.txt", 1); });
//   load(os, "/game");
//   EXPECT_EQ(os.open_handles(), 0);                  // everything was closed again
//
// Paths, links and errors follow Linux: removed or replaced files live on while handles are open,
// truncated files shrink under open handles, open_below() refuses to leave its folder. Calls are
// numbered from 0, separately for each kind and together as os_call::any, so that a test can fail
// every call of a load in turn. An operating_system never returns EINTR: a call that "fails" with
// it is counted as interrupted and continues.
//
// Any thread may call anything. Hooks and actions run on the calling thread, under no lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/atomic.hpp"
#include "overture/base/os.hpp"

namespace overture::test {

enum class os_call : std::uint8_t {
  any,
  open,
  open_below,
  close,
  status,  // by path and by handle
  read,
  read_cached,
  list,
  canonical_path,
  map,
  create,
  write,
  sync,  // files and folders
  rename,
  remove,
};
inline constexpr std::size_t os_call_count = 15;

// What a crash does to name changes made since the folder was last synced.
enum class names : std::uint8_t { kept, lost };

struct os_call_info {
  os_call kind;
  std::uint64_t index;        // counting calls of this kind
  std::uint64_t total_index;  // counting all calls
  std::string path;           // the given one, or the one that the handle was opened by
  std::uint64_t offset = 0;   // reads and writes only
  std::size_t size = 0;       // reads and writes only
};

class fake_os final : public operating_system {
 public:
  fake_os();
  ~fake_os() override;

  // The tree. Missing parent folders are created. An existing node is replaced, with everything
  // below it; only add_folder() keeps an existing folder. remove() of a missing path does nothing;
  // truncate() and append() of anything but a file throw std::invalid_argument.
  void add_file(std::string_view path, std::string_view bytes);
  void add_file(std::string_view path, std::span<const std::byte> bytes);
  void add_folder(std::string_view path);
  void add_link(std::string_view path, std::string_view target);
  void remove(std::string_view path);
  void truncate(std::string_view path, std::size_t size);  // affects open handles
  void append(std::string_view path, std::string_view bytes);

  // The fault plan: from number `index` of its kind on, `count` calls fail with this errno.
  void fail_call(os_call kind, std::uint64_t index, int os_error, std::uint64_t count = 1);
  // Reads from number `index` on return at most `bytes_max` (> 0) bytes.
  void shorten_reads(std::size_t bytes_max, std::uint64_t index = 0,
                     std::uint64_t count = UINT64_MAX);
  // The same, for writes.
  void shorten_writes(std::size_t bytes_max, std::uint64_t index = 0,
                      std::uint64_t count = UINT64_MAX);
  // Every read and write returns after one byte or more, at random.
  void shorten_reads_at_random(std::uint64_t seed);
  // Runs the action just before that call does its work, to change the tree between two steps.
  void at_call(os_call kind, std::uint64_t index, std::function<void()> action);
  // Runs before every call.
  void before_each_call(std::function<void(const os_call_info&)> hook);
  // Whether read_cached_at() finds everything in the page cache, or nothing (the default).
  void set_cached(bool cached);
  // A power failure: closes all handles; files revert to their last synced bytes (empty if never
  // synced). Changes made by the test itself survive.
  void crash(names unsynced);
  // Clears the plan, the hooks and the counts; keeps files and handles.
  void reset_plan();

  // The content of a file, or nullopt.
  [[nodiscard]] std::optional<std::string> content(std::string_view path) const;
  [[nodiscard]] std::uint64_t calls(os_call kind = os_call::any) const;
  [[nodiscard]] std::uint64_t interrupted_calls() const;
  [[nodiscard]] std::size_t open_handles() const;
  [[nodiscard]] std::size_t open_mappings() const;
  // How often a handle or mapping was used that was not open.
  [[nodiscard]] std::uint64_t misuses() const;

  result<os_handle> open(const char* path) noexcept override;
  result<os_handle> open_below(os_handle folder, const char* path) noexcept override;
  void close(os_handle handle) noexcept override;
  result<file_status> status(os_handle handle) noexcept override;
  result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override;
  result<std::size_t> read_cached_at(os_handle handle, std::uint64_t offset,
                                     std::span<std::byte> bytes) noexcept override;
  result<file_status> status(const char* path, bool follow_links) noexcept override;
  result<void> list(const char* path,
                    function_ref<void(const folder_entry&) noexcept> visit) noexcept override;
  result<std::size_t> canonical_path(const char* path, std::span<char> text) noexcept override;
  result<os_handle> create(const char* path) noexcept override;
  result<std::size_t> write_at(os_handle handle, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept override;
  result<void> sync(os_handle handle) noexcept override;
  result<void> rename(const char* from, const char* to) noexcept override;
  result<void> remove_file(const char* path) noexcept override;
  result<mapping> map(os_handle handle) noexcept override;
  void unmap(mapping memory) noexcept override;

 private:
  using file_bytes = std::vector<std::byte>;
  struct node {
    file_kind kind = file_kind::folder;
    std::shared_ptr<file_bytes> bytes;  // of files; replaced, never changed, so mappings stay valid
    std::string target;                 // links
    std::int64_t mtime_ns = 0;
    std::shared_ptr<file_bytes>
        synced;  // of files written since their last sync; null: all is synced
  };
  struct open_file {
    std::shared_ptr<node> what;
    std::string path;
  };
  // What happens at some calls of one kind.
  struct rule {
    os_call kind;
    std::uint64_t first;
    std::uint64_t count;
    int os_error = 0;
    std::size_t bytes_max = SIZE_MAX;
    std::function<void()> action;

    [[nodiscard]] bool applies(os_call called, std::uint64_t index,
                               std::uint64_t total_index) const;
  };
  struct verdict {
    int os_error = 0;
    std::size_t bytes_max = SIZE_MAX;
  };
  // A fully resolved path.
  struct resolution {
    int os_error = 0;
    std::string path;  // without links
    std::shared_ptr<node> what;
  };
  class lock;

  verdict begin_call(os_call kind, std::string path, std::uint64_t offset = 0,
                     std::size_t size = 0);
  verdict begin_call(os_call kind, os_handle handle, std::uint64_t offset = 0,
                     std::size_t size = 0);
  result<std::size_t> read(os_call kind, os_handle handle, std::uint64_t offset,
                           std::span<std::byte> bytes);

  // Call under the lock.
  resolution resolve(std::string_view path, bool follow_last, const std::string* root) const;
  result<os_handle> open_resolved(const resolution& found);
  const open_file* find(os_handle handle);
  node& put(std::string_view path, file_kind kind);
  void erase(const std::string& path);
  void note_name(const std::string& path);
  resolution resolve_new(std::string_view path) const;
  void set_bytes(node& file, file_bytes bytes);
  node& file_at(std::string_view path);
  file_status status_of(const node& what) const;

  mutable atomic<bool> locked_{false};
  std::map<std::string, std::shared_ptr<node>> nodes_;  // by absolute path, including "/"
  // Names changed since their folder was last synced, and what they named before.
  std::map<std::string, std::shared_ptr<node>> unsynced_names_;
  std::map<std::int64_t, open_file> handles_;
  std::vector<std::shared_ptr<file_bytes>> mappings_;
  std::int64_t last_handle_ = 0;
  std::int64_t clock_ns_ = 1'600'000'000'000'000'000;

  std::array<std::uint64_t, os_call_count> calls_{};
  std::uint64_t interrupted_calls_ = 0;
  std::uint64_t misuses_ = 0;
  std::vector<rule> rules_;
  std::function<void(const os_call_info&)> hook_;
  std::unique_ptr<std::mt19937_64> random_lengths_;
  bool cached_ = false;
};

}  // namespace overture::test
