// SPDX-License-Identifier: Zlib
#include "report/model/store_advice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "report/words/units.hpp"

namespace overture::report_detail {

namespace {

constexpr std::size_t store_sentences_max = 5;
constexpr std::uint64_t store_ns_min = 1'000'000;  // of frames: a player notices little
constexpr double store_share_min = 0.05;           // of the time from the first asset to the last
constexpr double read_part_min = 0.3;
constexpr std::size_t slow_steps_max = 2;  // so that there is room for other changes

std::uint64_t any_ns(const store_report& what, asset_part part) {
  return what.any_ns[static_cast<std::size_t>(part)];
}

// Parts and their sums over all assets, the largest first.
std::vector<std::pair<std::uint64_t, asset_part>> sums_of(const store_report& what) {
  std::vector<std::pair<std::uint64_t, asset_part>> sums;
  for (std::size_t i = 0; i < asset_part_count; ++i) {
    const auto part = static_cast<asset_part>(i);
    if (part == asset_part::need) continue;
    std::uint64_t sum = 0;
    for (const asset_times& each : what.assets) sum += each.ns[i];
    if (sum > 0) sums.emplace_back(sum, part);
  }
  std::sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  return sums;
}

class store_adviser {
 public:
  explicit store_adviser(const store_report& what) : what_(what) {}

  std::vector<advice> all() {
    about_slow_steps();
    about_pump();
    about_room();
    about_late_need();
    about_loading_again();
    about_decode();
    about_threads();
    about_reads();
    std::sort(found_.begin(), found_.end(), [](const advice& a, const advice& b) {
      return std::tie(b.gain_ns, a.sentence) < std::tie(a.gain_ns, b.sentence);
    });
    if (found_.size() > store_sentences_max) found_.resize(store_sentences_max);
    return std::move(found_);
  }

 private:
  void add(std::uint64_t ns, double least_share, std::string sentence, std::string path = {}) {
    const double least = least_share * static_cast<double>(what_.span_ns());
    if (ns < store_ns_min || static_cast<double>(ns) < least) return;
    found_.push_back({std::move(sentence), ns, std::move(path)});
  }

  // Frames that one step made longer, whatever the load took.
  void about_slow_steps() {
    struct slow {
      std::uint64_t over_ns = 0;
      std::uint64_t calls = 0;
      const pump_overrun* worst = nullptr;
    };
    std::map<std::uint32_t, slow> by_asset;
    for (const pump_overrun& each : what_.overruns) {
      if (each.step_ns < each.over_ns() / 2) continue;  // it was not that step
      slow& of = by_asset[each.asset];
      of.over_ns += each.over_ns();
      ++of.calls;
      if (!of.worst || each.step_ns > of.worst->step_ns) of.worst = &each;
    }
    std::vector<std::pair<std::uint32_t, slow>> all(by_asset.begin(), by_asset.end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::tie(b.second.over_ns, a.first) < std::tie(a.second.over_ns, b.first);
    });
    all.resize(std::min(all.size(), slow_steps_max));
    for (const auto& [asset, of] : all) {
      const bool unloads = of.worst->step == std::string("unload");
      add(of.over_ns, 0,
          fmt::format("{}() of {} took {}, where pump() had {}{}: {}.", of.worst->step,
                      what_.path_of(asset), human_time(of.worst->step_ns),
                      human_time(of.worst->budget_ns),
                      of.calls > 1 ? fmt::format(" ({} times)", of.calls) : "",
                      unloads ? "leave what takes long to another thread"
                              : "return finalize_step::again once its budget has passed"),
          what_.path_of(asset));
    }
  }

  void about_pump() {
    add(what_.unpumped_ns, store_share_min,
        fmt::format(
            "Call pump() more often, or with a larger budget, and let finalize() use all of "
            "its own: for {} assets waited for pump() while it did not run.",
            human_time(what_.unpumped_ns)));
  }

  void about_room() {
    const std::uint64_t ns = any_ns(what_, asset_part::room);
    add(ns, store_share_min,
        fmt::format("Give the store a larger budget_bytes, or pump() more often: for {} assets "
                    "waited for room in the budget.",
                    human_time(ns)));
  }

  void about_late_need() {
    if (what_.late_ns == 0) return;
    const std::string needs = what_.path_of(what_.late_need.asset);
    const std::string needed = what_.path_of(what_.late_need.ended_by);
    add(what_.late_ns, store_share_min,
        fmt::format("Ask for {} when {} is asked for: that waited {} for it.", needed, needs,
                    human_time(what_.late_need.ns)),
        needed);
  }

  void about_loading_again() {
    std::uint64_t sum = 0;
    std::uint64_t assets = 0;
    const asset_times* worst = nullptr;
    for (const asset_times& each : what_.assets) {
      if (each.again_ns == 0) continue;
      sum += each.again_ns;
      ++assets;
      if (!worst || each.again_ns > worst->again_ns) worst = &each;
    }
    if (!worst) return;
    add(sum, store_share_min,
        fmt::format("Hold what is used again, or give the store a larger keep_bytes: {} loaded "
                    "more than once, {} {}.",
                    counted(assets, "asset was", "assets were"), worst->path,
                    counted(worst->loads(), "time", "times")),
        worst->path);
  }

  void about_decode() {
    const auto slowest = std::max_element(
        what_.assets.begin(), what_.assets.end(), [](const auto& a, const auto& b) {
          return a.part_ns(asset_part::decode) < b.part_ns(asset_part::decode);
        });
    if (slowest == what_.assets.end()) return;
    const std::uint64_t ns = slowest->part_ns(asset_part::decode);
    add(ns, 2 * store_share_min,
        fmt::format("Divide {} or store it ready to use: its decode() took {} on one thread.",
                    slowest->path, human_time(ns)),
        slowest->path);
  }

  void about_threads() {
    const std::uint64_t ns = any_ns(what_, asset_part::thread);
    add(ns, 2 * store_share_min,
        fmt::format("Give the store more workers: for {} assets that were read waited for one.",
                    human_time(ns)));
  }

  void about_reads() {
    const std::uint64_t ns = any_ns(what_, asset_part::read);
    add(ns, read_part_min,
        fmt::format(
            "Pack the files in the order in which they are asked for (asset_store::record(),"
            " overture pack --recorded): for {} some were being read.",
            human_time(ns)));
  }

  const store_report& what_;
  std::vector<advice> found_;
};

}  // namespace

std::string bound_of(const store_report& what) {
  const auto sums = sums_of(what);
  return sums.empty() ? std::string() : words_of(sums.front().second);
}

std::string verdict_sentence(const store_report& what) {
  constexpr std::size_t shown = 3;
  if (what.ended == 0) {
    return what.open.empty() ? "The timeline has no asset that was loaded."
                             : fmt::format("Nothing is ready yet: {} loading.",
                                           counted(what.open.size(), "asset is", "assets are"));
  }
  const auto sums = sums_of(what);
  std::uint64_t all = 0;
  for (const auto& [ns, part] : sums) all += ns;
  std::string text = fmt::format("{} ended {} after the first was asked for",
                                 counted(what.ended, "load", "loads"), human_time(what.span_ns()));
  for (std::size_t i = 0; i < std::min(shown, sums.size()); ++i) {
    const double share = static_cast<double>(sums[i].first) / static_cast<double>(all);
    text += fmt::format("{}{} {} {}", i == 0 ? ": " : ", ", human_percent(share),
                        i == 0 ? "of their time was" : "was", words_of(sums[i].second));
  }
  if (!what.overruns.empty()) {
    const auto worst =
        std::max_element(what.overruns.begin(), what.overruns.end(),
                         [](const auto& a, const auto& b) { return a.over_ns() < b.over_ns(); });
    text += fmt::format("; {} of pump() took longer than {}, by {} at most",
                        counted(what.overruns.size(), "call", "calls"),
                        what.overruns.size() == 1 ? "its budget" : "their budgets",
                        human_time(worst->over_ns()));
  }
  return text + '.';
}

std::vector<advice> store_advice(const store_report& what) {
  return store_adviser(what).all();
}

}  // namespace overture::report_detail
