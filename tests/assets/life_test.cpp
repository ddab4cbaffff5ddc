// SPDX-License-Identifier: Zlib
//
// An asset's life: state, list and actions at each event, and what is true of all lives.
#include "assets/life.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace overture::assets_detail::life_test {
namespace {

const std::map<std::string, place> places = {
    {"none", place::none},
    {"to_read", place::to_read},
    {"to_decode", place::to_decode},
    {"for_main", place::for_main},
    {"for_workers", place::for_workers},
    {"kept", place::kept},
    {"unload_main", place::unload_main},
    {"unload_any", place::unload_any},
};

template <class T>
std::string name_of(const std::map<std::string, T>& names, T value) {
  for (const auto& [name, each] : names) {
    if (each == value) return name;
  }
  return "?";
}

std::string text_of(const life& one) {
  std::string text = to_string(one.state);
  if (one.in != place::none) text += " " + name_of(places, one.in);
  if (one.leaving) text += " leaving";
  if (one.settling) text += " settling";
  if (one.again) text += " again";
  if (one.begun) text += " begun";
  if (one.building) text += " building";
  if (one.built) text += " built";
  return text;
}

std::string text_of(const life_actions& todo) {
  std::string text;
  const auto add = [&](bool is, const char* name) {
    if (is) text += (text.empty() ? "" : " ") + std::string(name);
  };
  add(todo.raise, "raise");
  add(todo.drop_needs, "drop_needs");
  add(todo.drop_file, "drop_file");
  add(todo.settle, "settle");
  add(todo.finalize_job, "finalize_job");
  add(todo.unload_job, "unload_job");
  add(todo.exchange, "exchange");
  add(todo.wake_main, "wake_main");
  return text;
}

life life_of(const std::string& text) {
  life one;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    for (std::size_t i = 0; i < asset_state_count; ++i) {
      const auto state = static_cast<asset_state>(i);
      if (word == to_string(state)) one.state = state;
    }
    if (const auto found = places.find(word); found != places.end()) one.in = found->second;
    one.leaving |= word == "leaving";
    one.settling |= word == "settling";
    one.again |= word == "again";
    one.begun |= word == "begun";
    one.building |= word == "building";
    one.built |= word == "built";
  }
  return one;
}

life_facts facts_of(const std::string& text) {
  life_facts is;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    is.held |= word == "held";
    is.ending |= word == "ending";
    is.has_value |= word == "value";
    is.free_threaded |= word == "free";
    is.builds |= word == "builds";
    is.need_failed |= word == "need_failed";
    is.needs_pending |= word == "pending";
    is.is_reload |= word == "reload";
    is.is_part |= word == "part";
  }
  return is;
}

struct row {
  const char* now;
  life_event event;
  const char* facts;
  const char* next;
  const char* actions;
};

using enum life_event;

constexpr row table[] = {
    // Asked for.
    {"unloaded", asked, "held", "queued to_read", "raise"},
    {"unloaded unload_main leaving begun", asked, "held value",
     "queued unload_main leaving again begun", "raise"},
    {"unloaded leaving", asked, "held value", "queued leaving again", "raise"},
    {"ready kept begun", asked, "held value", "ready begun", ""},
    {"ready begun", asked, "held value", "ready begun", ""},
    {"reading", asked, "held", "reading", ""},
    {"unloaded", refused, "held", "failed settling", "settle"},
    {"failed", retried, "held", "queued to_read", "raise"},
    {"failed settling", retried, "held", "queued settling again", ""},
    {"failed unload_main leaving begun", retried, "held value",
     "queued unload_main leaving again begun", "raise"},
    {"ready begun", retried, "held value", "ready begun", ""},
    // Read.
    {"queued to_read", read_begins, "held", "reading", ""},
    {"reading", read_ends, "held", "decoding to_decode", ""},
    {"reading", read_ends, "", "unloaded", "drop_file"},
    {"reading", read_ends, "held ending", "unloaded", "drop_file"},
    {"reading", read_fails, "held", "failed settling", "drop_needs drop_file settle"},
    {"reading", read_fails, "", "unloaded", "drop_needs drop_file"},
    {"reading", read_refused, "held", "queued to_read", "raise drop_file"},
    {"reading", read_refused, "", "unloaded", "drop_file"},
    {"reading", read_refused, "held ending", "unloaded", "drop_file"},
    {"decoding", read_refused, "held", "decoding", ""},
    // Decoded.
    {"decoding to_decode", decode_begins, "held", "decoding", ""},
    {"decoding to_decode", decode_begins, "", "unloaded", "drop_file"},
    {"decoding to_decode", decode_begins, "held ending", "unloaded", "drop_file"},
    {"decoding", decode_ends, "held value", "finalizing for_main", "drop_file wake_main"},
    {"decoding", decode_ends, "held value free", "finalizing for_workers",
     "drop_file finalize_job"},
    {"decoding", decode_ends, "held value pending", "needing", "drop_file"},
    {"decoding", decode_ends, "held value pending need_failed", "needing", "drop_file"},
    {"decoding", decode_ends, "held value need_failed", "failed unload_any leaving settling",
     "drop_needs drop_file settle unload_job"},
    {"decoding", decode_ends, "value", "unloaded unload_any leaving",
     "drop_needs drop_file unload_job"},
    {"decoding", decode_ends, "held value ending", "unloaded unload_any leaving",
     "drop_needs drop_file unload_job"},
    {"decoding", decode_fails, "held part", "queued to_read", "raise drop_needs drop_file"},
    {"decoding", decode_fails, "part", "unloaded", "drop_needs drop_file"},
    {"decoding", decode_fails, "held", "failed settling", "drop_needs drop_file settle"},
    {"decoding", decode_fails, "", "unloaded", "drop_needs drop_file"},
    {"needing", needs_settle, "held value", "finalizing for_main", "wake_main"},
    {"needing", needs_settle, "held value free", "finalizing for_workers", "finalize_job"},
    {"needing", needs_settle, "held value need_failed", "failed unload_any leaving settling",
     "drop_needs settle unload_job"},
    {"needing", needs_settle, "held value pending", "needing", ""},
    {"needing", superseded, "held value pending", "queued unload_any leaving again",
     "raise drop_needs unload_job"},
    {"needing", superseded, "held value pending reload", "queued unload_any leaving again",
     "raise drop_needs unload_job"},
    {"decoding", superseded, "held", "decoding", ""},
    {"ready begun", superseded, "held value", "ready begun", ""},
    {"decoding", needs_settle, "held", "decoding", ""},
    // Built.
    {"decoding", decode_ends, "held value builds", "finalizing for_workers building",
     "drop_file finalize_job"},
    {"decoding", decode_ends, "held value builds pending", "needing", "drop_file"},
    {"needing", needs_settle, "held value builds", "finalizing for_workers building",
     "finalize_job"},
    {"needing", needs_settle, "held value builds free", "finalizing for_workers building",
     "finalize_job"},
    {"needing", needs_settle, "held value builds need_failed", "failed unload_any leaving settling",
     "drop_needs settle unload_job"},
    {"finalizing for_workers building", step_begins, "held value builds", "finalizing building",
     ""},
    {"finalizing building", built, "held value builds", "finalizing for_main", "wake_main"},
    {"finalizing building", built, "held value builds free", "finalizing for_workers",
     "finalize_job"},
    {"finalizing building", built, "held value builds pending", "needing built", ""},
    {"finalizing building", built, "held value builds need_failed",
     "failed unload_any leaving settling", "drop_needs settle unload_job"},
    {"needing built", needs_settle, "held value builds pending", "needing built", ""},
    {"needing built", needs_settle, "held value builds", "finalizing for_main", "wake_main"},
    {"needing built", needs_settle, "held value builds need_failed",
     "failed unload_any leaving settling", "drop_needs settle unload_job"},
    {"needing built", let_go, "value builds", "unloaded unload_any leaving",
     "drop_needs unload_job"},
    {"needing built", superseded, "held value builds", "queued unload_any leaving again",
     "raise drop_needs unload_job"},
    {"finalizing building", built, "value builds", "unloaded unload_any leaving",
     "drop_needs unload_job"},
    {"finalizing building", built, "held value builds ending", "unloaded unload_any leaving",
     "drop_needs unload_job"},
    {"finalizing building", step_fails, "held value builds", "failed unload_any leaving settling",
     "drop_needs settle unload_job"},
    {"finalizing building", step_ends, "held value builds", "finalizing building", ""},
    {"finalizing building", step_again, "held value builds", "finalizing building", ""},
    {"finalizing begun", built, "held value builds", "finalizing begun", ""},
    {"finalizing building", let_go, "value builds", "finalizing building", ""},
    {"finalizing for_workers building", let_go, "value builds", "unloaded unload_any leaving",
     "drop_needs unload_job"},
    {"finalizing for_workers building", store_ends, "held value builds ending",
     "unloaded unload_any leaving", "drop_needs unload_job"},
    // Finalized.
    {"finalizing for_main", step_begins, "held value", "finalizing begun", ""},
    {"finalizing for_workers", step_begins, "held value free", "finalizing begun", ""},
    {"finalizing begun", step_again, "held value", "finalizing for_main begun", "wake_main"},
    {"finalizing begun", step_again, "held value free", "finalizing for_workers begun",
     "finalize_job"},
    {"finalizing begun", step_again, "value", "unloaded unload_main leaving begun",
     "drop_needs wake_main"},
    {"finalizing begun", step_again, "held value ending", "unloaded unload_main leaving begun",
     "drop_needs wake_main"},
    {"finalizing begun", step_ends, "held value", "ready settling begun", "settle"},
    {"finalizing begun", step_ends, "value", "ready settling begun", "settle"},
    {"finalizing begun", step_fails, "held value", "failed unload_main leaving settling begun",
     "drop_needs settle wake_main"},
    {"finalizing begun", step_fails, "held value free", "failed unload_any leaving settling begun",
     "drop_needs settle unload_job"},
    // Told.
    {"ready settling begun", told, "held value", "ready begun", ""},
    {"ready settling begun", told, "held value reload", "ready begun", "exchange wake_main"},
    {"failed settling", told, "held reload", "failed", "exchange wake_main"},
    {"failed unload_any leaving settling", told, "held value reload", "failed unload_any leaving",
     "exchange wake_main"},
    {"queued settling again", told, "held", "queued to_read", "raise"},
    {"queued unload_main leaving settling again", told, "held value",
     "queued unload_main leaving again", "raise"},
    // Let go.
    {"queued to_read", let_go, "", "unloaded", ""},
    {"queued unload_main leaving again", let_go, "value", "unloaded unload_main leaving", ""},
    {"reading", let_go, "", "reading", ""},
    {"decoding to_decode", let_go, "", "unloaded", "drop_file"},
    {"decoding", let_go, "", "decoding", ""},
    {"needing", let_go, "value", "unloaded unload_any leaving", "drop_needs unload_job"},
    {"finalizing for_main", let_go, "value", "unloaded unload_any leaving",
     "drop_needs unload_job"},
    {"finalizing for_main begun", let_go, "value", "unloaded unload_main leaving begun",
     "drop_needs wake_main"},
    {"finalizing for_workers begun", let_go, "value free", "unloaded unload_any leaving begun",
     "drop_needs unload_job"},
    {"finalizing begun", let_go, "value", "finalizing begun", ""},
    {"ready begun", let_go, "value", "ready kept begun", ""},
    {"ready settling begun", let_go, "value", "ready settling begun", ""},
    {"failed", let_go, "", "unloaded", ""},
    {"failed unload_main leaving begun", let_go, "value", "unloaded unload_main leaving begun", ""},
    {"ready kept begun", evicted, "value", "unloaded unload_main leaving begun",
     "drop_needs wake_main"},
    {"ready kept begun", evicted, "value free", "unloaded unload_any leaving begun",
     "drop_needs unload_job"},
    {"ready begun", evicted, "held value", "ready begun", ""},
    // A reload has brought its value, or none.
    {"ready begun", exchanged, "value", "unloaded unload_main leaving begun",
     "drop_needs wake_main"},
    {"failed", exchanged, "", "unloaded", "drop_needs"},
    {"failed unload_any leaving", exchanged, "value", "unloaded unload_any leaving", "drop_needs"},
    {"failed leaving", exchanged, "value", "unloaded leaving", "drop_needs"},
    // Unloaded.
    {"unloaded unload_main leaving begun", unload_begins, "value", "unloaded leaving begun", ""},
    {"unloaded leaving begun", unload_ends, "", "unloaded", ""},
    {"failed leaving settling", unload_ends, "held", "failed settling", ""},
    {"queued leaving again", unload_ends, "held", "queued to_read", "raise"},
    {"queued leaving settling again", unload_ends, "held", "queued settling again", ""},
    // The end.
    {"ready begun", store_ends, "held value ending", "unloaded unload_main leaving begun",
     "drop_needs wake_main"},
    {"ready kept begun", store_ends, "value ending", "unloaded unload_main leaving begun",
     "drop_needs wake_main"},
    {"needing", store_ends, "held value ending", "unloaded unload_any leaving",
     "drop_needs unload_job"},
    {"failed unload_main leaving begun", store_ends, "held value ending",
     "unloaded unload_main leaving begun", ""},
    {"queued unload_any leaving again", store_ends, "held value ending",
     "unloaded unload_any leaving", ""},
};

TEST(an_asset_life, goes_on_at_each_event_as_the_table_says) {
  for (const row& each : table) {
    const life now = life_of(each.now);
    EXPECT_EQ(text_of(now), each.now);
    const life_step to = step(now, each.event, facts_of(each.facts));
    EXPECT_EQ(text_of(to.next) + " | " + text_of(to.todo),
              std::string(each.next) + " | " + each.actions)
        << each.now << ", event " << static_cast<int>(each.event) << ", " << each.facts;
  }
}

// --- What is true of all lives -------------------------------------------------------------------

struct less_life {
  static auto key(const life& one) {
    return std::tuple(one.state, one.in, one.leaving, one.settling, one.again, one.begun,
                      one.building);
  }
  bool operator()(const life& a, const life& b) const { return key(a) < key(b); }
};
using lives = std::set<life, less_life>;

bool has_value(const life& one) {
  using enum asset_state;
  return one.leaving || one.state == needing || one.state == finalizing || one.state == ready;
}

struct loader_kind {
  bool free_threaded = false;
  bool builds = false;
};
constexpr loader_kind loader_kinds[] = {{false, false}, {true, false}, {false, true}, {true, true}};

// Every combination of facts that can be at such an event.
template <class Visit>
void each_facts(const life& now, life_event event, const loader_kind& of, Visit visit) {
  for (unsigned bits = 0; bits < 32; ++bits) {
    life_facts is{.held = (bits & 1) != 0,
                  .ending = (bits & 2) != 0,
                  .has_value = has_value(now) || event == decode_ends,
                  .free_threaded = of.free_threaded,
                  .builds = of.builds,
                  .need_failed = (bits & 4) != 0,
                  .needs_pending = (bits & 8) != 0,
                  .is_reload = (bits & 16) != 0};
    if (event == unload_ends) is.has_value = false;
    if (event == let_go && is.held) continue;
    if (event == store_ends && !is.ending) continue;
    visit(is);
  }
}

lives all_lives(const loader_kind& of) {
  lives found{life{}};
  std::vector<life> next{life{}};
  while (!next.empty()) {
    const life now = next.back();
    next.pop_back();
    for (std::size_t i = 0; i < life_event_count; ++i) {
      const auto event = static_cast<life_event>(i);
      // A value is unloaded once it was taken from its list.
      if (event == unload_ends && now.in != place::none) continue;
      each_facts(now, event, of, [&](const life_facts& is) {
        const life to = step(now, event, is).next;
        if (found.insert(to).second) next.push_back(to);
      });
    }
  }
  return found;
}

TEST(an_asset_life, is_in_the_list_that_belongs_to_its_state) {
  using enum asset_state;
  for (const loader_kind& of : loader_kinds) {
    const lives all = all_lives(of);
    EXPECT_GT(all.size(), 20u);
    for (const life& one : all) {
      SCOPED_TRACE(text_of(one));
      const bool unloads = one.in == place::unload_main || one.in == place::unload_any;
      EXPECT_EQ(one.in == place::to_read, one.state == queued && !one.again);
      EXPECT_TRUE(one.in != place::to_decode || one.state == decoding);
      EXPECT_TRUE(one.in != place::for_main || (one.state == finalizing && !of.free_threaded));
      EXPECT_TRUE(one.in != place::for_workers ||
                  (one.state == finalizing && (of.free_threaded || one.building)));
      EXPECT_TRUE(!one.building || (one.state == finalizing && of.builds && !one.begun));
      EXPECT_TRUE(!one.built || (one.state == needing && of.builds && !one.building));
      EXPECT_TRUE(one.in != place::kept || one.state == ready);
      EXPECT_TRUE(one.in != place::unload_main || !of.free_threaded);
      EXPECT_TRUE(!unloads || one.leaving);
      EXPECT_TRUE(!one.leaving || unloads || one.in == place::none);
      EXPECT_TRUE(!one.leaving || one.state == unloaded || one.state == queued ||
                  one.state == failed);
      EXPECT_TRUE(!one.again || (one.state == queued && (one.leaving || one.settling)));
      EXPECT_TRUE(!one.settling || is_settled(one.state) || one.again);
    }
  }
}

// Whatever has happened, a value that was made is unloaded, and what was asked for is settled.
TEST(an_asset_life, ends_from_every_state) {
  for (const loader_kind& of : loader_kinds) {
    for (const life& one : all_lives(of)) {
      if (one.settling) continue;  // the thread that tells goes on
      SCOPED_TRACE(text_of(one));
      const life_facts ends{.ending = true, .has_value = has_value(one)};
      const life end = step(one, store_ends, ends).next;
      EXPECT_EQ(end.state, asset_state::unloaded);
      EXPECT_EQ(end.leaving, has_value(one));
      EXPECT_FALSE(end.again);

      // Nothing holds it: once it is told and no thread works for it, it goes or is kept.
      if (one.in == place::kept) continue;
      const life gone = step(one, let_go, {.has_value = has_value(one)}).next;
      const bool is_running = is_moving(one.state) && one.in == place::none;
      EXPECT_TRUE(is_running || gone.state == asset_state::unloaded || gone.in == place::kept);
    }
  }
}

// Who asks for it again is not told that it had settled before.
TEST(an_asset_life, raises_the_barricade_of_what_is_queued_again) {
  for (const loader_kind& of : loader_kinds) {
    for (const life& one : all_lives(of)) {
      for (std::size_t i = 0; i < life_event_count; ++i) {
        const auto event = static_cast<life_event>(i);
        each_facts(one, event, of, [&](const life_facts& is) {
          const life_step to = step(one, event, is);
          const bool is_asked = to.next.state == asset_state::queued &&
                                (one.state != asset_state::queued || event == told);
          if (is_asked && to.next != one) {
            EXPECT_EQ(to.todo.raise, !to.next.settling) << text_of(one) << ", event " << i;
          }
        });
      }
    }
  }
}

TEST(an_asset_life, settles_each_time_it_becomes_ready_or_fails) {
  for (const loader_kind& of : loader_kinds) {
    for (const life& one : all_lives(of)) {
      for (std::size_t i = 0; i < life_event_count; ++i) {
        const auto event = static_cast<life_event>(i);
        each_facts(one, event, of, [&](const life_facts& is) {
          const life_step to = step(one, event, is);
          const bool settles = is_settled(to.next.state) && to.next.state != one.state;
          EXPECT_EQ(to.todo.settle, settles) << text_of(one) << ", event " << i;
          EXPECT_TRUE(!to.todo.settle || to.next.settling);
        });
      }
    }
  }
}

}  // namespace
}  // namespace overture::assets_detail::life_test
