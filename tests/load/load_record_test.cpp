// SPDX-License-Identifier: Zlib
#include "overture/load/load_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "support/failing_allocator.hpp"
#include "support/fake_os.hpp"

namespace overture::load_record_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace test;

constexpr std::string_view first_line = "overture-load-record 1\n";

std::string text_of(const load_record& record) {
  fake_os os;
  os.add_folder("/out");
  EXPECT_TRUE(record.write("/out/a.record", os));
  return os.content("/out/a.record").value();
}

std::vector<std::string> paths_of(const load_record& record) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < record.size(); ++i) paths.emplace_back(record[i].path);
  return paths;
}

TEST(load_record, is_text_in_the_order_of_the_load) {
  load_record record;
  ASSERT_TRUE(record.add({"maps/rome.bsp", 1200, 5'000'000}));
  ASSERT_TRUE(record.add({"a b.txt", 0, 0}));
  EXPECT_EQ(text_of(record), std::string(first_line) + "1200 5000000 maps/rome.bsp\n0 0 a b.txt\n");
}

TEST(load_record, reads_what_it_writes) {
  const std::string odd = "line\nfeed/carriage\rreturn/ blank ";
  load_record record;
  ASSERT_TRUE(record.add({"maps/rome.bsp", 1200, 5'000'000}));
  ASSERT_TRUE(record.add({odd, UINT64_MAX, UINT64_MAX}));
  fake_os os;
  os.add_folder("/out");
  ASSERT_TRUE(record.write("/out/a.record", os));
  const result<load_record> read = load_record::read("/out/a.record", os);
  ASSERT_TRUE(read);
  ASSERT_THAT(paths_of(*read), ElementsAre("maps/rome.bsp", odd));
  EXPECT_EQ((*read)[0].cost_us, 1200u);
  EXPECT_EQ((*read)[0].bytes, 5'000'000u);
  EXPECT_EQ((*read)[1].cost_us, UINT64_MAX);
  EXPECT_EQ(os.open_handles(), 0u);
}

TEST(load_record, may_be_empty) {
  EXPECT_EQ(text_of(load_record()), first_line);
  const result<load_record> read = load_record::parse(first_line);
  ASSERT_TRUE(read);
  EXPECT_THAT(paths_of(*read), IsEmpty());
}

TEST(load_record, refuses_what_is_no_record) {
  for (const std::string text :
       {"", "PK\3\4", "overture-load-record", "overture-load-record 2\n1 1 a\n"}) {
    const result<load_record> read = load_record::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, errc::unsupported) << text;
  }
  EXPECT_THAT(load_record::parse("overture-load-record 2\n").error().reason,
              ::testing::HasSubstr("later version"));
}

TEST(load_record, says_where_it_is_damaged) {
  const std::string good = "7 9 good\n";
  for (const std::string line :
       {"\n", "1\n", "1 2\n", "1 2 \n", "x 2 a\n", "1 x a\n", "-1 2 a\n", "1  2 a\n",
        "99999999999999999999 2 a\n", "1 2 a//b\n", "1 2 /a\n", "1 2 ../a\n", "1 2 a\\\n",
        "1 2 a\\x\n", "1 2 \xFF\n", "1 2 cut"}) {
    const result<load_record> read = load_record::parse(std::string(first_line) + good + line);
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().code, errc::corrupt) << line;
    EXPECT_EQ(read.error().offset, first_line.size() + good.size()) << line;
  }
  const std::string long_path(limits::path_bytes_max + 1, 'a');
  EXPECT_FALSE(load_record::parse(std::string(first_line) + "1 2 " + long_path + '\n'));
}

TEST(load_record, refuses_paths_that_no_tree_has) {
  load_record record;
  EXPECT_EQ(record.add({"", 1, 1}).error().code, errc::bad_path);
  EXPECT_EQ(record.add({"../a", 1, 1}).error().code, errc::bad_path);
  EXPECT_EQ(record.size(), 0u);
}

TEST(load_record, tells_what_the_system_refuses) {
  fake_os os;
  os.add_folder("/out");
  EXPECT_EQ(load_record::read("/out", os).error().code, errc::not_a_file);
  EXPECT_EQ(load_record::read("/out/none", os).error().code, errc::not_found);
  os.fail_call(os_call::write, 0, ENOSPC);
  EXPECT_EQ(load_record().write("/out/a.record", os).error().code, errc::no_space);
  EXPECT_FALSE(os.content("/out/a.record"));
}

TEST(load_record, survives_an_allocator_that_refuses) {
  const std::string text = std::string(first_line) + "1 2 a\n3 4 b\n";
  bool done = false;
  for (std::uint64_t i = 0; !done; ++i) {
    ASSERT_LT(i, 100u);
    failing_allocator memory(i);
    {
      const result<load_record> read = load_record::parse(text, &memory);
      done = read.has_value();
      if (!read) {
        EXPECT_EQ(read.error().code, errc::out_of_memory);
      }
    }
    EXPECT_EQ(memory.live_bytes(), 0);
  }
}

}  // namespace
}  // namespace overture::load_record_test
