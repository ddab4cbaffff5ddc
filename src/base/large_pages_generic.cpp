// SPDX-License-Identifier: Zlib
#include "base/large_pages.hpp"

namespace overture {

std::size_t base_detail::large_page_alignment(std::size_t /*bytes*/) noexcept {
  return 1;
}

void base_detail::prefer_large_pages(void* /*block*/, std::size_t /*bytes*/) noexcept {}

}  // namespace overture
