// SPDX-License-Identifier: Zlib
//
// What earlier loads, or runs of a program, took, from the JSON that they wrote.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "report/load_samples.hpp"

namespace overture::cli {

// Nothing if the text is not what `overture load --json` or `overture watch --json` writes.
[[nodiscard]] std::optional<load_samples> parse_samples(std::string_view text);
// Of a load alone.
[[nodiscard]] std::optional<load_samples> samples_of(const nlohmann::ordered_json& load);
// The same from a file. Prints why and returns nothing if that fails.
[[nodiscard]] std::optional<load_samples> read_samples(const std::string& path);

}  // namespace overture::cli
