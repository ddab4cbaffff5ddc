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

namespace bench {

char* write_json_with_glaze(char* out, const json_soldier& each) {
  const auto done = glz::write_json(each, out);
  if (done) throw std::runtime_error("Glaze did not write");
  out += done.count;
  *out++ = '\n';
  return out;
}

}  // namespace bench
