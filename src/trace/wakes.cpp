// SPDX-License-Identifier: Zlib
//
// Which thread ended which wait: a wake and a wait name the same place, and the wake came while the
// thread waited. Of several the last counts: those before it were futile, or for others.
#include <algorithm>
#include <utility>

#include "base/guarded_call.hpp"
#include "base/vec.hpp"
#include "overture/trace/timeline.hpp"

namespace overture {
using namespace base_detail;

namespace {

struct recorded_wake {
  std::uint64_t place = 0;
  std::uint64_t at_ns = 0;
  std::size_t track = 0;
  const trace_event* request = nullptr;
};

struct recorded_wait {
  std::uint64_t place = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::size_t track = 0;
};

class wake_finder {
 public:
  explicit wake_finder(const timeline& record) noexcept
      : record_(record),
        wakes_(record.memory(), memory_tag::trace),
        waits_(record.memory(), memory_tag::trace) {}

  result<void> run(function_ref<void(const wake_flow&)> visit) noexcept {
    for (std::size_t i = 0; i < record_.track_count(); ++i) gather(i);
    if (!has_room_) return fail(errc::out_of_memory, "out of memory for matching wakes and waits");
    std::sort(wakes_.begin(), wakes_.end(), comes_before);
    const auto visit_all = [&] {
      for (const recorded_wait& wait : waits_) {
        const recorded_wake* const by = last_wake_of(wait);
        if (by) visit({by->track, by->at_ns, by->request, wait.track, wait.end_ns});
      }
    };
    if (!guarded_call(visit_all)) return fail(errc::threw, visitor_threw);
    return {};
  }

 private:
  static bool comes_before(const recorded_wake& a, const recorded_wake& b) noexcept {
    return a.place != b.place ? a.place < b.place : a.at_ns < b.at_ns;
  }

  void gather(std::size_t track) noexcept {
    const trace_event* request = nullptr;  // what was recorded last, but for wakes
    (void)record_.track(track).for_each_event([&](const trace_event& event) {
      switch (event.kind) {
        case event_kind::wake:
          has_room_ = has_room_ && wakes_.push_back({event.value, event.begin_ns, track, request});
          return;
        case event_kind::request:
          request = &event;
          return;
        case event_kind::service:
        case event_kind::part:
        case event_kind::room:
        case event_kind::delay:
        case event_kind::counter:
        case event_kind::instant:
          return;
        case event_kind::wait:
          add_wait(event, track);
          break;
        case event_kind::zone:
          break;
      }
      request = nullptr;
    });
  }

  // A wait for several reasons is recorded in parts.
  void add_wait(const trace_event& event, std::size_t track) noexcept {
    if (event.value == 0) return;
    recorded_wait* const last = waits_.empty() ? nullptr : &waits_.back();
    if (last && last->track == track && last->place == event.value &&
        last->end_ns == event.begin_ns) {
      last->end_ns = event.end_ns;
      return;
    }
    has_room_ = has_room_ && waits_.push_back({event.value, event.begin_ns, event.end_ns, track});
  }

  [[nodiscard]] const recorded_wake* last_wake_of(const recorded_wait& wait) const noexcept {
    const recorded_wake end{wait.place, wait.end_ns};
    const recorded_wake* at = std::upper_bound(wakes_.begin(), wakes_.end(), end, comes_before);
    while (at != wakes_.begin()) {
      --at;
      if (at->place != wait.place || at->at_ns < wait.begin_ns) return nullptr;
      if (at->track != wait.track) return at;
    }
    return nullptr;
  }

  const timeline& record_;
  vec<recorded_wake> wakes_;
  vec<recorded_wait> waits_;  // by track and end
  bool has_room_ = true;
};

}  // namespace

result<void> for_each_wake(const timeline& record,
                           function_ref<void(const wake_flow&)> visit) noexcept {
  return wake_finder(record).run(visit);
}

}  // namespace overture
