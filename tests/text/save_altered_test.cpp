// SPDX-License-Identifier: Zlib
//
// Saves altered with correct checksums, or cut at the end of a page: what load() reports, and what
// can still be read.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "overture/base/hash.hpp"
#include "overture/text/save.hpp"
#include "support/failing_allocator.hpp"
#include "support/fake_os.hpp"
#include "text/sample.hpp"
#include "text/save_lines.hpp"

namespace overture::save_altered_test {
namespace {

using namespace text::save_lines;
using script = text::script<"unit">;
using units_of_64 = paged<sample::unit, 64>;

class altered_file : public ::testing::Test {
 protected:
  altered_file() {
    test::fake_os os;
    os.add_folder("/saves");
    text::save_writer out{3};
    EXPECT_TRUE(out.add<script>("one", one));
    EXPECT_TRUE(out.add<script>("two", two));
    EXPECT_TRUE(out.commit(os, "/saves/one.save"));
    file = os.content("/saves/one.save").value_or("");
    EXPECT_TRUE(get(file.data(), top));
  }
  [[nodiscard]] static std::size_t section_line(std::size_t i) {
    return bytes_of<head> + i * bytes_of<section>;
  }
  [[nodiscard]] static std::size_t page_line(std::size_t i) {
    return section_line(2) + i * bytes_of<page>;
  }
  [[nodiscard]] page page_of(std::size_t i) const {
    page found;
    EXPECT_TRUE(get(file.data() + page_line(i), found));
    return found;
  }
  [[nodiscard]] std::size_t last_line() const { return file.size() - bytes_of<head>; }

  // The error of loading the file as it is now.
  [[nodiscard]] error refused() const {
    text::save_file save;
    const auto used = save.load_bytes(file, {.version = 3});
    EXPECT_FALSE(used);
    return used ? error{} : used.error();
  }
  [[nodiscard]] std::uint64_t salvaged_pages() const {
    text::save_file save;
    (void)save.load_bytes(file, {.version = 3});
    units_of_64 back;
    const auto rest = save.salvage<script>("one", back);
    return rest ? rest->pages : 0;
  }

  units_of_64 one = sample::random_units(60 * 5, 1);
  units_of_64 two = sample::random_units(60 * 5, 2);  // as many pages
  std::string file;
  head top;
};

// The entry before is lost, so where the page begins is not known exactly; some offsets are still
// impossible.
TEST_F(altered_file, has_no_page_before_its_predecessors_or_beyond_the_end) {
  file[page_line(2) + 3] ^= 1;
  const std::uint64_t left = salvaged_pages();
  EXPECT_EQ(left, one.page_count() - 1);
  const page first = page_of(0);
  constexpr std::uint64_t lie_number = 3;
  page twice = first;  // the text of the first page again
  twice.number = lie_number;
  page behind = page_of(3);
  behind.offset = last_line() + 1;
  behind.bytes = 10;
  page around = page_of(3);  // ends before it begins
  around.offset = std::numeric_limits<std::uint64_t>::max() - 1;
  around.bytes = 3;
  page over = page_of(3);
  over.bytes = file.size() - over.offset;
  over.hash = hash64(std::string_view(file).substr(over.offset));
  for (const page& lie : {twice, behind, around, over}) {
    put(file.data() + page_line(3), lie);
    text::save_file save;
    EXPECT_FALSE(save.load_bytes(file, {.version = 3}));
    bool told = false;
    save.for_each_damage(
        [&told](const text::save_damage& each) { told = told || each.page == lie_number; });
    EXPECT_TRUE(told);
    EXPECT_LT(salvaged_pages(), left);
  }
}

TEST_F(altered_file, has_nothing_between_its_last_page_and_its_last_line) {
  top.bytes += 7;
  file.insert(last_line(), "# more\n");
  put(file.data(), top);
  put(file.data() + last_line(), top);
  EXPECT_EQ(refused().code, errc::corrupt);
}

TEST_F(altered_file, is_refused_for_a_damaged_page_rather_than_a_damaged_line) {
  file[last_line() + 3] ^= 1;
  EXPECT_EQ(refused().offset, last_line());
  file[page_of(4).offset + 3] ^= 1;
  EXPECT_EQ(refused().offset, page_of(4).offset);
}

TEST_F(altered_file, lists_damaged_lines_as_well_as_pages) {
  const auto expect_damage_at = [this](std::uint64_t offset, errc code) {
    text::save_file save;
    EXPECT_FALSE(save.load_bytes(file, {.version = 3}));
    std::vector<text::save_damage> found;
    save.for_each_damage([&](const text::save_damage& each) { found.push_back(each); });
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].page, text::save_damage::no_page);
    EXPECT_EQ(found[0].problem.code, code);
    EXPECT_EQ(found[0].problem.offset, offset);
  };
  const std::string whole = file;
  for (const std::size_t at : {std::size_t{0}, section_line(1), last_line()}) {
    file = whole;
    file[at + 3] ^= 1;
    expect_damage_at(at, errc::corrupt);
  }
  file = whole.substr(0, last_line());  // cut after the last page
  expect_damage_at(file.size(), errc::truncated);
}

TEST_F(altered_file, has_no_section_without_a_name) {
  file[section_line(0) + 3] ^= 1;
  text::save_file save;
  EXPECT_FALSE(save.load_bytes(file, {.version = 3}));
  units_of_64 back;
  const auto read = save.read<script>("", back);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errc::not_found);
}

TEST_F(altered_file, cannot_have_its_section_names_swapped) {
  section first;
  section second;
  ASSERT_TRUE(get(file.data() + section_line(0), first));
  ASSERT_TRUE(get(file.data() + section_line(1), second));
  ASSERT_EQ(first.pages, second.pages);
  put(file.data() + section_line(0), second);
  put(file.data() + section_line(1), first);
  EXPECT_EQ(refused().code, errc::corrupt);
}

TEST_F(altered_file, counts_salvaged_pages_for_a_progress_bar_and_upgrades_them) {
  atomic<std::uint64_t> pages{0};
  file[page_of(0).offset] ^= 1;
  text::save_file save;
  ASSERT_FALSE(save.load_bytes(file, {.version = 4, .pages_done = &pages}));
  EXPECT_EQ(pages.load(), one.page_count() + two.page_count());
  units_of_64 back;
  ASSERT_TRUE(save.salvage<script>(
      "one", back, [](sample::unit& each, std::uint32_t from) { each.owner = from; }));
  EXPECT_EQ(pages.load(), one.page_count() + two.page_count() + one.page_count() - 1);
  EXPECT_FALSE(back.empty());
  back.for_each([](const sample::unit& each) { EXPECT_EQ(each.owner, 3u); });
}

TEST_F(altered_file, can_be_loaded_again_into_the_same_object) {
  failing_allocator memory(~std::uint64_t{0});
  test::fake_os os;
  os.add_file("/one.save", file);
  {
    text::save_file save{memory};
    for (int round = 0; round < 2; ++round) {
      ASSERT_TRUE(save.load(os, "/one.save", {.version = 3}));
      ASSERT_TRUE(save.load_bytes(file, {.version = 3}));
      EXPECT_EQ(save.section_count(), 2u);
    }
    EXPECT_EQ(page_line(one.page_count() + two.page_count()) + save.section(0).bytes +
                  save.section(1).bytes + bytes_of<head>,
              file.size());
  }
  EXPECT_EQ(memory.live_bytes(), 0);
}

}  // namespace
}  // namespace overture::save_altered_test
