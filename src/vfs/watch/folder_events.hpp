// SPDX-License-Identifier: Zlib
//
// The system's notifications about changes in folders, by file: folder_events_linux.cpp and
// folder_events_windows.cpp. Elsewhere everything fails as unsupported.
#pragma once

#include <cstdint>
#include <string_view>

#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::vfs_detail {

struct folder_event {
  enum class what : std::uint8_t {
    written,      // a file
    created,      // a file or a link, maybe without a writer: then no `written` follows
    moved_here,   // a file or a link
    removed,      // a file
    folder_here,  // created, or moved here
    folder_gone,  // removed, or moved away
    forgotten,    // the watched folder itself is no longer watched
    moved,        // the watched folder itself was moved
    overflow,     // events were lost; `folder` is not set
  } kind = what::overflow;
  int folder = -1;
  std::string_view name;  // in the folder
};

// What lies at a path that was created or moved there.
enum class found_kind : std::uint8_t {
  nothing,     // or what is neither a file nor a link
  file,        // that no process writes
  unfinished,  // a file that a process writes
  unknown,     // a file, and the system does not say
  link,        // symbolic
};
[[nodiscard]] found_kind look_at(const char* path) noexcept;

class folder_events {
 public:
  // Call close() in the end.
  [[nodiscard]] result<void> open() noexcept;
  void close() noexcept;
  // Watches a folder and returns its number. Numbers grow from call to call; adding a folder twice
  // returns the same number.
  [[nodiscard]] result<int> add(const char* path) noexcept;
  void remove(int folder) noexcept;
  // Visits all pending events. Does not wait.
  [[nodiscard]] result<void> read(function_ref<void(const folder_event&)> visit) noexcept;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  struct system_state;

  int descriptor_ = -1;
  system_state* system_ = nullptr;  // of systems that need more
};

}  // namespace overture::vfs_detail
