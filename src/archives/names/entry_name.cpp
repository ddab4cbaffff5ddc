// SPDX-License-Identifier: Zlib
#include "archives/names/entry_name.hpp"

#include <algorithm>
#include <cstring>

#include "archives/names/decode_name.hpp"
#include "archives/names/skip_reason.hpp"

namespace overture::archives_detail {
namespace {

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = detail::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Moves the elements together that stay. Returns the new length.
std::size_t drop_elements(char* text, std::size_t bytes) noexcept {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t end =
        static_cast<std::size_t>(std::find(text + at, text + bytes, '/') - text);
    const std::string_view element(text + at, end - at);
    if (!element.empty() && element != ".") {
      if (kept > 0) text[kept++] = '/';
      std::memmove(text + kept, element.data(), element.size());
      kept += element.size();
    }
    at = end + 1;
  }
  return kept;
}

}  // namespace

std::size_t convert_name(std::string_view name, const name_rules& rules,
                         path_buffer& room) noexcept {
  std::size_t length = name.size();
  if (is_utf8(name) && length <= room.size()) {
    std::copy(name.begin(), name.end(), room.begin());
  } else if (!decode_name(name, rules.encoding, room, length)) {
    return 0;
  }
  if (rules.backslash_separates) std::replace(room.data(), room.data() + length, '\\', '/');
  return length;
}

entry_name make_entry_name(std::string_view name, const name_rules& rules,
                           path_buffer& room) noexcept {
  if (name.empty()) return {{}, skip_reason::no_name};
  if (!path_flaw(name)) return {name};
  if (name.size() > room.size()) return {{}, skip_reason::path_too_long};
  std::size_t length = convert_name(name, rules, room);
  if (length == 0) return {{}, skip_reason::bad_encoding};
  entry_name made;
  made.is_folder = room[length - 1] == '/';
  length = drop_elements(room.data(), length);
  made.path = {room.data(), length};
  if (length == 0) made.is_folder = true;
  made.flaw = path_flaw(made.path);
  return made;
}

}  // namespace overture::archives_detail
