// The seam to what the system tells about folders: folder_events_linux.cpp, or nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::vfs {

struct folder_event {
  enum class what : std::uint8_t {
    written,      // a file
    removed,      // a file
    folder_here,  // made, or moved here
    folder_gone,  // removed, or moved away
    forgotten,    // the watched folder itself: it is not watched any more
    moved,        // the watched folder itself
    overflow,     // events were lost; of no folder
  } kind = what::overflow;
  int folder = -1;
  std::string_view name;  // in the folder
};

class folder_events {
 public:
  // Close it at the end.
  [[nodiscard]] result<void> open() noexcept;
  void close() noexcept;
  // The number of a folder, which grows from call to call. Twice the same folder has one number.
  [[nodiscard]] result<int> add(const char* path) noexcept;
  void remove(int folder) noexcept;
  // Visits what has come; does not wait.
  [[nodiscard]] result<void> read(function_ref<void(const folder_event&)> visit) noexcept;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

}  // namespace overture::vfs
