// SPDX-License-Identifier: Zlib
//
// Glaze, if OVERTURE_PEERS has it and it supports the compiler.
#include <glaze/glaze.hpp>
#include <stdexcept>

#include "text_peers.hpp"

template <>
struct glz::meta<bench::arm> {
  using enum bench::arm;
  static constexpr auto value =
      glz::enumerate("foot", foot, "horse", horse, "artillery", artillery, "ship", ship);
};
template <>
struct glz::meta<bench::json_soldier> {
  using T = bench::json_soldier;
  static constexpr auto value =
      glz::object("id", &T::id, "gold", &T::gold, "enabled", &T::enabled, "kind", &T::kind, "speed",
                  &T::speed, "morale", &T::morale, "experience", &T::experience, "title", &T::title,
                  "at", &T::at, "orders", &T::orders, "owner", &T::owner, "level", &T::level);
};

template <>
struct glz::meta<bench::stack> {
  using T = bench::stack;
  static constexpr auto value = glz::object("id", &T::id, "count", &T::count, "wear", &T::wear);
};
template <>
struct glz::meta<bench::hero> {
  using T = bench::hero;
  static constexpr auto value =
      glz::object("name", &T::name, "gold", &T::gold, "inventory", &T::inventory, "quests",
                  &T::quests, "seen", &T::seen, "at", &T::at);
};

namespace bench {

namespace {

template <class T>
char* write_line(char* out, const T& each) {
  const auto done = glz::write_json(each, out);
  if (done) throw std::runtime_error("Glaze did not write");
  out += done.count;
  *out++ = '\n';
  return out;
}

}  // namespace

char* write_json_with_glaze(char* out, const json_soldier& each) {
  return write_line(out, each);
}
char* write_json_with_glaze(char* out, const hero& each) {
  return write_line(out, each);
}

void read_json_with_glaze(std::string_view text, overture::paged<hero>& heroes) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    hero* const made = heroes.add().value();
    if (glz::read_json(*made, text.substr(0, end))) throw std::runtime_error("Glaze did not read");
    text.remove_prefix(end + 1);
  }
}

}  // namespace bench
