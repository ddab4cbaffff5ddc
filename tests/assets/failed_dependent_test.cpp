// SPDX-License-Identifier: Zlib
//
// asset_store: loaders that fail with the values that they need, and may not with others.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "assets/stage_rig.hpp"
#include "overture/assets/part_loader.hpp"

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
  template <class T>
  [[nodiscard]] bool fails(const asset<T>& one) {
    return store->wait_for(one, hang) && one.state() == asset_state::failed;
  }

  copied_loader copies;
  part_of_prefix parts;
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

TEST(a_failed_dependent, is_loaded_again_once_another_loads_what_it_needed) {
  dependents of(1);
  of.rig.add("0", "short");
  asset_store& store = of.begin({.keep_bytes = 0});
  const asset<copied> copy = store.get<copied>("path"_path);
  ASSERT_TRUE(of.fails(copy));
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 1; }));
  of.rig.add("0", content);
  const asset<prefix> other = store.get<prefix>("0"_path);
  ASSERT_TRUE(pump_until(store, [&] { return copy.is_ready(); }));
  EXPECT_EQ(of.copies.happened.count("decode"), 2u);
  EXPECT_EQ(of.prefixes.happened.count("0 16"), 1u);
}

TEST(a_failed_dependent, that_is_tried_again_loads_once) {
  dependents of(1);
  of.rig.add("0", "short");
  asset_store& store = of.begin({.keep_bytes = 0});
  const asset<copied> copy = store.get<copied>("path"_path);
  ASSERT_TRUE(of.fails(copy));
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 1; }));
  of.rig.add("0", content);
  store.retry(copy);
  ASSERT_TRUE(pump_until(store, [&] { return copy.is_ready(); }));
  of.settle();
  EXPECT_EQ(of.copies.happened.count("decode"), 2u);
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
  EXPECT_EQ(store.progress().asked, 2u) << "what it needed is let go of";
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

TEST(a_failed_dependent, keeps_what_it_needs_until_the_last_stage) {
  for (const unsigned workers : {0u, 1u}) {
    for (const bool has_all : {true, false}) {
      dependents of(workers);
      of.prefixes.stages = {4, 8};
      of.copies.least = has_all ? content.size() : content.size() + 1;
      asset_store& store = of.begin({.keep_bytes = 0});
      const asset<copied> copy = store.get<copied>("path"_path);
      const asset_state end = has_all ? asset_state::ready : asset_state::failed;
      ASSERT_TRUE(pump_until(store, [&] {
        return of.copies.happened.count("decode") == 3 && copy.state() == end;
      })) << "once for each stage";
      of.settle();
      EXPECT_EQ(copy.state(), end);
      EXPECT_EQ(store.progress().asked, has_all ? 2u : 1u);
      EXPECT_EQ(store.progress().kept, 0u);
    }
  }
}

TEST(a_failed_dependent, lets_go_of_what_it_needs_if_the_last_stage_fails) {
  dependents of(1);
  of.prefixes.stages = {4};
  of.prefixes.fails_at = content.size();
  asset_store& store = of.begin({.keep_bytes = 0});
  const asset<copied> copy = store.get<copied>("path"_path);
  ASSERT_TRUE(pump_until(store, [&] { return of.prefixes.happened.count("0 16") == 1; }));
  EXPECT_TRUE(pump_until(store, [&] { return store.progress().asked == 1; }));
  EXPECT_TRUE(of.fails(copy));
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
    EXPECT_EQ(one.held_by, asset_holder::store);
    EXPECT_EQ(one.handles, 0u);
  }));
  EXPECT_TRUE(found);
  copy = {};
  EXPECT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
  EXPECT_EQ(store.progress().held_bytes, 0u);
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
