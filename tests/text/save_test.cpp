// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "overture/base/hash.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/text/save.hpp"
#include "support/failing_allocator.hpp"
#include "support/fake_os.hpp"
#include "support/temp_folder.hpp"
#include "support/temporaries.hpp"
#include "text/sample.hpp"
#include "text/save_lines.hpp"

namespace overture::save_test {
namespace {

using sample::unit;
using script = text::script<"unit">;
using units_of_64 = paged<unit, 64>;

constexpr const char* path = "/saves/one.save";

template <class Units>
std::vector<unit> all(const Units& units) {
  std::vector<unit> found;
  units.for_each([&](const unit& each) { found.push_back(each); });
  return found;
}

// A file with one section of many pages and one of few.
std::string saved(const units_of_64& many, const units_of_64& few, std::uint32_t version = 3) {
  test::fake_os os;
  os.add_folder("/saves");
  text::save_writer out{version};
  EXPECT_TRUE(out.add<script>("many", many));
  EXPECT_TRUE(out.add<text::json>("few", few));
  const auto bytes = out.commit(os, path);
  EXPECT_TRUE(bytes);
  const std::string file = os.content(path).value_or("");
  EXPECT_EQ(bytes.value_or(0), file.size());
  return file;
}

class saves : public ::testing::Test {
 protected:
  units_of_64 many = sample::random_units(300, 1);
  units_of_64 few = sample::random_units(5, 2);
  std::string file = saved(many, few);
};

TEST_F(saves, read_back_what_was_saved_with_any_number_of_threads) {
  const temp_folder folder;
  const std::string place = folder / "one.save";
  for (const unsigned workers : {0u, 1u, 3u}) {
    thread_pool jobs{{.workers = workers}};
    text::save_writer out{3};
    ASSERT_TRUE(out.add<script>(jobs, "many", many));
    ASSERT_TRUE(out.add<text::json>(jobs, "few", few));
    ASSERT_TRUE(out.commit(system_os(), place.c_str()));

    text::save_file save;
    ASSERT_TRUE(save.load(system_os(), place.c_str(), {.version = 3, .jobs = &jobs}));
    EXPECT_EQ(save.text(), file);
    units_of_64 back;
    const auto count = save.read<script>(jobs, "many", back);
    ASSERT_TRUE(count);
    EXPECT_EQ(*count, all(many).size());
    EXPECT_TRUE(all(back) == all(many));
    units_of_64 more;
    ASSERT_TRUE(save.read<text::json>("few", more));
    EXPECT_TRUE(all(more) == all(few));
  }
}

TEST_F(saves, list_their_sections) {
  text::save_file save;
  ASSERT_TRUE(save.load_bytes(file, {.version = 5}));
  EXPECT_EQ(save.version(), 3u);
  ASSERT_EQ(save.section_count(), 2u);
  EXPECT_TRUE(save.section(2).name.empty());
  EXPECT_EQ(save.section(0).name, "many");
  EXPECT_EQ(save.section(0).pages, many.page_count());
  EXPECT_EQ(save.section(0).objects, many.size());
  EXPECT_EQ(save.section(1).name, "few");
  EXPECT_EQ(save.section(1).objects, 5u);
  units_of_64 back;
  EXPECT_EQ(save.read<script>("none", back).error().code, errc::not_found);
  EXPECT_EQ(save.read<script>("", back).error().code, errc::not_found);
}

TEST_F(saves, are_text_that_people_can_read_and_edit) {
  test::fake_os os;
  os.add_folder("/saves");
  text::save_writer out{1};
  ASSERT_TRUE(out.add<script>("many", many));
  ASSERT_TRUE(out.commit(os, path));
  units_of_64 back;
  ASSERT_TRUE(text::read<script>(*os.content(path), back));
  EXPECT_TRUE(all(back) == all(many));
}

TEST_F(saves, may_be_empty) {
  test::fake_os os;
  os.add_folder("/saves");
  text::save_writer out{1};
  ASSERT_TRUE(out.commit(os, path));
  text::save_file save;
  EXPECT_TRUE(save.load(os, path, {.version = 1}));
  EXPECT_EQ(save.section_count(), 0u);
  text::save_writer with_empty{1};
  ASSERT_TRUE(with_empty.add<script>("none", units_of_64{}));
  ASSERT_TRUE(with_empty.commit(os, path));
  ASSERT_TRUE(save.load(os, path, {.version = 1}));
  units_of_64 back;
  EXPECT_EQ(save.read<script>("none", back).value_or(1), 0u);
}

TEST_F(saves, of_a_later_version_are_refused) {
  text::save_file save;
  EXPECT_EQ(save.load_bytes(file, {.version = 2}).error().code, errc::unsupported);
}

TEST_F(saves, of_an_older_version_are_upgraded_by_the_hook) {
  thread_pool jobs{{.workers = 2}};
  const auto add_one = [](unit& each, std::uint32_t from) { each.owner = from; };
  text::save_file save;
  units_of_64 upgraded;
  ASSERT_TRUE(save.load_bytes(file, {.version = 4}));
  ASSERT_TRUE(save.read<script>(jobs, "many", upgraded, add_one));
  upgraded.for_each([](const unit& each) { EXPECT_EQ(each.owner, 3u); });
  units_of_64 current;
  ASSERT_TRUE(save.load_bytes(file, {.version = 3}));
  ASSERT_TRUE(save.read<script>(jobs, "many", current, add_one));
  EXPECT_TRUE(all(current) == all(many));
}

TEST_F(saves, refuse_invalid_and_duplicate_section_names) {
  text::save_writer out{1};
  ASSERT_TRUE(out.add<script>("units", few));
  for (const char* const name :
       {"units", "", "two words", "dot.", "#", "a_name_with_one_byte_more_than_32"}) {
    const auto added = out.add<script>(name, few);
    ASSERT_FALSE(added) << name;
    EXPECT_EQ(added.error().code, errc::invalid) << name;
  }
  EXPECT_TRUE(out.add<script>("exactly_thirty_two_bytes_of_name", few));
}

TEST_F(saves, leave_the_old_file_when_an_object_is_too_long) {
  few.for_each([](unit& each) { each.motto = std::string(50, 'x'); });
  text::save_writer out{1};
  EXPECT_EQ(out.add<script>("few", few).error().code, errc::limit);
}

// How many pages of `many` salvage() recovers from a possibly damaged file.
struct rescued {
  bool loaded = false;
  std::vector<unit> units;
  text::salvaged counts;
};
rescued rescue(std::string_view bytes) {
  rescued found;
  text::save_file save;
  found.loaded = save.load_bytes(bytes, {.version = 3}).has_value();
  bool any = false;
  save.for_each_damage([&](const text::save_damage& each) {
    any = true;
    EXPECT_TRUE(each.problem.code == errc::corrupt || each.problem.code == errc::truncated);
    EXPECT_TRUE(each.problem.code == errc::truncated || each.problem.offset <= bytes.size());
  });
  EXPECT_NE(any, found.loaded);
  units_of_64 back;
  const auto counts = save.salvage<script>("many", back);
  found.counts = counts.value_or(text::salvaged{});
  EXPECT_EQ(back.size(), found.counts.objects);
  found.units = all(back);
  return found;
}

TEST_F(saves, cut_anywhere_are_refused_and_the_pages_before_the_cut_salvaged) {
  text::save_file whole;
  ASSERT_TRUE(whole.load_bytes(file, {.version = 3}));
  const std::vector<unit> wanted = all(many);
  std::size_t before = 0;
  for (std::size_t cut = 0; cut < file.size(); cut += 97) {
    const std::vector<char> part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(cut));
    const rescued found = rescue({part.data(), part.size()});
    ASSERT_FALSE(found.loaded) << cut;
    ASSERT_LE(found.units.size(), wanted.size());
    ASSERT_TRUE(std::equal(found.units.begin(), found.units.end(), wanted.begin())) << cut;
    ASSERT_GE(found.units.size(), before) << cut;
    before = found.units.size();
  }
  EXPECT_EQ(before, wanted.size());
}

bool is_refused_with_damage(std::string_view bytes) {
  text::save_file save;
  const bool loaded = save.load_bytes(bytes, {.version = 3}).has_value();
  bool any = false;
  save.for_each_damage([&](const text::save_damage&) { any = true; });
  return !loaded && any;
}

TEST(a_small_save, cut_or_altered_at_any_byte_is_refused) {
  const std::string file = saved(sample::random_units(20, 1), sample::random_units(1, 2));
  for (std::size_t cut = 0; cut < file.size(); ++cut) {
    const std::vector<char> part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(cut));
    ASSERT_TRUE(is_refused_with_damage({part.data(), part.size()})) << cut;
  }
  std::string altered = file;
  for (std::size_t i = 0; i < file.size(); ++i) {
    altered[i] = static_cast<char>(altered[i] ^ 1 << i % 8);
    ASSERT_TRUE(is_refused_with_damage(altered)) << i;
    altered[i] = file[i];
  }
  EXPECT_FALSE(text::save_file().load_bytes(file + "\n", {.version = 3}));
}

TEST_F(saves, report_the_altered_page_and_salvage_all_others) {
  text::save_file whole;
  ASSERT_TRUE(whole.load_bytes(file, {.version = 3}));
  const std::size_t pages = many.page_count();
  std::size_t at = file.find("\nunit={");
  for (std::size_t page = 0; page < pages; ++page) {
    if (many.page_at(page).size() == 0) continue;
    std::string altered = file;
    altered[at + 9] ^= 4;
    text::save_file save;
    const auto loaded = save.load_bytes(altered, {.version = 3});
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, errc::corrupt);
    int damages = 0;
    save.for_each_damage([&](const text::save_damage& each) {
      ++damages;
      EXPECT_EQ(each.section, "many");
      EXPECT_EQ(each.page, page);
      EXPECT_EQ(each.problem.offset, loaded.error().offset);
      EXPECT_LE(each.problem.offset, at + 9);
      EXPECT_GT(each.problem.offset + each.bytes, at + 9);
    });
    EXPECT_EQ(damages, 1);
    // Nothing of that section, and everything of the other.
    units_of_64 back;
    EXPECT_EQ(save.read<script>("many", back).error().code, errc::corrupt);
    EXPECT_TRUE(back.empty());
    EXPECT_TRUE(save.read<text::json>("few", back));
    units_of_64 rest;
    const auto salvaged = save.salvage<script>("many", rest);
    ASSERT_TRUE(salvaged);
    EXPECT_EQ(salvaged->pages, pages - 1);
    EXPECT_EQ(salvaged->pages_lost, 1u);
    std::vector<unit> wanted;
    for (std::size_t i = 0; i < pages; ++i) {
      if (i == page) continue;
      many.page_at(i).for_each([&](const unit& each) { wanted.push_back(each); });
    }
    EXPECT_TRUE(all(rest) == wanted);
    for (std::size_t i = 0; i < many.page_at(page).size(); ++i) at = file.find("\nunit={", at + 1);
  }
}

TEST_F(saves, survive_the_loss_of_one_line_of_the_table) {
  using namespace text::save_lines;
  const std::size_t sections = bytes_of<head>;
  const std::size_t pages = sections + 2 * bytes_of<section>;
  const auto rescue_without = [this](std::size_t at) {
    std::string altered = file;
    altered[at + 3] ^= 1;
    return rescue(altered);
  };
  const std::size_t wanted = all(many).size();
  EXPECT_EQ(rescue_without(0).units.size(), wanted);
  EXPECT_EQ(rescue_without(file.size() - bytes_of<head>).units.size(), wanted);
  EXPECT_EQ(rescue_without(sections + bytes_of<section>).units.size(), wanted);
  const rescued one_page = rescue_without(pages + 2 * bytes_of<page>);
  EXPECT_FALSE(one_page.loaded);
  EXPECT_EQ(one_page.counts.pages_lost, 1u);
  EXPECT_EQ(one_page.units.size(), wanted - many.page_at(2).size());
}

// A false table with correct checksums.
TEST_F(saves, refuse_forged_tables) {
  using namespace text::save_lines;
  const std::size_t first_page = bytes_of<head> + 2 * bytes_of<section>;
  page right;
  ASSERT_TRUE(get(file.data() + first_page + 2 * bytes_of<page>, right));
  const auto expect_refused = [&](page wrong) {
    std::string altered = file;
    put(altered.data() + first_page + 2 * bytes_of<page>, wrong);
    const rescued found = rescue(altered);
    EXPECT_FALSE(found.loaded);
    EXPECT_LT(found.units.size(), all(many).size());
  };
  const std::uint64_t most = ~std::uint64_t{0};
  for (const std::uint64_t offset : {std::uint64_t{0}, right.offset - 1, right.offset + 1, most}) {
    page wrong = right;
    wrong.offset = offset;
    expect_refused(wrong);
  }
  for (const std::uint64_t bytes : {std::uint64_t{0}, right.bytes - 1, right.bytes + 1, most}) {
    page wrong = right;
    wrong.bytes = bytes;
    expect_refused(wrong);
  }
  page wrong = right;
  wrong.section = 7;
  expect_refused(wrong);
  wrong = right;
  wrong.number = 1;
  expect_refused(wrong);

  head top;
  ASSERT_TRUE(get(file.data(), top));
  for (head lie : {head{1, 3, 0xFFFFFFFF, 0, 1u << 20}, head{1, 3, 0, 0xFFFFFFFF, most},
                   head{1, 3, 1, 1, most}, head{1, 3, 0, 0, 0}, head{1, 3, 4096, 1u << 24, most},
                   head{2, 3, 2, 5, file.size()}}) {
    std::string altered = file;
    put(altered.data(), lie);
    put(altered.data() + altered.size() - bytes_of<head>, lie);
    text::save_file save;
    EXPECT_FALSE(save.load_bytes(altered, {.version = 3}));
    units_of_64 back;
    (void)save.salvage<script>("many", back);
  }
}

// Every line and every page has a correct checksum; together they are inconsistent.
TEST_F(saves, refuse_inconsistent_lines) {
  using namespace text::save_lines;
  const std::size_t pages = bytes_of<head> + 2 * bytes_of<section>;
  const auto expect_refused = [this](std::size_t at, const auto& line) {
    std::string altered = file;
    put(altered.data() + at, line);
    text::save_file save;
    EXPECT_FALSE(save.load_bytes(altered, {.version = 3}));
  };
  page twice;  // overlaps another page
  ASSERT_TRUE(get(file.data() + pages + bytes_of<page>, twice));
  twice.number = 2;
  expect_refused(pages + 2 * bytes_of<page>, twice);

  head top;
  ASSERT_TRUE(get(file.data(), top));
  const std::size_t last_line = pages + (top.pages - 1) * bytes_of<page>;
  page last;  // extends over the last line
  ASSERT_TRUE(get(file.data() + last_line, last));
  last.bytes += bytes_of<head>;
  last.hash = hash64(std::string_view(file).substr(last.offset, last.bytes));
  expect_refused(last_line, last);

  section first;  // claims pages of another section
  ASSERT_TRUE(get(file.data() + bytes_of<head>, first));
  ++first.pages;
  expect_refused(bytes_of<head>, first);

  text::save_file save;  // extra text before a correct last line
  EXPECT_FALSE(save.load_bytes(file + file.substr(0, bytes_of<head>), {.version = 3}));
}

// A page with a correct checksum and invalid text, from a forger or another program.
TEST_F(saves, leave_out_unreadable_pages_when_salvaged) {
  using namespace text::save_lines;
  const std::size_t line = bytes_of<head> + 2 * bytes_of<section>;
  std::string altered = file;
  page first;
  ASSERT_TRUE(get(altered.data() + line, first));
  altered[first.offset] = '{';
  first.hash = hash64(std::string_view(altered).substr(first.offset, first.bytes));
  put(altered.data() + line, first);
  text::save_file save;
  ASSERT_TRUE(save.load_bytes(altered, {.version = 3}));
  units_of_64 back;
  const auto read = save.read<script>("many", back);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().offset, first.offset);
  const auto rest = save.salvage<script>("many", back);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->pages_lost, 1u);
  EXPECT_EQ(back.size(), many.size() - many.page_at(0).size());
  int damages = 0;
  save.for_each_damage([&](const text::save_damage& each) {
    ++damages;
    EXPECT_EQ(each.page, 0u);
    EXPECT_EQ(each.problem.offset, first.offset);
  });
  EXPECT_EQ(damages, 1);
}

TEST_F(saves, leave_the_old_file_when_the_disk_fails_at_any_call) {
  for (const int os_error : {ENOSPC, EIO, EINTR}) {
    for (std::uint64_t call = 0;; ++call) {
      test::fake_os os;
      os.add_file(path, "the old one");
      os.fail_call(test::os_call::any, call, os_error);
      os.shorten_reads_at_random(call);
      text::save_writer out{3};
      ASSERT_TRUE(out.add<script>("many", many));
      ASSERT_TRUE(out.add<text::json>("few", few));
      const bool done = out.commit(os, path).has_value();
      EXPECT_EQ(os.open_handles(), 0u);
      const std::string now = os.content(path).value_or("");
      if (done) {
        EXPECT_TRUE(now == file);
      } else {
        EXPECT_TRUE(now == file || now == "the old one");
        EXPECT_EQ(test::temporaries_in(os, "/saves"), 0u);
      }
      if (os.calls() <= call) break;
    }
  }
}

TEST_F(saves, that_cannot_be_loaded_say_why) {
  for (std::uint64_t call = 0;; ++call) {
    test::fake_os os;
    os.add_file(path, file);
    os.fail_call(test::os_call::any, call, EIO);
    text::save_file save;
    const auto loaded = save.load(os, path, {.version = 3});
    EXPECT_EQ(os.open_handles(), 0u);
    if (!loaded) {
      EXPECT_EQ(loaded.error().code, errc::io);
      EXPECT_EQ(save.section_count(), 0u);
    }
    if (os.calls() <= call) break;
  }
  test::fake_os os;
  os.add_folder("/saves");
  text::save_file save;
  EXPECT_EQ(save.load(os, path, {}).error().code, errc::not_found);
  EXPECT_EQ(save.load(os, "/saves", {}).error().code, errc::not_a_file);
  os.add_file(path, "");
  EXPECT_EQ(save.load(os, path, {}).error().code, errc::truncated);
}

TEST_F(saves, report_refused_memory) {
  for (std::uint64_t n = 0;; ++n) {
    failing_allocator memory(n);
    {
      test::fake_os os;
      os.add_folder("/saves");
      text::save_writer out{3, memory};
      auto done = out.add<script>("many", many);
      if (done) {
        const auto bytes = out.commit(os, path);
        if (!bytes) done = tl::unexpected(bytes.error());
      }
      text::save_file save{memory};
      if (done) done = save.load(os, path, {.version = 3});
      units_of_64 back{memory};
      if (done) {
        const auto count = save.read<script>("many", back);
        if (!count) done = tl::unexpected(count.error());
      }
      ASSERT_EQ(done.has_value(), memory.refusals() == 0) << n;
      if (!done) {
        EXPECT_EQ(done.error().code, errc::out_of_memory);
      }
    }
    EXPECT_EQ(memory.live_bytes(), 0);
    if (memory.refusals() == 0) break;
  }
}

TEST_F(saves, count_their_pages_for_a_progress_bar) {
  atomic<std::uint64_t> pages{0};
  test::fake_os os;
  os.add_folder("/saves");
  text::save_writer out{1, default_allocator(), &pages};
  ASSERT_TRUE(out.add<script>("many", many));
  EXPECT_EQ(pages.load(), many.page_count());
  ASSERT_TRUE(out.commit(os, path));
  EXPECT_EQ(pages.load(), 2 * many.page_count());
  text::save_file save;
  ASSERT_TRUE(save.load(os, path, {.version = 1, .pages_done = &pages}));
  EXPECT_EQ(pages.load(), 3 * many.page_count());
  units_of_64 back;
  ASSERT_TRUE(save.read<script>("many", back));
  EXPECT_EQ(pages.load(), 4 * many.page_count());
}

}  // namespace
}  // namespace overture::save_test
