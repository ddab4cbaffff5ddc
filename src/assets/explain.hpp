// SPDX-License-Identifier: Zlib
//
// Why an asset failed, as a sentence.
#pragma once

#include <span>

#include "assets/store_core.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::assets_detail {

// Cut to fit and NUL-terminated. Returns the length without the NUL. `text` is not empty.
[[nodiscard]] std::size_t explain(file_system& files, const failure_chain& chain,
                                  std::span<char> text) noexcept;

// Writes a reason in the same way.
std::size_t explain(std::string_view reason, std::span<char> text) noexcept;

// The path of the tree that differs from this one only by case. Error: not_found, or limit if it
// does not fit.
[[nodiscard]] result<std::string_view> spelled_otherwise(file_system& files, std::string_view path,
                                                         std::span<char> room) noexcept;

}  // namespace overture::assets_detail
