// SPDX-License-Identifier: Zlib
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "overture/report/timeline_report.h"
#include "support/temp_folder.hpp"

namespace overture::c_report_test {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(the_report_of_c, is_a_file_that_replaces_the_one_before) {
  const temp_folder folder;
  const std::string path = (folder.path() / "load.html").string();
  std::ofstream(path) << "the page before";
  overture_timeline* timeline = nullptr;
  ASSERT_EQ(overture_timeline_make(nullptr, &timeline, nullptr), OVERTURE_OK);
  ASSERT_EQ(overture_timeline_attach(timeline, "main", nullptr), OVERTURE_OK);
  overture_zone zone = overture_zone_begin("build a level");
  overture_zone_end(&zone);
  overture_timeline_detach(timeline, nullptr);
  overture_error error = {};
  error.size = sizeof error;
  EXPECT_EQ(overture_timeline_write_report(timeline, nullptr, path.c_str(), &error), OVERTURE_OK);
  EXPECT_THAT(content_of(path), testing::HasSubstr("build a level"));
  overture_timeline_free(timeline, nullptr);
}

TEST(the_report_of_c, says_why_there_is_none) {
  overture_error error = {};
  error.size = sizeof error;
  EXPECT_EQ(overture_timeline_write_report(nullptr, nullptr, "x", &error), OVERTURE_INVALID);
  EXPECT_STREQ(error.text, "the timeline is NULL");
  overture_timeline* timeline = nullptr;
  ASSERT_EQ(overture_timeline_make(nullptr, &timeline, nullptr), OVERTURE_OK);
  EXPECT_EQ(overture_timeline_write_report(timeline, nullptr, nullptr, &error), OVERTURE_INVALID);
  EXPECT_EQ(overture_timeline_write_report(timeline, nullptr, "/no/such/folder/x", &error),
            OVERTURE_NOT_FOUND);
  EXPECT_EQ(error.code, OVERTURE_NOT_FOUND);
  EXPECT_NE(error.os_error, 0);
  EXPECT_EQ(overture_timeline_write_report(timeline, nullptr, "/no/such/folder/x", nullptr),
            OVERTURE_NOT_FOUND);
  overture_timeline_free(timeline, nullptr);
}

}  // namespace
}  // namespace overture::c_report_test
