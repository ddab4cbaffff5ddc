// SPDX-License-Identifier: Zlib
#include "games/game_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/temp_folder.hpp"

namespace overture::cli::game_program_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using words = std::vector<std::string>;

TEST(game_program, libraries_are_read_from_what_the_loader_lists) {
  const char* const text =
      "\tlinux-vdso.so.1 (0x00007fff)\n"
      "\tlibphysfs.so.1 => /usr/lib/libphysfs.so.1 (0x00007f01)\n"
      "\tlibodd.so => /opt/a folder/libodd.so (0x00007f02)\n"
      "\tlibmissing.so.3 => not found\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f03)";
  EXPECT_THAT(listed_libraries(text),
              ElementsAre("/usr/lib/libphysfs.so.1", "/opt/a folder/libodd.so"));
  EXPECT_THAT(listed_libraries(""), ElementsAre());
  EXPECT_THAT(listed_libraries("a => (0x1)\n => /b\n"), ElementsAre());
}

TEST(game_program, a_game_is_preloaded_only_where_it_finds_another_library_first) {
  const temp_folder ours;
  const temp_folder other;
  ours.write("libphysfs.so.1", "");
  other.write("libphysfs.so.1", "");
  const auto preloads = [&](const std::string& library) {
    const game_plan plan =
        plan_for({.kind = game_kind::linked, .library = library}, "/game", ours.path());
    EXPECT_TRUE(plan.can_run);
    EXPECT_EQ(plan.note, "");
    return plan.preload;
  };
  EXPECT_FALSE(preloads(ours / "libphysfs.so.1"));
  EXPECT_TRUE(preloads(other / "libphysfs.so.1"));
  EXPECT_TRUE(preloads(other / "gone"));
}

TEST(game_program, what_cannot_have_the_library_is_not_run_and_told_why) {
  const auto plan = [](game_kind kind) {
    return plan_for({.kind = kind, .inside = "/usr/lib/libengine.so"}, "/usr/games/game", "/lib");
  };
  for (const game_kind kind : {game_kind::contains, game_kind::privileged, game_kind::other_kind}) {
    EXPECT_FALSE(plan(kind).can_run);
  }
  EXPECT_THAT(plan(game_kind::contains).note,
              HasSubstr("libengine.so has PhysicsFS linked into it"));
  EXPECT_THAT(plan(game_kind::privileged).note, HasSubstr("more rights"));
  EXPECT_THAT(plan(game_kind::other_kind).note, HasSubstr("of 32 bits"));
  EXPECT_TRUE(plan(game_kind::script).can_run);
  EXPECT_EQ(plan(game_kind::script).note, "");
  EXPECT_TRUE(plan(game_kind::unlinked).can_run);
  EXPECT_THAT(plan(game_kind::unlinked).note, HasSubstr("not linked to libphysfs.so.1"));
}

TEST(game_program, its_kind_is_read_from_the_file) {
  const temp_folder box;
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string head(64, '\0');
  self.read(head.data(), 64);

  std::ifstream shell("/bin/sh", std::ios::binary);
  std::string program(std::istreambuf_iterator<char>(shell), {});
  program.replace(18, 2, head, 18, 2);  // for this processor, also where it is emulated
  box.write("shell", program);
  EXPECT_EQ(look_at_game(box / "shell", box.path()).kind, game_kind::unlinked);
  box.write("script", "#!/bin/sh\n");
  box.write("empty", "");
  box.write("cut",
            "\x7f"
            "ELF");
  EXPECT_EQ(look_at_game(box / "script", box.path()).kind, game_kind::script);
  EXPECT_EQ(look_at_game(box / "empty", box.path()).kind, game_kind::script);
  EXPECT_EQ(look_at_game(box / "cut", box.path()).kind, game_kind::script);
  EXPECT_EQ(look_at_game(box / "missing", box.path()).kind, game_kind::script);

  head[4] = 1;  // 32 bits
  box.write("old", head);
  EXPECT_EQ(look_at_game(box / "old", box.path()).kind, game_kind::other_kind);
}

TEST(game_program, that_contains_physicsfs_is_known_wherever_its_texts_are) {
  const temp_folder box;
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string head(64, '\0');
  self.read(head.data(), 64);
  head[56] = head[57] = 0;  // no segments, so that it has no loader
  const std::string texts = "write directory is not set\0tried to modify a file the OS needs\0";
  // Also across the pieces in which the file is read.
  for (const std::size_t at : {std::size_t{0}, (std::size_t{1} << 20) - 90}) {
    box.write("game", head + std::string(at, 'x') + texts + "write directory is not set" +
                          "tried to modify a file the OS needs" +
                          "filename is illegal or insecure");
    const game_look look = look_at_game(box / "game", box.path());
    EXPECT_EQ(look.kind, game_kind::contains) << at;
    EXPECT_EQ(look.inside, box / "game");
  }
  box.write("game", head + "filename is illegal or insecure, write directory is not set");
  EXPECT_EQ(look_at_game(box / "game", box.path()).kind, game_kind::unlinked);
}

TEST(game_program, the_words_of_the_game_begin_after_two_dashes_or_at_its_name) {
  const auto split = [](words all, std::size_t own) {
    const words game = split_off_game(all, own, {"--json"});
    return std::pair(all, game);
  };
  EXPECT_EQ(split({"--report", "--", "game", "--", "-x"}, 0),
            std::pair(words{"--report"}, words{"game", "--", "-x"}));
  EXPECT_EQ(split({"--json", "f", "game", "--report"}, 0),
            std::pair(words{"--json", "f"}, words{"game", "--report"}));
  EXPECT_EQ(split({"record", "game", "-x"}, 1), std::pair(words{"record"}, words{"game", "-x"}));
  EXPECT_EQ(split({"--json"}, 0), std::pair(words{"--json"}, words{}));
  EXPECT_EQ(split({"record", "--"}, 1), std::pair(words{"record"}, words{}));
  EXPECT_EQ(split({}, 1), std::pair(words{}, words{}));
}

}  // namespace
}  // namespace overture::cli::game_program_test
