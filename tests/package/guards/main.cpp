// SPDX-License-Identifier: Zlib
//
// A user's code inside the scopes of overture/base/guards.hpp: one piece that allocates and locks,
// one that does neither.
#include <cstdio>
#include <memory>
#include <mutex>
#include <overture/base/guards.hpp>
#include <overture/text/format.hpp>

int main() {
  using namespace overture;
  if (!guards_active()) {
    std::puts("the library of the guards is not there");
    return 1;
  }
  static std::mutex lock;
  static guard_report heap;
  static guard_report locks;
  const auto watch = [](auto work) {
    heap = {};
    locks = {};
    const no_alloc_scope no_alloc([](const guard_report& seen) noexcept { heap = seen; });
    const no_lock_scope no_lock([](const guard_report& seen) noexcept { locks = seen; });
    work();
  };
  std::unique_ptr<int> made;
  watch([&] {
    const std::lock_guard hold(lock);
    made = std::make_unique<int>(1);
  });
  if (heap.calls != 1 || locks.calls == 0) {
    std::puts("an allocation or a lock was not seen");
    return 1;
  }
  char text[32];
  watch([&] { (void)text::format_to(text, "{:.2f}", 12.5); });
  if (heap.calls != 0 || locks.calls != 0) {
    std::puts("what was not there was seen");
    return 1;
  }
  return 0;
}
