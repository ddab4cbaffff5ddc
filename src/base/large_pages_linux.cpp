// SPDX-License-Identifier: Zlib
#include "base/large_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace overture {
namespace {

constexpr std::uintptr_t page = std::uintptr_t{2} << 20;

}  // namespace

std::size_t base_detail::large_page_alignment(std::size_t bytes) noexcept {
  return bytes < page ? 1 : page;
}

void base_detail::prefer_large_pages(void* block, std::size_t bytes) noexcept {
  if (bytes < page) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t end = (begin + bytes) & ~(page - 1);
  (void)madvise(block, end - begin, MADV_HUGEPAGE);
}

}  // namespace overture
