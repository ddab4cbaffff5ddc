// SPDX-License-Identifier: Zlib
//
// The objects that the text benchmark writes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <overture/jobs/paged.hpp>
#include <overture/text/fields.hpp>
#include <random>
#include <string>
#include <vector>

namespace bench {

namespace text = overture::text;

struct unit {
  bool enabled;
  float speed;
};
constexpr auto fields(text::of<unit> /*type*/) {
  return text::field_list(text::field("enabled", &unit::enabled, text::y_n{}),
                          text::field("speed", &unit::speed, text::fixed<2>{}));
}
using army = overture::paged<unit>;

// Values in 0..1000.
inline void fill_ordinary(army& units, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> speed(0, 1000);
  for (std::size_t i = 0; i < count; ++i) (void)units.add(random() % 2 == 0, speed(random));
}

// Random bits of floats below 1e15.
inline void fill_random_bits(army& units, std::size_t count) {
  std::mt19937_64 random(1);
  while (count > 0) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const bool ordinary = value < 1e15f && value > -1e15f;
    if (!ordinary) continue;
    (void)units.add(random() % 2 == 0, value);
    --count;
  }
}

enum class arm : std::uint8_t { foot, horse, artillery, ship };
constexpr auto names(text::of<arm> /*type*/) {
  return text::name_list(text::name("foot", arm::foot), text::name("horse", arm::horse),
                         text::name("artillery", arm::artillery), text::name("ship", arm::ship));
}

struct place {
  float x;
  float y;
};
constexpr auto fields(text::of<place> /*type*/) {
  return text::field_list(text::field("x", &place::x), text::field("y", &place::y));
}

struct soldier {
  std::uint32_t id;
  std::int32_t gold;
  bool enabled;
  arm kind;
  float speed;
  float morale;
  double experience;
  char title[16];
  place at;
  std::array<std::int16_t, 4> orders;
  std::uint64_t owner;
  std::uint8_t level;
};
template <class Owner>
constexpr auto soldier_fields(Owner owner) {
  return text::field_list(
      text::field("id", &soldier::id), text::field("gold", &soldier::gold),
      text::field("enabled", &soldier::enabled), text::field("kind", &soldier::kind),
      text::field("speed", &soldier::speed), text::field("morale", &soldier::morale),
      text::field("experience", &soldier::experience), text::field("title", &soldier::title),
      text::field("at", &soldier::at), text::field("orders", &soldier::orders),
      text::field("owner", &soldier::owner, owner), text::field("level", &soldier::level));
}
constexpr auto fields(text::of<soldier> /*type*/) {
  return soldier_fields(text::hex{});
}

// For JSON, which has no hexadecimal numbers.
struct json_soldier : soldier {};
constexpr auto fields(text::of<json_soldier> /*type*/) {
  return soldier_fields(text::default_format{});
}

// Half of the floats have up to two decimals, as designers type them; the other half use all bits.
inline void fill(overture::paged<soldier>& soldiers, std::size_t count) {
  std::mt19937_64 random(2);
  static constexpr const char* titles[] = {"Caesar", "Legio X \"Fretensis\"", "Aquila", "Varus"};
  const auto typed = [&] { return static_cast<float>(random() % 10'000) / 100; };
  const auto any = [&] { return static_cast<float>(random() >> 11) * 0x1p-43f; };
  for (std::size_t i = 0; i < count; ++i) {
    soldier each{static_cast<std::uint32_t>(i),
                 static_cast<std::int32_t>(random() % 20'000) - 10'000,
                 random() % 2 == 0,
                 static_cast<arm>(random() % 4),
                 typed(),
                 typed(),
                 static_cast<double>(random() % 1'000'000) / 1000,
                 {},
                 {any(), any()},
                 {},
                 random(),
                 static_cast<std::uint8_t>(random() % 100)};
    std::strncpy(each.title, titles[random() % 4], sizeof each.title - 1);
    for (std::int16_t& order : each.orders) order = static_cast<std::int16_t>(random() % 1000);
    (void)soldiers.add(each);
  }
}

// What a game saves: most of it in vectors, maps and strings.
struct stack {
  std::uint32_t id;
  std::int32_t count;
  float wear;
};
constexpr auto fields(text::of<stack> /*type*/) {
  return text::field_list(text::field("id", &stack::id), text::field("count", &stack::count),
                          text::field("wear", &stack::wear));
}
struct hero {
  std::string name;
  std::int32_t gold = 0;
  std::vector<stack> inventory;
  std::map<std::string, std::int32_t> quests;
  std::vector<std::uint32_t> seen;
  place at = {};
};
constexpr auto fields(text::of<hero> /*type*/) {
  return text::field_list(text::field("name", &hero::name), text::field("gold", &hero::gold),
                          text::field("inventory", &hero::inventory),
                          text::field("quests", &hero::quests), text::field("seen", &hero::seen),
                          text::field("at", &hero::at));
}

inline void fill(overture::paged<hero>& heroes, std::size_t count) {
  std::mt19937_64 random(3);
  const auto below = [&random](std::uint64_t end) {
    return static_cast<std::int32_t>(random() % end);
  };
  const auto typed = [&] { return static_cast<float>(below(10'000)) / 100; };
  for (std::size_t i = 0; i < count; ++i) {
    hero each;
    each.name = "Legate " + std::to_string(below(1000)) + " of the \"Fretensis\"";
    each.gold = below(20'000) - 10'000;
    for (std::int32_t n = below(16); n > 0; --n) {
      each.inventory.push_back({static_cast<std::uint32_t>(below(5000)), below(100), typed()});
    }
    for (std::int32_t n = below(8); n > 0; --n) {
      each.quests["quest/" + std::to_string(below(500))] = below(10);
    }
    for (std::int32_t n = below(32); n > 0; --n) {
      each.seen.push_back(static_cast<std::uint32_t>(below(1'000'000)));
    }
    each.at = {typed(), typed()};
    (void)heroes.add(std::move(each));
  }
}

}  // namespace bench
