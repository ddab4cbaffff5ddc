// SPDX-License-Identifier: Zlib
#include "report/baseline.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "system/native_path.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr double seconds_max = 1e9;

std::optional<std::uint64_t> ns_of(const nlohmann::ordered_json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number() || found->get<double>() < 0) return {};
  if (found->get<double>() > seconds_max) return {};
  return static_cast<std::uint64_t>(std::llround(found->get<double>() * 1e9));
}

std::optional<spread> parse_spread(const nlohmann::ordered_json& object) {
  if (!object.is_object()) return {};
  const std::optional<std::uint64_t> median = ns_of(object, "median");
  const std::optional<std::uint64_t> least = ns_of(object, "least");
  const std::optional<std::uint64_t> most = ns_of(object, "most");
  if (!median || !least || !most) return {};
  return spread{*median, *least, *most};
}

}  // namespace

std::optional<baseline> parse_baseline(std::string_view text) {
  const auto object = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!object.is_object()) return {};
  const auto repeats = object.find("repeats");
  const auto hash = object.find("hash");
  const auto threads = object.find("threads");
  if (repeats == object.end() || !repeats->is_object() || !repeats->contains("seconds") ||
      hash == object.end() || !hash->is_string() || threads == object.end() ||
      !threads->is_number_unsigned()) {
    return {};
  }
  baseline old{.hash = *hash, .threads = *threads, .times = {}};
  for (const auto& [name, value] : (*repeats)["seconds"].items()) {
    const std::optional<spread> time = parse_spread(value);
    if (!time) return {};
    old.times.push_back({name, *time});
  }
  return old;
}

std::optional<baseline> read_baseline(const std::string& path) {
  // Opening a pipe could wait for ever, and a device may have no end.
  std::error_code missing;
  const std::filesystem::file_status status = std::filesystem::status(native_path(path), missing);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    print_error(fmt::format("{}: cannot read the baseline: not a regular file", printable(path)));
    return {};
  }
  std::ifstream file(native_path(path), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) {
    print_error(fmt::format("{}: cannot read the baseline", printable(path)));
    return {};
  }
  std::optional<baseline> old = parse_baseline(text);
  if (!old) {
    print_error(fmt::format("{}: not a baseline; make one with: overture load --json ... > FILE",
                            printable(path)));
  }
  return old;
}

bool is_slower(const spread& was, const spread& now, unsigned tolerance_percent) {
  const double most = static_cast<double>(was.median_ns) * (1 + tolerance_percent / 100.0);
  return static_cast<double>(now.median_ns) > most && now.least_ns > was.most_ns;
}

report_baseline compare(const baseline& old, const report& now, unsigned tolerance_percent) {
  report_baseline compared;
  for (const report_time& time : now.repeats) {
    for (const report_time& before : old.times) {
      if (before.name != time.name) continue;
      compared.times.push_back({time.name, before.taken, time.taken,
                                is_slower(before.taken, time.taken, tolerance_percent)});
    }
  }
  compared.slower = !compared.times.empty() && compared.times.front().name == "load" &&
                    compared.times.front().slower;
  if (old.hash != fmt::format("{:016x}", now.summary.hash)) {
    compared.differences.emplace_back("the files differ");
  }
  if (old.threads != now.threads) {
    compared.differences.push_back(
        fmt::format("it had {}", counted(old.threads, "thread", "threads")));
  }
  return compared;
}

}  // namespace overture::cli
