// SPDX-License-Identifier: Zlib
//
// Case folding, and trees that ignore case.
#include "overture/base/case_fold.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/failing_allocator.hpp"
#include "support/platform.hpp"
#include "vfs/game.hpp"

namespace overture::case_fold_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;

std::string folded(std::string_view text) {
  std::string room(2 * text.size() + 1, '?');
  const std::size_t length = fold_case(text, room);
  return length == folded_text_too_long ? "too long" : room.substr(0, length);
}

TEST(case_fold, follows_simple_case_folding_of_unicode) {
  EXPECT_EQ(folded("Maps/ROME.txt"), "maps/rome.txt");
  EXPECT_EQ(folded("MÜLLER ΣΊΣΥΦΟΣ ЁЖ Ǆ ǅ"), "müller σίσυφοσ ёж ǆ ǆ");
  EXPECT_EQ(folded("ς"), "σ");
  EXPECT_EQ(folded("\u212A\u017F\u1E9E"), "ks\u00DF") << "Kelvin, long s, capital sharp s";
  EXPECT_EQ(folded("\u023A"), "\u2C65") << "longer than it was";
  EXPECT_EQ(folded("\U00010400\U0001E921"), "\U00010428\U0001E943");
  EXPECT_EQ(folded("\u0130ßﬀ"), "\u0130ßﬀ") << "only full folding changes these";
  EXPECT_EQ(folded("\xFF\xC3"), "\xFF\xC3") << "no UTF-8";
}

TEST(case_fold, leaves_folded_text_unchanged) {
  for (char32_t each = 0; each < 0x110000; ++each) {
    const char32_t once = fold_case(each);
    ASSERT_EQ(fold_case(once), once) << static_cast<std::uint32_t>(each);
  }
}

TEST(case_fold, reports_when_there_is_no_room) {
  char room[4];
  EXPECT_EQ(fold_case("abcde", room), folded_text_too_long);
  EXPECT_EQ(fold_case("ab\u023A", room), folded_text_too_long);
  EXPECT_EQ(fold_case("ABCD", room), 4u);
}

TEST(case_fold, makes_paths_at_compile_time) {
  constexpr asset_path path = "Maps/MÜNCHEN.bsp"_folded_path;
  static_assert(path.text == "maps/münchen.bsp");
  static_assert(path.id == "maps/münchen.bsp"_path.id);
  static_assert(is_plainly_folded("maps/rome.txt") && !is_plainly_folded("Maps"));
}

// Archives and folders, live and frozen.
class tree_without_case : public ::testing::TestWithParam<bool> {
 protected:
  result<mount_id> mount_zip(const std::vector<std::string>& names, mount_options options = {}) {
    zip_writer zip;
    for (const std::string& name : names) zip.add({.name = name, .data = name});
    archives.push_back(zip.bytes());
    return files.mount_memory("memory.zip", std::as_bytes(std::span(archives.back())), options);
  }
  void freeze_if_asked() {
    if (GetParam()) {
      ASSERT_TRUE(files.freeze());
    }
  }
  std::string content(asset_path path) {
    const result<blob> bytes = files.read_all(path, buffers);
    if (!bytes) return to_string(bytes.error().code);
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
  }
  std::vector<std::string> walked() {
    std::vector<std::string> paths;
    EXPECT_TRUE(files.walk({}, [&](const folder_item& item) {
      paths.emplace_back(item.path);
      EXPECT_EQ(item.id.value, hash64(item.path));
      return true;
    }));
    return paths;
  }

  temp_folder folder;
  std::vector<std::string> archives = [] {
    std::vector<std::string> kept;
    kept.reserve(8);  // mounts refer to them
    return kept;
  }();
  file_system files{{.ignore_case = true}};
  buffer_pool buffers;
};

INSTANTIATE_TEST_SUITE_P(any, tree_without_case, ::testing::Bool(),
                         [](const auto& frozen) { return frozen.param ? "frozen" : "live"; });

TEST_P(tree_without_case, finds_any_spelling) {
  folder.write("Base/Maps/Rome.TXT", "rome");
  ASSERT_TRUE(files.mount((folder / "Base").c_str()));
  const result<mount_id> mod = mount_zip({"GFX/Title.png", "MÜNCHEN.bsp"}, {.at = "Mods/One"});
  ASSERT_TRUE(mod);
  freeze_if_asked();
  for (const asset_path path : {"Maps/Rome.TXT"_path, "maps/rome.txt"_path, "MAPS/ROME.txt"_path,
                                "Maps/rOmE.TxT"_folded_path}) {
    EXPECT_EQ(content(path), "rome") << path.text;
    EXPECT_TRUE(files.exists(path));
    EXPECT_EQ(files.stat(path)->bytes, 4u);
  }
  EXPECT_EQ(content("mods/ONE/gfx/title.PNG"_path), "GFX/Title.png");
  EXPECT_EQ(content("mods/one/münchen.bsp"_path), "MÜNCHEN.bsp");
  EXPECT_FALSE(files.exists("mods/one/munchen.bsp"_path));
  EXPECT_EQ(files.stat("MODS/one/GFX"_path)->kind, entry_kind::folder);
  EXPECT_THAT(walked(),
              ElementsAre("maps/rome.txt", "mods/one/gfx/title.png", "mods/one/münchen.bsp"));
  EXPECT_EQ(files.mount_of(*mod).at, "mods/one");
}

TEST_P(tree_without_case, lets_priority_decide_between_spellings_of_two_mounts) {
  const result<mount_id> base = mount_zip({"Rules.txt", "a"});
  const result<mount_id> mod = mount_zip({"RULES.TXT"});
  ASSERT_TRUE(base && mod);
  freeze_if_asked();
  EXPECT_EQ(content("rules.txt"_path), "RULES.TXT");
  mount_id found[3];
  ASSERT_EQ(files.providers("rUles.txt"_path, found), 2u);
  EXPECT_EQ(found[0], *mod);
  EXPECT_EQ(found[1], *base);
  EXPECT_EQ(files.skipped_count(), 0u);
}

TEST_P(tree_without_case, reports_names_of_one_mount_that_become_equal) {
  if (on_windows) GTEST_SKIP() << needs_other_names;
  for (const char* name : {"MAPS/rome.txt", "maps/Rome.txt", "Maps/ROME.TXT", "maps/ROMA.txt"}) {
    folder.write(name, name);
  }
  ASSERT_TRUE(files.mount(folder.path()));
  freeze_if_asked();
  EXPECT_EQ(content("maps/rome.txt"_path), "maps/Rome.txt");
  EXPECT_THAT(walked(), ElementsAre("maps/roma.txt", "maps/rome.txt")) << "the folders are one";
  ASSERT_EQ(files.skipped_count(), 2u);
  EXPECT_EQ(files.skipped(0).name, "MAPS/rome.txt");
  EXPECT_EQ(files.skipped(1).name, "Maps/ROME.TXT");
  EXPECT_STREQ(files.skipped(0).reason, "another name differs only by case");
}

TEST_P(tree_without_case, mounts_from_a_folder_of_any_spelling) {
  ASSERT_TRUE(mount_zip({"Mod-1.2/Data/A.txt", "mod-1.2/DATA/b.TXT", "MOD-1.2/data/a.TXT", "other"},
                        {.at = "X", .from = "mod-1.2/data"}));
  freeze_if_asked();
  EXPECT_THAT(walked(), ElementsAre("x/a.txt", "x/b.txt"));
  EXPECT_EQ(content("X/A.TXT"_path), "Mod-1.2/Data/A.txt");
  ASSERT_EQ(files.skipped_count(), 1u);
  EXPECT_EQ(files.skipped(0).name, "MOD-1.2/data/a.TXT");
}

TEST_P(tree_without_case, skips_names_that_folding_makes_invalid) {
  std::string long_element;
  while (long_element.size() < 250) long_element += "\u023A";
  ASSERT_TRUE(mount_zip({"\u212A:/x", long_element, "a"}));
  freeze_if_asked();
  EXPECT_THAT(walked(), ElementsAre("a"));
  EXPECT_EQ(files.skipped_count(), 1u);
  EXPECT_THAT(
      failures_of(files),
      ElementsAre(long_element + ": a name in the path is longer than " + "255 bytes, limit 0"));
}

TEST_P(tree_without_case, has_no_path_that_grows_beyond_the_limit) {
  std::string longest;
  while (longest.size() + 161 <= limits::path_bytes_max) {
    if (!longest.empty()) longest += '/';
    for (int i = 0; i < 80; ++i) longest += "\u023A";  // 160 bytes, and 240 folded
  }
  ASSERT_TRUE(mount_zip({longest, "a"}));
  freeze_if_asked();
  EXPECT_THAT(walked(), ElementsAre("a"));
  ASSERT_EQ(files.failure_count(), 1u);
  EXPECT_EQ(files.failure(0).path, longest);
  EXPECT_FALSE(files.exists({longest, {hash64(longest)}}));
  file_system other({.ignore_case = true});
  EXPECT_EQ(other.mount(folder.path(), {.at = longest}).error().code, errc::bad_path);
}

TEST(tree_without_case, survives_every_refused_allocation) {
  zip_writer zip;
  for (const char* name : {"A/B", "a/b", "C", "c", "D"}) zip.add({.name = name, .data = name});
  const std::string archive = zip.bytes();
  for (std::size_t allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 1000u);
    failing_allocator memory(allowed);
    file_system files({.memory = &memory, .ignore_case = true});
    const result<mount_id> mounted =
        files.mount_memory("memory.zip", std::as_bytes(std::span(archive)));
    if (mounted) break;
    EXPECT_EQ(mounted.error().code, errc::out_of_memory);
  }
}

}  // namespace
}  // namespace overture::case_fold_test
