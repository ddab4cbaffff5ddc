// SPDX-License-Identifier: Zlib
//
// What must not compile, one at a time: -DREFUSED=N. With 0, what is like it and right.
#include <array>

#include "overture/jobs/job_system.hpp"

namespace {

#if REFUSED == 0
constexpr std::size_t captured = overture::limits::job_bytes_max;
#else
constexpr std::size_t captured = overture::limits::job_bytes_max + 1;
#endif

[[maybe_unused]] overture::job of_bytes() {
  return [bytes = std::array<char, captured>()] { (void)bytes; };
}

}  // namespace
