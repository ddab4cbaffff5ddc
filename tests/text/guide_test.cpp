// SPDX-License-Identifier: Zlib
//
// Compiles and runs the save of docs/guide/text.md.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "overture/jobs/thread_pool.hpp"
#include "overture/text/save.hpp"
#include "support/temp_folder.hpp"

namespace overture::guide_test {
namespace {

#include "guide_save.inc"

TEST(the_save_of_the_guide, reads_back_what_it_wrote) {
  const temp_folder folder;
  const std::string path = folder / "ann.save";
  thread_pool jobs{{.workers = 1}};
  paged<player> all;
  (void)all.add(player{.name = "Ann",
                       .inventory = {{"rope", 2}},
                       .quests = {{"find the king", {3, {"gate"}}}},
                       .friend_of = {},
                       .weapon = sword{4}});
  (void)all.add(player{.name = "Ben",
                       .inventory = {},
                       .quests = {},
                       .friend_of = companion{"Rex", 0.5f},
                       .weapon = bow{20, {{"arrow", 12}}}});
  ASSERT_TRUE(save_game(jobs, all, path.c_str()));
  paged<player> back;
  ASSERT_EQ(load_game(jobs, back, path.c_str()).value(), 2u);
  std::string text;
  back.for_each([&text](const player& each) {
    std::string one(text::object_bytes<save_style>(each) + text::slack, '#');
    one.resize(
        static_cast<std::size_t>(text::write_object<save_style>(one.data(), each) - one.data()));
    text += one;
  });
  EXPECT_EQ(text,
            std::string(guide_text) +
                "player={ name=\"Ben\" inventory={ } quests={ } friend_of={ name=\"Rex\" "
                "trust=0.5 } weapon={ bow={ range=20 arrows={ { name=\"arrow\" count=12 } } } } "
                "}\n");
}

}  // namespace
}  // namespace overture::guide_test
