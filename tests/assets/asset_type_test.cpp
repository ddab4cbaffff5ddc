// SPDX-License-Identifier: Zlib
//
// Types of assets, in one library and in two.
#include "overture/assets/asset_type.hpp"

#include <gtest/gtest.h>
#ifdef OVERTURE_TEST_PLUGIN
#include <dlfcn.h>
#endif

#include <memory>
#include <string>
#include <string_view>

#include "assets/plugin/shared.hpp"
#include "assets/store_rig.hpp"

namespace overture::asset_type_test {

// The plug-in has another one of this name.
struct changed {
  std::size_t bytes = 0;
};

namespace {

using namespace overture::literals;
using namespace overture::test;

struct in_no_other_library {};

struct named {
  static constexpr std::string_view asset_type_name = "a name of its own";
};

TEST(a_type_of_assets, has_the_name_that_the_compiler_spells_or_its_own) {
  EXPECT_EQ(detail::type_of<length>.name, "overture::asset_type_test::length");
  EXPECT_EQ(detail::type_of<int>.name, "int");
  EXPECT_EQ(detail::type_of<named>.name, "a name of its own");
  EXPECT_NE(detail::type_of<length>.id, detail::type_of<changed>.id);
  EXPECT_EQ(detail::type_of<length>.bytes, sizeof(length));
}

TEST(a_type_of_assets, is_shared_unless_its_name_may_mean_another_one_elsewhere) {
  struct of_this_function {};
  const auto call = [] {};
  EXPECT_NE(detail::type_of<length>.id, 0u);
  EXPECT_NE(detail::type_of<named>.id, 0u);
  EXPECT_EQ(detail::type_of<in_no_other_library>.id, 0u);
  EXPECT_EQ(detail::type_of<of_this_function>.id, 0u);
  EXPECT_EQ(detail::type_of<decltype(call)>.id, 0u);
}

TEST(a_type_of_assets, is_named_where_the_store_tells_what_it_knows) {
  store_rig rig;
  rig.add("a.txt", "four");
  rig.mount();
  bytes_loader<length> lengths;
  rigged_store store(rig);
  ASSERT_TRUE(store.add(lengths));
  const asset<length> bytes = store.get<length>("a.txt"_path);
  const asset<words> text = store.get<words>("a.txt"_path);
  const asset<named> none = store.get<named>("a.txt"_path);
  ASSERT_EQ(store.outcome(bytes), "ready");
  ASSERT_EQ(store.outcome(text), "ready");
  EXPECT_EQ(store.outcome(none), "unsupported");
  std::string types;
  ASSERT_TRUE(store.for_each_asset(
      [&](const known_asset& each) { types += std::string(each.type) + ";"; }));
  EXPECT_EQ(types, "overture::asset_type_test::length;overture::test::words;;");
}

#ifdef OVERTURE_TEST_PLUGIN

class a_plugin : public testing::Test {
 protected:
  void SetUp() override {
    void* const opened = dlopen(OVERTURE_TEST_PLUGIN, RTLD_LAZY | RTLD_LOCAL);
    ASSERT_NE(opened, nullptr) << dlerror();
    using getter = plugin_loaders (*)();
    const auto get = reinterpret_cast<getter>(dlsym(opened, "overture_test_plugin"));
    ASSERT_NE(get, nullptr);
    plugin = get();
    lengths.reset(plugin.lengths);
    others.reset(plugin.changed);
    rig.add("a.txt", "four");
    rig.mount();
  }

  store_rig rig;
  plugin_loaders plugin;
  std::unique_ptr<loader<length>> lengths;
  std::unique_ptr<detail::any_loader> others;
};

TEST_F(a_plugin, has_the_types_of_the_program) {
  const detail::any_loader& theirs = *plugin.lengths;
  ASSERT_NE(&theirs.type(), &detail::type_of<length>) << "or this tests nothing";
  bytes_loader<length> ours;
  rigged_store store(rig);
  ASSERT_TRUE(store.add(*plugin.lengths));
  const asset<length> found = store.get<length>("a.txt"_path);
  ASSERT_EQ(store.outcome(found), "ready");
  EXPECT_EQ(found->bytes, 4u);
  const result<void> again = store.add(ours);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, errc::exists);
}

TEST_F(a_plugin, that_has_another_type_of_the_same_name_is_refused) {
  bytes_loader<changed> ours;
  rigged_store store(rig);
  ASSERT_TRUE(store.add(static_cast<loader<changed>&>(*plugin.changed)));
  const result<void> added = store.add(ours);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, errc::unsupported);
  const asset<changed> found = store.get<changed>("a.txt"_path);
  ASSERT_EQ(store.outcome(found), "unsupported");
  char text[500];
  const std::size_t size = store.explain(found, text);
  EXPECT_EQ(std::string_view(text, size),
            "a.txt: two libraries have different types of this name: build them from the same "
            "source; overture::asset_type_test::changed has 16 bytes where its loader is, and 8 "
            "where it was asked for");
}

#endif

}  // namespace
}  // namespace overture::asset_type_test
