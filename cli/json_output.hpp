// JSON as all commands write it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace overture::cli {

using json = nlohmann::ordered_json;

// Indented ASCII, U+FFFD in place of what is not UTF-8, a line end.
[[nodiscard]] std::string json_text(const json& object);

}  // namespace overture::cli
