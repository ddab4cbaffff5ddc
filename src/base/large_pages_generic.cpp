#include "base/large_pages.hpp"

namespace overture {

void base_detail::prefer_large_pages(void* /*block*/, std::size_t /*bytes*/) noexcept {}

}  // namespace overture
