#include <gtest/gtest.h>

#include <string>

#include "overture/limits.hpp"
#include "overture/text_save.hpp"
#include "support/fake_os.hpp"
#include "text/sample.hpp"
#include "text/save_lines.hpp"

namespace overture {
namespace {

using script = text::script<"unit">;
using units_of_64 = paged<sample::unit, 64>;

// The limits themselves are allowed, and the file is only too short for what it says.
TEST(limits_of_saves, are_told_from_a_file_that_is_too_short) {
  using namespace text::save_lines;
  test::fake_os os;
  os.add_folder("/saves");
  ASSERT_TRUE(text::save_writer{3}.commit(os, "/saves/one.save"));
  const std::string file = os.content("/saves/one.save").value_or("");
  const auto refused_as = [&file](std::uint64_t sections, std::uint64_t pages) {
    std::string altered = file;
    const head lie{1, 3, sections, pages, ~std::uint64_t{0}};
    put(altered.data(), lie);
    put(altered.data() + altered.size() - bytes_of<head>, lie);
    text::save_file save;
    const auto used = save.use(altered, {.version = 3});
    return used ? errc::io : used.error().code;
  };
  EXPECT_EQ(refused_as(limits::save_sections_max, 0), errc::truncated);
  EXPECT_EQ(refused_as(limits::save_sections_max + 1, 0), errc::limit);
  EXPECT_EQ(refused_as(0, limits::save_pages_max), errc::truncated);
  EXPECT_EQ(refused_as(0, limits::save_pages_max + 1), errc::limit);

  text::save_writer out{1};
  for (std::size_t i = 0; i < limits::save_sections_max; ++i) {
    ASSERT_TRUE(out.add<script>("s" + std::to_string(i), units_of_64{}));
  }
  EXPECT_EQ(out.add<script>("more", units_of_64{}).error().code, errc::limit);
}

}  // namespace
}  // namespace overture
