// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <string>

#include "overture/base/limits.hpp"
#include "overture/text/save.hpp"
#include "support/failing_allocator.hpp"
#include "support/fake_os.hpp"
#include "support/refusing_os.hpp"
#include "text/sample.hpp"
#include "text/save_lines.hpp"

namespace overture::save_limits_test {
namespace {

using script = text::script<"unit">;
using units_of_64 = paged<sample::unit, 64>;

// Has one file and reports this size for it.
class one_large_file final : public test::refusing_os {
 public:
  explicit one_large_file(std::uint64_t size) : size_(size) {}

  using test::refusing_os::status;
  result<os_handle> open(const char* /*path*/) noexcept override {
    ++open_;
    return os_handle{1};
  }
  void close(os_handle /*handle*/) noexcept override { --open_; }
  result<file_status> status(os_handle /*handle*/) noexcept override {
    return file_status{.kind = file_kind::file, .size = size_};
  }
  [[nodiscard]] int open_handles() const { return open_; }

 private:
  std::uint64_t size_;
  int open_ = 0;
};

TEST(save_limits, keep_oversized_files_out_of_memory) {
  one_large_file os(limits::save_bytes_max + 1);
  text::save_file save;
  EXPECT_EQ(save.load(os, "one.save", {.version = 3}).error().code, errc::limit);
  EXPECT_EQ(os.open_handles(), 0);
}

TEST(save_limits, let_the_largest_file_in_if_there_is_memory_for_it) {
  one_large_file os(limits::save_bytes_max);
  failing_allocator memory(0);
  text::save_file save{memory};
  EXPECT_EQ(save.load(os, "one.save", {.version = 3}).error().code, errc::out_of_memory);
}

TEST(save_limits, refuse_larger_pages_than_the_reader_has) {
  paged<sample::unit, 128> large;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(large.add(sample::unit{}));
  test::fake_os os;
  os.add_folder("/saves");
  text::save_writer out{1};
  ASSERT_TRUE(out.add<script>("large", large));
  ASSERT_TRUE(out.commit(os, "/saves/one.save"));
  text::save_file save;
  ASSERT_TRUE(save.load(os, "/saves/one.save", {.version = 1}));
  units_of_64 back;
  EXPECT_EQ(save.read<script>("large", back).error().code, errc::limit);
}

struct talker {
  std::string words;
};
constexpr auto fields(text::of<talker> /*type*/) {
  return text::field_list(text::field("words", &talker::words, text::quoted<(1ull << 58)>{}));
}
// The maximum size overflows, although the actual text is short.
TEST(save_limits, refuse_objects_whose_text_could_exceed_the_address_space) {
  paged<talker, 64> talkers;
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(talkers.add(talker{"hello"}));
  text::save_writer out{1};
  const auto added = out.add<script>("talkers", talkers);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, errc::limit);
}

TEST(save_writing, a_caller_may_put_the_save_in_place) {
  test::fake_os os;
  os.add_folder("/saves");
  ASSERT_TRUE(text::save_writer{3}.commit(os, "/saves/one.save"));
  file_replacement file;
  ASSERT_TRUE(file.begin(os, "/saves/two.save"));
  const auto written = text::save_writer{3}.write(os, file.file());
  ASSERT_TRUE(written);
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(os.content("/saves/two.save"), os.content("/saves/one.save"));
  EXPECT_EQ(os.content("/saves/two.save").value_or("").size(), *written);
}

// At the limits, the file is merely too short for its table.
TEST(save_limits, are_not_confused_with_a_file_that_is_too_short) {
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
    const auto used = save.load_bytes(altered, {.version = 3});
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

// Lines with correct checksums, as a forger or another program would write them.
TEST(altered_saves, are_refused_if_their_first_and_last_line_differ) {
  using namespace text::save_lines;
  test::fake_os os;
  os.add_folder("/saves");
  ASSERT_TRUE(text::save_writer{3}.commit(os, "/saves/one.save"));
  const std::string file = os.content("/saves/one.save").value_or("");
  const auto refused_as = [&file](const head& first, const head& last) {
    std::string altered = file;
    put(altered.data(), first);
    put(altered.data() + altered.size() - bytes_of<head>, last);
    text::save_file save;
    const auto used = save.load_bytes(altered, {.version = 3});
    return used ? errc::io : used.error().code;
  };
  head right;
  ASSERT_TRUE(get(file.data(), right));
  EXPECT_EQ(refused_as(right, right), errc::io) << "nothing was altered";
  head older = right;
  older.version = 2;
  EXPECT_EQ(refused_as(right, older), errc::corrupt);
  for (const std::uint64_t format_of_others : {0u, 2u}) {
    head other = right;
    other.format = format_of_others;
    EXPECT_EQ(refused_as(other, other), errc::unsupported) << format_of_others;
  }
}

TEST(altered_saves, number_the_pages_of_each_section_from_zero) {
  test::fake_os os;
  os.add_folder("/saves");
  text::save_writer out{3};
  ASSERT_TRUE(out.add<script>("many", units_of_64(sample::random_units(300, 1))));
  ASSERT_TRUE(out.add<script>("few", units_of_64(sample::random_units(5, 2))));
  ASSERT_TRUE(out.commit(os, "/saves/one.save"));
  std::string file = os.content("/saves/one.save").value_or("");
  file[file.rfind("unit={") + 1] ^= 4;
  text::save_file save;
  EXPECT_FALSE(save.load_bytes(file, {.version = 3}));
  int damages = 0;
  save.for_each_damage([&damages](const text::save_damage& each) {
    ++damages;
    EXPECT_EQ(each.section, "few");
    EXPECT_EQ(each.page, 0u);
  });
  EXPECT_EQ(damages, 1);
}

}  // namespace
}  // namespace overture::save_limits_test
