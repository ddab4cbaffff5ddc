// SPDX-License-Identifier: Zlib
//
// Whether a start pack can only have been made by the user: a pack is what the game reads.
#pragma once

namespace overture::start_pack {

// It and its folder are this user's, it is no link, and the folder is closed to others.
[[nodiscard]] bool is_private_file(const char* path) noexcept;

}  // namespace overture::start_pack
