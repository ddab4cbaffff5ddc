// SPDX-License-Identifier: Zlib
//
// What files are that are not decoded.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "overture/vfs/file_system.hpp"
#include "report/model/report_model.hpp"

namespace overture::report_detail {

// By the decoder that only recognised it: "font"; empty for decoders that decode.
[[nodiscard]] std::string what_is(std::string_view decoder);
// By the first bytes: "video"; empty if they say nothing.
inline constexpr std::size_t front_bytes_wanted = 512;
[[nodiscard]] std::string what_is(std::span<const std::byte> front);
// Looks at a file of each type that was not decoded.
void name_undecoded(load_report& what, file_system& files);

}  // namespace overture::report_detail
