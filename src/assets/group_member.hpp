// SPDX-License-Identifier: Zlib
//
// That an asset is one of a group.
#pragma once

#include "overture/assets/asset_group.hpp"

namespace overture::assets_detail {
struct slot;
}

namespace overture::detail {

struct group_member {
  assets_detail::slot* of = nullptr;
  group_head* group = nullptr;
  group_member* next_of_group = nullptr;
  group_member* next_of_asset = nullptr;
  group_member* before_of_asset = nullptr;
};

}  // namespace overture::detail
