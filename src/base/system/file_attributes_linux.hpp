// SPDX-License-Identifier: Zlib
//
// What Linux keeps of a file beside its nine bits of permissions.
#pragma once

namespace overture::base_detail {

// Gives the open file `to` the access control list of the file that a path names below the open
// folder, and the attributes that users have given it, as far as they are small. False if there is
// a list that could not be kept.
[[nodiscard]] bool take_attributes(int to, int folder, const char* path) noexcept;

}  // namespace overture::base_detail
