// SPDX-License-Identifier: Zlib
//
// Hides whose machine it was: paths below the home become "~/...".
#pragma once

#include <string>
#include <string_view>

#include "watch/model/watched.hpp"

namespace overture::watch {

void hide_home(watched_process& process, std::string_view home);
// One path; nothing is hidden where `home` is empty.
[[nodiscard]] std::string without_home(std::string_view path, std::string_view home);

}  // namespace overture::watch
