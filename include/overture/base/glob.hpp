// Glob patterns for paths, as in .gitignore: `*` and `?` match within one element, `**` across
// elements; every other character matches itself.
#pragma once

#include <string_view>

namespace overture {

// Whether the pattern matches the path; a pattern without '/' matches the last element of a path,
// wherever it is. Takes at most the product of both lengths, twice. Any thread.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view path) noexcept;

}  // namespace overture
