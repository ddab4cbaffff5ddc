// SPDX-License-Identifier: Zlib
//
// Text: from one encoding to another, and compared without regard to case.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "api/long_folds.hpp"
#include "errors.hpp"
#include "overture/base/case_fold.hpp"
#include "physfs.h"

namespace {

constexpr std::uint32_t unknown = '?';  // for what is no character
constexpr std::uint32_t last_character = 0x10FFFF;

bool is_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xE000;
}

// Each reader returns the next character and steps over it; 0 at the end.

std::uint32_t next(const char*& text) {
  const auto lead = static_cast<unsigned char>(*text);
  if (lead < 0x80) {
    if (lead != 0) ++text;
    return lead;
  }
  std::size_t room = 1;  // not beyond the NUL
  while (room < 4 && text[room] != '\0') ++room;
  const std::size_t length = overture::detail::utf8_length({text, room});
  if (length == 0) {
    ++text;
    return unknown;
  }
  std::uint32_t character = lead & 0x7Fu >> length;
  for (std::size_t i = 1; i < length; ++i) {
    character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text += length;
  return character;
}

std::uint32_t next(const PHYSFS_uint32*& text) {
  if (*text == 0) return 0;
  const std::uint32_t character = *text++;
  return character > last_character || is_surrogate(character) ? unknown : character;
}

std::uint32_t next(const PHYSFS_uint16*& text) {
  if (*text == 0) return 0;
  const std::uint32_t first = *text++;
  if (!is_surrogate(first)) return first;
  if (first >= 0xDC00 || *text < 0xDC00 || *text >= 0xE000) return unknown;
  return 0x10000 + ((first - 0xD800) << 10) + (*text++ - 0xDC00u);
}

// Each writer returns how many units a character takes and writes them if they fit.

std::size_t put(std::uint32_t character, char* to, std::size_t room) {
  const std::size_t bytes = character < 0x80      ? 1
                            : character < 0x800   ? 2
                            : character < 0x10000 ? 3
                                                  : 4;
  if (bytes > room) return bytes;
  if (bytes == 1) {
    *to = static_cast<char>(character);
    return 1;
  }
  for (std::size_t i = bytes; i-- > 1; character >>= 6) {
    to[i] = static_cast<char>(0x80u | (character & 0x3Fu));
  }
  *to = static_cast<char>((0xF00u >> bytes & 0xFFu) | character);
  return bytes;
}

std::size_t put(std::uint32_t character, PHYSFS_uint32* to, std::size_t room) {
  if (room > 0) *to = character;
  return 1;
}

std::size_t put(std::uint32_t character, PHYSFS_uint16* to, std::size_t room) {
  const std::size_t units = character < 0x10000 ? 1 : 2;
  if (units > room) return units;
  if (units == 1) {
    *to = static_cast<PHYSFS_uint16>(character);
    return 1;
  }
  to[0] = static_cast<PHYSFS_uint16>(0xD800 + ((character - 0x10000) >> 10));
  to[1] = static_cast<PHYSFS_uint16>(0xDC00 + ((character - 0x10000) & 0x3FF));
  return 2;
}

// What is no text is an empty one, and an error.
template <class Unit>
const Unit* checked(const Unit* text) {
  static constexpr Unit empty = 0;
  if (text) return text;
  physfs::set_error(PHYSFS_ERR_INVALID_ARGUMENT);
  return &empty;
}

// Writes what fits, and a NUL. `take` returns the next character, 0 at the end.
template <class To, class Take>
void convert(To* to, PHYSFS_uint64 bytes, Take take) {
  std::size_t room = bytes / sizeof(To);
  if (!to) physfs::set_error(PHYSFS_ERR_INVALID_ARGUMENT);
  if (!to || room == 0) return;
  --room;
  while (const std::uint32_t character = take()) {
    const std::size_t units = put(character, to, room);
    if (units > room) break;
    to += units;
    room -= units;
  }
  *to = 0;
}

// The units of one text after another, folded.
template <class Unit>
class folded_text {
 public:
  explicit folded_text(const Unit* text) : text_(checked(text)) {}
  std::uint32_t take() {
    if (at_ == count_) {
      const std::uint32_t character = next(text_);
      if (character == 0) return 0;
      count_ = PHYSFS_caseFold(character, pending_);
      at_ = 0;
    }
    return pending_[at_++];
  }

 private:
  const Unit* text_;
  PHYSFS_uint32 pending_[3] = {};
  int at_ = 0;
  int count_ = 0;
};

template <class Unit>
int compare(const Unit* left, const Unit* right) {
  folded_text<Unit> lefts(left);
  folded_text<Unit> rights(right);
  for (;;) {
    const std::uint32_t one = lefts.take();
    const std::uint32_t other = rights.take();
    if (one != other) return one < other ? -1 : 1;
    if (one == 0) return 0;
  }
}

}  // namespace

void PHYSFS_utf8FromUcs4(const PHYSFS_uint32* from, char* to, PHYSFS_uint64 bytes) {
  from = checked(from);
  convert(to, bytes, [&] { return next(from); });
}

void PHYSFS_utf8ToUcs4(const char* from, PHYSFS_uint32* to, PHYSFS_uint64 bytes) {
  from = checked(from);
  convert(to, bytes, [&] { return next(from); });
}

void PHYSFS_utf8FromUcs2(const PHYSFS_uint16* from, char* to, PHYSFS_uint64 bytes) {
  from = checked(from);
  convert(to, bytes, [&]() -> std::uint32_t {
    if (*from == 0) return 0;
    const std::uint32_t unit = *from++;
    return is_surrogate(unit) ? unknown : unit;
  });
}

void PHYSFS_utf8ToUcs2(const char* from, PHYSFS_uint16* to, PHYSFS_uint64 bytes) {
  from = checked(from);
  convert(to, bytes, [&] {
    const std::uint32_t character = next(from);
    return character < 0x10000 ? character : unknown;
  });
}

void PHYSFS_utf8FromUtf16(const PHYSFS_uint16* from, char* to, PHYSFS_uint64 bytes) {
  from = checked(from);
  convert(to, bytes, [&] { return next(from); });
}

void PHYSFS_utf8ToUtf16(const char* from, PHYSFS_uint16* to, PHYSFS_uint64 bytes) {
  from = checked(from);
  convert(to, bytes, [&] { return next(from); });
}

void PHYSFS_utf8FromLatin1(const char* from, char* to, PHYSFS_uint64 bytes) {
  from = checked(from);
  convert(to, bytes, [&]() -> std::uint32_t {
    return *from == '\0' ? 0 : static_cast<unsigned char>(*from++);
  });
}

int PHYSFS_caseFold(PHYSFS_uint32 from, PHYSFS_uint32* to) {
  if (!to) return physfs::refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  if (from < 0x80) {
    *to = overture::fold_case(static_cast<char32_t>(from));
    return 1;
  }
  const auto* const found = std::lower_bound(
      std::begin(physfs::long_folds), std::end(physfs::long_folds), from,
      [](const physfs::long_fold& each, PHYSFS_uint32 wanted) { return each.from < wanted; });
  if (found == std::end(physfs::long_folds) || found->from != from) {
    *to = overture::fold_case(static_cast<char32_t>(from));
    return 1;
  }
  int count = 0;
  while (count < 3 && found->to[count] != 0) {
    to[count] = found->to[count];
    ++count;
  }
  return count;
}

int PHYSFS_utf8stricmp(const char* left, const char* right) {
  return compare(left, right);
}

int PHYSFS_utf16stricmp(const PHYSFS_uint16* left, const PHYSFS_uint16* right) {
  return compare(left, right);
}

int PHYSFS_ucs4stricmp(const PHYSFS_uint32* left, const PHYSFS_uint32* right) {
  return compare(left, right);
}
