// SPDX-License-Identifier: Zlib
//
// Objects with every kind of member that a description can name.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "overture/jobs/paged.hpp"
#include "overture/text/fields.hpp"

namespace overture::sample {

struct flag {
  bool enabled = false;
  float speed = 0;

  char* write(char* out) const {
    *out++ = enabled ? '+' : '-';
    return text::write_fixed<1>(out, speed);
  }
};
constexpr auto fields(text::of<flag> /*type*/) {
  return text::field_list(text::field("enabled", &flag::enabled, text::y_n{}),
                          text::field("speed", &flag::speed, text::fixed<2>{}));
}

enum class arm : std::uint8_t { foot, horse, guns = 7 };
constexpr auto names(text::of<arm> /*type*/) {
  return text::name_list(text::name("foot", arm::foot), text::name("horse", arm::horse),
                         text::name("guns", arm::guns));
}

struct place {
  float x = 0;
  double y = 0;
  friend bool operator==(const place&, const place&) = default;
};
constexpr auto fields(text::of<place> /*type*/) {
  return text::field_list(text::field("x", &place::x), text::field("y", &place::y));
}

struct unit {
  bool enabled = false;
  std::int32_t gold = -1;
  float speed = 0;
  arm kind = arm::foot;
  char title[8] = {};
  std::string motto;
  place at;
  std::array<std::int16_t, 3> orders = {};
  std::optional<double> upkeep;
  std::uint64_t owner = 0;
  place path[2] = {};
  friend bool operator==(const unit& a, const unit& b) {
    return a.enabled == b.enabled && a.gold == b.gold && a.speed == b.speed && a.kind == b.kind &&
           std::strncmp(a.title, b.title, sizeof a.title) == 0 && a.motto == b.motto &&
           a.at == b.at && a.orders == b.orders && a.upkeep == b.upkeep && a.owner == b.owner &&
           a.path[0] == b.path[0] && a.path[1] == b.path[1];
  }
};
constexpr auto fields(text::of<unit> /*type*/) {
  return text::field_list(
      text::field("enabled", &unit::enabled), text::field("gold", &unit::gold),
      text::field("speed", &unit::speed), text::field("kind", &unit::kind),
      text::field("title", &unit::title), text::field("motto", &unit::motto, text::quoted<40>{}),
      text::field("at", &unit::at), text::field("orders", &unit::orders),
      text::field("upkeep", &unit::upkeep), text::field("owner", &unit::owner, text::hex{}),
      text::field("path", &unit::path));
}

inline unit knight() {
  unit made;
  made.enabled = true;
  made.gold = 12;
  made.speed = 1.25f;
  made.kind = arm::horse;
  std::strncpy(made.title, "Sir \"K\"", sizeof made.title);
  made.motto = "a\\b\n{}";
  made.at = {0.5f, 0.1};
  made.orders = {1, -2, 3};
  made.owner = 255;
  made.path[1] = {3, 4};
  return made;
}

inline unit random_unit(std::mt19937_64& random) {
  unit made;
  const auto any_float = [&random] {
    for (;;) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      if (value == value) return value;  // NaN equals nothing
    }
  };
  made.enabled = random() % 2 == 0;
  made.gold = static_cast<std::int32_t>(random());
  made.speed = any_float();
  made.kind = static_cast<arm>(random() % 9);  // some have no name
  for (char& c : made.title) c = static_cast<char>(random());
  made.motto.resize(random() % 41);
  for (char& c : made.motto) c = static_cast<char>(random());
  made.at = {any_float(), static_cast<double>(any_float()) / 3};
  for (std::int16_t& order : made.orders) order = static_cast<std::int16_t>(random());
  if (random() % 2 == 0) made.upkeep = static_cast<double>(random() >> 11) * 0x1p-40;
  made.owner = random();
  made.path[random() % 2] = {any_float(), 1};
  return made;
}

// Full pages, pages with holes, and empty pages.
inline paged<unit, 64> random_units(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  paged<unit, 64> units;
  std::vector<unit*> places;
  for (std::size_t i = 0; i < count; ++i) places.push_back(units.add(random_unit(random)).value());
  for (std::size_t i = 64; i < count; ++i) {
    if (i / 64 % 4 == 1 || (i / 64 % 4 == 2 && random() % 2 == 0)) units.remove(places[i]);
  }
  return units;
}

inline paged<flag> random_flags(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  paged<flag> flags;
  for (std::size_t i = 0; i < count; ++i) {
    const auto speed = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    (void)flags.add(random() % 2 == 0, random() % 3 == 0 ? speed : 12.5f);
  }
  return flags;
}

}  // namespace overture::sample
