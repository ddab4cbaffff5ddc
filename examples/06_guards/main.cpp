// SPDX-License-Identifier: Zlib
//
// Which ways to convert a number to text allocate memory, and which take a lock? Guards count.
//
// The program does not link the guards library; preload it:
//
//   LD_PRELOAD=liboverture_guards.so example_06_guards
#include <array>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <overture/base/guards.hpp>
#include <overture/overture.hpp>
#include <sstream>
#include <string>

namespace {

using namespace overture;

struct soldier {
  bool enabled = true;
  float speed = 12.34f;
};
constexpr auto fields(text::of<soldier> /*type*/) {
  return text::field_list(text::field("enabled", &soldier::enabled),
                          text::field("speed", &soldier::speed, text::fixed<2>{}));
}

char buffer[2048];

// What the guards have counted. Handlers store it here instead of printing a report.
guard_report heap;
guard_report locks;

// Runs `write` a thousand times inside both guards.
template <class Write>
void examine(const char* name, Write write) {
  heap = {};
  locks = {};
  {
    const no_lock_scope no_lock([](const guard_report& seen) noexcept { locks = seen; });
    const no_alloc_scope no_alloc([](const guard_report& seen) noexcept { heap = seen; });
    for (int i = 0; i < 1000; ++i) write();
  }
  const bool clear = heap.calls == 0 && locks.calls == 0;
  std::printf("%-28s %6llu %6llu %6.1f %%   %s\n", name,
              static_cast<unsigned long long>(heap.calls),
              static_cast<unsigned long long>(locks.calls), 100 * locks.lock_share(),
              clear ? "cleared" : "caught");
}

}  // namespace

int main() {
  if (!guards_active()) {
    std::puts("nothing is counted: preload liboverture_guards.so");
    return 0;
  }
  std::printf("%-28s %6s %6s %8s\n", "1,000 numbers by", "heap", "locks", "in locks");

  const soldier one;
  std::mutex stream_lock;
  examine("snprintf %.2f", [&] {
    (void)std::snprintf(buffer, sizeof buffer, "%.2f", static_cast<double>(one.speed));
  });
  examine("snprintf %.900f of 1e300",
          [&] { (void)std::snprintf(buffer, sizeof buffer, "%.900f", 1e300); });
  examine("std::ostringstream", [&] {
    std::ostringstream out;
    out << "a soldier runs at " << one.speed;
    (void)out.str().copy(buffer, sizeof buffer);
  });
  examine("std::to_string", [&] {
    const std::string text = "the speed of this soldier is " + std::to_string(one.speed);
    (void)text.copy(buffer, sizeof buffer);
  });
  examine("snprintf under a mutex", [&] {
    const std::lock_guard hold(stream_lock);
    (void)std::snprintf(buffer, sizeof buffer, "%.2f", static_cast<double>(one.speed));
  });
  examine("overture::text::snprintf",
          [&] { (void)text::snprintf(buffer, sizeof buffer, "%.900f", 1e300); });
  examine("overture::text::format_to", [&] { (void)text::format_to(buffer, "{:.2f}", one.speed); });
  examine("overture::text::write_object",
          [&] { (void)text::write_object<text::script<"unit">>(buffer, one); });

  // Where a call came from.
  const no_alloc_scope no_alloc(
      [](const guard_report& seen) noexcept { std::printf("\nfirst call: %s\n", seen.first); });
  std::ostringstream out;
  out << std::string(100, 'x');
  return 0;
}
