// SPDX-License-Identifier: Zlib
//
// Stands in for src/io/back_ends/wake_event.hpp: an event that the fake ring reads.
#pragma once

#include <liburing.h>

namespace overture::io_detail {

class wake_event {
 public:
  [[nodiscard]] bool open() noexcept { return true; }
  [[nodiscard]] int descriptor() const noexcept { return interleave::fake_kernel::event; }
  void set() noexcept { interleave::kernel_of_ring->set_event(); }
};

}  // namespace overture::io_detail
