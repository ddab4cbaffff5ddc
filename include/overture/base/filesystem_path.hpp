// SPDX-License-Identifier: Zlib
//
// Paths of the system as std::filesystem::path, beside UTF-8 text: on Windows the two differ.
//
//   std::filesystem::path mods = user_folder / L"Spiele" / "mods";
//   files.mount(mods);                        // as files.mount("C:/Users/.../mods") in UTF-8
//
// Functions that take a path as `const char*` have an overload for it in their headers. Text is
// UTF-8 everywhere; on Windows both separators are understood, and paths may be longer than 260
// characters. The headers do not include <filesystem>.
#pragma once

#include <concepts>
#include <string>

namespace overture {

// std::filesystem::path, or what looks like it.
template <class Path>
concept filesystem_path = requires(const Path& path) {
  { path.generic_u8string() } -> std::same_as<std::u8string>;
  path.native();
};

namespace detail {

// The path as text. May throw bad_alloc.
class utf8_path {
 public:
  template <filesystem_path Path>
  explicit utf8_path(const Path& path) : text_(path.generic_u8string()) {}
  [[nodiscard]] const char* c_str() const noexcept {
    return reinterpret_cast<const char*>(text_.c_str());
  }

 private:
  std::u8string text_;
};

}  // namespace detail
}  // namespace overture
