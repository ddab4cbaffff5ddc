// SPDX-License-Identifier: Zlib
//
// Where Overture's library answers differently from Debian's 3.0.2 on purpose. The reasons are in
// compat/physfs/README.md; differential.py has the same list for its scripts.
#pragma once

#include <string>

#include "physfs/operations.hpp"

[[nodiscard]] bool is_agreed(const operation& call, const std::string& old_answer,
                             const std::string& new_answer);
