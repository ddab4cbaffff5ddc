// SPDX-License-Identifier: Zlib
//
// An object with every kind of member whose size is known only at run time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "overture/jobs/paged.hpp"
#include "overture/text/fields.hpp"

namespace overture::sample {

enum class metal : std::uint8_t { iron, silver };
constexpr auto names(text::of<metal> /*type*/) {
  return text::name_list(text::name("iron", metal::iron), text::name("silver", metal::silver));
}

struct item {
  std::string name;
  int count = 1;
  metal of = metal::iron;
  friend bool operator==(const item&, const item&) = default;
};
struct quest {
  int stage = 0;
  std::vector<std::string> done;
  std::optional<item> reward;
  friend bool operator==(const quest&, const quest&) = default;
};
struct sword {
  int damage = 1;
  friend bool operator==(const sword&, const sword&) = default;
};
struct bow {
  float range = 0;
  std::vector<item> arrows;
  friend bool operator==(const bow&, const bow&) = default;
};
using weapon = std::variant<std::monostate, sword, bow>;
struct creature {
  std::string name;
  std::vector<creature> followers;
  friend bool operator==(const creature&, const creature&) = default;
};
// A block of fixed size, which the reader takes by its fast path.
struct spot {
  float x = 0;
  float y = 0;
  friend bool operator==(const spot&, const spot&) = default;
};

struct hero {
  std::string name;
  std::int32_t gold = 7;
  std::vector<std::int32_t> scores;
  std::vector<double> weights;
  std::vector<bool> seen;
  std::vector<metal> metals;
  std::vector<spot> path;
  std::vector<item> inventory;
  std::vector<std::vector<std::uint16_t>> rows;
  std::map<std::string, quest> quests;
  std::unordered_map<std::string, int> skills;
  std::unordered_map<std::int64_t, std::string> notes;
  std::map<metal, std::uint8_t> purse;
  std::optional<creature> companion;
  weapon hand;
  std::vector<weapon> bag;
  std::vector<std::optional<int>> wounds;
  std::array<std::vector<int>, 2> lists;
  std::map<std::string, std::variant<sword, spot>> stands;
  spot at;
  friend bool operator==(const hero&, const hero&) = default;
};

// Makes random values, all of which must come back equal.
class maker {
 public:
  explicit maker(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  std::string text() {
    std::string made(below(4) == 0 ? below(300) : below(12), ' ');
    const bool plain = below(2) == 0;
    for (char& c : made)
      c = plain ? static_cast<char>('a' + below(26)) : static_cast<char>(random_());
    return made;
  }
  float number() {
    for (;;) {
      const auto made = std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
      if (made == made) return made;  // NaN equals nothing
    }
  }
  template <class Make>
  auto some(Make make) {
    std::vector<decltype(make())> made(below(3) == 0 ? 0 : below(9));
    for (auto&& each : made) each = make();
    return made;
  }
  sample::item item() {
    return {text(), static_cast<int>(random_()), static_cast<metal>(below(3))};
  }
  sample::weapon weapon() {
    switch (below(3)) {
      case 0:
        return sword{static_cast<int>(random_())};
      case 1:
        return bow{number(), some([this] { return item(); })};
      default:
        return {};
    }
  }
  sample::quest quest() {
    sample::quest made{static_cast<int>(random_()), some([this] { return text(); }), {}};
    if (below(2) == 0) made.reward = item();
    return made;
  }
  sample::creature creature(int depth = 0) {
    sample::creature made{text(), {}};
    for (std::size_t i = below(3); depth < 4 && i > 0; --i) {
      made.followers.push_back(creature(depth + 1));
    }
    return made;
  }
  sample::hero hero() {
    sample::hero made;
    made.name = text();
    made.gold = static_cast<std::int32_t>(random_());
    made.scores = some([this] { return static_cast<std::int32_t>(random_()); });
    made.weights = some([this] { return static_cast<double>(number()) / 3; });
    made.seen = some([this] { return below(2) == 0; });
    made.metals = some([this] { return static_cast<metal>(below(4)); });
    made.path = some([this] { return spot{number(), number()}; });
    made.inventory = some([this] { return item(); });
    made.rows =
        some([this] { return some([this] { return static_cast<std::uint16_t>(random_()); }); });
    for (std::size_t i = below(5); i > 0; --i) made.quests[text()] = quest();
    for (std::size_t i = below(40); i > 0; --i) made.skills[text()] = static_cast<int>(random_());
    for (std::size_t i = below(9); i > 0; --i) {
      made.notes[static_cast<std::int64_t>(random_())] = text();
    }
    for (std::size_t i = below(4); i > 0; --i) {
      made.purse[static_cast<metal>(below(5))] = static_cast<std::uint8_t>(random_());
    }
    if (below(2) == 0) made.companion = creature();
    made.hand = weapon();
    made.bag = some([this] { return weapon(); });
    made.wounds =
        some([this] { return below(2) == 0 ? std::optional<int>() : static_cast<int>(random_()); });
    for (std::vector<int>& each : made.lists) {
      each = some([this] { return static_cast<int>(random_()); });
    }
    for (std::size_t i = below(3); i > 0; --i) made.stands[text()] = spot{number(), number()};
    for (std::size_t i = below(3); i > 0; --i) made.stands[text()] = sword{3};
    made.at = {number(), number()};
    return made;
  }

 private:
  std::mt19937_64 random_;
};

using heroes = paged<hero, 64>;
// Full pages, pages with holes, and empty ones.
inline heroes random_heroes(std::size_t count, std::uint64_t seed) {
  maker make(seed);
  heroes made;
  std::vector<hero*> places;
  for (std::size_t i = 0; i < count; ++i) places.push_back(made.add(make.hero()).value());
  for (std::size_t i = 64; i < count; ++i) {
    if (i / 64 % 4 == 1 || (i / 64 % 4 == 2 && make.below(2) == 0)) made.remove(places[i]);
  }
  return made;
}

}  // namespace overture::sample
