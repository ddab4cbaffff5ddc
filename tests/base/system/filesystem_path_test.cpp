// SPDX-License-Identifier: Zlib
#include "overture/base/filesystem_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "support/temp_folder.hpp"

namespace overture::filesystem_path_test {
namespace {

static_assert(filesystem_path<std::filesystem::path>);
static_assert(!filesystem_path<std::string>);
static_assert(!filesystem_path<const char*>);

TEST(filesystem_path, is_the_utf_8_text_with_slashes) {
  const std::filesystem::path path = std::filesystem::path("mods") / u8"\u00fcber" / "a.txt";
  EXPECT_EQ(std::string_view(detail::utf8_path(path).c_str()),
            "mods/\xC3\xBC"
            "ber/a.txt");
}

TEST(filesystem_path, names_the_same_file_for_the_standard_library_and_for_the_system) {
  const temp_folder folder;
  const std::filesystem::path path = folder.path() / u8"\u00fc.txt";
  const auto write = [](os_handle file) {
    return write_fully(system_os(), file, 0, std::as_bytes(std::span("text", 4)));
  };
  ASSERT_TRUE(replace_file(system_os(), path, write));
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
}

}  // namespace
}  // namespace overture::filesystem_path_test
