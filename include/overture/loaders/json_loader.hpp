// SPDX-License-Identifier: Zlib
//
// json_loader<T>: objects of the game's own types from JSON files, by reflection.
//
//   struct weapon {
//     std::string name;
//     float damage = 1;
//     std::vector<int> upgrades;
//   };
//
// That is all that a type needs (overture/text/fields.hpp says which types can be read, and how to
// give members other names), but for a loader:
//
//   loaders::json_loader<weapon> weapons;
//   if (auto added = store.add(weapons); !added) return report(added.error());
//   asset<weapon> axe = store.get<weapon>("weapons/axe.json"_path);
//
// A file is one value: an object, or an array for a std::vector<T> or std::array<T, N>. It may have
// any white space and a byte order mark; unknown fields are skipped, and omitted ones keep what
// T{} gives them. There are no comments.
//
// Where a file is wrong, asset_store::explain() says line and column: "weapons/axe.json: line 3,
// column 12: expected a number".
//
// Cost: nothing but reading the value, which takes what its members allocate: T's own allocators
// and not the store's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/assets/loader.hpp"
#include "overture/loaders/detail/bytes_behind.hpp"
#include "overture/text/detail/cursor.hpp"
#include "overture/text/detail/read_container.hpp"
#include "overture/text/detail/read_value.hpp"
#include "overture/text/read.hpp"

namespace overture::loaders {

// Reads one value from a JSON text. `into` should be a T{}; it is undefined after an error. Errors:
// corrupt, truncated, limit, out_of_memory, with their offset in the text. A member that throws
// anything else than std::bad_alloc throws out of this. Any thread.
template <class T>
[[nodiscard]] result<void> read_json(std::string_view text, T& into) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const std::size_t skipped = text.starts_with(mark) ? mark.size() : 0;
  text::detail::cursor from(text.substr(skipped));
  from.skip_space(false);
  if (from.at_end()) {
    return fail(errc::corrupt, "the JSON file is empty", {}, text.size());
  }
  if (text::detail::parse_value<text::json, T, text::default_format>(from, into)) {
    from.skip_space(false);
    if (from.at_end()) return {};
    from.fail(errc::corrupt, "unexpected text after the JSON value");
  }
  error problem = from.problem();
  problem.offset += skipped;
  return tl::unexpected<error>(problem);
}

// Errors: those of read_json().
template <class T>
class json_loader : public loader<T> {
 public:
  result<T> decode(std::span<const std::byte> bytes, load_context& /*context*/) override {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    T made{};
    if (const result<void> read = read_json(text, made); !read) {
      return tl::unexpected<error>(read.error());
    }
    return made;
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }
  // What members allocate cannot be known beforehand; most values take about as much as their text.
  [[nodiscard]] std::uint64_t memory_needed(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept override {
    (void)path;
    return sizeof(T) + bytes.size();
  }
  // T with what its strings, vectors and maps hold, as far as they are described.
  [[nodiscard]] std::uint64_t bytes_of(const T& value) const noexcept override {
    return sizeof(T) + detail::bytes_behind(value);
  }
};

}  // namespace overture::loaders
