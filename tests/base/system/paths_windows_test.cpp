// SPDX-License-Identifier: Zlib
#include "base/system/paths_windows.hpp"

#include <gtest/gtest.h>

#include <string>

namespace overture {
using namespace base_detail;

namespace {

std::wstring wide(const char* path) {
  wide_path made;
  return made.set(path) ? std::wstring(made.view()) : L"error";
}

TEST(wide_path, is_absolute_and_has_no_limit_of_260) {
  EXPECT_EQ(wide("C:/a/../b\\c.txt"), LR"(\\?\C:\b\c.txt)");
  EXPECT_EQ(wide("//server/share/\xC3\xBC"), L"\\\\?\\UNC\\server\\share\\\u00fc");
  EXPECT_EQ(wide(R"(\\?\C:\as it is. )"), LR"(\\?\C:\as it is. )");
  EXPECT_EQ(wide(R"(\\?\C:\a/b/c.txt)"), LR"(\\?\C:\a\b\c.txt)");
  EXPECT_TRUE(wide("relative").starts_with(LR"(\\?\)"));
}

TEST(wide_path, refuses_what_is_empty_too_long_or_not_utf_8) {
  EXPECT_EQ(wide(""), L"error");
  EXPECT_EQ(wide("\xFF"), L"error");
  EXPECT_EQ(wide(std::string(40'000, 'a').c_str()), L"error");
}

TEST(wide_path, knows_what_is_below_a_folder) {
  const auto below = [](const char* path, const char* folder) {
    wide_path one;
    wide_path other;
    return one.set(path) && other.set(folder) && one.is_below(other);
  };
  EXPECT_TRUE(below("C:/a/b", "C:/a"));
  EXPECT_TRUE(below("C:/a", "C:/a"));
  EXPECT_TRUE(below("C:/a", "C:/"));
  EXPECT_FALSE(below("C:/ab", "C:/a"));
  EXPECT_FALSE(below("C:/a", "C:/a/b"));
}

TEST(errno_of, codes_of_the_system_become_errors_of_the_right_kind) {
  const struct {
    DWORD code;
    errc becomes;
  } table[] = {
      {ERROR_FILE_NOT_FOUND, errc::not_found},     {ERROR_PATH_NOT_FOUND, errc::not_found},
      {ERROR_ACCESS_DENIED, errc::permission},     {ERROR_DISK_FULL, errc::no_space},
      {ERROR_FILE_EXISTS, errc::exists},           {ERROR_DIR_NOT_EMPTY, errc::exists},
      {ERROR_OUTOFMEMORY, errc::out_of_memory},    {ERROR_FILENAME_EXCED_RANGE, errc::limit},
      {ERROR_INVALID_FUNCTION, errc::unsupported}, {ERROR_NOT_SAME_DEVICE, errc::permission},
      {ERROR_SHARING_VIOLATION, errc::io},
  };
  for (const auto& each : table) {
    EXPECT_EQ(os_failure(errno_of(each.code), "").code, each.becomes) << each.code;
  }
}

}  // namespace
}  // namespace overture
