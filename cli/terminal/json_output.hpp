// SPDX-License-Identifier: Zlib
//
// JSON in the form that all commands write. Behind a small class, because few sources should wait
// for the library that writes it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace overture::cli {

struct json_member;

// A value. Objects are written as lists of members, and keep their order:
//
//   json row = {{"path", file.path}, {"bytes", file.bytes}};
//   row.set("seconds", 0.5);
class json {
 public:
  // NOLINTBEGIN(google-explicit-constructor): what is written in a list of members is a value
  json(std::nullptr_t = nullptr);
  json(bool value);
  json(double value);
  json(std::unsigned_integral auto value) : json(tag{}, std::uint64_t{value}) {}
  json(std::signed_integral auto value) : json(tag{}, std::int64_t{value}) {}
  json(const char* value);
  json(std::string_view value);
  json(const std::string& value) : json(std::string_view(value)) {}
  // A template, so that no list in braces is taken for one of strings.
  template <std::same_as<std::vector<std::string>> Strings>
  json(const Strings& values) : json(array()) {
    for (const std::string& each : values) push_back(each);
  }
  json(std::initializer_list<json_member> members);
  // NOLINTEND(google-explicit-constructor)
  json(const json& other);
  json(json&& other) noexcept;
  json& operator=(json other) noexcept;
  ~json();

  [[nodiscard]] static json object();
  [[nodiscard]] static json array();

  // Of an object and an array.
  void set(std::string_view name, json value);
  void push_back(json value);

 private:
  friend std::string json_text(const json& object);
  struct node;
  struct tag {};
  json(tag, std::uint64_t value);
  json(tag, std::int64_t value);

  std::unique_ptr<node> node_;
};

struct json_member {
  std::string_view name;
  json value;
};

// Indented ASCII that ends with a newline. Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_text(const json& object);

}  // namespace overture::cli
