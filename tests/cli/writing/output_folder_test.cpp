// SPDX-License-Identifier: Zlib
//
// When files get their names, and what becomes of those that have changed meanwhile.
#include "writing/output_folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "support/platform.hpp"
#include "support/temp_folder.hpp"

namespace overture::cli::output_folder_test {
namespace {

class writing_to_a_folder : public ::testing::Test {
 protected:
  int write(output_folder& to, const std::string& path, std::string_view text) {
    std::span<const std::byte> left = std::as_bytes(std::span(text.data(), text.size()));
    const auto pieces = [&] { return std::optional(std::exchange(left, {})); };
    return to.write(path, {}, pieces, state_of(path));
  }
  std::optional<file_state> state_of(const std::string& path) {
    const auto found = system_os().status((folder_ / path).c_str(), false);
    if (!found) return std::nullopt;
    return state_in(*found);
  }
  std::string read(const std::string& path) { return folder_.read(path); }

  temp_folder folder_;
};

TEST_F(writing_to_a_folder, gives_new_files_their_names_at_once_and_others_at_the_end) {
  folder_.write("old.txt", "old");
  output_folder to;
  ASSERT_EQ(to.open(folder_.name(), placing::replacing, 2), 0);
  EXPECT_EQ(write(to, "sub/new.txt", "new"), 0);
  EXPECT_EQ(write(to, "old.txt", "newer"), 0);
  EXPECT_EQ(read("sub/new.txt"), "new");
  EXPECT_EQ(read("old.txt"), "old");
  EXPECT_TRUE(to.finish().failed.empty());
  EXPECT_EQ(read("old.txt"), "newer");
}

TEST_F(writing_to_a_folder, leaves_what_has_appeared_or_changed_since_the_start) {
  folder_.write("old.txt", "old");
  const std::optional<file_state> before = state_of("old.txt");
  folder_.write("old.txt", "changed by the user");
  folder_.write("new.txt", "made by the user");
  output_folder to;
  ASSERT_EQ(to.open(folder_.name(), placing::replacing, 2), 0);
  const auto none = [] { return std::optional(std::span<const std::byte>()); };
  EXPECT_EQ(to.write("old.txt", {}, none, before), error_changed);
  EXPECT_EQ(to.write("new.txt", {}, none, std::nullopt), error_changed);
  EXPECT_TRUE(to.finish().failed.empty());
  EXPECT_EQ(read("old.txt"), "changed by the user");
  EXPECT_EQ(read("new.txt"), "made by the user");
}

TEST_F(writing_to_a_folder, takes_all_back_if_one_has_changed) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  for (const char* path : {"a.txt", "z.txt"}) folder_.write(path, "old");
  {
    output_folder to;
    ASSERT_EQ(to.open(folder_.name(), placing::at_end, 3), 0);
    EXPECT_EQ(write(to, "a.txt", "new"), 0);
    EXPECT_EQ(write(to, "b.txt", "new"), 0);
    EXPECT_EQ(write(to, "z.txt", "new"), 0);
    folder_.write("z.txt", "changed by the user");
    const output_folder::outcome done = to.finish();
    ASSERT_EQ(done.failed.size(), 1u);
    EXPECT_EQ(done.failed[0].path, "z.txt");
    EXPECT_EQ(done.failed[0].os_error, error_changed);
    EXPECT_FALSE(done.is_after_placing);
  }
  EXPECT_EQ(read("a.txt"), "old");
  EXPECT_EQ(read("z.txt"), "changed by the user");
  EXPECT_FALSE(state_of("b.txt"));
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(folder_.path())) {
    ++left;
  }
  EXPECT_EQ(left, 2u) << "no temporary files";
}

}  // namespace
}  // namespace overture::cli::output_folder_test
