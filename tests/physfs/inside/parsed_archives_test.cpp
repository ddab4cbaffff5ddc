// SPDX-License-Identifier: Zlib
#include "search/parsed_archives.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

int alive = 0;

class some_archive final : public physfs::storage {
 public:
  some_archive() { ++alive; }
  ~some_archive() override { --alive; }
  bool stat(std::string_view, PHYSFS_Stat&) noexcept override { return false; }
  physfs::content* open(std::string_view) noexcept override { return nullptr; }
  bool list(std::string_view, physfs::text_list&) noexcept override { return true; }
};

constexpr std::int64_t now_ns = 1'600'000'000'000'000'000;

overture::file_status old_file() {
  overture::file_status status;
  status.kind = overture::file_kind::file;
  status.size = 1000;
  status.mtime_ns = status.ctime_ns = 1'500'000'000'000'000'000;
  status.volume = 1;
  status.number = 7;
  return status;
}

class parsed_archives : public testing::Test {
 protected:
  void TearDown() override {
    physfs::end_kept_archives();
    EXPECT_EQ(alive, 0);
  }
  static physfs::storage* keep(const char* path, const overture::file_status& status,
                               std::uint64_t bytes = 100, std::int64_t opened_ns = now_ns) {
    auto* const made = physfs::make<some_archive>();
    physfs::keep_archive(made, path, status, opened_ns, bytes);
    return made;
  }
};

TEST_F(parsed_archives, the_same_file_gets_its_archive_back_once) {
  physfs::storage* const kept = keep("a.zip", old_file());
  EXPECT_EQ(physfs::take_kept_archive("b.zip", old_file()), nullptr);
  EXPECT_EQ(physfs::take_kept_archive("a.zip", old_file()), kept);
  EXPECT_EQ(physfs::take_kept_archive("a.zip", old_file()), nullptr);
  physfs::destroy(kept);
}

TEST_F(parsed_archives, a_file_that_differs_in_anything_is_parsed_anew) {
  using change = void (*)(overture::file_status&);
  const change changes[] = {[](overture::file_status& now) { ++now.size; },
                            [](overture::file_status& now) { ++now.mtime_ns; },
                            [](overture::file_status& now) { ++now.ctime_ns; },
                            [](overture::file_status& now) { ++now.volume; },
                            [](overture::file_status& now) { ++now.number; }};
  for (const change each : changes) {
    keep("a.zip", old_file());
    overture::file_status now = old_file();
    each(now);
    EXPECT_EQ(physfs::take_kept_archive("a.zip", now), nullptr);
    EXPECT_EQ(alive, 0) << "the stale one is gone";
  }
}

TEST_F(parsed_archives, a_file_that_had_changed_just_before_it_was_mounted_is_not_kept) {
  const std::int64_t changed = old_file().ctime_ns;
  keep("a.zip", old_file(), 100, changed + 1'000'000'000);
  EXPECT_EQ(alive, 0) << "it may have changed again after it was read";
  keep("a.zip", old_file(), 100, changed - 1'000'000'000);
  EXPECT_EQ(alive, 0) << "its time is in the future";
  keep("a.zip", old_file(), 100, changed + 2'000'000'000);
  EXPECT_EQ(alive, 1);
}

TEST_F(parsed_archives, a_file_without_a_number_is_not_recognised) {
  overture::file_status status = old_file();
  status.number = 0;
  keep("a.zip", status);
  EXPECT_EQ(physfs::take_kept_archive("a.zip", status), nullptr);
}

TEST_F(parsed_archives, their_memory_and_number_are_bounded) {
  keep("huge.zip", old_file(), physfs::kept_archive_bytes_max + 1);
  EXPECT_EQ(alive, 0);
  keep("first.zip", old_file(), physfs::kept_archive_bytes_max - 50);
  keep("second.zip", old_file(), 100);
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(physfs::take_kept_archive("first.zip", old_file()), nullptr);
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(std::to_string(i) + ".zip");
  for (const std::string& each : names) keep(each.c_str(), old_file(), 1);
  EXPECT_EQ(alive, static_cast<int>(physfs::kept_archives_max));
}

}  // namespace
