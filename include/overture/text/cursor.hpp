// The words of a text, one after the other: what text/read.hpp reads with.
//
// A cursor stops at its first error and remembers what was wrong and where. Nothing is copied but
// strings, whose escapes must be undone. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/error.hpp"
#include "overture/text/style.hpp"

namespace overture::text {

// Where in a text something is, from 1; columns are bytes.
struct position {
  std::size_t line = 1;
  std::size_t column = 1;
};
// Of an error of a reader: position_of(text, error.offset). Walks over the text. Any thread.
[[nodiscard]] position position_of(std::string_view text, std::uint64_t offset) noexcept;

namespace detail {

class cursor {
 public:
  explicit cursor(std::string_view text) noexcept
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }
  [[nodiscard]] char peek() const noexcept { return at_ != end_ ? *at_ : '\0'; }
  void advance() noexcept { ++at_; }
  [[nodiscard]] std::size_t offset() const noexcept {
    return static_cast<std::size_t>(at_ - begin_);
  }

  // Over blanks and line ends; `comments`: and from '#' to the end of the line.
  void skip_space(bool comments) noexcept {
    while (at_ != end_ && (is_space(*at_) || (comments && *at_ == '#'))) {
      if (*at_ == '#') {
        skip_line();
      } else {
        ++at_;
      }
    }
  }
  // Up to the line's end, which stays.
  void skip_line() noexcept;
  [[nodiscard]] bool take(char c) noexcept {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  // What stands up to the next blank, bracket, quote, '=', ':' or ',', or in quotes if it begins
  // with one (escapes are not undone). Empty, and an error, if there is nothing.
  [[nodiscard]] std::string_view token() noexcept;
  // The same up to the next separator or line's end.
  [[nodiscard]] std::string_view cell(char separator) noexcept;
  // For what is read where it stands, and not as a word first.
  [[nodiscard]] const char* here() const noexcept { return at_; }
  [[nodiscard]] const char* end() const noexcept { return end_; }
  void move_to(const char* where) noexcept { at_ = where; }
  [[nodiscard]] static bool ends_token(char c) noexcept;
  // Undoes the escapes of a string in quotes. False, and an error, if it is longer than `room`.
  [[nodiscard]] bool string(char* out, std::size_t room, std::size_t& bytes) noexcept;
  // The most bytes that one escape stands for.
  static constexpr std::size_t escape_bytes_max = 4;
  // A word with its escapes undone, in `room`, which has escape_bytes_max bytes more than the
  // longest word that the caller knows. A longer one, or one with an escape that is none, stays as
  // it is.
  [[nodiscard]] static std::string_view unescaped(std::string_view word,
                                                  std::span<char> room) noexcept;
  // Over a word, a string, or a block with all that is in it.
  [[nodiscard]] bool skip_value() noexcept;

  // Only the first one counts. Returns false.
  bool fail(errc code, const char* reason) noexcept { return fail_at(at_, code, reason); }
  bool fail_at(const char* where, errc code, const char* reason) noexcept;
  // `word` is one that this cursor gave.
  bool fail_in(std::string_view word, errc code, const char* reason) noexcept {
    const char* const where = word.data();
    return fail_at(where, code, reason);
  }
  [[nodiscard]] bool failed() const noexcept { return problem_.reason[0] != '\0'; }
  // Its offset counts from the beginning of the text.
  [[nodiscard]] const error& problem() const noexcept { return problem_; }

 private:
  static bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  [[nodiscard]] std::string_view quoted_token() noexcept;
  [[nodiscard]] bool escape(char* out, std::size_t& bytes) noexcept;
  [[nodiscard]] bool hex_number(int digits, std::uint32_t& value) noexcept;

  const char* begin_;
  const char* at_;
  const char* end_;
  error problem_;
};

}  // namespace detail
}  // namespace overture::text
