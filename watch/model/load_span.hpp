// SPDX-License-Identifier: Zlib
//
// When the load of a program was over.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "watch/model/watched.hpp"

namespace overture::watch {

// A program has loaded when it has opened no new file for so long.
inline constexpr std::uint64_t quiet_ns = 2'000'000'000;

enum class load_end : std::uint8_t {
  menu,   // the first frame after the last new file
  quiet,  // the last new file: no frame was seen after it
  cut,    // the program ended, or was ended, before it was quiet
};

struct load_span {
  std::optional<std::uint64_t> first_frame_ns = {};
  std::uint64_t frames = 0;
  load_end how = load_end::cut;
  std::uint64_t end_ns = 0;
};

[[nodiscard]] load_span span_of(const watched_process& process);

// Whether a path is of what the game brought along: no device and no file of the kernel's.
[[nodiscard]] bool is_content_path(std::string_view path);
// Whether an event opens such a file to read it.
[[nodiscard]] bool opens_content(const watched_process& process, const watched_event& event);

}  // namespace overture::watch
