// SPDX-License-Identifier: Zlib
//
// JSON in the form that all commands write.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace overture::cli {

using json = nlohmann::ordered_json;

// Indented ASCII that ends with a newline. Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_text(const json& object);

}  // namespace overture::cli
