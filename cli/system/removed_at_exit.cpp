// SPDX-License-Identifier: Zlib
#include <iterator>

#include "overture/base/atomic.hpp"
#include "system/system.hpp"

namespace overture::cli {

namespace {

atomic<const char*> removed[4]{};

}  // namespace

removed_at_exit::removed_at_exit(const char* path) : slot_(0) {
  if (path == nullptr) path = "";
  for (slot_ = 0; slot_ < std::size(removed); ++slot_) {
    const char* none = nullptr;
    if (removed[slot_].compare_exchange_strong(none, path)) return;
  }
}

removed_at_exit::~removed_at_exit() {
  if (slot_ < std::size(removed)) removed[slot_].store(nullptr);
}

void removed_at_exit::each(void (*remove)(const char* path)) {
  for (std::size_t i = std::size(removed); i-- > 0;) {
    if (const char* const path = removed[i].load()) remove(path);
  }
}

}  // namespace overture::cli
