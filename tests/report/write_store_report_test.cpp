// SPDX-License-Identifier: Zlib
//
// write_report() of an asset_store: a store whose waits are known, so that the page can be held
// against them. Times have lower bounds only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "overture/assets/asset_store.hpp"
#include "overture/base/spin.hpp"
#include "overture/base/thread.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/report/write_report.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/sync/countdown.hpp"
#include "overture/trace/timeline.hpp"
#include "overture/vfs/file_system.hpp"
#include "report/model/store_model.hpp"
#include "support/temp_folder.hpp"

namespace overture::write_store_report_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using report_detail::asset_part;
using report_detail::store_report;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t ms = 1'000'000;

class page_text final : public text_sink {
 public:
  [[nodiscard]] result<void> write(std::string_view part) override {
    page += part;
    return {};
  }
  std::string page;
};

void let_pass(std::uint64_t ns) {
  const std::uint64_t begin = now_ns();
  while (now_ns() - begin < ns) yield_thread();
}

// A file with the names of what it needs, a line each.
struct part {
  std::string path;
  std::vector<asset<part>> needs;
};

class part_loader final : public loader<part> {
 public:
  result<part> decode(std::span<const std::byte> bytes, load_context& context) override {
    const std::string path(context.path().text);
    part made{.path = path, .needs = {}};
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      made.needs.push_back(context.need<part>(line));
    }
    if (during_decode) during_decode(path);
    return made;
  }
  result<finalize_step> finalize(part& value, std::chrono::nanoseconds) override {
    return during_finalize ? during_finalize(value) : finalize_step::done;
  }

  std::function<void(const std::string& path)> during_decode;
  std::function<finalize_step(part&)> during_finalize;
};

using file_list = std::vector<std::pair<std::string, std::string>>;

// Without workers, so that everything happens on this thread, in pump().
struct small_store {
  explicit small_store(const file_list& content, const asset_store_config& config = {},
                       unsigned workers = 0, std::uint32_t events = 1u << 16)
      : record({.events_per_thread = events}),
        jobs({.workers = workers, .record = &record}),
        store(mounted(content), reads, jobs, config) {
    EXPECT_TRUE(store.add(parts));
    EXPECT_TRUE(record.attach_thread("main"));
  }
  ~small_store() { record.detach_thread(); }

  template <class Condition>
  void pump_until(Condition condition, std::chrono::nanoseconds budget = 1s) {
    while (!condition()) (void)store.pump(budget);
  }
  [[nodiscard]] std::string page() const {
    page_text sink;
    EXPECT_TRUE(write_report(sink, record, store));
    EXPECT_THAT(sink.page, testing::StartsWith("<!doctype html>"));
    EXPECT_THAT(sink.page, testing::EndsWith("</html>\n"));
    return sink.page;
  }
  [[nodiscard]] store_report known() const { return report_detail::collect_store(store, record); }

  file_system& mounted(const file_list& content) {
    for (const auto& [path, text] : content) folder.write(path, text);
    EXPECT_TRUE(files.mount(folder.path()));
    return files;
  }

  temp_folder folder;
  timeline record;
  file_system files;
  thread_pool jobs;
  read_queue reads{files, {.threads = 1, .record = &record}};
  part_loader parts;
  asset_store store;
};

// While it lives, the workers are in a wait: they have recorded what they did, and record no more.
class idle_workers {
 public:
  idle_workers(job_system& jobs, std::uint32_t workers) : held_(jobs), come_(workers) {
    gate_.raise();
    for (std::uint32_t i = 0; i < workers; ++i) {
      held_.run([this]() noexcept {
        (void)come_.done();
        gate_.wait();
      });
    }
    come_.wait();
  }
  ~idle_workers() {
    gate_.lower();
    held_.wait();
  }

 private:
  barricade gate_;
  job_group held_;
  countdown come_;
};

std::uint32_t number_of(const store_report& what, std::string_view path) {
  for (std::uint32_t i = 0; i < what.assets.size(); ++i) {
    if (what.assets[i].path == path) return i;
  }
  ADD_FAILURE() << "no asset " << path;
  return 0;
}

// The row of a table that begins with this text.
std::string row_of(const std::string& page, const std::string& table, const std::string& first) {
  const std::size_t section = page.find("<h2>" + table + "</h2>");
  const std::size_t end = page.find("</section>", section);
  const std::size_t row = page.find("<tr><td><bdi>" + first, section);
  if (section == page.npos || row == page.npos || row > end) return "";
  return page.substr(row, page.find("</tr>", row) - row);
}

TEST(write_report_of_a_store, names_the_asset_that_makes_pump_longer_than_its_budget) {
  small_store game({{"quick.txt", ""}, {"slow.txt", ""}});
  game.parts.during_finalize = [](const part& made) {
    if (made.path == "slow.txt") let_pass(20 * ms);
    return finalize_step::done;
  };
  const asset<part> quick = game.store.get<part>("quick.txt"_path);
  const asset<part> slow = game.store.get<part>("slow.txt"_path);
  game.pump_until([&] { return quick.is_ready() && slow.is_ready(); }, 4ms);
  const store_report what = game.known();
  const std::uint32_t culprit = number_of(what, "slow.txt");
  std::vector<const report_detail::pump_overrun*> by_it;
  for (const auto& each : what.overruns) {
    if (each.asset == culprit) by_it.push_back(&each);
  }
  ASSERT_EQ(by_it.size(), 1u);
  EXPECT_GE(by_it[0]->over_ns(), 16 * ms);
  EXPECT_GE(by_it[0]->budget_ns, 4 * ms);
  EXPECT_GE(by_it[0]->step_ns, 20 * ms);
  const std::string page = game.page();
  EXPECT_THAT(page, HasSubstr("finalize() of slow.txt took"));
  EXPECT_THAT(page, HasSubstr("return finalize_step::again once its budget has passed"));
  EXPECT_THAT(page, HasSubstr("<h2>pump() over its budget</h2>"));
  EXPECT_THAT(page, HasSubstr("<bdi>finalize() of slow.txt</bdi>"));
}

TEST(write_report_of_a_store, tells_which_need_was_waited_for) {
  small_store game({{"level.txt", "wall.txt"}, {"wall.txt", ""}});
  barricade gate;
  gate.raise();
  int finalized = 0;
  game.parts.during_finalize = [&](part&) {
    ++finalized;
    return gate.is_lowered() ? finalize_step::done : finalize_step::again;
  };
  const asset<part> level = game.store.get<part>("level.txt"_path);
  game.pump_until([&] { return level.state() == asset_state::needing && finalized > 0; });
  let_pass(5 * ms);
  gate.lower();
  game.pump_until([&] { return level.is_ready(); });
  const store_report what = game.known();
  const std::uint32_t parent = number_of(what, "level.txt");
  const std::uint32_t child = number_of(what, "wall.txt");
  EXPECT_EQ(what.assets[parent].need, child);
  EXPECT_GE(what.assets[parent].part_ns(asset_part::need), 5 * ms);
  EXPECT_GE(what.assets[parent].total_ns, what.assets[parent].part_ns(asset_part::need));
  EXPECT_EQ(what.assets[child].part_ns(asset_part::need), 0u);
  EXPECT_GE(what.assets[child].steps, 2u);
  const std::string page = game.page();
  EXPECT_THAT(row_of(page, "Slowest assets", "level.txt"), HasSubstr("<bdi>wall.txt</bdi>"));
  EXPECT_THAT(row_of(page, "What they waited for", "level.txt"),
              HasSubstr("an asset that it needs, at last wall.txt"));
}

TEST(write_report_of_a_store, tells_an_asset_from_what_it_needs_on_several_threads) {
  small_store game({{"level.txt", "wall.txt"}, {"wall.txt", ""}}, {.background_threads = 0}, 2);
  barricade gate;
  gate.raise();
  game.parts.during_decode = [&](const std::string& path) {
    if (path == "wall.txt") gate.wait();
  };
  const asset<part> level = game.store.get<part>("level.txt"_path);
  game.pump_until([&] { return level.state() == asset_state::needing; });
  let_pass(5 * ms);
  gate.lower();
  ASSERT_TRUE(game.store.wait_for(level, 1h));
  const idle_workers idle(game.jobs, 2);
  const store_report what = game.known();
  const report_detail::asset_times& parent = what.assets[number_of(what, "level.txt")];
  EXPECT_EQ(parent.need, number_of(what, "wall.txt"));
  EXPECT_GE(parent.part_ns(asset_part::need), 5 * ms);
  EXPECT_EQ(what.assets[parent.need].ended, 1u);
}

TEST(write_report_of_a_store, that_still_loads_says_what_each_asset_waits_for) {
  small_store game({{"level.txt", "wall.txt"}, {"wall.txt", ""}});
  game.parts.during_finalize = [&](part&) { return finalize_step::again; };
  const asset<part> level = game.store.get<part>("level.txt"_path);
  game.pump_until([&] { return level.state() == asset_state::needing; });
  const std::string page = game.page();
  EXPECT_THAT(page, HasSubstr("2 assets are not ready yet"));
  EXPECT_THAT(row_of(page, "Not ready yet", "level.txt"),
              AllOf(HasSubstr("needing"), HasSubstr("an asset that it needs: wall.txt")));
  EXPECT_THAT(row_of(page, "Not ready yet", "wall.txt"), Not(HasSubstr("an asset that")));
}

TEST(write_report_of_a_store, says_why_assets_failed) {
  small_store game(file_list{{"level.txt", "gone.txt"}});
  const asset<part> level = game.store.get<part>("level.txt"_path);
  game.pump_until([&] { return level.state() == asset_state::failed; });
  EXPECT_THAT(row_of(game.page(), "Failed", "level.txt"),
              HasSubstr("level.txt needs gone.txt: no mount has this path"));
}

TEST(write_report_of_a_store, says_why_assets_failed_that_nothing_holds_any_more) {
  small_store game(file_list{{"level.txt", "gone.txt"}, {"mended.txt", ""}});
  bool is_flawed = true;
  game.parts.during_decode = [&](const std::string& path) {
    if (path == "mended.txt" && is_flawed) throw std::runtime_error("flawed");
  };
  asset<part> level = game.store.get<part>("level.txt"_path);
  asset<part> mended = game.store.get<part>("mended.txt"_path);
  game.pump_until([&] {
    return level.state() == asset_state::failed && mended.state() == asset_state::failed;
  });
  level = {};
  is_flawed = false;
  game.store.retry(mended);
  game.pump_until([&] { return mended.is_ready(); });
  mended = {};
  const std::string page = game.page();
  EXPECT_THAT(row_of(page, "Failed", "level.txt"),
              HasSubstr("level.txt needs gone.txt: no mount has this path"));
  EXPECT_THAT(row_of(page, "Failed", "gone.txt"), HasSubstr("no mount has this path"));
  EXPECT_EQ(row_of(page, "Failed", "mended.txt"), "");
}

TEST(write_report_of_a_store, names_parts_and_what_is_loaded_beside_it) {
  small_store game(file_list{{"car.txt", ""}});
  ASSERT_TRUE(game.files.freeze());
  const asset<part> whole = game.store.get<part>("car.txt"_path);
  const asset<part> wheel =
      game.store.get<part>("car.txt"_path, asset_priority::normal, {.part = "wheel"});
  game.pump_until([&] { return whole.is_ready() && wheel.is_ready(); });
  {
    const zone of_a_load("decode", {.subject = 0});
  }
  const std::string page = game.page();
  EXPECT_THAT(page, HasSubstr("car.txt#wheel"));
  EXPECT_THAT(page, HasSubstr("entry 0"));
  page_text sink;
  ASSERT_TRUE(write_report(sink, game.record, &game.files));
  EXPECT_THAT(sink.page, AllOf(HasSubstr("|asset 0\""), HasSubstr("|car.txt\"")))
      << "an asset is not the file that has its number";
}

TEST(write_report_of_a_store, lists_what_was_loaded_more_than_once) {
  small_store game({{"a.txt", ""}, {"b.txt", ""}}, {.keep_bytes = 0, .reload_delay = 0ns});
  const asset<part> b = game.store.get<part>("b.txt"_path);
  for (int i = 0; i < 2; ++i) {
    asset<part> a = game.store.get<part>("a.txt"_path);
    game.pump_until([&] { return a.is_ready() && b.is_ready(); });
    a = {};
    game.pump_until([&] { return game.store.progress().waiting_bytes == 0; });
    (void)game.store.pump(1s);
  }
  game.store.reload("b.txt");
  game.pump_until([&] { return b.version() == 2; });
  const store_report what = game.known();
  const report_detail::asset_times& again = what.assets[number_of(what, "a.txt")];
  const report_detail::asset_times& anew = what.assets[number_of(what, "b.txt")];
  EXPECT_EQ(again.asked, 2u);
  EXPECT_EQ(again.ended, 2u);
  EXPECT_GT(again.again_ns, 0u);
  EXPECT_EQ(anew.asked, 1u);
  EXPECT_EQ(anew.reloaded, 1u);
  EXPECT_EQ(anew.again_ns, 0u) << "its file has changed";
  const std::string page = game.page();
  EXPECT_NE(row_of(page, "Loaded more than once", "a.txt"), "");
  EXPECT_NE(row_of(page, "Loaded more than once", "b.txt"), "");
}

TEST(write_report_of_a_store, names_zones_by_path_and_lets_no_name_become_an_element) {
  small_store game({{"a <b>.txt", ""}, {"</script>.txt", ""}});
  const asset<part> a = game.store.get<part>("a <b>.txt");
  const asset<part> b = game.store.get<part>("</script>.txt");
  const asset<part> gone = game.store.get<part>("gone <i>.txt");
  game.pump_until([&] { return game.store.progress().asked == 3 && b.is_ready() && a.is_ready(); });
  game.pump_until([&] { return gone.state() == asset_state::failed; });
  const std::string page = game.page();
  EXPECT_THAT(page, Not(HasSubstr("a <b>")));
  EXPECT_THAT(page, Not(HasSubstr("gone <i>")));
  EXPECT_THAT(page, Not(HasSubstr("</script>.txt")));
  const std::string_view begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
  EXPECT_THAT(data["files"]["paths"].dump(), HasSubstr("a <b>.txt"));
  EXPECT_EQ(data["lanes"][0]["name"], "main");
  EXPECT_GT(data["delays"]["count"], 0);
}

TEST(write_report_of_a_store, says_what_the_timeline_does_not_have) {
  small_store game({{"a.txt", ""}, {"b.txt", ""}}, {}, 0, 16);
  const asset<part> a = game.store.get<part>("a.txt"_path);
  game.pump_until([&] { return a.is_ready(); });
  for (int i = 0; i < 40; ++i) (void)game.store.pump(1s);
  const std::string lost = game.page();
  EXPECT_THAT(lost, HasSubstr("oldest events"));
  EXPECT_THAT(lost, HasSubstr("1 asset is ready, and the timeline does not have when"));
}

TEST(write_report_of_a_store, without_any_asset_is_a_page_that_says_so) {
  const small_store game(file_list{{"a.txt", ""}});
  EXPECT_THAT(game.page(), HasSubstr("The timeline has no asset that was loaded."));
}

}  // namespace
}  // namespace overture::write_store_report_test
