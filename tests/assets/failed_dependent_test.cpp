// SPDX-License-Identifier: Zlib
//
// asset_store: loaders that fail with the values that they need, and may not with others.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "assets/stage_rig.hpp"
#include "overture/assets/part_loader.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::failed_dependent_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using namespace overture::test;

// Copies a file that its own names, which must be long enough.
struct copied {
  asset<prefix> from;
  std::string text;
};
class copied_loader final : public loader<copied> {
 public:
  result<copied> decode(std::span<const std::byte> bytes, load_context& context) override {
    happened.note("decode");
    if (before_needs) before_needs();
    const std::string_view path(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return copied{context.need<prefix>(path), {}};
  }
  result<void> build(copied& value, asset_context&) override {
    value.text = value.from->text;
    if (value.text.size() < least) return fail(errc::truncated, "too short");
    return {};
  }
  [[nodiscard]] bool builds() const noexcept override { return true; }
  [[nodiscard]] bool dependent() const noexcept override { return true; }

  std::size_t least = 10;
  std::function<void()> before_needs;
  diary happened;
};

struct part {
  std::string text;
};
class part_of_prefix final : public part_loader<part, prefix> {
 public:
  result<part> make(const prefix& whole, asset_context&) override {
    if (whole.text.size() < 10) return fail(errc::not_found, "no such part");
    return part{whole.text};
  }
};

// Does without a copy.
struct user {
  asset<copied> copy;
};
class user_loader final : public loader<user> {
 public:
  result<user> decode(std::span<const std::byte>, load_context& context) override {
    return user{context.need_or_placeholder<copied>("path"_path)};
  }
};

struct dependents : staged {
  explicit dependents(unsigned workers) : staged(workers, 2) { prefixes.stages = {}; }
  ~dependents() { store.reset(); }  // before its loaders
  asset_store& begin(const asset_store_config& config = {}) {
    asset_store& made = staged::begin(config);
    EXPECT_TRUE(made.add(copies) && made.add(parts));
    return made;
  }
  void save(std::string_view path, const std::string& text) {
    rig.add(std::string(path), text);
    store->reload(path);
  }
  [[nodiscard]] bool is_quiet() {
    const asset_progress now = store->progress();
    bool is_so = now.ready + now.failed == now.asked;
    EXPECT_TRUE(store->for_each_asset([&](const known_asset& one) { is_so &= !one.reloads; }));
    return is_so;
  }
  template <class T>
  [[nodiscard]] bool fails(const asset<T>& one) {
    return store->wait_for(one, hang) && one.state() == asset_state::failed;
  }

  copied_loader copies;
  part_of_prefix parts;
  user_loader users;
};

TEST(a_failed_dependent, is_loaded_again_once_what_it_needed_was_saved) {
  for (const unsigned workers : {0u, 1u, 2u}) {
    for (const bool holds : {false, true}) {
      dependents of(workers);
      of.rig.add("0", "short");
      asset_store& store = of.begin();
      const asset<prefix> held = holds ? store.get<prefix>("0"_path) : asset<prefix>();
      const asset<copied> copy = store.get<copied>("path"_path);
      ASSERT_TRUE(of.fails(copy));
      of.settle();
      of.save("0", content);
      ASSERT_TRUE(pump_until(store, [&] { return copy.is_ready(); })) << holds;
      EXPECT_EQ(copy->text, content);
    }
  }
}

TEST(a_failed_dependent, is_loaded_once_for_a_value_that_comes_while_it_is_tried_again) {
  dependents of(2);
  of.rig.add("0", "short");
  asset_store& store = of.begin();
  const asset<prefix> need = store.get<prefix>("0"_path);
  const asset<copied> copy = store.get<copied>("path"_path);
  ASSERT_TRUE(of.fails(copy));
  barricade gate{barricade::raised};
  of.copies.before_needs = [&] { gate.wait(); };
  store.retry(copy);
  ASSERT_TRUE(pump_until(store, [&] { return of.copies.happened.count("decode") == 2; }));
  of.save("0", content);
  ASSERT_TRUE(of.becomes(need, content));
  gate.lower();
  ASSERT_TRUE(pump_until(store, [&] { return copy.is_ready(); }));
  of.settle();
  EXPECT_EQ(of.copies.happened.count("decode"), 2u);
}

TEST(a_failed_dependent, is_loaded_again_once_what_it_did_without_has_come) {
  store_rig rig({.workers = 1});
  rig.add("list", "!late.txt");
  rig.add("late.txt", "broken");
  rig.mount();
  rig.lists.during_finalize = [](list& value) -> result<finalize_step> {
    if (!value.texts[0].is_ready()) return fail(errc::invalid, "not without it");
    return finalize_step::done;
  };
  rigged_store store(rig, {.reload_delay = 0ns});
  const asset<list> one = store.get<list>("list"_path);
  ASSERT_EQ(store.outcome(one), "invalid");
  rig.add("late.txt", "late");
  store.reload("late.txt");
  ASSERT_TRUE(pump_until(store, [&] { return one.is_ready(); }));
}

// The one in the middle is held by none but those that it made fail.
TEST(a_failed_dependent, makes_others_fail_that_are_loaded_again_with_it) {
  for (const bool asked_before : {false, true}) {
    store_rig rig({.workers = 1});
    rig.add("top", "@list");
    rig.add("list", "text.txt");
    rig.add("text.txt", "bad");
    rig.mount();
    rig.lists.during_finalize = [](list& value) -> result<finalize_step> {
      const bool is_bad = !value.texts.empty() && value.texts[0]->text == "bad";
      if (is_bad) return fail(errc::invalid, "a bad text");
      return finalize_step::done;
    };
    rigged_store store(rig, {.keep_bytes = 0, .reload_delay = 0ns});
    const asset<list> held = asked_before ? store.get<list>("list"_path) : asset<list>();
    if (held.valid()) {
      ASSERT_EQ(store.outcome(held), "invalid");
    }
    const asset<list> top = store.get<list>("top"_path);
    ASSERT_EQ(store.outcome(top), "invalid");
    for (int i = 0; i < 20; ++i) store.pump(1ms);
    rig.add("text.txt", "good");
    store.reload("text.txt");
    ASSERT_TRUE(pump_until(store, [&] { return top.is_ready(); }));
    EXPECT_EQ(top->lists[0]->texts[0]->text, "good");
  }
}

TEST(a_failed_dependent, is_not_loaded_again_for_anything_else) {
  dependents of(1);
  of.rig.add("0", "short");
  asset_store& store = of.begin({.keep_bytes = 0});
  const asset<prefix> other = store.get<prefix>("1"_path);
  const asset<copied> copy = store.get<copied>("path"_path);
  ASSERT_TRUE(of.fails(copy));
  of.save("1", "an other content");
  ASSERT_TRUE(of.becomes(other, "an other content"));
  of.settle();
  EXPECT_EQ(of.copies.happened.count("decode"), 1u);
  EXPECT_EQ(store.progress().asked, 3u) << "what it needs stays";
}

TEST(a_failed_dependent, keeps_its_old_value_until_what_its_reload_needed_was_saved) {
  dependents of(1);
  of.rig.add("1", "short");
  asset_store& store = of.begin();
  const asset<copied> copy = store.get<copied>("path"_path);
  ASSERT_TRUE(store.wait_for(copy, hang));
  of.save("path", "1");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(copy); }));
  of.settle();
  EXPECT_EQ(copy->text, content);
  of.save("1", "an other content");
  ASSERT_TRUE(pump_until(store, [&] { return copy->text == "an other content"; }));
  EXPECT_TRUE(store.reload_status(copy));
}

TEST(a_failed_dependent, is_tried_with_each_stage_of_what_it_needs) {
  for (const unsigned workers : {0u, 1u}) {
    for (const bool has_all : {true, false}) {
      dependents of(workers);
      of.prefixes.stages = {4, 8};
      of.copies.least = has_all ? content.size() : content.size() + 1;
      asset_store& store = of.begin({.keep_bytes = 0});
      const asset<copied> copy = store.get<copied>("path"_path);
      ASSERT_TRUE(pump_until(
          store, [&] { return of.prefixes.happened.count("0 16") == 1 && of.is_quiet(); }));
      EXPECT_EQ(copy.state(), has_all ? asset_state::ready : asset_state::failed);
      EXPECT_LE(of.copies.happened.count("decode"), 3u) << "once for each stage at most";
      EXPECT_EQ(store.progress().asked, 2u);
    }
  }
}

TEST(a_failed_dependent, that_is_let_go_of_holds_nothing_any_more) {
  dependents of(0);
  of.prefixes.stages = {4};
  asset_store& store = of.begin({.keep_bytes = 0});
  asset<copied> copy = store.get<copied>("path"_path);
  ASSERT_TRUE(pump_until(store, [&] { return copy.state() == asset_state::failed; }));
  bool found = false;
  EXPECT_TRUE(store.for_each_asset([&](const known_asset& one) {
    if (one.path.text != "0") return;
    found = true;
    EXPECT_EQ(one.held_by, asset_holder::asset);
    EXPECT_EQ(one.holder.text, "path");
    EXPECT_EQ(one.handles, 0u);
  }));
  EXPECT_TRUE(found);
  copy = {};
  EXPECT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
  EXPECT_EQ(store.progress().held_bytes, 0u);
}

TEST(a_failed_dependent, that_is_kept_keeps_what_its_reload_failed_with) {
  dependents of(1);
  of.rig.add("1", "short");
  asset_store& store = of.begin({.keep_bytes = 1 << 20});
  asset<copied> copy = store.get<copied>("path"_path);
  ASSERT_TRUE(store.wait_for(copy, hang));
  of.save("path", "1");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(copy); }));
  copy = {};
  EXPECT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
  EXPECT_EQ(store.progress().held_bytes, 0u);
  EXPECT_EQ(store.progress().kept, 3u);
}

TEST(a_failed_dependent, that_a_kept_asset_does_without_holds_nothing) {
  dependents of(1);
  of.rig.add("0", "short");
  asset_store& store = of.begin({.keep_bytes = 1 << 20});
  ASSERT_TRUE(store.add(of.users));
  asset<user> one = store.get<user>("1"_path);
  ASSERT_TRUE(store.wait_for(one, hang));
  ASSERT_TRUE(one.is_ready());
  EXPECT_EQ(store.progress().asked, 3u);
  one = {};
  EXPECT_TRUE(pump_until(store, [&] { return store.progress().held_bytes == 0; }));
  const asset<prefix> need = store.get<prefix>("0"_path);
  EXPECT_TRUE(need.is_ready()) << "it is kept by itself";
}

TEST(a_failed_dependent, that_fails_while_its_store_ends_keeps_nothing) {
  dependents of(0);
  of.prefixes.stages = {4};
  asset_store& store = of.begin();
  asset<copied> copy = store.get<copied>("path"_path);
  ASSERT_TRUE(pump_until(store, [&] { return copy.state() == asset_state::failed; }));
  copy = {};
  of.store.reset();
}

// Its file is read for the first of two saves, and it fails once the second one has come.
TEST(a_failed_dependent, of_its_own_file_sees_the_save_that_came_while_it_loaded) {
  for (const unsigned workers : {0u, 1u}) {
    for (const std::uint64_t keep_bytes : {0u, 1000u}) {
      dependents of(workers);
      asset_store& store = of.begin({.keep_bytes = keep_bytes});
      const asset<part> one = store.get<part>("0"_path, {.part = "one"});
      of.save("0", "short");
      store.pump(0ns);
      store.pump(0ns);
      of.save("0", "an other content");
      ASSERT_TRUE(pump_until(store, [&] { return one.is_ready(); }));
      ASSERT_TRUE(pump_until(store, [&] { return one->text == "an other content"; }));
    }
  }
}

TEST(a_failed_dependent, of_its_own_file_is_made_of_a_later_stage) {
  dependents of(1);
  of.prefixes.stages = {4, 8};
  asset_store& store = of.begin();
  const asset<part> one = store.get<part>("0"_path, {.part = "one"});
  ASSERT_TRUE(pump_until(store, [&] { return one.is_ready(); }));
  EXPECT_EQ(one->text, content);
}

}  // namespace
}  // namespace overture::failed_dependent_test
