// SPDX-License-Identifier: Zlib
//
// The lines around the pages of a save. docs/formats/save.md has the grammar.
//
// Each kind of line is described by one function, which takes a writer, a reader or a byte counter.
// All lines have a constant length and end with a hash of what precedes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "overture/base/hash.hpp"
#include "overture/text/save.hpp"

namespace overture::text::save_lines {

inline constexpr std::uint64_t format = 1;
inline constexpr std::size_t check_digits = 16;

struct head {
  std::uint64_t format = save_lines::format;
  std::uint64_t version = 0;  // of the host's data
  std::uint64_t sections = 0;
  std::uint64_t pages = 0;
  std::uint64_t bytes = 0;  // of the whole file
};
struct section {
  std::uint64_t number = 0;
  std::uint64_t pages = 0;
  char name[save_name_bytes_max] = {};  // padded with '.'
};
struct page {
  std::uint64_t number = 0;  // in the whole save
  std::uint64_t section = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t objects = 0;
  std::uint64_t hash = 0;  // of its text
};

template <class Line>
constexpr void describe(Line& line, head& values) {
  line.word("#overture-save ");
  line.number(values.format, 2);
  line.word(" version=");
  line.number(values.version, 8);
  line.word(" sections=");
  line.number(values.sections, 8);
  line.word(" pages=");
  line.number(values.pages, 8);
  line.word(" bytes=");
  line.number(values.bytes, 16);
}
template <class Line>
constexpr void describe(Line& line, section& values) {
  line.word("#section ");
  line.number(values.number, 8);
  line.word(" pages=");
  line.number(values.pages, 8);
  line.word(" name=");
  line.name(values.name);
}
template <class Line>
constexpr void describe(Line& line, page& values) {
  line.word("#page ");
  line.number(values.number, 8);
  line.word(" section=");
  line.number(values.section, 8);
  line.word(" offset=");
  line.number(values.offset, 16);
  line.word(" bytes=");
  line.number(values.bytes, 16);
  line.word(" objects=");
  line.number(values.objects, 8);
  line.word(" text=");
  line.number(values.hash, 16);
}

class counter {
 public:
  constexpr void word(std::string_view text) { bytes_ += text.size(); }
  constexpr void number(std::uint64_t& /*value*/, std::size_t digits) { bytes_ += digits; }
  constexpr void name(char (& /*text*/)[save_name_bytes_max]) { bytes_ += save_name_bytes_max; }
  [[nodiscard]] constexpr std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

class writer {
 public:
  explicit writer(char* out) noexcept : at_(out) {}
  void word(std::string_view text) noexcept {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void number(std::uint64_t value, std::size_t digits) noexcept {
    for (std::size_t i = digits; i > 0; --i, value >>= 4)
      at_[i - 1] = "0123456789abcdef"[value & 15];
    at_ += digits;
  }
  void name(const char (&text)[save_name_bytes_max]) noexcept { word({text, sizeof text}); }

 private:
  char* at_;
};

class reader {
 public:
  explicit reader(const char* in) noexcept : at_(in) {}
  void word(std::string_view text) noexcept {
    ok_ = ok_ && std::memcmp(at_, text.data(), text.size()) == 0;
    at_ += text.size();
  }
  void number(std::uint64_t& value, std::size_t digits) noexcept {
    value = 0;
    for (const char* const end = at_ + digits; at_ != end; ++at_) {
      const char c = *at_;
      const bool is_digit = c >= '0' && c <= '9';
      ok_ = ok_ && (is_digit || (c >= 'a' && c <= 'f'));
      value = value << 4 | static_cast<std::uint64_t>((is_digit ? c - '0' : c - 'a' + 10) & 15);
    }
  }
  void name(char (&text)[save_name_bytes_max]) noexcept {
    std::memcpy(text, at_, sizeof text);
    at_ += sizeof text;
  }
  [[nodiscard]] bool ok() const noexcept { return ok_; }

 private:
  const char* at_;
  bool ok_ = true;
};

inline constexpr std::string_view check_prefix = " check=";

template <class Line>
constexpr std::size_t bytes_before_check() {
  counter count;
  Line line;
  describe(count, line);
  return count.bytes();
}
template <class Line>
inline constexpr std::size_t bytes_of =
    bytes_before_check<Line>() + check_prefix.size() + check_digits + 1;

template <class Line>
inline char* put(char* out, Line line) noexcept {
  constexpr std::size_t length = bytes_before_check<Line>();
  writer to(out);
  describe(to, line);
  to.word(check_prefix);
  to.number(hash64({out, length}), check_digits);
  to.word("\n");
  return out + bytes_of<Line>;
}
// `in` has bytes_of<Line> bytes. False if it is not such a line, or is damaged.
template <class Line>
inline bool get(const char* in, Line& line) noexcept {
  constexpr std::size_t length = bytes_before_check<Line>();
  reader from(in);
  describe(from, line);
  from.word(check_prefix);
  std::uint64_t check = 0;
  from.number(check, check_digits);
  from.word("\n");
  return from.ok() && check == hash64({in, length});
}

// The size of the head and the table. Does not overflow within the limits for sections and pages.
inline std::uint64_t table_bytes(const head& values) noexcept {
  return bytes_of<head> + values.sections * bytes_of<section> + values.pages * bytes_of<page>;
}

}  // namespace overture::text::save_lines
