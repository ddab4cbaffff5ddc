// SPDX-License-Identifier: Zlib
#include "base/threads/thread_slot.hpp"

extern "C" [[gnu::visibility("default")]] std::uint32_t overture_test_thread_slot() {
  return overture::base_detail::thread_slot();
}
