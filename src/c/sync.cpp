// SPDX-License-Identifier: Zlib
//
// The barricade: overture/c/sync.h.
#include "overture/c/sync.h"

#include <chrono>
#include <new>

#include "c/duration.hpp"
#include "overture/sync/barricade.hpp"

static_assert(sizeof(overture_barricade) == sizeof(overture::barricade));
static_assert(alignof(overture_barricade) == alignof(overture::barricade));

namespace {

overture::barricade* inside(overture_barricade* outside) noexcept {
  return std::launder(reinterpret_cast<overture::barricade*>(outside));
}

const overture::barricade* inside(const overture_barricade* outside) noexcept {
  return std::launder(reinterpret_cast<const overture::barricade*>(outside));
}

}  // namespace

overture_code overture_barricade_init(overture_barricade* barricade, bool lowered) {
  if (barricade == nullptr) return OVERTURE_INVALID;
  ::new (static_cast<void*>(barricade))
      overture::barricade(lowered ? overture::barricade::lowered : overture::barricade::raised);
  return OVERTURE_OK;
}

bool overture_barricade_is_lowered(const overture_barricade* barricade) {
  return barricade != nullptr && inside(barricade)->is_lowered();
}

overture_code overture_barricade_lower(overture_barricade* barricade) {
  if (barricade == nullptr) return OVERTURE_INVALID;
  inside(barricade)->lower();
  return OVERTURE_OK;
}

overture_code overture_barricade_raise(overture_barricade* barricade) {
  if (barricade == nullptr) return OVERTURE_INVALID;
  inside(barricade)->raise();
  return OVERTURE_OK;
}

overture_code overture_barricade_wait(overture_barricade* barricade) {
  if (barricade == nullptr) return OVERTURE_INVALID;
  inside(barricade)->wait();
  return OVERTURE_OK;
}

overture_code overture_barricade_wait_for(overture_barricade* barricade, uint64_t timeout_ns) {
  if (barricade == nullptr) return OVERTURE_INVALID;
  return inside(barricade)->wait_for(overture::c::duration_of(timeout_ns)) ? OVERTURE_OK
                                                                           : OVERTURE_BUSY;
}
