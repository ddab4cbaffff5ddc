// SPDX-License-Identifier: Zlib
#include "report/page/markup.hpp"

#include <fmt/core.h>

#include <iterator>

#include "report/words/printable.hpp"

namespace overture::report_detail {

std::string html_text(std::string_view text) {
  std::string made;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        made += "&amp;";
        break;
      case '<':
        made += "&lt;";
        break;
      case '>':
        made += "&gt;";
        break;
      case '"':
        made += "&quot;";
        break;
      case '\'':
        made += "&#39;";
        break;
      default:
        made += c;
    }
  }
  return made;
}

void varint_text::add(std::uint64_t number) {
  for (; number >= 128; number /= 128) {
    bytes_.push_back(static_cast<unsigned char>(number % 128 + 128));
  }
  bytes_.push_back(static_cast<unsigned char>(number));
}

void varint_text::add_signed(std::int64_t number) {
  add(number < 0 ? static_cast<std::uint64_t>(-(number + 1)) * 2 + 1
                 : static_cast<std::uint64_t>(number) * 2);
}

std::string varint_text::base64() const {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    const auto byte = [&](std::size_t at) { return at < bytes_.size() ? bytes_[at] : 0u; };
    const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (unsigned j = 0; j < 4; ++j) {
      text += i + j > bytes_.size() ? '=' : digits[three >> (18 - 6 * j) & 63u];
    }
  }
  return text;
}

void script_json::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

void script_json::quote(std::string_view value) {
  out_ += '"';
  for (const char c : printable(value)) {
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (c == '<' || c == '>' || c == '&') {
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

script_json& script_json::key(std::string_view name) {
  separate();
  quote(name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

script_json& script_json::begin(char bracket) {
  separate();
  out_ += bracket;
  open_ += bracket == '{' ? '}' : ']';
  needs_comma_ = false;
  return *this;
}

script_json& script_json::end() {
  out_ += open_.back();
  open_.pop_back();
  needs_comma_ = true;
  return *this;
}

script_json& script_json::number(std::uint64_t value) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

script_json& script_json::text(std::string_view value) {
  separate();
  quote(value);
  return *this;
}

script_json& script_json::numbers(const varint_text& value) {
  separate();
  out_ += '"' + value.base64() + '"';
  return *this;
}

script_json& script_json::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

}  // namespace overture::report_detail
