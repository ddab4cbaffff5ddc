#include "base/large_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace overture {

void base_detail::prefer_large_pages(void* block, std::size_t bytes) noexcept {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  if (bytes < 2 * page) return;  // may not contain an aligned large page
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t begin = (address + page - 1) & ~(page - 1);
  const std::uintptr_t end = (address + bytes) & ~(page - 1);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): derived from the block
  (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace overture
