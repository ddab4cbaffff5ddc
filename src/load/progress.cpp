// SPDX-License-Identifier: Zlib
//
// What a load waits for, in words.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "overture/load/load_scope.hpp"

namespace overture {

std::size_t explain(const load_progress& now, std::span<char> text) noexcept {
  struct {
    std::uint32_t files;
    const char* what;
  } const waits[] = {{now.awaiting_pump, "pump() on the main thread"},
                     {now.awaiting_memory, "memory"},
                     {now.awaiting_reads, "the disk"}};
  char sentence[160] = "";
  std::size_t length = 0;
  for (const auto& each : waits) {
    if (each.files == 0) continue;
    const int added = std::snprintf(sentence + length, sizeof sentence - length, "%s%u %s for %s",
                                    length == 0 ? "" : ", ", each.files,
                                    each.files == 1 ? "file waits" : "files wait", each.what);
    length += static_cast<std::size_t>(std::max(added, 0));
  }
  if (text.empty()) return 0;
  length = std::min(length, text.size() - 1);
  std::memcpy(text.data(), sentence, length);
  text[length] = '\0';
  return length;
}

}  // namespace overture
