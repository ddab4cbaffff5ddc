// SPDX-License-Identifier: Zlib
//
// Assets: handles on what a game loads.
#pragma once

#include "overture/assets/asset.hpp"
#include "overture/assets/asset_event.hpp"
#include "overture/assets/asset_group.hpp"
#include "overture/assets/asset_stage.hpp"
#include "overture/assets/asset_store.hpp"
#include "overture/assets/asset_type.hpp"
#include "overture/assets/asset_variant.hpp"
#include "overture/assets/asset_waits.hpp"
#include "overture/assets/loader.hpp"
#include "overture/assets/part_loader.hpp"
