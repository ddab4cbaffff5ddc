// SPDX-License-Identifier: Zlib
//
// Which zones a delay joins: the last one of the subject that ended it, and the next one of its
// own.
#include <algorithm>

#include "base/guarded_call.hpp"
#include "base/vec.hpp"
#include "overture/trace/timeline.hpp"

namespace overture {
using namespace base_detail;

namespace {

struct placed_zone {
  std::uint32_t subject = 0;
  std::size_t track = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

class release_finder {
 public:
  explicit release_finder(const timeline& record) noexcept
      : record_(record),
        zones_(record.memory(), memory_tag::trace),
        delays_(record.memory(), memory_tag::trace) {}

  result<void> run(function_ref<void(const release_flow&)> visit) noexcept {
    for (std::size_t i = 0; i < record_.track_count(); ++i) gather_delays(record_.track(i));
    for (std::size_t i = 0; i < record_.track_count() && !delays_.empty(); ++i) gather_zones(i);
    if (!has_room_) return fail(errc::out_of_memory, "out of memory for matching delays and zones");
    std::sort(zones_.begin(), zones_.end(), comes_before);
    const auto visit_all = [&] {
      for (const trace_event* const delay : delays_) {
        const placed_zone* const from =
            last_until(static_cast<std::uint32_t>(delay->value - 1), delay->end_ns);
        const placed_zone* const to = first_from(delay->subject, delay->end_ns);
        if (from && to) visit({delay, from->track, from->end_ns, to->track, to->begin_ns});
      }
    };
    if (!guarded_call(visit_all)) return fail(errc::threw, visitor_threw);
    return {};
  }

 private:
  static bool comes_before(const placed_zone& a, const placed_zone& b) noexcept {
    return a.subject != b.subject ? a.subject < b.subject : a.begin_ns < b.begin_ns;
  }

  void gather_delays(const timeline_track& track) noexcept {
    (void)track.for_each_event([&](const trace_event& event) {
      if (event.kind != event_kind::delay || event.value == 0) return;
      has_room_ = has_room_ && delays_.push_back(&event);
    });
  }
  void gather_zones(std::size_t track) noexcept {
    (void)record_.track(track).for_each_event([&](const trace_event& event) {
      if (event.kind != event_kind::zone || event.subject == no_subject) return;
      has_room_ =
          has_room_ && zones_.push_back({event.subject, track, event.begin_ns, event.end_ns});
    });
  }

  [[nodiscard]] const placed_zone* first_from(std::uint32_t subject,
                                              std::uint64_t ns) const noexcept {
    const placed_zone* const found =
        std::lower_bound(zones_.begin(), zones_.end(), placed_zone{subject, 0, ns}, comes_before);
    return found != zones_.end() && found->subject == subject ? found : nullptr;
  }
  [[nodiscard]] const placed_zone* last_until(std::uint32_t subject,
                                              std::uint64_t ns) const noexcept {
    const placed_zone* at =
        std::upper_bound(zones_.begin(), zones_.end(), placed_zone{subject, 0, ns}, comes_before);
    while (at != zones_.begin()) {
      --at;
      if (at->subject != subject) return nullptr;
      if (at->end_ns <= ns) return at;
    }
    return nullptr;
  }

  const timeline& record_;
  vec<placed_zone> zones_;
  vec<const trace_event*> delays_;
  bool has_room_ = true;
};

}  // namespace

result<void> for_each_release(const timeline& record,
                              function_ref<void(const release_flow&)> visit) noexcept {
  return release_finder(record).run(visit);
}

}  // namespace overture
