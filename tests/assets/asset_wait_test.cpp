// SPDX-License-Identifier: Zlib
#include "assets/asset_wait.hpp"

#include <gtest/gtest.h>

namespace overture::assets_detail {
namespace {

using enum asset_state;

TEST(asset_wait, what_it_waits_for_follows_from_its_life) {
  struct row {
    life now;
    bool lacks_room;
    const char* waits_for;
  };
  const row rows[] = {
      {{.state = unloaded}, false, nullptr},
      {{.state = queued, .in = place::to_read}, false, asset_waits::turn},
      {{.state = queued, .in = place::to_read}, true, asset_waits::room},
      {{.state = queued, .in = place::unload_any, .leaving = true}, false, asset_waits::unload},
      {{.state = queued, .settling = true}, false, asset_waits::turn},
      {{.state = reading}, false, asset_waits::read},
      {{.state = reading}, true, asset_waits::room},
      {{.state = decoding, .in = place::to_decode}, false, asset_waits::decode},
      {{.state = decoding, .in = place::to_decode}, true, asset_waits::room},
      {{.state = decoding}, true, nullptr},
      {{.state = needing}, false, asset_waits::need},
      {{.state = finalizing, .in = place::for_main}, false, asset_waits::pump},
      {{.state = finalizing, .in = place::for_workers}, false, asset_waits::finalize},
      {{.state = finalizing}, false, nullptr},
      {{.state = ready, .in = place::kept}, false, nullptr},
      {{.state = failed}, false, nullptr},
  };
  for (const row& each : rows) {
    EXPECT_EQ(wait_of(each.now, each.lacks_room), each.waits_for)
        << to_string(each.now.state) << ' ' << static_cast<int>(each.now.in);
  }
}

TEST(asset_wait, some_steps_are_points_in_time) {
  struct row {
    asset_state before;
    life_event event;
    asset_state next;
    bool is_reload;
    const char* mark;
  };
  const row rows[] = {
      {unloaded, life_event::asked, queued, false, asset_marks::asked},
      {unloaded, life_event::asked, queued, true, asset_marks::reloaded},
      {failed, life_event::retried, queued, false, asset_marks::retried},
      {needing, life_event::superseded, queued, false, asset_marks::reloaded},
      {reading, life_event::read_refused, queued, false, nullptr},
      {queued, life_event::told, queued, false, nullptr},
      {queued, life_event::read_begins, reading, false, nullptr},
      {finalizing, life_event::step_ends, ready, false, asset_marks::ready},
      {unloaded, life_event::refused, failed, false, asset_marks::failed},
      {queued, life_event::let_go, unloaded, false, asset_marks::given_up},
      {ready, life_event::evicted, unloaded, false, nullptr},
      {failed, life_event::let_go, unloaded, false, nullptr},
  };
  for (const row& each : rows) {
    EXPECT_EQ(mark_of({.state = each.before}, each.event, {.state = each.next}, each.is_reload),
              each.mark)
        << to_string(each.before) << " to " << to_string(each.next);
  }
}

}  // namespace
}  // namespace overture::assets_detail
