// SPDX-License-Identifier: Zlib
#include "overture/text/detail/cursor.hpp"

#include <cstring>

#include "base/limit_text.hpp"
#include "overture/base/limits.hpp"

namespace overture::text::detail {
namespace {

std::size_t write_utf8(char* out, std::uint32_t code) noexcept {
  if (code < 0x80) {
    out[0] = static_cast<char>(code);
    return 1;
  }
  const std::size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  const std::uint32_t lead = bytes == 2 ? 0xC0 : bytes == 3 ? 0xE0 : 0xF0;
  for (std::size_t i = bytes - 1; i > 0; --i, code >>= 6) {
    out[i] = static_cast<char>(0x80 | (code & 0x3F));
  }
  out[0] = static_cast<char>(lead | code);
  return bytes;
}

}  // namespace

bool cursor::ends_token(char c) noexcept {
  switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t':
    case '{':
    case '}':
    case '[':
    case ']':
    case '"':
    case '=':
    case ':':
    case ',':
    case '#':
      return true;
    default:
      return false;
  }
}

bool cursor::fail_at(const char* where, errc code, const char* reason) noexcept {
  if (!failed()) problem_ = {code, 0, reason, {}, static_cast<std::uint64_t>(where - begin_)};
  return false;
}

void cursor::skip_line() noexcept {
  if (at_ == end_) return;
  const void* const end = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
  at_ = end ? static_cast<const char*>(end) : end_;
}

std::string_view cursor::quoted_token() noexcept {
  const char* const first = ++at_;
  while (at_ != end_ && *at_ != '"' && *at_ != '\n') {
    at_ += *at_ == '\\' && end_ - at_ > 1 ? 2 : 1;
  }
  if (at_ == end_ || *at_ != '"') {
    fail_at(first - 1, errc::corrupt, "unterminated string");
    return {};
  }
  return {first, static_cast<std::size_t>(at_++ - first)};
}

std::string_view cursor::token() noexcept {
  if (peek() == '"') return quoted_token();
  const char* const first = at_;
  while (at_ != end_ && !ends_token(*at_)) ++at_;
  if (at_ == first) fail(errc::corrupt, "expected a value");
  return {first, static_cast<std::size_t>(at_ - first)};
}

std::string_view cursor::cell(char separator) noexcept {
  if (peek() == '"') return quoted_token();
  const char* const first = at_;
  while (at_ != end_ && *at_ != separator && *at_ != '\n' && *at_ != '\r') ++at_;
  if (at_ == first) fail(errc::corrupt, "expected a value");
  return {first, static_cast<std::size_t>(at_ - first)};
}

bool cursor::hex_number(int digits, std::uint32_t& value) noexcept {
  value = 0;
  for (int i = 0; i < digits; ++i) {
    const char c = peek();
    const bool digit = c >= '0' && c <= '9';
    const char lower = static_cast<char>(c | 0x20);
    if (!digit && (lower < 'a' || lower > 'f')) {
      return fail(errc::corrupt, "expected a hexadecimal digit");
    }
    value = value << 4 | static_cast<std::uint32_t>(digit ? c - '0' : lower - 'a' + 10);
    ++at_;
  }
  return true;
}

// `at_` is after the backslash. Writes up to escape_bytes_max bytes.
bool cursor::escape(char* out, std::size_t& bytes) noexcept {
  bytes = 1;
  const char kind = peek();
  if (at_ != end_) ++at_;
  std::uint32_t code = 0;
  switch (kind) {
    case 'n':
      *out = '\n';
      return true;
    case 'r':
      *out = '\r';
      return true;
    case 't':
      *out = '\t';
      return true;
    case 'b':
      *out = '\b';
      return true;
    case 'f':
      *out = '\f';
      return true;
    case '"':
    case '\\':
    case '/':
      *out = kind;
      return true;
    case 'x':
      if (!hex_number(2, code)) return false;
      *out = static_cast<char>(code);
      return true;
    case 'u':
      break;
    default:
      return fail(errc::corrupt, "unknown escape sequence");
  }
  if (!hex_number(4, code)) return false;
  if (code >= 0xDC80 && code <= 0xDCFF) {
    // A byte that is not UTF-8, as the JSON writer escapes it.
    *out = static_cast<char>(code - 0xDC00);
    return true;
  }
  if (code >= 0xD800 && code <= 0xDBFF) {
    std::uint32_t second = 0;
    if (!take('\\') || !take('u') || !hex_number(4, second) || second < 0xDC00 || second > 0xDFFF) {
      return fail(errc::corrupt, "unpaired surrogate in an escape");
    }
    code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
  } else if (code >= 0xDC00 && code <= 0xDFFF) {
    return fail(errc::corrupt, "unpaired surrogate in an escape");
  }
  bytes = write_utf8(out, code);
  return true;
}

std::string_view cursor::string_piece(const char* first,
                                      char (&undone)[escape_bytes_max]) noexcept {
  const char* const run = at_;
  while (at_ != end_ && *at_ != '"' && *at_ != '\\' && *at_ != '\n') ++at_;
  if (at_ != run) return {run, static_cast<std::size_t>(at_ - run)};
  if (at_ == end_ || *at_ == '\n') {
    fail_at(first, errc::corrupt, "unterminated string");
    return {};
  }
  std::size_t bytes = 0;
  if (*at_++ == '"' || !escape(undone, bytes)) return {};
  return {undone, bytes};
}

bool cursor::string(char* out, std::size_t room, std::size_t& bytes) noexcept {
  const char* const first = at_;
  if (!take('"')) return fail(errc::corrupt, "expected a quoted string");
  bytes = 0;
  char undone[escape_bytes_max];
  for (;;) {
    const std::string_view piece = string_piece(first, undone);
    if (piece.empty()) return !failed();
    if (piece.size() > room - bytes) {
      return fail_at(first, errc::limit, "string too long for its field");
    }
    std::memcpy(out + bytes, piece.data(), piece.size());
    bytes += piece.size();
  }
}

bool cursor::enter() noexcept {
  if (level_ == limits::text_depth_max) return fail(errc::limit, limit_text::text_depth);
  ++level_;
  return true;
}

bool cursor::is_in_proportion() noexcept {
  const auto text_bytes = static_cast<std::size_t>(at_ - begin_);
  if (taken_ / limits::text_element_bytes_ratio_max <= text_bytes) return true;
  return fail(errc::limit, limit_text::text_elements);
}

std::string_view cursor::unescaped(std::string_view word, std::span<char> room) noexcept {
  if (word.find('\\') == std::string_view::npos) return word;
  cursor from(word);
  std::size_t bytes = 0;
  while (!from.at_end()) {
    if (bytes + escape_bytes_max > room.size()) return word;
    char* const out = &room[bytes];
    std::size_t count = 1;
    if (from.take('\\')) {
      if (!from.escape(out, count)) return word;
    } else {
      *out = *from.at_++;
    }
    bytes += count;
  }
  return {room.data(), bytes};
}

bool cursor::skip_value() noexcept {
  std::size_t depth = 0;
  std::uint64_t squares = 0;  // one bit per open bracket, the innermost lowest: set for '['
  static_assert(limits::text_depth_max <= 64);
  do {
    // Inside an unknown block punctuation is skipped without a check.
    while (depth > 0 && at_ != end_ &&
           (is_space(*at_) || *at_ == '#' || *at_ == '=' || *at_ == ':' || *at_ == ',')) {
      if (*at_ == '#') {
        skip_line();
      } else {
        ++at_;
      }
    }
    if (at_ == end_) return fail(errc::truncated, "text ends inside a block");
    if (*at_ == '{' || *at_ == '[') {
      if (++depth > limits::text_depth_max) return fail(errc::limit, limit_text::text_depth);
      squares = squares << 1 | (*at_ == '[' ? 1u : 0u);
      ++at_;
    } else if (depth > 0 && (*at_ == '}' || *at_ == ']')) {
      if ((squares & 1) != (*at_ == ']' ? 1u : 0u)) {
        return fail(errc::corrupt, "closing bracket does not match the opening one");
      }
      --depth;
      squares >>= 1;
      ++at_;
    } else {
      (void)token();
      if (failed()) return false;
    }
  } while (depth > 0);
  return true;
}

}  // namespace overture::text::detail
