// SPDX-License-Identifier: Zlib
//
// The jobs of a store.
#pragma once

#include "overture/assets/asset_store.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture::assets_detail {

[[nodiscard]] inline job_options options_for(asset_priority priority, const char* name) noexcept {
  job_options options{.name = name};
  if (priority == asset_priority::high) options.priority = job_priority::high;
  if (priority < asset_priority::normal) options.priority = job_priority::low;
  return options;
}

}  // namespace overture::assets_detail
