// SPDX-License-Identifier: Zlib
//
// Formats that must not compile, one per -DREFUSED=N. Case 0 is similar and must compile.
#include "overture/text/format.hpp"

namespace {

struct opaque {};

[[maybe_unused]] std::size_t write(std::span<char> out) {
  using overture::text::format_to;
#if REFUSED == 0
  return format_to(out, "{} {:x} {:.2f} {} {{}}", -1, 2u, 3.0, "four");
#elif REFUSED == 1
  return format_to(out, "{} {", 1);
#elif REFUSED == 2
  return format_to(out, "{} }", 1);
#elif REFUSED == 3
  return format_to(out, "{}", 1, 2);
#elif REFUSED == 4
  return format_to(out, "{} {}", 1);
#elif REFUSED == 5
  return format_to(out, "{:x}", 1.0);
#elif REFUSED == 6
  return format_to(out, "{:.2f}", 1);
#elif REFUSED == 7
  return format_to(out, "{:.65f}", 1.0);
#elif REFUSED == 8
  return format_to(out, "{:.f}", 1.0);
#elif REFUSED == 9
  return format_to(out, "{:y}", 1);
#elif REFUSED == 10
  return format_to(out, "{}", opaque{});
#endif
}

}  // namespace
