// SPDX-License-Identifier: Zlib
#include "report/samples_file.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/text_file.hpp"

namespace overture::cli {

namespace {

using object = nlohmann::ordered_json;

constexpr double value_max = 1e18;
constexpr std::size_t loads_max = 100'000;

std::optional<double> value_of(const object& from) {
  if (!from.is_number()) return {};
  const auto value = from.get<double>();
  const bool is_possible = value >= 0 && value <= value_max;  // not for NaN
  return is_possible ? std::optional(value) : std::nullopt;
}

std::optional<measure> parse_measure(const object& from, std::size_t loads) {
  if (!from.is_object() || !from.contains("kind") || !from["kind"].is_string() ||
      !from.contains("name") || !from["name"].is_string() || !from.contains("values") ||
      !from["values"].is_array() || from["values"].size() != loads) {
    return {};
  }
  const std::optional<measure_kind> kind = measure_kind_of(from["kind"].get<std::string>());
  if (!kind) return {};
  measure read{.kind = *kind, .name = from["name"].get<std::string>()};
  for (const object& each : from["values"]) {
    const std::optional<double> value = value_of(each);
    if (!value) return {};
    read.values.push_back(*value);
  }
  return read;
}

std::optional<std::vector<measure>> parse_measures(const object& repeats, std::size_t& loads) {
  if (!repeats.contains("measures") || !repeats["measures"].is_array() ||
      !repeats.contains("loads") || !repeats["loads"].is_number_unsigned() ||
      repeats["loads"] > loads_max) {
    return {};
  }
  loads = repeats["loads"];
  std::vector<measure> measures;
  for (const object& each : repeats["measures"]) {
    std::optional<measure> read = parse_measure(each, loads);
    if (!read) return {};
    measures.push_back(std::move(*read));
  }
  return measures;
}

// What `overture watch --json` wrote.
std::optional<load_samples> samples_of_watch(const object& report) {
  const auto repeats = report.find("repeats");
  const auto program = report.find("program");
  if (repeats == report.end() || !repeats->is_object() || program == report.end() ||
      !program->is_string()) {
    return {};
  }
  load_samples read{.program = printable(program->get<std::string>())};
  if (read.program.empty()) read.program = "unknown";
  const auto cold = repeats->find("cold");
  read.is_cold = cold != repeats->end() && cold->is_boolean() && cold->get<bool>();
  std::optional<std::vector<measure>> measures = parse_measures(*repeats, read.loads);
  if (!measures) return {};
  read.measures = std::move(*measures);
  if (!read.find(measure_kind::load, "load")) return {};
  return read;
}

}  // namespace

std::optional<load_samples> parse_samples(std::string_view text) {
  const object read = object::parse(text, nullptr, false);
  return read.is_object() && read.contains("overture_watch") ? samples_of_watch(read)
                                                             : samples_of(read);
}

std::optional<load_samples> samples_of(const object& load) {
  if (!load.is_object()) return {};
  const auto repeats = load.find("repeats");
  const auto hash = load.find("hash");
  const auto threads = load.find("threads");
  if (repeats == load.end() || !repeats->is_object() || hash == load.end() || !hash->is_string() ||
      threads == load.end() || !threads->is_number_unsigned()) {
    return {};
  }
  load_samples read{.hash = hash->get<std::string>(), .threads = threads->get<unsigned>()};
  std::optional<std::vector<measure>> measures = parse_measures(*repeats, read.loads);
  if (!measures) return {};
  read.measures = std::move(*measures);
  if (!read.find(measure_kind::load, "load")) return {};
  return read;
}

std::optional<load_samples> read_samples(const std::string& path) {
  const std::optional<std::string> text = read_text_file(path, "the earlier load");
  if (!text) return {};
  std::optional<load_samples> read = parse_samples(*text);
  if (!read) {
    print_error(
        fmt::format("{}: not the JSON of a load; make it with: overture load --json ... "
                    "> FILE, or of a program: overture watch --json FILE ...",
                    printable(path)));
  }
  return read;
}

}  // namespace overture::cli
