// SPDX-License-Identifier: Zlib
//
// Names the member at an offset of a text in any style with brackets, which needs no description:
// a word before '=' or ':' is a name, everything else is a value.
#include <algorithm>
#include <cstring>

#include "overture/base/limits.hpp"
#include "overture/text/detail/cursor.hpp"
#include "overture/text/format.hpp"
#include "overture/text/read.hpp"

namespace overture::text {
namespace {

using detail::cursor;

// A block or list that is open, and which of its members the scan has reached.
struct open_block {
  std::string_view name;  // with its quotes, unless they enclose a word
  std::size_t index = 0;  // of members without names
  bool is_list = false;
};

std::string_view without_quotes(std::string_view name) noexcept {
  if (name.size() < 2 || name[0] != '"') return name;
  const std::string_view inside = name.substr(1, name.size() - 2);
  return detail::is_word(inside) ? inside : name;
}

class scan {
 public:
  scan(std::string_view text, std::size_t offset) noexcept
      : from_(text), offset_(offset), begin_(text.data()) {}

  void run() noexcept {
    while (!from_.at_end() && at() <= offset_) {
      const char next = from_.peek();
      if (next == '"' || !cursor::ends_token(next)) {
        if (!take_word()) return;
        continue;
      }
      if (next == '{' || next == '[') value_begins();
      if (at() == offset_) return;
      if (next == '#') {
        from_.skip_line();
        continue;
      }
      from_.advance();
      if (next == '{' || next == '[') open();
      if (next == '}' || next == ']') close();
    }
  }
  [[nodiscard]] std::string_view path(std::span<char> room) const noexcept {
    std::size_t bytes = 0;
    const auto add = [&](std::string_view part) {
      const std::size_t fits = std::min(part.size(), room.size() - bytes);
      if (fits > 0) std::memcpy(room.data() + bytes, part.data(), fits);
      bytes += fits;
    };
    for (std::size_t i = 1; i <= std::min(depth_, open_max - 1); ++i) {
      const open_block& each = blocks_[i];
      if (!each.name.empty()) {
        if (bytes > 0) add(".");
        add(each.name);
      } else if (each.is_list) {
        char number[32];
        add({number, format_to(number, "[{}]", each.index)});
      }
    }
    return {room.data(), bytes};
  }

 private:
  // Deeper blocks are counted, not named: no reader goes there.
  static constexpr std::size_t open_max = 2 * limits::text_depth_max;

  [[nodiscard]] std::size_t at() const noexcept {
    return static_cast<std::size_t>(from_.here() - begin_);
  }
  [[nodiscard]] open_block& current() noexcept { return blocks_[std::min(depth_, open_max - 1)]; }
  void open() noexcept {
    ++depth_;
    current() = {};
  }
  void close() noexcept {
    if (depth_ > 0) --depth_;
    value_ended();
  }
  // A block in which a value has no name is a list.
  void value_begins() noexcept {
    if (current().name.empty()) current().is_list = true;
  }
  void value_ended() noexcept {
    if (current().name.empty()) ++current().index;
    current().name = {};
  }
  // False if the word is malformed or the offset is in it.
  [[nodiscard]] bool take_word() noexcept {
    const char* const first = from_.here();
    (void)from_.token();
    const char* const end = from_.here();
    from_.skip_space(true);
    const bool is_name = from_.peek() == '=' || from_.peek() == ':';
    if (!is_name) value_begins();
    if (from_.failed() || static_cast<std::size_t>(end - begin_) > offset_) return false;
    if (is_name) {
      current().name = without_quotes({first, static_cast<std::size_t>(end - first)});
    } else {
      value_ended();
    }
    return true;
  }

  cursor from_;
  std::size_t offset_;
  const char* begin_;
  std::size_t depth_ = 0;
  open_block blocks_[open_max];
};

}  // namespace

std::string_view member_path(std::string_view text, std::uint64_t offset,
                             std::span<char> room) noexcept {
  scan found(text, static_cast<std::size_t>(std::min<std::uint64_t>(offset, text.size())));
  found.run();
  return found.path(room);
}

}  // namespace overture::text
