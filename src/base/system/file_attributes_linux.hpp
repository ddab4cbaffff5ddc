// SPDX-License-Identifier: Zlib
//
// What Linux keeps of a file beside its nine bits of permissions.
#pragma once

namespace overture::base_detail {

struct taken_attributes {
  bool has_lost_list = false;  // there is an access control list that could not be kept
  // What the list allows to the group of the file; all of 07 if there is no list.
  unsigned group_rights = 07;
};

// Gives the open file `to` the access control list of the file that a path names below the open
// folder, and the attributes that users have given it. Returns an errno if the old file cannot be
// opened, or 0.
[[nodiscard]] int take_attributes(int to, int folder, const char* path,
                                  taken_attributes& taken) noexcept;

}  // namespace overture::base_detail
