// SPDX-License-Identifier: Zlib
//
// Where there is no libdw.
#include "watch/model/source_lines.hpp"

namespace overture::watch {

struct source_lines::session {};

source_lines::source_lines(const std::string&) {}
source_lines::~source_lines() = default;
source_lines::source_lines(source_lines&& other) noexcept = default;
source_lines& source_lines::operator=(source_lines&& other) noexcept = default;

std::optional<source_place> source_lines::at(std::uint64_t) const {
  return {};
}

}  // namespace overture::watch
