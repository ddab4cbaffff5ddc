// SPDX-License-Identifier: Zlib
//
// Text for a page: what a file is called can be anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace overture::report_detail {

// As an element's text or an attribute's value; unprintable characters show as \x1b.
[[nodiscard]] std::string html_text(std::string_view text);

// Appends numbers as base64 of varints: seven bits a byte, lowest first.
class varint_text {
 public:
  void add(std::uint64_t number);
  void add_signed(std::int64_t number);
  [[nodiscard]] std::string base64() const;

 private:
  std::vector<unsigned char> bytes_;
};

// Writes JSON that may stand in a <script>, value by value: no '<' is in it.
class script_json {
 public:
  script_json& key(std::string_view name);
  script_json& begin(char bracket);  // '{' or '['
  script_json& end();
  script_json& number(std::uint64_t value);
  script_json& text(std::string_view value);
  script_json& numbers(const varint_text& value);  // as a string
  script_json& boolean(bool value);
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void separate();
  void quote(std::string_view value);

  std::string out_;
  std::string open_;  // the brackets that close what is open
  bool needs_comma_ = false;
};

}  // namespace overture::report_detail
