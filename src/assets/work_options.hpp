// SPDX-License-Identifier: Zlib
//
// The jobs of a store.
#pragma once

#include "assets/lists.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture::assets_detail {

// What has a job that is dropped would never go on.
[[nodiscard]] inline job_options options_for(asset_priority priority, const char* name) noexcept {
  job_options options{.name = name, .always = true};
  const std::size_t which = class_of(priority);
  if (which == class_of(asset_priority::high)) options.priority = job_priority::high;
  if (which < class_of(asset_priority::normal)) options.priority = job_priority::low;
  return options;
}

}  // namespace overture::assets_detail
