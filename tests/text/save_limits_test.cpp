#include <gtest/gtest.h>

#include <string>

#include "overture/limits.hpp"
#include "overture/text_save.hpp"
#include "support/fake_os.hpp"
#include "support/refusing_os.hpp"
#include "text/sample.hpp"
#include "text/save_lines.hpp"

namespace overture {
namespace {

using script = text::script<"unit">;
using units_of_64 = paged<sample::unit, 64>;

// Has one file, which it says is so long.
class one_large_file final : public test::refusing_os {
 public:
  explicit one_large_file(std::uint64_t size) : size_(size) {}

  using test::refusing_os::status;
  result<os_handle> open(const char* /*path*/) override {
    ++open_;
    return os_handle{1};
  }
  void close(os_handle /*handle*/) override { --open_; }
  result<file_status> status(os_handle /*handle*/) override {
    return file_status{.kind = file_kind::file, .size = size_};
  }
  [[nodiscard]] int open_handles() const { return open_; }

 private:
  std::uint64_t size_;
  int open_ = 0;
};

TEST(limits_of_saves, keep_files_out_of_memory_that_are_too_large) {
  one_large_file os(limits::save_bytes_max + 1);
  text::save_file save;
  EXPECT_EQ(save.load(os, "one.save", {.version = 3}).error().code, errc::limit);
  EXPECT_EQ(os.open_handles(), 0);
}

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
