// SPDX-License-Identifier: Zlib
#include "overture/text/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "overture/jobs/thread_pool.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/text/write.hpp"
#include "support/failing_allocator.hpp"
#include "support/guards.hpp"
#include "text/printed.hpp"
#include "text/sample.hpp"

namespace overture::pages_test {
namespace {

using sample::flag;
using plain_rows = text::rows<' '>;

template <class Style, class Units>
std::string on_one_thread(const Units& units) {
  std::string buffer(text::bytes_max<Style>(units), '#');
  const auto done = text::write<Style>(units, std::span(buffer));
  EXPECT_TRUE(done);
  buffer.resize(done ? done->bytes : 0);
  return buffer;
}

std::string as_printed(const paged<flag>& flags) {
  std::string all;
  flags.for_each([&](const flag& each) {
    all += each.enabled ? "y " : "n ";
    all += test::printed_fixed(static_cast<double>(each.speed), 2) + '\n';
  });
  return all;
}

TEST(pages, match_printf) {
  const auto flags = sample::random_flags(20'000, 1);
  EXPECT_EQ(on_one_thread<plain_rows>(flags), as_printed(flags));
}

TEST(pages, have_the_same_bytes_for_any_number_of_threads_and_any_buffer_size) {
  const auto flags = sample::random_flags(50'000, 2);
  const auto units = sample::random_units(5'000, 3);
  const std::string flags_text = on_one_thread<plain_rows>(flags);
  const std::string units_text = on_one_thread<text::json>(units);
  for (const unsigned workers : {0u, 1u, 2u, 5u}) {
    thread_pool jobs{{.workers = workers}};
    text::page_table table;
    for (int round = 0; round < 20; ++round) {
      // Exactly the size needed, and enough for slots.
      for (const std::size_t room : {flags_text.size(), text::bytes_max<plain_rows>(flags)}) {
        std::string buffer(room, '#');
        const auto done = text::write<plain_rows>(jobs, flags, std::span(buffer), &table);
        ASSERT_TRUE(done);
        ASSERT_EQ(done->bytes, flags_text.size());
        ASSERT_EQ(buffer.substr(0, done->bytes), flags_text);
      }
      std::string buffer(text::bytes_max<text::json>(units), '#');
      const auto done = text::write<text::json>(jobs, units, std::span(buffer), &table);
      ASSERT_TRUE(done);
      ASSERT_EQ(buffer.substr(0, done->bytes), units_text);
    }
  }
}

// A job system that runs jobs on the waiting thread, last first.
class backwards_jobs final : public job_system {
 public:
  void submit(job work, job_group* group, const job_options& /*options*/) noexcept override {
    if (group) group->begin_job();
    queued_.push_back({std::move(work), group});
  }
  void wait(job_group& group) noexcept override {
    while (group.pending() > 0) {
      auto [work, of] = std::move(queued_.back());
      queued_.pop_back();
      work();
      if (of) (void)of->end_job();
    }
  }
  bool wait_until(job_group& group, std::uint64_t) noexcept override {
    wait(group);
    return true;
  }
  unsigned concurrency() const noexcept override { return 4; }
  void set_idle_reason(const char*) noexcept override {}

 private:
  struct entry {
    job work;
    job_group* group;
  };
  std::vector<entry> queued_;
};

// Writes the pages of a table in a chosen order: the writer of one page waits until all others are
// written, as if its thread had been preempted.
TEST(pages, finished_before_their_predecessors_are_moved_down_later) {
  constexpr std::size_t pages = 9;
  for (std::size_t slow = 0; slow < pages; ++slow) {
    thread_pool jobs{{.workers = 1}};
    text::page_table table;
    ASSERT_TRUE(table.prepare(pages, 2));
    for (std::size_t i = 0; i < pages; ++i) table.set_page(i, 1, 40);
    atomic<std::size_t> done{0};
    const auto write_page = [&](std::size_t i, char* out, const char* /*place*/) {
      if (i == slow) {
        while (done.load() < pages - 1) std::this_thread::yield();
      }
      const auto bytes = static_cast<std::size_t>(
          std::snprintf(out, 40, "page %zu %.*s\n", i, static_cast<int>(i), "xxxxxxxxx"));
      done.fetch_add(1);
      return out + bytes;
    };
    std::string buffer(pages * (40 + text::slack), '#');
    const auto written =
        text::write_pages(&jobs, table, std::span(buffer), text::layout::dense, write_page);
    ASSERT_TRUE(written);
    std::string wanted;
    for (std::size_t i = 0; i < pages; ++i) {
      wanted += "page " + std::to_string(i) + " " + std::string(i, 'x') + "\n";
    }
    ASSERT_EQ(buffer.substr(0, written->bytes), wanted) << slow;
  }
}

// Enough pages that threads take several at a time.
TEST(pages, finished_as_one_run_are_moved_down_together) {
  constexpr std::size_t pages = 200;
  constexpr std::size_t most = 90;
  const auto text_of = [](std::size_t i) { return std::string(i * 37 % most, "abcdefg"[i % 7]); };
  std::string wanted;
  for (std::size_t i = 0; i < pages; ++i) wanted += text_of(i);
  for (const std::size_t slow : {0u, 1u, 6u, 103u}) {
    thread_pool jobs{{.workers = 1}};
    text::page_table table;
    ASSERT_TRUE(table.prepare(pages, 2));
    for (std::size_t i = 0; i < pages; ++i) table.set_page(i, 1, most);
    barricade last_is_done{barricade::raised};
    const auto write_page = [&](std::size_t i, char* out, const char* /*place*/) {
      if (i == slow) last_is_done.wait();
      if (i == pages - 1) last_is_done.lower();
      const std::string text = text_of(i);
      char* const end = std::copy(text.begin(), text.end(), out);
      std::fill_n(end, text::slack, '!');  // as writers may
      return end;
    };
    std::string buffer(pages * (most + text::slack), '#');
    const auto written =
        text::write_pages(&jobs, table, std::span(buffer), text::layout::dense, write_page);
    ASSERT_TRUE(written);
    ASSERT_EQ(buffer.substr(0, written->bytes), wanted) << slow;
    for (std::size_t i = 0; i < pages; ++i) ASSERT_EQ(table.text_of(i, buffer), text_of(i)) << i;
  }
}

// Two threads have the first two runs. The offset of the second becomes known when it is half
// written.
TEST(pages, go_straight_into_place_once_their_offset_is_known) {
  constexpr std::size_t pages = 192;
  constexpr std::size_t run = 6;  // from 32 runs for two threads
  constexpr std::size_t most = 20;
  thread_pool jobs{{.workers = 1}};
  text::page_table table;
  ASSERT_TRUE(table.prepare(pages, 2));
  for (std::size_t i = 0; i < pages; ++i) table.set_page(i, 1, most);
  barricade second_has_begun{barricade::raised};
  barricade third_has_begun{barricade::raised};
  const auto write_page = [&](std::size_t i, char* out, const char* /*place*/) {
    if (i == run) second_has_begun.lower();
    if (i == run - 1) second_has_begun.wait();
    // The thread that takes the third run has placed the second.
    if (i == 2 * run) third_has_begun.lower();
    if (i == run + run / 2) third_has_begun.wait();
    char* const end = std::fill_n(out, 1 + i % 7, static_cast<char>('a' + i % 26));
    std::fill_n(end, text::slack, '!');  // as writers may
    return end;
  };
  std::string buffer(pages * (most + text::slack), '#');
  const auto written =
      text::write_pages(&jobs, table, std::span(buffer), text::layout::dense, write_page);
  ASSERT_TRUE(written);
  std::string wanted;
  for (std::size_t i = 0; i < pages; ++i) {
    wanted += std::string(1 + i % 7, static_cast<char>('a' + i % 26));
  }
  EXPECT_EQ(buffer.substr(0, written->bytes), wanted);
}

TEST(pages, do_not_depend_on_the_job_system) {
  const auto flags = sample::random_flags(20'000, 4);
  backwards_jobs jobs;
  std::string buffer(text::bytes_max<plain_rows>(flags), '#');
  const auto done = text::write<plain_rows>(jobs, flags, std::span(buffer));
  ASSERT_TRUE(done);
  EXPECT_EQ(buffer.substr(0, done->bytes), as_printed(flags));
}

TEST(pages, can_stay_in_their_slots_for_writev) {
  const auto flags = sample::random_flags(20'000, 5);
  thread_pool jobs{{.workers = 2}};
  text::page_table table;
  std::string buffer(text::bytes_max<plain_rows>(flags), '#');
  const auto done =
      text::write<plain_rows>(jobs, flags, std::span(buffer), &table, text::layout::slots);
  ASSERT_TRUE(done);
  std::string joined;
  for (std::size_t i = 0; i < table.size(); ++i) joined += table.text_of(i, buffer);
  EXPECT_EQ(joined, as_printed(flags));
  EXPECT_EQ(done->bytes, joined.size());
}

TEST(the_page_table, says_where_each_page_is) {
  const auto units = sample::random_units(2'000, 6);
  thread_pool jobs{{.workers = 2}};
  text::page_table table;
  std::string buffer(text::bytes_max<text::json>(units), '#');
  const auto done = text::write<text::json>(jobs, units, std::span(buffer), &table);
  ASSERT_TRUE(done);
  ASSERT_EQ(table.size(), units.page_count());
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i].offset, offset);
    EXPECT_EQ(table[i].objects, units.page_at(i).size());
    const std::string_view page = table.text_of(i, buffer);
    EXPECT_EQ(static_cast<std::size_t>(std::count(page.begin(), page.end(), '\n')),
              table[i].objects);
    offset += table[i].bytes;
  }
  EXPECT_EQ(offset, done->bytes);
}

TEST(the_page_table, may_not_have_more_objects_in_a_page_than_its_reader) {
  text::page_table table;
  ASSERT_TRUE(table.prepare(1, 1));
  table.set_entry(0, {.offset = 0, .bytes = 4, .objects = 5});
  const auto read_page = [](std::size_t /*i*/, std::string_view /*page*/) { return error{}; };
  EXPECT_TRUE(text::read_pages(nullptr, table, "text", 5, read_page));
  const auto refused = text::read_pages(nullptr, table, "text", 4, read_page);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::corrupt);
}

TEST(a_buffer, that_is_too_small_is_an_error_with_the_size_needed) {
  const auto flags = sample::random_flags(5'000, 7);
  const std::string text = as_printed(flags);
  thread_pool jobs{{.workers = 1}};
  for (const std::size_t room : {std::size_t{0}, std::size_t{100}, text.size() - 1}) {
    std::string buffer(room + 64, '#');
    const auto serial = text::write<plain_rows>(flags, std::span(buffer.data(), room));
    ASSERT_FALSE(serial);
    EXPECT_EQ(serial.error().code, errc::no_space);
    const auto parallel = text::write<plain_rows>(jobs, flags, std::span(buffer.data(), room));
    ASSERT_FALSE(parallel);
    EXPECT_EQ(parallel.error().code, errc::no_space);
    EXPECT_EQ(parallel.error().offset, text.size());
    EXPECT_EQ(buffer.substr(room), std::string(64, '#'));
  }
}

// With writers that touch all the slack.
TEST(a_buffer, is_never_written_beyond_its_end) {
  const auto flags = sample::random_flags(500, 7);
  constexpr std::size_t object_bytes = 8;
  const auto write_most = [](char* out, const sample::flag& /*each*/) {
    std::memset(out, 'x', object_bytes + text::slack);
    return out + object_bytes;
  };
  thread_pool jobs{{.workers = 1}};
  for (std::size_t more = 0; more < 8 * text::slack; ++more) {
    std::string buffer(flags.size() * object_bytes + more + 64, '#');
    const std::span room(buffer.data(), buffer.size() - 64);
    ASSERT_TRUE(text::write_with(flags, room, object_bytes, write_most));
    EXPECT_EQ(buffer.substr(room.size()), std::string(64, '#')) << more;
    ASSERT_TRUE(text::write_with(jobs, flags, room, object_bytes, write_most));
    EXPECT_EQ(buffer.substr(room.size()), std::string(64, '#')) << more;
  }
}

TEST(an_object, that_is_too_long_is_an_error_with_the_number_of_its_page) {
  auto units = sample::random_units(640, 8);
  for (const std::size_t page : {4u, 7u}) {
    units.page_at(page).for_each([](sample::unit& each) { each.motto = std::string(50, 'x'); });
  }
  thread_pool jobs{{.workers = 1}};
  std::string buffer(text::bytes_max<text::json>(units), '#');
  const auto done = text::write<text::json>(jobs, units, std::span(buffer));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, errc::limit);
  EXPECT_EQ(done.error().offset, 4u);
}

TEST(objects, that_change_between_two_passes_are_an_error) {
  constexpr std::size_t pages = 8;
  thread_pool jobs{{.workers = 1}};
  text::page_table table;
  ASSERT_TRUE(table.prepare(pages, 2));
  for (std::size_t i = 0; i < pages; ++i) table.set_page(i, 1, 40);
  atomic<std::size_t> calls{0};
  const auto write_page = [&](std::size_t i, char* out, const char* /*place*/) {
    const bool again = calls.fetch_add(1) >= pages;
    return std::fill_n(out, again && i == 5 ? 11 : 10, 'x');
  };
  std::string buffer(pages * 10 + 1, '#');
  const auto done =
      text::write_pages(&jobs, table, std::span(buffer), text::layout::dense, write_page);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, errc::invalid);
}

TEST(writing, takes_callables_and_member_functions) {
  const auto flags = sample::random_flags(5'000, 9);
  thread_pool jobs{{.workers = 1}};
  const std::size_t object_bytes = 1 + text::fixed_bytes_max<float>(1);
  std::string one(5 * (1024 * object_bytes + text::slack), '#');
  std::string two = one;
  const auto member = text::write_with(jobs, flags, std::span(one), object_bytes, &flag::write);
  const auto callable =
      text::write_with(flags, std::span(two), object_bytes,
                       [](char* out, const flag& each) { return each.write(out); });
  ASSERT_TRUE(member && callable);
  EXPECT_EQ(one.substr(0, member->bytes), two.substr(0, callable->bytes));
}
struct marked_flag : flag {
  int mark = 0;
};
TEST(writing, takes_member_functions_of_a_base) {
  paged<marked_flag> flags;
  ASSERT_TRUE(flags.add(marked_flag{{true, 2.5f}, 1}));
  thread_pool jobs{{.workers = 1}};
  char buffer[100 + text::slack];
  for (const auto& done : {text::write_with(flags, std::span(buffer), 100, &flag::write),
                           text::write_with(jobs, flags, std::span(buffer), 100, &flag::write)}) {
    ASSERT_TRUE(done);
    EXPECT_EQ(std::string(buffer, done->bytes), "+2.5");
  }
}
TEST(writing, takes_callables_that_can_only_be_moved) {
  const auto flags = sample::random_flags(100, 9);
  thread_pool jobs{{.workers = 1}};
  std::string room(flags.size() + text::slack, '#');
  const auto mark = [](char c) {
    return [letter = std::make_unique<char>(c)](char* out, const flag& /*each*/) {
      *out = *letter;
      return out + 1;
    };
  };
  ASSERT_TRUE(text::write_with(flags, std::span(room), 1, mark('a')));
  EXPECT_EQ(room.substr(0, flags.size()), std::string(flags.size(), 'a'));
  ASSERT_TRUE(text::write_with(jobs, flags, std::span(room), 1, mark('b')));
  EXPECT_EQ(room.substr(0, flags.size()), std::string(flags.size(), 'b'));
}

TEST(an_empty_paged, writes_nothing) {
  const paged<flag> none;
  const auto done = text::write<plain_rows>(none, std::span<char>());
  ASSERT_TRUE(done);
  EXPECT_EQ(done->bytes, 0u);
}

TEST(refused_memory, is_an_error_when_writing) {
  const auto flags = sample::random_flags(5'000, 10);
  thread_pool jobs{{.workers = 1}};
  std::string buffer(text::bytes_max<plain_rows>(flags), '#');
  for (std::uint64_t n = 0; n < 2; ++n) {
    failing_allocator memory(n);
    text::page_table table(memory);
    const auto done = text::write<plain_rows>(jobs, flags, std::span(buffer), &table);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, errc::out_of_memory);
  }
}

// Every page is written inside scopes that fail if its thread allocates or locks; with a table that
// already has its memory, so is the whole call on this thread.
TEST(the_parallel_part, allocates_nothing_and_takes_no_lock) {
  if (!test::guards_active()) GTEST_SKIP() << "a sanitizer stands where the guards would";
  const auto flags = sample::random_flags(50'000, 11);
  thread_pool jobs{{.workers = 1}};
  text::page_table table;
  std::string buffer(text::bytes_max<plain_rows>(flags), '#');
  const auto guarded = [](char* out, const flag& each) {
    const test::no_alloc_scope no_alloc;
    const test::no_lock_scope no_lock;
    return text::write_object<plain_rows>(out, each);
  };
  const std::size_t bytes = text::object_bytes_max<plain_rows, flag>();
  ASSERT_TRUE(text::write_with(jobs, flags, std::span(buffer), bytes, guarded, &table));
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  const auto done = text::write<plain_rows>(jobs, flags, std::span(buffer), &table);
  ASSERT_TRUE(done);
}

// What a thread does between two pages of one write counts too: taking pages, passing the turn,
// moving pages down. What it does between two writes does not.
TEST(the_parallel_part, allocates_nothing_and_takes_no_lock_between_pages) {
  if (!test::guards_active()) GTEST_SKIP() << "a sanitizer stands where the guards would";
  struct scopes {
    int round;
    overture::no_alloc_scope no_alloc{[](const guard_report&) noexcept {}};
    overture::no_lock_scope no_lock{[](const guard_report&) noexcept {}};
  };
  const auto flags = sample::random_flags(50'000, 12);
  const std::size_t object_bytes = text::object_bytes_max<plain_rows, flag>();
  thread_pool jobs{{.workers = 1}};
  text::page_table table;
  std::string buffer(text::bytes_max<plain_rows>(flags), '#');
  ASSERT_TRUE(text::write<plain_rows>(jobs, flags, std::span(buffer), &table));
  atomic<std::uint64_t> calls{0};
  for (int round = 0; round < 20; ++round) {
    const auto write_page = [&, round](std::size_t i, char* out, const char* /*place*/) {
      static thread_local std::optional<scopes> mine;
      if (!mine || mine->round != round) {
        mine.reset();
        mine.emplace(round);
      }
      flags.page_at(i).for_each(
          [&](const flag& each) { out = text::write_object<plain_rows>(out, each); });
      calls.fetch_add(mine->no_alloc.report().calls + mine->no_lock.report().calls);
      return out;
    };
    for (std::size_t i = 0; i < flags.page_count(); ++i) {
      table.set_page(i, flags.page_at(i).size(), object_bytes);
    }
    ASSERT_TRUE(
        text::write_pages(&jobs, table, std::span(buffer), text::layout::dense, write_page));
  }
  EXPECT_EQ(calls.load(), 0u);
}

TEST(a_page, whose_function_throws_is_an_error_on_any_number_of_threads) {
  for (const unsigned workers : {0u, 2u}) {
    thread_pool jobs{{.workers = workers}};
    text::page_table table;
    ASSERT_TRUE(table.prepare(8, jobs.concurrency()));
    for (std::size_t i = 0; i < 8; ++i) table.set_page(i, 1, 4);
    std::string buffer(1000, '#');
    const auto write_page = [](std::size_t i, char* out, const char*) -> char* {
      if (i == 5) throw std::runtime_error("broken unit");
      std::memcpy(out, "abc\n", 4);
      return out + 4;
    };
    EXPECT_EQ(text::write_pages(&jobs, table, buffer, text::layout::dense, write_page).error().code,
              errc::threw);
    EXPECT_EQ(
        text::write_pages(nullptr, table, buffer, text::layout::dense, write_page).error().code,
        errc::threw);
    for (std::size_t i = 0; i < 8; ++i) table.set_entry(i, {i * 4, 4, 1});
    const auto read_page = [](std::size_t i, std::string_view) -> error {
      if (i == 5) throw std::runtime_error("broken unit");
      return {};
    };
    EXPECT_EQ(text::read_pages(&jobs, table, buffer, 1, read_page).error().code, errc::threw);
    EXPECT_EQ(text::read_pages(nullptr, table, buffer, 1, read_page).error().code, errc::threw);
  }
}

}  // namespace
}  // namespace overture::pages_test
