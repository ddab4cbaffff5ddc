// SPDX-License-Identifier: Zlib
#include "report/model/store_model.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "overture/assets/asset_waits.hpp"

namespace overture::report_detail {

namespace {

constexpr std::size_t delays_max = 50;

std::optional<asset_part> part_of_wait(std::string_view name) {
  constexpr std::pair<const char*, asset_part> parts[] = {
      {asset_waits::turn, asset_part::turn},    {asset_waits::room, asset_part::room},
      {asset_waits::read, asset_part::read},    {asset_waits::decode, asset_part::thread},
      {asset_waits::need, asset_part::need},    {asset_waits::pump, asset_part::pump},
      {asset_waits::unload, asset_part::other}, {asset_waits::finalize, asset_part::thread},
      {asset_waits::build, asset_part::thread},
  };
  for (const auto& [wait, part] : parts) {
    if (name == wait) return part;
  }
  return {};
}

std::optional<asset_part> part_of_zone(std::string_view name) {
  if (name == "decode") return asset_part::decode;
  if (name == "build") return asset_part::build;
  if (name == "finalize") return asset_part::finalize;
  return {};
}

// What becomes of an asset, by time.
enum class turning : std::uint8_t { asked, retried, reloaded, ended, work };

std::optional<turning> turning_of(std::string_view mark) {
  if (mark == asset_marks::asked) return turning::asked;
  if (mark == asset_marks::retried) return turning::retried;
  if (mark == asset_marks::reloaded) return turning::reloaded;
  const bool ends =
      mark == asset_marks::ready || mark == asset_marks::failed || mark == asset_marks::given_up;
  return ends ? std::optional(turning::ended) : std::nullopt;
}

struct turning_point {
  std::uint32_t asset = 0;
  std::uint64_t at_ns = 0;
  turning what = turning::asked;
  std::uint64_t work_ns = 0;

  friend bool operator<(const turning_point& a, const turning_point& b) {
    return std::tie(a.asset, a.at_ns, a.what) < std::tie(b.asset, b.at_ns, b.what);
  }
};

using stretches = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// How long at least one of them lasted.
std::uint64_t covered(stretches all) {
  std::sort(all.begin(), all.end());
  std::uint64_t sum = 0;
  std::uint64_t end = 0;
  for (const auto& [from, to] : all) {
    if (to > std::max(from, end)) sum += to - std::max(from, end);
    end = std::max(end, to);
  }
  return sum;
}

// The place in store_report::assets of a subject of the timeline; no_subject if it is of no asset.
std::uint32_t number_of(std::uint32_t subject) {
  return subject == no_subject || subject < first_asset_subject ? no_subject
                                                                : subject - first_asset_subject;
}

// As asset_store::subject_name() has it.
std::string name_of(const known_asset& one) {
  std::string name(one.path.text);
  if (!one.part.empty()) name.append("#").append(one.part);
  return name;
}

class store_reader {
 public:
  store_reader(const asset_store& store, const timeline& record) : store_(store), record_(record) {}

  store_report read() {
    know_assets();
    for (std::size_t i = 0; i < record_.track_count(); ++i) read_track(record_.track(i));
    std::sort(points_.begin(), points_.end());
    follow_assets();
    find_late_need();
    sum_stretches();
    std::sort(made_.overruns.begin(), made_.overruns.end(),
              [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
    keep_longest_delays();
    know_open_waits();
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::uint64_t time_of(std::uint64_t ns) const {
    return ns - std::min(ns, record_.start_ns());
  }
  [[nodiscard]] asset_times* asset_at(std::uint32_t number) {
    return number < made_.assets.size() ? &made_.assets[number] : nullptr;
  }

  void know_assets() {
    (void)store_.for_each_asset([&](const known_asset& known) {
      const std::uint32_t number = number_of(known.subject);
      if (made_.assets.size() <= number) made_.assets.resize(number + 1);
      asset_times& of = made_.assets[number];
      of.path = name_of(known);
      of.state = known.state;
      of.bytes = known.bytes;
    });
    char text[4096];
    for (std::uint32_t i = 0; i < made_.assets.size(); ++i) {
      const std::size_t length = store_.subject_failure(first_asset_subject + i, text);
      made_.assets[i].failure.assign(text, std::min(length, sizeof text));
    }
  }

  void know_open_waits() {
    (void)store_.for_each_unsettled([&](const unsettled_asset& found) {
      made_.open.push_back({number_of(found.subject), to_string(found.state), found.what,
                            std::string(found.needs.text), found.ns});
    });
    std::sort(made_.open.begin(), made_.open.end(), [](const open_wait& a, const open_wait& b) {
      return std::tie(b.ns, a.asset) < std::tie(a.ns, b.asset);
    });
  }

  void read_track(const timeline_track& track) {
    std::optional<trace_event> over;
    std::vector<trace_event> steps;  // since the last call of pump() ended
    (void)track.for_each_event([&](const trace_event& event) {
      const std::string_view name = event.name;
      if (event.kind == event_kind::zone && event.subject == no_subject) {
        if (name != "pump") return;
        pumps_.emplace_back(time_of(event.begin_ns), time_of(event.end_ns));
        if (over && over->begin_ns >= event.begin_ns) add_overrun(event, *over, steps);
        over.reset();
        steps.clear();
      } else if (event.kind == event_kind::zone) {
        add_zone(event, name);
        if (name == "finalize" || name == "unload") steps.push_back(event);
      } else if (event.kind == event_kind::delay) {
        add_delay(event, name);
      } else if (event.kind == event_kind::instant && name == asset_marks::over_budget) {
        over = event;
      } else if (event.kind == event_kind::instant) {
        const std::optional<turning> what = turning_of(name);
        const std::uint32_t asset = number_of(event.subject);
        if (what && asset_at(asset) != nullptr) {
          points_.push_back({asset, time_of(event.begin_ns), *what});
        }
      }
    });
  }

  void add_overrun(const trace_event& pump, const trace_event& over,
                   const std::vector<trace_event>& steps) {
    pump_overrun& made = made_.overruns.emplace_back();
    made.at_ns = time_of(pump.begin_ns);
    made.budget_ns = over.begin_ns - pump.begin_ns;
    made.took_ns = made.budget_ns + over.value;
    made.asset = number_of(over.subject);
    for (const trace_event& step : steps) {
      const std::uint64_t ns = step.end_ns - step.begin_ns;
      if (step.subject != over.subject || ns < made.step_ns) continue;
      made.step = step.name;
      made.step_ns = ns;
    }
  }

  void add_zone(const trace_event& event, std::string_view name) {
    const std::uint32_t asset = number_of(event.subject);
    asset_times* const of = asset_at(asset);
    if (of == nullptr) return;
    const std::uint64_t ns = event.end_ns - event.begin_ns;
    const std::optional<asset_part> part = part_of_zone(name);
    if (part) add_part(*of, *part, time_of(event.begin_ns), time_of(event.end_ns));
    if (part == asset_part::finalize) {
      ++of->steps;
      of->longest_ns = std::max(of->longest_ns, ns);
    }
    if (part || name == "read") {
      points_.push_back({asset, time_of(event.begin_ns), turning::work, ns});
    }
  }

  void add_delay(const trace_event& event, std::string_view name) {
    const std::optional<asset_part> part = part_of_wait(name);
    const std::uint32_t asset = number_of(event.subject);
    asset_times* const of = asset_at(asset);
    if (!part || of == nullptr) return;
    const std::uint64_t begin = time_of(event.begin_ns);
    const std::uint64_t end = std::max(begin, time_of(event.end_ns));
    add_part(*of, *part, begin, end);
    const std::uint32_t by =
        event.value == 0 ? no_subject : number_of(static_cast<std::uint32_t>(event.value - 1));
    if (*part == asset_part::need && end - begin >= of->need_ns) {
      of->need_ns = end - begin;
      of->need = by;
    }
    made_.delays.push_back({asset, *part, std::string(name), begin, end - begin, by});
  }

  void add_part(asset_times& of, asset_part part, std::uint64_t begin, std::uint64_t end) {
    const auto number = static_cast<std::size_t>(part);
    of.ns[number] += end - begin;
    stretches_[number].emplace_back(begin, end);
  }

  // From asking to the end of each load, and what was done again.
  void follow_assets() {
    made_.begin_ns = UINT64_MAX;
    const turning_point* begun = nullptr;
    for (const turning_point& each : points_) {
      if (begun && begun->asset != each.asset) begun = nullptr;
      asset_times& of = made_.assets[each.asset];
      switch (each.what) {
        case turning::asked:
          ++of.asked;
          break;
        case turning::retried:
          ++of.retried;
          break;
        case turning::reloaded:
          ++of.reloaded;
          break;
        case turning::work:
          if (begun && begun->what == turning::asked && of.loads() > 1) of.again_ns += each.work_ns;
          continue;
        case turning::ended:
          ++of.ended;
          ++made_.ended;
          if (begun) of.total_ns += each.at_ns - begun->at_ns;
          made_.end_ns = std::max(made_.end_ns, each.at_ns);
          continue;
      }
      begun = &each;
      made_.begin_ns = std::min(made_.begin_ns, each.at_ns);
    }
    made_.begin_ns = std::min(made_.begin_ns, made_.end_ns);
    for (asset_times& of : made_.assets) {
      if (of.ended == 0 && of.state == asset_state::ready) ++made_.untold;
      std::uint64_t told = 0;
      for (const std::uint64_t ns : of.ns) told += ns;
      of.ns[static_cast<std::size_t>(asset_part::other)] +=
          of.total_ns - std::min(of.total_ns, told);
    }
  }

  // The last time that the asset was asked for until then.
  [[nodiscard]] std::optional<std::uint64_t> asked_until(std::uint32_t asset,
                                                         std::uint64_t ns) const {
    auto at = std::upper_bound(points_.begin(), points_.end(),
                               turning_point{asset, ns, turning::work, 0});
    while (at != points_.begin()) {
      --at;
      if (at->asset != asset) return {};
      if (at->what < turning::ended) return at->at_ns;
    }
    return {};
  }

  void find_late_need() {
    for (const asset_delay& each : made_.delays) {
      if (each.ended_by == no_subject) continue;
      const auto needed = asked_until(each.ended_by, each.begin_ns + each.ns);
      const auto needs = asked_until(each.asset, each.begin_ns);
      if (!needed || !needs || *needed <= *needs) continue;
      const std::uint64_t late_ns = std::min(*needed - *needs, each.ns);
      if (late_ns <= made_.late_ns) continue;
      made_.late_ns = late_ns;
      made_.late_need = each;
    }
  }

  void sum_stretches() {
    for (std::size_t i = 0; i < asset_part_count; ++i) made_.any_ns[i] = covered(stretches_[i]);
    const std::uint64_t pumped_ns = covered(pumps_);
    stretches both = std::move(stretches_[static_cast<std::size_t>(asset_part::pump)]);
    both.insert(both.end(), pumps_.begin(), pumps_.end());
    made_.unpumped_ns = covered(std::move(both)) - pumped_ns;
  }

  void keep_longest_delays() {
    const auto is_longer = [](const asset_delay& a, const asset_delay& b) {
      return std::tie(b.ns, a.begin_ns, a.asset) < std::tie(a.ns, b.begin_ns, b.asset);
    };
    const std::size_t count = std::min(delays_max, made_.delays.size());
    std::partial_sort(made_.delays.begin(),
                      made_.delays.begin() + static_cast<std::ptrdiff_t>(count), made_.delays.end(),
                      is_longer);
    made_.delays.resize(count);
  }

  const asset_store& store_;
  const timeline& record_;
  store_report made_;
  std::vector<turning_point> points_;
  std::array<stretches, asset_part_count> stretches_;
  stretches pumps_;
};

}  // namespace

const char* words_of(asset_part part) {
  switch (part) {
    case asset_part::turn:
      return "waiting for a turn to be read";
    case asset_part::room:
      return "waiting for room in the budget";
    case asset_part::read:
      return "reading";
    case asset_part::thread:
      return "waiting for a thread";
    case asset_part::decode:
      return "decode()";
    case asset_part::build:
      return "building";
    case asset_part::need:
      return "waiting for needs";
    case asset_part::pump:
      return "waiting for pump()";
    case asset_part::finalize:
      return "finalize()";
    case asset_part::other:
      return "other";
  }
  return "";
}

store_report collect_store(const asset_store& store, const timeline& record) {
  return store_reader(store, record).read();
}

}  // namespace overture::report_detail
