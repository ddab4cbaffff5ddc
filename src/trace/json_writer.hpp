// SPDX-License-Identifier: Zlib
//
// Writes JSON to a text_sink through a fixed buffer; allocates nothing.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/guarded_call.hpp"
#include "base/utf8.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::trace_detail {

class json_writer {
 public:
  explicit json_writer(text_sink& sink) noexcept : sink_(sink) {}

  // True once the sink has failed; it receives nothing more.
  [[nodiscard]] bool failed() const noexcept { return !outcome_.has_value(); }
  // Writes no more.
  void give_up(errc code, const char* reason) noexcept {
    if (outcome_) outcome_ = fail(code, reason);
  }

  void raw(std::string_view text) {
    while (!text.empty()) {
      if (used_ == sizeof text_) flush();
      const std::size_t room = sizeof text_ - used_;
      const std::size_t bytes = text.size() < room ? text.size() : room;
      std::memcpy(text_ + used_, text.data(), bytes);
      used_ += bytes;
      text.remove_prefix(bytes);
    }
  }

  void number(std::uint64_t value) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value);
    raw({digits, static_cast<std::size_t>(end.ptr - digits)});
  }

  // Nanoseconds as microseconds with three decimals.
  void microseconds(std::uint64_t ns) {
    number(ns / 1000);
    const auto rest = static_cast<unsigned>(ns % 1000);
    const char decimals[] = {'.', static_cast<char>('0' + rest / 100),
                             static_cast<char>('0' + rest / 10 % 10),
                             static_cast<char>('0' + rest % 10)};
    raw({decimals, sizeof decimals});
  }

  // Quoted and escaped.
  void string(std::string_view text) {
    raw("\"");
    while (!text.empty()) {
      const std::size_t plain = plain_bytes(text);
      raw(text.substr(0, plain));
      text.remove_prefix(plain);
      if (text.empty()) break;
      escape(static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
    }
    raw("\"");
  }

  // Flushes the rest; returns the first error.
  [[nodiscard]] result<void> finish() {
    flush();
    return outcome_;
  }

 private:
  // The length of the prefix of `text` that needs no escaping.
  static std::size_t plain_bytes(std::string_view text) noexcept {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
      const auto first = static_cast<unsigned char>(text[bytes]);
      if (first < 0x20 || first == '"' || first == '\\') break;
      const std::size_t character = base_detail::utf8_character_bytes(text.substr(bytes));
      if (character == 0) break;
      bytes += character;
    }
    return bytes;
  }

  void escape(unsigned char byte) {
    static constexpr char hex[] = "0123456789abcdef";
    if (byte == '"') return raw("\\\"");
    if (byte == '\\') return raw("\\\\");
    if (byte >= 0x80) return raw("\\ufffd");
    const char code[] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
    raw({code, sizeof code});
  }

  void flush() {
    if (outcome_ && used_ != 0) {
      outcome_ = base_detail::guarded_result("text_sink::write() threw an exception",
                                             [this] { return sink_.write({text_, used_}); });
    }
    used_ = 0;
  }

  text_sink& sink_;
  result<void> outcome_;
  std::size_t used_ = 0;
  char text_[8192];
};

}  // namespace overture::trace_detail
