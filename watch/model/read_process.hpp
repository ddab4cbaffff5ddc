// SPDX-License-Identifier: Zlib
//
// Reads what a recorder has written. The file may be cut at any place, and may hold anything: what
// does not make sense is left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watch/model/watched.hpp"

namespace overture::watch {

// Nothing if it is no such file. `ended_ns`: when the process was gone, on the monotonic clock,
// where it did not write that itself; 0 if that is not known.
[[nodiscard]] std::optional<watched_process> read_process(std::string_view bytes,
                                                          std::uint64_t ended_ns);

// Those of all processes, in the order in which they began.
[[nodiscard]] std::vector<watched_process> read_folder(const std::string& path,
                                                       std::uint64_t ended_ns);

}  // namespace overture::watch
