// SPDX-License-Identifier: Zlib
//
// The timeline as a picture that does not move, for readers without JavaScript and for paper.
#pragma once

#include <cstdint>
#include <string>

#include "report/page/picture.hpp"

namespace overture::report_detail {

// An <svg> of a few hundred rectangles, whatever the length of the load.
[[nodiscard]] std::string still_picture(const timeline_picture& picture);
// The same with so much time across, if that is more than the picture has: to compare two.
[[nodiscard]] std::string still_picture(const timeline_picture& picture, std::uint64_t across_ns);

}  // namespace overture::report_detail
