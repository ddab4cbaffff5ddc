// SPDX-License-Identifier: Zlib
//
// Assets that let each other load and fail in turn, of files, their parts and stages: whatever they
// need, they come to rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assets/store_rig.hpp"
#include "overture/assets/part_loader.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::endless_reload_test {
namespace {

using namespace overture::literals;
using namespace overture::test;

struct whole;
struct piece;
struct item;

// What a file names, a line each: "need item b", "maybe piece c", with "late " before that in what
// is asked for by build() or make().
struct names {
  std::string text;
  std::vector<asset<whole>> wholes;
  std::vector<asset<piece>> pieces;
  std::vector<asset<item>> items;

  void ask(asset_context& context, bool late) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (line.starts_with("late ") != late) continue;
      if (late) line.remove_prefix(5);
      if (!line.starts_with("need ") && !line.starts_with("maybe ")) continue;
      const bool must = line.starts_with("need ");
      line.remove_prefix(must ? 5 : 6);
      const std::string_view type = line.substr(0, line.find(' '));
      const std::string_view path = line.substr(type.size() + 1);
      if (type == "whole") add(wholes, context, path, must, {});
      if (type == "item") add(items, context, path, must, {});
      if (type == "piece") add(pieces, context, path, must, {.part = "x"});
    }
  }

 private:
  template <class T>
  static void add(std::vector<asset<T>>& to, asset_context& context, std::string_view path,
                  bool must, const asset_variant<T>& as) {
    to.push_back(must ? context.need<T>(path, as) : context.need_or_placeholder<T>(path, as));
  }
};
struct whole {
  names of;
};
struct piece {
  names of;
};
struct item {
  names of;
};

std::atomic<int> decodes{0};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class whole_loader final : public loader<whole> {
 public:
  std::uint64_t first_stage = 0;
  std::atomic<int> decoded{0};
  std::function<void()> before_decode;

 private:
  [[nodiscard]] std::uint64_t stage_bytes(unsigned stage) const noexcept override {
    return stage == 0 ? first_stage : 0;
  }
  result<whole> decode(std::span<const std::byte> bytes, load_context& context) override {
    if (before_decode) before_decode();
    ++decodes, ++decoded;
    whole made{{.text = text_of(bytes), .wholes = {}, .pieces = {}, .items = {}}};
    made.of.ask(context, false);
    return made;
  }
};
class piece_loader final : public part_loader<piece, whole> {
 public:
  std::atomic<int> made_count{0};

 private:
  result<piece> make(const whole& of, asset_context& context) override {
    ++made_count;
    piece made{{.text = of.of.text, .wholes = {}, .pieces = {}, .items = {}}};
    made.of.ask(context, true);
    return made;
  }
};
class item_loader final : public loader<item> {
 public:
  result<item> decode(std::span<const std::byte> bytes, load_context& context) override {
    if (before_decode) before_decode();
    ++decodes;
    item made{{.text = text_of(bytes), .wholes = {}, .pieces = {}, .items = {}}};
    if (made.of.text == "broken") return fail(errc::corrupt, "broken");
    made.of.ask(context, false);
    return made;
  }
  result<void> build(item& value, asset_context& context) override {
    value.of.ask(context, true);
    return {};
  }
  [[nodiscard]] bool builds() const noexcept override { return true; }
  [[nodiscard]] bool free_threaded() const noexcept override { return is_free; }
  [[nodiscard]] bool dependent() const noexcept override { return copies; }
  [[nodiscard]] std::uint64_t stage_bytes(unsigned stage) const noexcept override {
    return stage == 0 ? first_stage : 0;
  }
  std::uint64_t first_stage = 0;
  bool is_free = false;
  bool copies = false;
  std::function<void()> before_decode;
};

struct graph {
  explicit graph(std::vector<std::pair<std::string, std::string>> files, unsigned workers = 1)
      : rig({.workers = workers}) {
    for (const auto& [path, text] : files) rig.add(path, text);
    rig.mount();
  }
  asset_store& begin(asset_store_config config) {
    config.reload_delay = std::chrono::nanoseconds(0);
    store.emplace(rig.engine.files, rig.engine.reads, rig.engine.jobs, config);
    EXPECT_TRUE(store->add(wholes) && store->add(pieces) && store->add(items));
    return *store;
  }
  void pump(int frames) {
    for (int i = 0; i < frames; ++i) {
      store->pump(std::chrono::milliseconds(1));
      ++pumps;
      std::this_thread::yield();
    }
  }
  // Frames without time, so what can run without pump() runs in between.
  template <class Condition>
  [[nodiscard]] bool pump_until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + hang;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      while (rig.engine.jobs.try_help()) {
      }
      store->pump(std::chrono::nanoseconds(0));
      std::this_thread::yield();
    }
    return condition();
  }
  // Nothing is decoded any more, after some frames. What threads have begun may take long.
  [[nodiscard]] bool comes_to_rest() {
    const auto end = std::chrono::steady_clock::now() + hang;
    for (int tries = 0; tries < 100 && std::chrono::steady_clock::now() < end;) {
      const int before = decodes;
      pump(100);
      const bool is_loading = store->progress().waiting_bytes != 0;
      if (before != decodes) {
        ++tries;
      } else if (!is_loading) {
        return true;
      }
    }
    return false;
  }

  std::atomic<int> pumps{0};
  store_rig rig;
  whole_loader wholes;
  piece_loader pieces;
  item_loader items;
  std::optional<asset_store> store;
};

// The file of a part that has failed waits for it, and it must not wait for the file.
TEST(an_endless_reload, is_none_of_a_part_that_its_file_can_do_without) {
  for (const char* kind : {"need", "maybe"}) {
    graph of({{"c", "maybe piece c"}, {"c1", "late " + std::string(kind) + " piece c"}});
    asset_store& store = of.begin({});
    const asset<whole> c = store.get<whole>("c"_path);
    ASSERT_TRUE(store.wait_for(c, hang));
    ASSERT_TRUE(c.is_ready());
    store.reload("c");
    const asset<piece> other = store.get<piece>("c1"_path, {.part = "x"});
    EXPECT_TRUE(store.wait_for(other, hang)) << kind;
    EXPECT_TRUE(of.comes_to_rest());
    EXPECT_EQ(other.is_ready(), kind == std::string("maybe"));
  }
}

TEST(an_endless_reload, ends_where_each_lets_the_other_load_and_fail) {
  for (unsigned which = 0; which < 8; ++which) {
    const unsigned workers = which % 2;
    const std::uint64_t budget = which / 2 % 2 == 0 ? 1 : 1u << 20;
    const std::uint64_t keep = which / 4 == 0 ? 0 : 1u << 20;
    SCOPED_TRACE(testing::Message() << workers << ' ' << budget << ' ' << keep);
    graph of({{"c1", "v328\nmaybe item b"},
              {"c", "v4\nneed piece c"},
              {"b", "v825\n"},
              {"b1", "v867\n"}},
             workers);
    of.items.first_stage = 6;
    asset_store& store = of.begin({.keep_bytes = keep, .budget_bytes = budget, .files_max = 2});
    const asset<item> b = store.get<item>("b"_path);
    const asset<item> other = store.get<item>("b1"_path);
    of.rig.add("b", "v799\nlate need whole c1\n");
    of.rig.add("b1", "v805\nlate need piece c\nlate maybe piece c1\n");
    store.reload("b1");
    EXPECT_TRUE(of.comes_to_rest());
  }
}

// The circle is looked at again after each reload that succeeds, until that is given up.
TEST(an_endless_reload, of_a_circle_leaves_none_that_waits_for_a_try_that_will_not_come) {
  for (const unsigned workers : {0u, 1u}) {
    constexpr int links = 30;
    const auto name = [](int i) { return "x" + std::to_string(i); };
    const auto text = [&](int i) { return i == 0 ? "" : "need item " + name(i - 1); };
    std::vector<std::pair<std::string, std::string>> files{{"a", "maybe item b"},
                                                           {"b", "need item a"}};
    for (int i = 0; i < links; ++i) files.emplace_back(name(i), text(i));
    graph of(files, workers);
    of.items.is_free = of.items.copies = true;
    asset_store& store = of.begin({.keep_bytes = 0});
    std::vector<asset<item>> chain;
    for (int i = 0; i < links; ++i) chain.push_back(store.get<item>(name(i)));
    const asset<item> a = store.get<item>("a"_path, within(asset_priority::high, 0));
    ASSERT_TRUE(of.pump_until([&] { return a.is_ready() && chain.back().is_ready(); }));
    const asset<item> b = store.get<item>("b"_path, within(asset_priority::high, 1));
    ASSERT_EQ(b.state(), asset_state::failed);
    for (int i = 0; i < links; ++i) {
      of.rig.add(name(i), "broken");
      store.reload(name(i));
    }
    ASSERT_TRUE(of.pump_until([&] {
      return std::ranges::none_of(chain,
                                  [&](auto& each) { return bool(store.reload_status(each)); });
    }));
    for (int i = 0; i < links; ++i) of.rig.add(name(i), text(i));
    store.reload("a");
    store.reload("b");
    store.reload(name(0));
    const auto has_ended = [&] {
      return chain.back().version() == 2 && b.state() == asset_state::failed;
    };
    EXPECT_TRUE(of.pump_until(has_ended)) << to_string(b.state());
  }
}

// It is made again once, though its file, which nothing else holds, has another value meanwhile.
TEST(an_endless_reload, is_none_of_a_part_that_waits_while_its_file_gets_its_stages) {
  graph of({{"c", "late need item b\n"}, {"b", ""}}, 2);
  of.wholes.first_stage = 16;
  barricade part_waits{barricade::raised};
  of.wholes.before_decode = [&] {
    if (of.wholes.decoded == 1) part_waits.wait();  // with the second stage
  };
  std::atomic<int> items{0};
  of.items.before_decode = [&] {
    part_waits.lower();
    if (++items > 5) return;
    const int wholes = of.wholes.decoded;
    for (const int pumps = of.pumps; of.wholes.decoded == wholes && of.pumps < pumps + 1000;) {
      std::this_thread::yield();
    }
    for (const int pumps = of.pumps; of.pumps < pumps + 20;) std::this_thread::yield();
  };
  asset_store& store = of.begin({.keep_bytes = 0});
  const asset<piece> part = store.get<piece>("c"_path, {.part = "x"});
  const auto end = std::chrono::steady_clock::now() + hang;
  while (!part.is_ready() && std::chrono::steady_clock::now() < end) of.pump(1);
  EXPECT_TRUE(part.is_ready());
  EXPECT_EQ(items, 1);
  EXPECT_EQ(of.pieces.made_count, 1);
  EXPECT_TRUE(pump_until(store, [&] { return part.version() == 2; }));
  EXPECT_TRUE(of.comes_to_rest());
  EXPECT_EQ(part.version(), 2u);
}

}  // namespace
}  // namespace overture::endless_reload_test
