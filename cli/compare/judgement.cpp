// SPDX-License-Identifier: Zlib
#include "compare/judgement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace overture::cli {

namespace {

constexpr std::size_t resamples = 2000;
constexpr double far_apart = 0.5;  // noise of a machine in use seldom makes half as much again
constexpr double outside = 0.005;  // of the resamples, on each side of the interval

// SplitMix64 (Steele, Lea, Flood 2014): small, and good enough to draw with.
class draws {
 public:
  std::size_t below(std::size_t count) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>((z ^ (z >> 31)) % count);
  }

 private:
  std::uint64_t state_ = 0;
};

double middle(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  if (values.size() % 2 == 1) return *half;
  return (*half + *std::max_element(values.begin(), half)) / 2;
}

double median_of_draws(std::span<const double> from, draws& draw, std::vector<double>& into) {
  into.clear();
  for (std::size_t i = 0; i < from.size(); ++i) into.push_back(from[draw.below(from.size())]);
  return middle(into);
}

void set_interval(judgement& into, std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const auto last = ratios.size() - 1;
  into.least = ratios[static_cast<std::size_t>(outside * static_cast<double>(last))];
  into.most =
      ratios[static_cast<std::size_t>(std::ceil((1 - outside) * static_cast<double>(last)))];
}

std::vector<double> pair_ratios(std::span<const double> was, std::span<const double> now) {
  std::vector<double> ratios;
  ratios.reserve(was.size());
  for (std::size_t i = 0; i < was.size(); ++i) ratios.push_back(now[i] / was[i]);
  return ratios;
}

void draw_pairs(judgement& into, const std::vector<double>& pairs) {
  draws draw;
  std::vector<double> ratios;
  ratios.reserve(resamples);
  std::vector<double> scratch;
  for (std::size_t i = 0; i < resamples; ++i) {
    ratios.push_back(median_of_draws(pairs, draw, scratch));
  }
  set_interval(into, std::move(ratios));
}

void draw_apart(judgement& into, std::span<const double> was, std::span<const double> now) {
  draws draw;
  std::vector<double> ratios;
  ratios.reserve(resamples);
  std::vector<double> scratch;
  for (std::size_t i = 0; i < resamples; ++i) {
    const double before = median_of_draws(was, draw, scratch);
    ratios.push_back(median_of_draws(now, draw, scratch) / before);
  }
  set_interval(into, std::move(ratios));
}

// From the fastest by the slowest to the slowest by the fastest.
void set_extremes(judgement& into, std::span<const double> was, std::span<const double> now) {
  const auto [was_least, was_most] = std::minmax_element(was.begin(), was.end());
  const auto [now_least, now_most] = std::minmax_element(now.begin(), now.end());
  into.least = *now_least / *was_most;
  into.most = *now_most / *was_least;
}

judgement judge_few(judgement found, double tolerance) {
  const double far = 1 + std::max(far_apart, 2 * tolerance);
  found.ratio = found.was > 0 ? found.now / found.was : 0;
  found.least = found.most = found.ratio;
  found.verdict = found.was == found.now ? change::same : change::unclear;
  found.repeats_wanted = repeats_min;
  if (found.was > 0 && found.ratio >= far) found.likely = change::more;
  if (found.was > 0 && found.ratio <= 1 / far) found.likely = change::less;
  return found;
}

// An interval narrows with the square root of the number of measurements.
std::size_t wanted(const judgement& from, std::size_t count, double tolerance) {
  const double distance = std::abs(from.ratio - 1);
  // Between the tolerance and nothing lies what is to be told.
  const double target = std::max({distance, tolerance, 0.001});
  const double half = std::max((from.most - from.least) / 2, target);
  const double times = std::pow(half / target, 2) * 1.5;
  const double count_wanted = std::ceil(static_cast<double>(count) * times);
  return std::clamp(static_cast<std::size_t>(std::min(count_wanted, 1e6)),
                    std::max(repeats_min, count + 1), repeats_wanted_max);
}

change change_of(const judgement& found, double tolerance) {
  if (found.least > 1 && found.ratio > 1 + tolerance) return change::more;
  if (found.most < 1 && found.ratio < 1 - tolerance) return change::less;
  const bool within = found.least >= 1 - tolerance && found.most <= 1 + tolerance;
  const bool small = (found.least > 1 || found.most < 1) && std::abs(found.ratio - 1) <= tolerance;
  return within || small ? change::same : change::unclear;
}

// Where some of the old ones are nothing there are no ratios: the sets differ if they do not
// overlap.
judgement judge_sets(judgement found, std::span<const double> was, std::span<const double> now) {
  const auto [was_least, was_most] = std::minmax_element(was.begin(), was.end());
  const auto [now_least, now_most] = std::minmax_element(now.begin(), now.end());
  found.ratio = found.was > 0 ? found.now / found.was : 0;
  found.least = found.most = found.ratio;
  if (*now_least > *was_most) found.verdict = change::more;
  if (*now_most < *was_least) found.verdict = change::less;
  if (found.was == found.now) found.verdict = change::same;
  return found;
}

}  // namespace

double median_of_values(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  return middle(sorted);
}

judgement judge(std::span<const double> was, std::span<const double> now, pairing how,
                double tolerance) {
  judgement found;
  if (was.empty() || now.empty()) return found;
  found.was = median_of_values(was);
  found.now = median_of_values(now);
  if (std::min(was.size(), now.size()) < judged_min) return judge_few(found, tolerance);
  if (std::ranges::any_of(was, [](double each) { return each <= 0; })) {
    return judge_sets(found, was, now);
  }

  const bool in_turns = how == pairing::in_turns && was.size() == now.size();
  const std::size_t count = std::min(was.size(), now.size());
  const std::vector<double> pairs = in_turns ? pair_ratios(was, now) : std::vector<double>();
  found.ratio = in_turns ? median_of_values(pairs) : found.now / found.was;
  if (count < repeats_min) {
    set_extremes(found, was, now);
  } else if (in_turns) {
    draw_pairs(found, pairs);
  } else {
    draw_apart(found, was, now);
  }
  found.verdict = change_of(found, tolerance);
  if (found.verdict == change::unclear) found.repeats_wanted = wanted(found, count, tolerance);
  return found;
}

}  // namespace overture::cli
