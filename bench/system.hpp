// SPDX-License-Identifier: Zlib
//
// What the harness asks of the system. Platform by file.
#pragma once

#include <string>

namespace bench {

[[nodiscard]] double process_cpu_seconds();
[[nodiscard]] bool errors_go_to_a_terminal();
[[nodiscard]] std::string processor_model();
[[nodiscard]] std::string system_name();  // with its version

}  // namespace bench
