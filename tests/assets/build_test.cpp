// SPDX-License-Identifier: Zlib
//
// Loaders with three steps: decode(), build() on any worker once what it needs is ready, and
// finalize() on the thread that pumps.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "assets/store_rig.hpp"

namespace overture::build_test {
namespace {

using namespace overture::literals;
using namespace overture::test;

// Several words in one: its file has a path in each line.
struct sentence {
  std::vector<asset<words>> parts;
  std::string text;
};

class sentence_loader final : public loader<sentence> {
 public:
  explicit sentence_loader(diary& to) : diary_(to) {}

  result<sentence> decode(std::span<const std::byte> bytes, load_context& context) override {
    sentence made;
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      made.parts.push_back(context.need<words>(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return made;
  }
  result<void> build(sentence& value, asset_context& context) override {
    if (before_build) before_build(context);
    built_on = std::this_thread::get_id();
    for (const asset<words>& each : value.parts) value.text += each->text;
    diary_.note("build " + value.text);
    if (value.text == "unsaid") return fail(errc::corrupt, "better left unsaid");
    if (value.text == "thrown") throw std::runtime_error("build");
    if (value.text == "refused") throw std::bad_alloc();
    return {};
  }
  result<finalize_step> finalize(sentence& value, std::chrono::nanoseconds) override {
    if (before_finalize) before_finalize();
    diary_.note("say " + value.text);
    finalized_on = std::this_thread::get_id();
    return finalize_step::done;
  }
  void unload(sentence& value) override { diary_.note("unsay " + value.text); }
  [[nodiscard]] bool builds() const noexcept override { return true; }
  [[nodiscard]] bool free_threaded() const noexcept override { return is_free; }
  [[nodiscard]] bool dependent() const noexcept override { return true; }
  std::uint64_t bytes_of(const sentence& value) const noexcept override {
    return value.text.size();
  }

  std::function<void(asset_context&)> before_build;
  std::function<void()> before_finalize;
  std::thread::id built_on;
  std::thread::id finalized_on;
  bool is_free = false;

 private:
  diary& diary_;
};

struct build_rig {
  store_rig base;
  sentence_loader sentences{base.happened};

  explicit build_rig(unsigned workers = 2) : base({.workers = workers}) {
    base.add("all", "a.txt\nb.txt");
    base.add("a.txt", "un");
    base.add("b.txt", "told");
    base.add("c.txt", "later");
    base.mount();
  }
};

struct store_of_sentences : rigged_store {
  explicit store_of_sentences(build_rig& rig, const asset_store_config& config = {})
      : rigged_store(rig.base, config) {
    EXPECT_TRUE(add(rig.sentences));
  }
};

TEST(build, has_all_that_its_asset_needs_and_comes_before_finalize) {
  for (const bool is_free : {false, true}) {
    build_rig rig;
    rig.sentences.is_free = is_free;
    store_of_sentences store(rig);
    const asset<sentence> all = store.get<sentence>("all"_path);
    ASSERT_EQ(store.outcome(all), "ready");
    EXPECT_EQ(all->text, "untold");
    EXPECT_EQ(store.progress().held_bytes, 6u + 6u) << "asked for its size after build()";
    const std::vector<std::string> lines = rig.base.happened.lines();
    ASSERT_GE(lines.size(), 2u);
    EXPECT_EQ(lines[lines.size() - 2], "build untold");
    EXPECT_EQ(lines.back(), "say untold");
  }
}

TEST(build, runs_on_a_worker_where_there_are_any) {
  build_rig rig;
  store_of_sentences store(rig);
  const asset<sentence> all = store.get<sentence>("all"_path);
  // Without wait_for(), which runs jobs too while it has nothing else to do.
  ASSERT_TRUE(pump_until(store, [&] { return all.is_ready(); }));
  EXPECT_NE(rig.sentences.built_on, std::this_thread::get_id());
  EXPECT_EQ(rig.sentences.finalized_on, std::this_thread::get_id());
}

TEST(build, that_fails_or_throws_fails_its_asset_which_is_destroyed_without_unload) {
  for (const auto& [second, code] : {std::pair{"said", "corrupt"}, std::pair{"thrown", "threw"},
                                     std::pair{"refused", "out_of_memory"}}) {
    build_rig rig;
    rig.base.add("a.txt", second == std::string("said") ? "un" : "");
    rig.base.add("b.txt", second);
    store_of_sentences store(rig);
    asset<sentence> all = store.get<sentence>("all"_path);
    EXPECT_EQ(store.outcome(all), code);
    all = {};
    ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
    for (const std::string& line : rig.base.happened.lines()) {
      EXPECT_FALSE(line.starts_with("say") || line.starts_with("unsay")) << line;
    }
  }
}

TEST(build, may_need_more_which_is_ready_before_finalize) {
  for (const bool is_free : {false, true}) {
    for (const unsigned workers : {0u, 2u}) {
      build_rig rig(workers);
      rig.sentences.is_free = is_free;
      asset<words> later;
      rig.sentences.before_build = [&](asset_context& context) {
        later = context.need<words>("c.txt");
      };
      rig.sentences.before_finalize = [&] { EXPECT_TRUE(later.is_ready()); };
      store_of_sentences store(rig);
      const asset<sentence> all = store.get<sentence>("all"_path);
      ASSERT_EQ(store.outcome(all), "ready");
      EXPECT_EQ(later->text, "later");
      EXPECT_EQ(rig.base.happened.count("build untold"), 1u);
      rig.base.add("a.txt", "re");
      store.reload("a.txt");
      ASSERT_TRUE(pump_until(store, [&] { return all->text == "retold"; }));
      later = {};
    }
  }
}

TEST(build, that_needs_what_fails_fails_its_asset_which_is_destroyed_without_unload) {
  build_rig rig;
  rig.base.add("c.txt", "broken");
  rig.sentences.before_build = [&](asset_context& context) { (void)context.need<words>("c.txt"); };
  store_of_sentences store(rig, {.reload_delay = std::chrono::nanoseconds(0)});
  const asset<sentence> all = store.get<sentence>("all"_path);
  ASSERT_EQ(store.outcome(all), "corrupt");
  EXPECT_EQ(explained(store, all), "all needs c.txt: broken words");
  EXPECT_EQ(rig.base.happened.count("say untold"), 0u);
  EXPECT_EQ(rig.base.happened.count("unsay untold"), 0u);
  rig.base.add("c.txt", "mended");
  store.reload("c.txt");
  ASSERT_TRUE(pump_until(store, [&] { return all.is_ready(); }));
}

TEST(build, that_waits_for_more_is_given_up_with_its_last_handle) {
  build_rig rig;
  barricade reads{barricade::raised};
  rig.base.texts.before_decode = [&](const std::string& path) {
    if (path == "c.txt") reads.wait();
  };
  rig.sentences.before_build = [&](asset_context& context) { (void)context.need<words>("c.txt"); };
  store_of_sentences store(rig, {.keep_bytes = 0});
  asset<sentence> all = store.get<sentence>("all"_path);
  ASSERT_TRUE(pump_until(store, [&] {
    return rig.base.happened.count("build untold") == 1 && all.state() == asset_state::needing;
  }));
  all = {};
  reads.lower();
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
  EXPECT_EQ(rig.base.happened.count("say untold"), 0u);
}

TEST(build, of_an_asset_that_is_let_go_meanwhile_learns_of_it_and_is_not_finalized) {
  build_rig rig;
  barricade began{barricade::raised};
  barricade go_on{barricade::raised};
  bool was_cancelled = false;
  rig.sentences.before_build = [&](asset_context& context) {
    began.lower();
    go_on.wait();
    was_cancelled = context.is_cancelled();
    EXPECT_EQ(context.path().text, "all");
  };
  store_of_sentences store(rig, {.keep_bytes = 0});
  asset<sentence> all = store.get<sentence>("all"_path);
  ASSERT_TRUE(pump_until(store, [&] { return began.is_lowered(); }));
  all = {};
  store.pump(std::chrono::milliseconds(1));
  go_on.lower();
  ASSERT_TRUE(pump_until(store, [&] { return rig.base.happened.count("unload told") != 0; }));
  EXPECT_TRUE(was_cancelled);
  EXPECT_EQ(rig.base.happened.count("say untold"), 0u);
  EXPECT_EQ(rig.base.happened.count("unsay untold"), 0u);
}

TEST(build, is_done_again_with_the_new_value_of_what_it_took_from) {
  build_rig rig;
  store_of_sentences store(rig, {.reload_delay = std::chrono::nanoseconds(0)});
  const asset<sentence> all = store.get<sentence>("all"_path);
  ASSERT_EQ(store.outcome(all), "ready");
  rig.base.add("b.txt", "known");
  store.reload("b.txt");
  ASSERT_TRUE(pump_until(store, [&] { return all->text == "unknown"; }));
  // The old values leave once no call of a loader may use them.
  ASSERT_TRUE(pump_until(store, [&] {
    return rig.base.happened.count("unload told") == 1 &&
           rig.base.happened.count("unsay untold") == 1;
  }));
  rig.base.add("b.txt", "said");
  store.reload("b.txt");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(all); }));
  EXPECT_EQ(all->text, "unknown") << "the new one could not be built";
}

struct grown {
  std::vector<char> bytes;
};
class growing_loader final : public loader<grown> {
 public:
  static constexpr std::size_t size = 1u << 20;
  [[nodiscard]] bool reads() const noexcept override { return false; }  // all are decoded at once
  result<grown> decode(std::span<const std::byte>, load_context& context) override {
    if (needs_another) (void)context.need<words>("another");
    return grown{};
  }
  result<void> build(grown& value, asset_context&) override {
    value.bytes.resize(size);
    return {};
  }
  [[nodiscard]] bool builds() const noexcept override { return true; }
  std::uint64_t memory_needed(const asset_path&,
                              std::span<const std::byte>) const noexcept override {
    return says ? size : 0;
  }
  std::uint64_t bytes_of(const grown& value) const noexcept override { return value.bytes.size(); }

  bool says = true;
  bool needs_another = false;
};

// Unless its loader says so, what others have taken is the guess.
TEST(build, takes_the_memory_that_is_known_within_the_budget) {
  constexpr std::uint64_t budget = 8 * growing_loader::size;
  for (const bool says : {true, false}) {
    store_rig rig({.workers = 0});
    rig.add("another", "");
    rig.mount();
    growing_loader values;
    values.says = says;
    rigged_store store(rig, {.budget_bytes = budget, .background_threads = 0});
    ASSERT_TRUE(store.add(values));
    const asset<grown> first = store.get<grown>("first"_path);
    ASSERT_EQ(store.outcome(first), "ready");
    std::vector<asset<grown>> held;
    for (int i = 0; i < 20; ++i) held.push_back(store.get<grown>(std::to_string(i)));
    while (rig.engine.jobs.try_help()) {  // all that goes on without pump()
    }
    const asset_progress now = store.progress();
    EXPECT_GE(now.for_pump, 4u) << "built, and not finalized without pump(); " << says;
    EXPECT_LE(now.waiting_bytes, budget + growing_loader::size) << says;
    for (const asset<grown>& each : held) EXPECT_EQ(store.outcome(each), "ready");
  }
}

TEST(build, takes_memory_that_counts_though_nothing_was_known_of_it) {
  store_rig rig({.workers = 0});
  rig.add("another", "");
  rig.mount();
  growing_loader values;
  values.says = false;
  rigged_store store(rig, {.background_threads = 0});
  ASSERT_TRUE(store.add(values));
  const asset<grown> one = store.get<grown>("one"_path);
  while (rig.engine.jobs.try_help()) {
  }
  EXPECT_EQ(store.progress().for_pump, 1u);
  EXPECT_EQ(store.progress().waiting_bytes, growing_loader::size);
  EXPECT_EQ(store.outcome(one), "ready");
}

TEST(build, has_the_memory_that_is_known_reserved_while_its_asset_waits) {
  constexpr std::uint64_t budget = 8 * growing_loader::size;
  for (const bool says : {true, false}) {
    store_rig rig({.workers = 0});
    rig.texts.is_free = true;
    rig.add("another", "text");
    rig.os.set_cached(false);
    rig.mount();
    read_queue reads(rig.engine.files, {.run_by_host = true});
    growing_loader values;
    values.says = says;
    asset_store store(rig.engine.files, reads, rig.engine.jobs,
                      {.budget_bytes = budget, .background_threads = 0});
    ASSERT_TRUE(store.add(rig.texts) && store.add(values));
    const asset<grown> first = store.get<grown>("first"_path);
    ASSERT_TRUE(store.wait_for(first, hang));
    values.needs_another = true;
    std::vector<asset<grown>> held;
    for (int i = 0; i < 20; ++i) held.push_back(store.get<grown>(std::to_string(i)));
    while (rig.engine.jobs.try_help()) {
    }
    reads.drain();
    while (rig.engine.jobs.try_help()) {
    }
    const asset_progress now = store.progress();
    EXPECT_GE(now.for_pump, 4u) << "built; " << says;
    EXPECT_LE(now.waiting_bytes, budget + growing_loader::size) << says;
    for (const asset<grown>& each : held) EXPECT_TRUE(store.wait_for(each, hang));
  }
}

TEST(build, loads_without_workers_too) {
  build_rig rig;
  thread_pool alone{{.workers = 0}};
  asset_store store(rig.base.engine.files, rig.base.engine.reads, alone);
  ASSERT_TRUE(store.add(rig.base.texts));
  ASSERT_TRUE(store.add(rig.sentences));
  const asset<sentence> all = store.get<sentence>("all"_path);
  ASSERT_TRUE(store.wait_for(all, std::chrono::minutes(1)));
  EXPECT_TRUE(all.is_ready());
}

}  // namespace
}  // namespace overture::build_test
