// SPDX-License-Identifier: Zlib
//
// src/sync/barricade.cpp: one thread lowers, raises and lowers while two wait. No thread sleeps
// for ever, and whoever is let through sees what was written before.
#include "sync/barricade.cpp"

#include "genmc/platform.hpp"

namespace overture::sync_detail {
void continuation_table::add(barricade_continuation&) noexcept {}
void continuation_table::arm(barricade_continuation&) noexcept {}
void continuation_table::run_released(const void*) noexcept {}
}  // namespace overture::sync_detail

namespace {

overture::barricade door;
int written = 0;

void lowers() {
  written = 1;
  door.lower();
  door.raise();
  door.lower();
}
void waits() {
  door.wait();
  genmc::check(written == 1, "what was written before is seen");
}

}  // namespace

int main() {
  genmc::run(lowers, waits, waits);
  genmc::check(!genmc::anybody_sleeps(), "no thread sleeps for ever");
}
