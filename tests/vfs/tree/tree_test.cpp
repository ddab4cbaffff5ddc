// SPDX-License-Identifier: Zlib
//
// The index that freeze() builds.
#include "vfs/tree/tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/memory_file_os.hpp"
#include "support/platform.hpp"
#include "vfs/game.hpp"

namespace overture::tree_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST_F(game, later_mounts_win) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  EXPECT_THAT(load_all(files),
              ElementsAre(Pair("a.txt", "base a"), Pair("b.txt", "mod b"),
                          Pair("maps", "a file where others have a folder"),
                          Pair("maps/paris.txt", "dlc paris"), Pair("maps/rome.txt", "base rome")));
}

TEST_F(game, earlier_mounts_win_with_first_wins) {
  file_system first({.first_wins = true});
  mount_all(first);
  ASSERT_TRUE(first.freeze());
  EXPECT_EQ(load(first, "b.txt"), "base b");
  mount_id found[3];
  ASSERT_EQ(first.providers(*first.find("b.txt"_path), found), 3u);
  EXPECT_THAT(found, ElementsAre(ids[0], ids[1], ids[2]));
}

TEST_F(game, knows_which_mount_wins_and_which_loses) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  const entry_index b = *files.find("b.txt"_path);
  EXPECT_EQ(files.entry(b).path, "b.txt");
  EXPECT_EQ(files.entry(b).id, ("b.txt"_path).id);
  EXPECT_EQ(files.entry(b).mount, ids[2]);
  EXPECT_EQ(files.entry(b).hidden, 2u);
  EXPECT_EQ(files.entry(*files.find("a.txt"_path)).hidden, 0u);

  mount_id found[3];
  ASSERT_EQ(files.providers(b, found), 3u);
  EXPECT_THAT(found, ElementsAre(ids[2], ids[1], ids[0]));
  mount_id one[1];
  EXPECT_EQ(files.providers(b, one), 3u) << "there are more than fit";
  EXPECT_EQ(one[0], ids[2]);
  EXPECT_EQ(files.providers(b, {}), 3u);

  ASSERT_EQ(files.hidden_count(), 2u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(files.hidden(i).entry, b);
    EXPECT_EQ(files.hidden(i).winner, ids[2]);
    EXPECT_EQ(files.hidden(i).loser, ids[1 - i]);
  }
}

TEST_F(game, lists_entries_in_byte_order) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  for (entry_index i = 1; i < files.entry_count(); ++i) {
    EXPECT_LT(files.entry(i - 1).path, files.entry(i).path);
    EXPECT_EQ(*files.find({files.entry(i).path, files.entry(i).id}), i);
  }
}

TEST_F(game, does_not_find_a_path_by_its_id_alone) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(files.find(asset_path{"c.txt", ("b.txt"_path).id}).error().code, errc::not_found);
  EXPECT_EQ(files.find("c.txt"_path).error().code, errc::not_found);
  EXPECT_EQ(files.find(asset_path{}).error().code, errc::not_found);
  EXPECT_EQ(files.open("c.txt"_path).error().code, errc::not_found);
  EXPECT_EQ(files.open(entry_index{5}).error().code, errc::not_found);
}

TEST(tree, holds_hundreds_of_mounts) {
  temp_folder folder;
  for (int i = 0; i < 300; ++i) {
    zip_writer zip;
    zip.add({.name = "all", .data = std::to_string(i)});
    zip.add({.name = "only/" + std::to_string(i), .data = "x"});
    zip.save(folder / std::to_string(i));
  }
  file_system files;
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(files.mount((folder / std::to_string(i)).c_str()));
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(files.entry_count(), 301u);
  EXPECT_EQ(files.hidden_count(), 299u);
  EXPECT_EQ(load(files, "all"), "299");
  EXPECT_EQ(load(files, "only/7"), "x");
  EXPECT_EQ(files.providers(*files.find("all"_path), {}), 300u);
}

// --- Collisions ----------------------------------------------------------------------------------

// Two texts of 64 bytes with the same XXH64. Its first lane takes bytes 0-7 and 32-39; a change in
// the first eight can be undone by the others, because multiplication by an odd number is
// invertible.
struct colliding_paths {
  std::string one = std::string(64, 'x');
  std::string other = one;

  colliding_paths() {
    std::mt19937_64 random(1);
    const std::uint64_t start = detail::xxh_prime_1 + detail::xxh_prime_2;
    const std::uint64_t before = detail::xxh_round(start, detail::load_u64(one.data()));
    do {
      for (std::size_t i = 0; i < 8; ++i) other[i] = static_cast<char>('a' + random() % 26);
      const std::uint64_t after = detail::xxh_round(start, detail::load_u64(other.data()));
      const std::uint64_t undoing =
          detail::load_u64(one.data() + 32) + (before - after) * inverse(detail::xxh_prime_2);
      for (std::size_t i = 0; i < 8; ++i) other[32 + i] = static_cast<char>(undoing >> (8 * i));
    } while (!is_plain(other));
  }

 private:
  // Newton's method: each step doubles the number of right bits.
  static std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t inverse = odd;
    for (int step = 0; step < 6; ++step) inverse *= 2 - odd * inverse;
    return inverse;
  }
  static bool is_plain(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c > ' ' && c < '\x7F' && c != '/' && c != '\\'; });
  }
};

TEST(tree, refuses_two_paths_with_one_id_and_names_both) {
  if (on_windows) GTEST_SKIP() << needs_other_names;
  const colliding_paths paths;
  ASSERT_NE(paths.one, paths.other);
  ASSERT_EQ(hash64(paths.one), hash64(paths.other));
  temp_folder folder;
  folder.write("base/" + paths.one, "one");
  folder.write("base/a", "a");
  folder.write("mod/" + paths.other, "other");
  file_system files;
  ASSERT_TRUE(files.mount((folder / "base").c_str()));
  const result<mount_id> mod = files.mount((folder / "mod").c_str());
  ASSERT_TRUE(mod);
  const result<void> frozen = files.freeze();
  ASSERT_FALSE(frozen);
  EXPECT_EQ(frozen.error().code, errc::collision);
  EXPECT_FALSE(files.frozen());
  const std::string why = explained(files, frozen.error());
  EXPECT_THAT(why, HasSubstr(paths.one + " in " + (folder / "base")));
  EXPECT_THAT(why, HasSubstr(paths.other + " in " + (folder / "mod")));

  ASSERT_TRUE(files.unmount(*mod));
  EXPECT_NE(explained(files, frozen.error()), "") << "the names are gone, the reason stays";
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(load(files, paths.one), "one");
  EXPECT_EQ(load(files, paths.other), "error: not_found");
}

TEST(tree, compares_texts_if_ids_collide_in_one_archive) {
  const colliding_paths paths;
  zip_writer zip;
  zip.add({.name = paths.one, .data = "one"});
  zip.add({.name = paths.other, .data = "other"});
  const std::string bytes = zip.bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.zip"));
  EXPECT_EQ(files.mount_at(0).entries, 2u) << "they are no duplicates";
  EXPECT_EQ(files.freeze().error().code, errc::collision);
}

}  // namespace
}  // namespace overture::tree_test
