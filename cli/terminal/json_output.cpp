// SPDX-License-Identifier: Zlib
#include "terminal/json_output.hpp"

namespace overture::cli {

std::string json_text(const json& object) {
  return object.dump(2, ' ', true, json::error_handler_t::replace) + '\n';
}

}  // namespace overture::cli
