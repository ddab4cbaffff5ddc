// SPDX-License-Identifier: Zlib
//
// A load that a record of an earlier one leads (load_options::recorded).
#pragma once

#include "load/load_state.hpp"

namespace overture::load_detail {

// Puts the files of the record in front of all others of their priority, in its order, and weighs
// them for the progress by what they cost. For a load whose order is made and that has not begun.
// False if out of memory.
[[nodiscard]] bool follow_record(load_state& load) noexcept;

}  // namespace overture::load_detail
