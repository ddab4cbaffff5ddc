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

// An asset is its name.
overture_code decode(void* /*context*/, const char* path, const void* /*bytes*/, size_t /*count*/,
                     overture_needs* /*needs*/, void** value, const char** /*reason*/) {
  *value = const_cast<char*>(path[0] == 'a' ? "a" : "b");
  return OVERTURE_OK;
}
overture_code finalize(void* /*context*/, void* /*value*/, uint64_t /*budget_ns*/, bool* again,
                       const char** /*reason*/) {
  *again = false;
  return OVERTURE_OK;
}
void unload(void* /*context*/, void* /*value*/) {}

TEST(the_report_of_c, of_a_store_names_its_assets) {
  const temp_folder folder;
  folder.write("game/a.txt", "a");
  const std::string path = (folder.path() / "assets.html").string();
  overture_timeline* timeline = nullptr;
  ASSERT_EQ(overture_timeline_make(nullptr, &timeline, nullptr), OVERTURE_OK);
  ASSERT_EQ(overture_timeline_attach(timeline, "main", nullptr), OVERTURE_OK);
  overture_files* files = nullptr;
  ASSERT_EQ(overture_files_make(nullptr, &files, nullptr), OVERTURE_OK);
  const std::string game = (folder.path() / "game").string();
  ASSERT_EQ(overture_files_mount(files, game.c_str(), nullptr, nullptr, nullptr), OVERTURE_OK);
  // Only this thread records: others may not be idle yet when the page is written.
  overture_pool* pool = nullptr;
  ASSERT_EQ(overture_pool_make(nullptr, &pool, nullptr), OVERTURE_OK);
  overture_reads* reads = nullptr;
  ASSERT_EQ(overture_reads_make(files, pool, nullptr, &reads, nullptr), OVERTURE_OK);
  overture_store* store = nullptr;
  ASSERT_EQ(overture_store_make(reads, nullptr, &store, nullptr), OVERTURE_OK);
  overture_loader loader = {};
  loader.size = sizeof loader;
  loader.decode = decode;
  loader.finalize = finalize;
  loader.unload = unload;
  overture_asset_type type = 0;
  ASSERT_EQ(overture_store_add(store, &loader, &type, nullptr), OVERTURE_OK);
  for (const int32_t priority : {OVERTURE_ASSET_NORMAL, OVERTURE_ASSET_BACKGROUND}) {
    overture_asset* asset = nullptr;
    const char* const name = priority == OVERTURE_ASSET_NORMAL ? "a.txt" : "gone.txt";
    ASSERT_EQ(overture_store_get(store, type, name, priority, &asset, nullptr), OVERTURE_OK);
    (void)overture_asset_wait(asset, 3'600'000'000'000u, nullptr);
    EXPECT_EQ(overture_store_write_report(store, timeline, path.c_str(), nullptr), OVERTURE_OK);
    EXPECT_THAT(content_of(path), testing::HasSubstr("<bdi>" + std::string(name) + "</bdi>"));
    EXPECT_EQ(overture_asset_free(asset, nullptr), OVERTURE_OK);
  }
  EXPECT_EQ(overture_store_write_report(nullptr, timeline, path.c_str(), nullptr),
            OVERTURE_INVALID);
  EXPECT_EQ(overture_store_write_report(store, nullptr, path.c_str(), nullptr), OVERTURE_INVALID);
  EXPECT_EQ(overture_store_write_report(store, timeline, nullptr, nullptr), OVERTURE_INVALID);
  EXPECT_EQ(overture_store_free(store, nullptr), OVERTURE_OK);
  EXPECT_EQ(overture_reads_free(reads, nullptr), OVERTURE_OK);
  EXPECT_EQ(overture_pool_free(pool, nullptr), OVERTURE_OK);
  EXPECT_EQ(overture_files_free(files, nullptr), OVERTURE_OK);
  overture_timeline_detach(timeline, nullptr);
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
  EXPECT_THAT(error.text, testing::StartsWith("/no/such/folder/x: "));
  EXPECT_THAT(error.text, testing::HasSubstr("No such file or directory"));
  const std::string long_path = "/no/such/folder/" + std::string(400, 'x');
  EXPECT_EQ(overture_timeline_write_report(timeline, nullptr, long_path.c_str(), &error),
            OVERTURE_NOT_FOUND);
  EXPECT_THAT(error.text, testing::HasSubstr("xxx...: "));
  EXPECT_EQ(overture_timeline_write_report(timeline, nullptr, "/no/such/folder/x", nullptr),
            OVERTURE_NOT_FOUND);
  overture_timeline_free(timeline, nullptr);
}

}  // namespace
}  // namespace overture::c_report_test
