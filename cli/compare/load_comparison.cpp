// SPDX-License-Identifier: Zlib
#include "compare/load_comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "report/repeats.hpp"
#include "terminal/display.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr double part_min = 0.01;  // of the load's time: less does not matter

double load_seconds(const load_samples& samples) {
  const measure* const found = samples.find(measure_kind::load, "load");
  return found ? median_of_values(found->values) : 0;
}

bool matters(const compared_measure& each, double load) {
  if (each.kind == measure_kind::load) return each.name != "threads";
  const double larger = std::max(each.judged.was, each.judged.now);
  if (each.kind == measure_kind::bytes) return larger > 0;
  if (each.kind == measure_kind::file) return std::abs(each.difference()) >= load * part_min;
  return larger >= load * part_min;
}

// Whether what the samples lack of a kind was not there. A file may have been too fast to be kept.
bool has_all(const load_samples& samples, measure_kind kind) {
  if (kind == measure_kind::file) return false;
  return kind != measure_kind::mount ||
         std::ranges::find(samples.measures, kind, &measure::kind) != samples.measures.end();
}

std::vector<std::string> differences_between(const load_samples& was, const load_samples& now) {
  std::vector<std::string> differences;
  const bool are_known = !was.hash.empty() && !now.hash.empty();
  if (are_known && was.hash != now.hash) differences.emplace_back("the files differ");
  if (was.threads != now.threads) {
    differences.push_back(fmt::format("it had {}", counted(was.threads, "thread", "threads")));
  }
  if (was.program != now.program) {
    differences.push_back(fmt::format("the program was {}", was.program));
  }
  if (was.is_cold != now.is_cold)
    differences.push_back(was.is_cold ? "it was cold" : "it was warm");
  return differences;
}

std::string of_time(double value) {
  return human_time(static_cast<std::uint64_t>(std::llround(value * 1e9)));
}

// "12 % slower (9 to 15 %)", "26 times as slow (15 to 40)"
std::string change_of(const judgement& judged) {
  constexpr double times_min = 3;
  const bool is_slower = judged.ratio > 1;
  const bool in_times = judged.ratio >= times_min;
  const auto shown = [&](double ratio) {
    return fmt::format("{:.3g}", in_times ? ratio : std::abs(ratio - 1) * 100);
  };
  std::string text = shown(judged.ratio);
  text += in_times ? " times as slow" : is_slower ? " % slower" : " % faster";
  if (judged.least >= judged.most) return text;
  const double from = is_slower ? judged.least : judged.most;
  const double to = is_slower ? judged.most : judged.least;
  return text + fmt::format(" ({} to {}{})", shown(from), shown(to), in_times ? "" : " %");
}

// Of these kinds, what changed most in this direction.
const compared_measure* largest_change(const load_comparison& what, change direction,
                                       std::initializer_list<measure_kind> kinds) {
  const compared_measure* largest = nullptr;
  for (const compared_measure& each : what.measures) {
    if (std::ranges::find(kinds, each.kind) == kinds.end()) continue;
    if (each.judged.verdict != direction) continue;
    if (!largest || std::abs(each.difference()) > std::abs(largest->difference())) largest = &each;
  }
  return largest;
}

// Where other programs use the processors, CPU time tells what the time of the load does not.
std::string cpu_sentence(const load_comparison& what) {
  for (const change direction : {change::more, change::less}) {
    const compared_measure* const each = largest_change(what, direction, {measure_kind::cpu});
    if (!each) continue;
    return fmt::format("; {} takes {} CPU time instead of {}", printable(each->name),
                       of_time(each->judged.now), of_time(each->judged.was));
  }
  return {};
}

}  // namespace

load_comparison compare_loads(const load_samples& was, const load_samples& now, pairing how,
                              double tolerance) {
  load_comparison what{.loads_was = was.loads,
                       .loads_now = now.loads,
                       .is_of_program = !now.program.empty(),
                       .how = how,
                       .tolerance = tolerance,
                       .differences = {}};
  // Loads in turns are of different mounts on purpose.
  if (how == pairing::apart) what.differences = differences_between(was, now);
  const double load = std::max(load_seconds(was), load_seconds(now));
  const auto add = [&](measure_kind kind, const std::string& name, const std::vector<double>& old,
                       const std::vector<double>& young) {
    const compared_measure each{kind, name, judge(old, young, how, tolerance), old, young};
    if (kind == measure_kind::load && name == "load") {
      what.load = each;
    } else if (matters(each, load)) {
      what.measures.push_back(each);
    }
  };
  const std::vector<double> none_was(was.loads);
  const std::vector<double> none_now(now.loads);
  for (const measure& each : was.measures) {
    const measure* const other = now.find(each.kind, each.name);
    if (!other && !has_all(now, each.kind)) continue;
    add(each.kind, each.name, each.values, other ? other->values : none_now);
  }
  for (const measure& each : now.measures) {
    if (was.find(each.kind, each.name) || !has_all(was, each.kind)) continue;
    add(each.kind, each.name, none_was, each.values);
  }
  std::sort(what.measures.begin(), what.measures.end(),
            [](const compared_measure& a, const compared_measure& b) {
              if (a.kind != b.kind) return a.kind < b.kind;
              const double first = std::abs(a.difference());
              const double second = std::abs(b.difference());
              return first != second ? first > second : a.name < b.name;
            });
  return what;
}

std::vector<const compared_measure*> measures_of(const load_comparison& what, measure_kind kind) {
  std::vector<const compared_measure*> measures;
  if (kind == measure_kind::load) measures.push_back(&what.load);
  for (const compared_measure& each : what.measures) {
    if (each.kind == kind) measures.push_back(&each);
  }
  return measures;
}

std::string comparison_verdict(const load_comparison& what) {
  const judgement& load = what.load.judged;
  const std::string times = fmt::format("{} instead of {}", of_time(load.now), of_time(load.was));
  if (load.verdict == change::same) {
    return fmt::format("{}: no difference above {:.3g} %{}", times, what.tolerance * 100,
                       cpu_sentence(what));
  }
  if (load.verdict == change::unclear) {
    if (load.likely != change::unclear) {
      return fmt::format("{}: {}, though these are too few {} to tell it from chance", times,
                         change_of(load), what.several());
    }
    if (std::min(what.loads_was, what.loads_now) < judged_min) {
      return fmt::format("{}: too few {} to tell; repeat each about 10 times", times,
                         what.several());
    }
    return fmt::format("{}: not told from chance; about {} of each would tell{}", times,
                       counted(load.repeats_wanted, what.one(), what.several()),
                       cpu_sentence(what));
  }
  std::string sentence = fmt::format("{}: {}", times, change_of(load));
  const compared_measure* const cause =
      largest_change(what, load.verdict, {measure_kind::stage, measure_kind::wait});
  if (cause) {
    const bool waits = what.is_of_program && cause->kind == measure_kind::wait;
    sentence += fmt::format(", most of it {}{} ({}{} of {})", waits ? "waiting for " : "in ",
                            printable(cause->name), cause->difference() < 0 ? "-" : "+",
                            of_time(std::abs(cause->difference())),
                            what.is_of_program ? "the main thread" : "all threads");
  }
  return sentence;
}

report_baseline baseline_of(const load_samples& old, const load_samples& now, double tolerance) {
  report_baseline compared;
  for (const report_time& time : times_of(now)) {
    for (const measure_kind kind : {measure_kind::load, measure_kind::stage}) {
      const measure* const before = old.find(kind, time.name);
      const measure* const after = now.find(kind, time.name);
      if (!before || !after) continue;
      const judgement judged = judge(before->values, after->values, pairing::apart, tolerance);
      compared.times.push_back(
          {time.name, spread_of(before->values), time.taken, judged.verdict == change::more});
    }
  }
  compared.slower = !compared.times.empty() && compared.times.front().name == "load" &&
                    compared.times.front().slower;
  compared.is_judged = std::min(old.loads, now.loads) >= judged_min;
  compared.differences = differences_between(old, now);
  return compared;
}

}  // namespace overture::cli
