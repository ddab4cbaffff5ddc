// SPDX-License-Identifier: Zlib
#include "overture/report/write_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "overture/io/read_queue.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/trace/timeline.hpp"
#include "overture/vfs/file_system.hpp"
#include "support/failing_allocator.hpp"
#include "support/temp_folder.hpp"

namespace overture::write_report_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class page_text final : public text_sink {
 public:
  [[nodiscard]] result<void> write(std::string_view part) override {
    page += part;
    return {};
  }
  std::string page;
};

// The numbers and names that the page's script draws.
nlohmann::json data_of(const std::string& page) {
  const std::string_view begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = page.find(begin);
  if (at == page.npos) return {};
  return nlohmann::json::parse(
      page.substr(at + begin.size(), page.find("</script>", at) - at - begin.size()));
}

// A game of three files, one of them damaged, and what loads it.
struct small_game {
  small_game() {
    folder.write("a/one.txt", "one");
    folder.write("two <b>.txt", "two");
    folder.write("broken.png", "\x89PNG\r\n\x1a\n and no more");
    EXPECT_TRUE(record.attach_thread("main"));
    EXPECT_TRUE(files.mount(folder.path()));
    EXPECT_TRUE(files.freeze());
  }
  ~small_game() { record.detach_thread(); }

  temp_folder folder;
  timeline record;
  file_system files;
};

TEST(write_report, a_load_that_is_done_becomes_a_page_while_its_threads_idle) {
  small_game game;
  thread_pool jobs{{.workers = 1, .record = &game.record}};
  read_queue reads{game.files, {.threads = 1, .record = &game.record}};
  load_scope load{game.files, reads, jobs};
  ASSERT_TRUE(load.start());
  ASSERT_TRUE(load.wait_for(1h));
  page_text sink;
  ASSERT_TRUE(write_report(sink, game.record, game.files, load));
  EXPECT_THAT(sink.page, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(sink.page, HasSubstr("<summary>Failed (1)</summary>"));
  EXPECT_THAT(sink.page, Not(HasSubstr("two <b>"))) << "names cannot become elements";
  const nlohmann::json data = data_of(sink.page);
  EXPECT_EQ(data["files"]["paths"].size(), 3u);
  ASSERT_FALSE(data["lanes"].empty());
  EXPECT_EQ(data["lanes"][0]["name"], "main");
}

TEST(write_report, a_timeline_alone_of_a_load_becomes_a_page_that_says_so) {
  small_game game;
  thread_pool jobs{{.workers = 1, .record = &game.record}};
  read_queue reads{game.files, {.threads = 1, .record = &game.record}};
  load_scope load{game.files, reads, jobs};
  ASSERT_TRUE(load.start());
  ASSERT_TRUE(load.wait_for(1h));
  page_text sink;
  ASSERT_TRUE(write_report(sink, game.record, &game.files));
  EXPECT_THAT(sink.page, HasSubstr("Made of a timeline alone"));
}

TEST(write_report, a_timeline_without_a_load_becomes_a_page_of_its_zones) {
  small_game game;
  const std::uint64_t now = game.record.start_ns();
  overture::record({.begin_ns = now, .end_ns = now + 300, .name = "build a level"});
  overture::record({.begin_ns = now + 300, .end_ns = now + 400, .name = "draw"});
  page_text sink;
  ASSERT_TRUE(write_report(sink, game.record));
  EXPECT_THAT(sink.page, HasSubstr("<title>Load of a program: "));
  EXPECT_THAT(sink.page, HasSubstr("mostly build a level</h1>"));
  EXPECT_THAT(sink.page, HasSubstr(" time went to build a level, 25 % to draw"));
  EXPECT_THAT(sink.page, Not(HasSubstr("</b> files"))) << "it has none";
  EXPECT_EQ(data_of(sink.page)["lanes"][0]["name"], "main");
  const nlohmann::json names = data_of(sink.page)["names"];
  EXPECT_THAT(names.dump(), HasSubstr("build a level"));
}

TEST(write_report, an_empty_timeline_is_no_error) {
  page_text sink;
  EXPECT_TRUE(write_report(sink, timeline()));
  EXPECT_THAT(sink.page, testing::EndsWith("</html>\n"));
}

TEST(write_report, without_memory_it_ends_with_an_error) {
  failing_allocator memory(UINT64_MAX);
  timeline record{{.memory = &memory}};
  ASSERT_TRUE(record.attach_thread("main"));
  const std::uint64_t now = record.start_ns();
  overture::record(
      {.begin_ns = now, .end_ns = now, .name = "wake", .value = 1, .kind = event_kind::wake});
  record.detach_thread();
  memory.refuse_from_now();
  page_text sink;
  EXPECT_EQ(write_report(sink, record).error().code, errc::out_of_memory);
}

class refusing final : public text_sink {
 public:
  [[nodiscard]] result<void> write(std::string_view) override {
    if (throws) throw std::runtime_error("no");
    return fail(errc::no_space, "no");
  }
  bool throws = false;
};

TEST(write_report, ends_with_what_its_sink_says) {
  refusing sink;
  EXPECT_EQ(write_report(sink, timeline()).error().code, errc::no_space);
  sink.throws = true;
  EXPECT_EQ(write_report(sink, timeline()).error().code, errc::threw);
}

}  // namespace
}  // namespace overture::write_report_test
