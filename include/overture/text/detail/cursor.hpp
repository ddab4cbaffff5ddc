// SPDX-License-Identifier: Zlib
//
// Tokens of a text, one after the other: what the readers are made of.
//
// A cursor remembers its first error and where it was; later ones are ignored. It copies nothing
// but strings, to undo their escapes. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/limits.hpp"

namespace overture::text::detail {

class OVERTURE_API cursor {
 public:
  explicit cursor(std::string_view text) noexcept
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }
  [[nodiscard]] char peek() const noexcept { return at_ != end_ ? *at_ : '\0'; }
  void advance() noexcept { ++at_; }

  // Skips blanks and line ends, and comments ('#' to the end of the line) if `comments`.
  void skip_space(bool comments) noexcept {
    while (at_ != end_ && (is_space(*at_) || (comments && *at_ == '#'))) {
      if (*at_ == '#') {
        skip_line();
      } else {
        ++at_;
      }
    }
  }
  // Skips to the line end, but not past it.
  void skip_line() noexcept;
  [[nodiscard]] bool take(char c) noexcept {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  // The text up to the next blank, bracket, quote, '=', ':', ',' or '#'; or, if it begins with a
  // quote, the inside of the quotes with its escapes. Empty, and an error, if there is nothing.
  [[nodiscard]] std::string_view token() noexcept;
  // The same up to the next separator or line end.
  [[nodiscard]] std::string_view cell(char separator) noexcept;
  // -- for members of any size --
  // A level is an open bracket. False, and an error, if there are too many.
  [[nodiscard]] bool enter() noexcept;
  void leave() noexcept { --level_; }
  // Before an element that takes `bytes` of memory is made. False, and an error, if elements have
  // taken far more than the text read so far can need.
  [[nodiscard]] bool may_take(std::size_t bytes) noexcept {
    taken_ += bytes;
    return taken_ <= limits::text_element_bytes_always || is_in_proportion();
  }
  // The next piece of a quoted string, after its opening quote, which is at `first`: text without
  // escapes, or what one escape stands for, in `undone`. Empty at the end of the string and after
  // an error.
  static constexpr std::size_t escape_bytes_max = 4;  // the most that one escape can stand for
  [[nodiscard]] std::string_view string_piece(const char* first,
                                              char (&undone)[escape_bytes_max]) noexcept;

  // For values that are read in place, without taking a token first.
  [[nodiscard]] const char* begin() const noexcept { return begin_; }
  [[nodiscard]] const char* here() const noexcept { return at_; }
  [[nodiscard]] const char* end() const noexcept { return end_; }
  void move_to(const char* where) noexcept { at_ = where; }
  [[nodiscard]] static bool ends_token(char c) noexcept;
  // Reads a quoted string and undoes its escapes. False, and an error, if it is longer than `room`.
  [[nodiscard]] bool string(char* out, std::size_t room, std::size_t& bytes) noexcept;
  // A word with its escapes undone in `room`, which must be escape_bytes_max bytes larger than the
  // longest word that the caller knows. Longer words, and those with invalid escapes, are returned
  // unchanged.
  [[nodiscard]] static std::string_view unescaped(std::string_view word,
                                                  std::span<char> room) noexcept;
  // Skips a word, a string, or a block with all its contents.
  [[nodiscard]] bool skip_value() noexcept;

  // Records an error, unless there already is one. Returns false.
  bool fail(errc code, const char* reason) noexcept { return fail_at(at_, code, reason); }
  bool fail_at(const char* where, errc code, const char* reason) noexcept;
  // `word` must come from this cursor.
  bool fail_in(std::string_view word, errc code, const char* reason) noexcept {
    const char* const where = word.data();
    return fail_at(where, code, reason);
  }
  [[nodiscard]] bool failed() const noexcept { return problem_.reason[0] != '\0'; }
  // Its offset counts from the start of the text.
  [[nodiscard]] const error& problem() const noexcept { return problem_; }

 private:
  static bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  [[nodiscard]] std::string_view quoted_token() noexcept;
  [[nodiscard]] bool escape(char* out, std::size_t& bytes) noexcept;
  [[nodiscard]] bool hex_number(int digits, std::uint32_t& value) noexcept;
  [[nodiscard]] bool is_in_proportion() noexcept;

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t level_ = 0;
  std::size_t taken_ = 0;
  error problem_;
};

}  // namespace overture::text::detail
