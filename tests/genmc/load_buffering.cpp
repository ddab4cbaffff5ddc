// SPDX-License-Identifier: Zlib
//
// No source: each of two threads reads what the other one writes after its own read. Checks that
// the model with load buffering has it.
#include "genmc/model.hpp"

namespace {

overture::atomic<int> left{0};
overture::atomic<int> right{0};
int seen_left = 0;
int seen_right = 0;

void reads_left() {
  seen_left = left.load(std::memory_order_relaxed);
  right.store(1, std::memory_order_relaxed);
}
void reads_right() {
  seen_right = right.load(std::memory_order_relaxed);
  left.store(1, std::memory_order_relaxed);
}

}  // namespace

int main() {
  genmc::run(reads_left, reads_right);
  genmc::check(seen_left + seen_right < 2, "a load sees a store that comes later");
}
