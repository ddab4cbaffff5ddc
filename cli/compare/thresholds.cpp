// SPDX-License-Identifier: Zlib
#include "compare/thresholds.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdint>

#include "compare/judgement.hpp"
#include "terminal/display.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

struct known_threshold {
  const char* name;
  threshold_unit unit;
  measure_kind kind;
  const char* measure;
};

constexpr known_threshold all_known[] = {
    {"total", threshold_unit::seconds, measure_kind::load, "load"},
    {"mount", threshold_unit::seconds, measure_kind::load, "mount"},
    {"processor", threshold_unit::seconds, measure_kind::load, "processor"},
    {"resolve", threshold_unit::seconds, measure_kind::stage, "resolve"},
    {"read", threshold_unit::seconds, measure_kind::stage, "read"},
    {"unpack", threshold_unit::seconds, measure_kind::stage, "unpack"},
    {"decode", threshold_unit::seconds, measure_kind::stage, "decode"},
    {"finalize", threshold_unit::seconds, measure_kind::stage, "finalize"},
    {"waiting", threshold_unit::percent, measure_kind::load, "waiting"},
    {"peak", threshold_unit::bytes, measure_kind::bytes, "peak memory"},
    {"disk", threshold_unit::bytes, measure_kind::bytes, "from disk"},
};

struct known_suffix {
  const char* name;
  threshold_unit unit;
  double factor;
};

constexpr known_suffix all_suffixes[] = {
    {"s", threshold_unit::seconds, 1},         {"ms", threshold_unit::seconds, 1e-3},
    {"us", threshold_unit::seconds, 1e-6},     {"%", threshold_unit::percent, 0.01},
    {"B", threshold_unit::bytes, 1},           {"KiB", threshold_unit::bytes, 1024.0},
    {"MiB", threshold_unit::bytes, 1048576.0}, {"GiB", threshold_unit::bytes, 1073741824.0},
    {"KB", threshold_unit::bytes, 1e3},        {"MB", threshold_unit::bytes, 1e6},
    {"GB", threshold_unit::bytes, 1e9},
};

const char* example_of(threshold_unit unit) {
  if (unit == threshold_unit::seconds) return "2s or 300ms";
  return unit == threshold_unit::percent ? "10%" : "300MiB";
}

const known_threshold* find_known(std::string_view name) {
  for (const known_threshold& each : all_known) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

std::string shown(double value, threshold_unit unit) {
  if (unit == threshold_unit::percent) return fmt::format("{:.3g} %", value * 100);
  if (unit == threshold_unit::bytes) return human_bytes(value);
  return human_time(static_cast<std::uint64_t>(std::llround(value * 1e9)));
}

// The median; for a share the median of the shares.
std::optional<double> value_of(const known_threshold& known, const load_samples& samples) {
  const measure* const found = samples.find(known.kind, known.measure);
  if (!found) return {};
  if (known.unit != threshold_unit::percent) return median_of_values(found->values);
  const measure* const whole = samples.find(measure_kind::load, "threads");
  if (!whole) return {};
  std::vector<double> shares;
  shares.reserve(found->values.size());
  for (std::size_t i = 0; i < found->values.size(); ++i) {
    shares.push_back(whole->values[i] > 0 ? found->values[i] / whole->values[i] : 0);
  }
  return median_of_values(shares);
}

}  // namespace

std::string names_of_thresholds() {
  std::string names;
  for (const known_threshold& each : all_known) {
    if (!names.empty()) names += ", ";
    names += each.name;
  }
  return names;
}

std::optional<threshold> parse_threshold(std::string_view word, std::string& mistake) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const known_threshold* const known = find_known(name);
  if (equals == std::string_view::npos || !known) {
    mistake = fmt::format("expected NAME=LIMIT, such as total=2s; the names are {}",
                          names_of_thresholds());
    return {};
  }
  const std::string_view value = word.substr(equals + 1);
  double number = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view suffix(end, static_cast<std::size_t>(value.data() + value.size() - end));
  if (failed == std::errc() && std::isfinite(number) && number >= 0) {
    for (const known_suffix& each : all_suffixes) {
      if (suffix == each.name && each.unit == known->unit) {
        return threshold{std::string(name), number * each.factor, known->unit};
      }
    }
  }
  mistake = fmt::format("'{}' is not a limit for {}; give one like {}", printable(value),
                        known->name, example_of(known->unit));
  return {};
}

void add_max(command_line& line, std::vector<threshold>& into) {
  line.words(
      {"--max NAME=LIMIT", "Comparing",
       fmt::format("exit with 4 if the median is above LIMIT, such as total=2s, waiting=10% "
                   "or peak=300MiB; repeatable. NAME is one of {}; total is the load without "
                   "mounting, which is mount",
                   names_of_thresholds())},
      [&into](const std::string& word) {
        std::string mistake;
        into.push_back(parse_threshold(word, mistake).value_or(threshold{}));
      },
      {.mistake_in = [](const std::string& word) {
        std::string mistake;
        (void)parse_threshold(word, mistake);
        return mistake;
      }});
}

std::vector<std::string> exceeded(const std::vector<threshold>& thresholds,
                                  const load_samples& samples) {
  std::vector<std::string> sentences;
  for (const threshold& each : thresholds) {
    const known_threshold* const known = find_known(each.what);
    const std::optional<double> value = known ? value_of(*known, samples) : std::nullopt;
    if (!value) {
      sentences.push_back(fmt::format("{} was not measured, so --max cannot be kept", each.what));
    } else if (*value > each.most) {
      sentences.push_back(fmt::format("{} is {}, above the limit of {}", each.what,
                                      shown(*value, each.unit), shown(each.most, each.unit)));
    }
  }
  return sentences;
}

}  // namespace overture::cli
