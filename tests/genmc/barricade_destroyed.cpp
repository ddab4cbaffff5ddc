// SPDX-License-Identifier: Zlib
//
// src/sync/barricade.cpp: the thread that waits destroys the barricade while the one that lowers it
// has not returned.
#include "sync/barricade.cpp"

#include "base/vec.hpp"
#include "genmc/platform.hpp"

namespace overture::sync_detail {
void continuation_table::add(barricade_continuation&) noexcept {}
void continuation_table::arm(barricade_continuation&) noexcept {}
void continuation_table::run_released(const void*) noexcept {}
}  // namespace overture::sync_detail

namespace {

overture::barricade* door;

void lowers() {
  door->lower();
}
void waits() {
  door->wait();
  overture::base_detail::destroy_object(genmc::memory, overture::memory_tag::host, door);
}

}  // namespace

int main() {
  door = overture::base_detail::make_object<overture::barricade>(genmc::memory,
                                                                 overture::memory_tag::host);
  genmc::run(lowers, waits);
  genmc::check(!genmc::anybody_sleeps(), "no thread sleeps for ever");
}
