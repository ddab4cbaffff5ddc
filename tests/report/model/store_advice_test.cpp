// SPDX-License-Identifier: Zlib
#include "report/model/store_advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overture::report_detail::store_advice_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t msec = 1'000'000;

void set(asset_times& of, asset_part part, std::uint64_t ns) {
  of.ns[static_cast<std::size_t>(part)] = ns;
}

// Two assets in a second: one needs the other.
store_report small() {
  store_report what;
  what.begin_ns = 100 * msec;
  what.end_ns = 1100 * msec;
  what.ended = 2;
  what.assets.resize(2);
  what.assets[0].path = "level.txt";
  what.assets[1].path = "wall.png";
  for (asset_times& each : what.assets) each.asked = each.ended = 1;
  set(what.assets[0], asset_part::need, 900 * msec);
  set(what.assets[0], asset_part::decode, 10 * msec);
  set(what.assets[1], asset_part::pump, 30 * msec);
  return what;
}

std::string only(const store_report& what) {
  const std::vector<advice> all = store_advice(what);
  return all.size() == 1 ? all[0].sentence : std::to_string(all.size()) + " sentences";
}

TEST(store_verdict, counts_the_time_of_needs_once) {
  EXPECT_EQ(bound_of(small()), "waiting for pump()");
  EXPECT_EQ(
      verdict_sentence(small()),
      "2 loads ended 1.00 s after the first was asked for: 75 % of their time was waiting for "
      "pump(), 25 % was decode().");
}

TEST(store_verdict, has_the_calls_that_took_longer_than_their_budget) {
  store_report what = small();
  what.overruns = {{.budget_ns = 4 * msec, .took_ns = 6 * msec},
                   {.budget_ns = 4 * msec, .took_ns = 20 * msec}};
  EXPECT_THAT(verdict_sentence(what),
              HasSubstr("; 2 calls of pump() took longer than their budgets, by 16.0 ms at most."));
}

TEST(store_verdict, of_nothing_says_so) {
  EXPECT_EQ(verdict_sentence(store_report()), "The timeline has no asset that was loaded.");
  EXPECT_EQ(bound_of(store_report()), "");
  store_report begun;
  begun.open.push_back({});
  EXPECT_EQ(verdict_sentence(begun), "Nothing is ready yet: 1 asset is loading.");
}

TEST(store_advice, is_given_only_where_the_times_say_so) {
  EXPECT_THAT(store_advice(store_report()), IsEmpty());
  EXPECT_THAT(store_advice(small()), IsEmpty());
  store_report little = small();
  little.unpumped_ns = 40 * msec;  // less than a twentieth
  EXPECT_THAT(store_advice(little), IsEmpty());
}

TEST(store_advice, names_the_step_that_made_a_pump_longer) {
  store_report what = small();
  what.overruns = {{.budget_ns = 4 * msec,
                    .took_ns = 20 * msec,
                    .asset = 1,
                    .step = "finalize",
                    .step_ns = 19 * msec}};
  EXPECT_EQ(only(what),
            "finalize() of wall.png took 19.0 ms, where pump() had 4.00 ms: return "
            "finalize_step::again once its budget has passed.");
  EXPECT_EQ(store_advice(what)[0].gain_ns, 16 * msec);
  EXPECT_EQ(store_advice(what)[0].path, "wall.png");
  what.overruns[0].step_ns = 1 * msec;
  EXPECT_THAT(store_advice(what), IsEmpty()) << "something else took the time";
}

TEST(store_advice, each_has_its_numbers) {
  store_report what = small();
  what.unpumped_ns = 300 * msec;
  EXPECT_THAT(only(what), HasSubstr("Call pump() more often"));
  what = small();
  what.any_ns[static_cast<std::size_t>(asset_part::room)] = 300 * msec;
  EXPECT_THAT(only(what), AllOf(HasSubstr("budget_bytes"), HasSubstr("300 ms")));
  what = small();
  what.late_need = {.asset = 0, .part = asset_part::need, .ns = 900 * msec, .ended_by = 1};
  what.late_ns = 500 * msec;
  EXPECT_EQ(only(what), "Ask for wall.png when level.txt is asked for: that waited 900 ms for it.");
  EXPECT_EQ(store_advice(what)[0].gain_ns, 500 * msec);
  what = small();
  what.assets[1].asked = 3;
  what.assets[1].again_ns = 200 * msec;
  EXPECT_THAT(only(what), AllOf(HasSubstr("keep_bytes"), HasSubstr("wall.png 3 times")));
  what = small();
  set(what.assets[0], asset_part::decode, 400 * msec);
  EXPECT_THAT(only(what), HasSubstr("its decode() took 400 ms on one thread"));
  what = small();
  what.any_ns[static_cast<std::size_t>(asset_part::thread)] = 300 * msec;
  EXPECT_THAT(only(what), HasSubstr("more workers"));
  what = small();
  what.any_ns[static_cast<std::size_t>(asset_part::read)] = 400 * msec;
  EXPECT_THAT(only(what), HasSubstr("overture pack --recorded"));
}

TEST(store_advice, has_what_saves_most_first_and_five_at_most) {
  store_report what = small();
  what.unpumped_ns = 300 * msec;
  what.late_need = {.asset = 0, .ns = 900 * msec, .ended_by = 1};
  what.late_ns = 500 * msec;
  what.any_ns.fill(400 * msec);
  what.assets[1].again_ns = 200 * msec;
  const std::vector<advice> all = store_advice(what);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_THAT(all[0].sentence, HasSubstr("Ask for wall.png"));
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i].gain_ns, all[i - 1].gain_ns);
}

}  // namespace
}  // namespace overture::report_detail::store_advice_test
