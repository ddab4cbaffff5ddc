// SPDX-License-Identifier: Zlib
//
// Processes that were never run.
//
//   made_up process;
//   const std::uint32_t file = process.name("/data/a.png");
//   process.main().read(file, 10_ms, 2_ms, 0, 4096);
//   const load_view view = view_of(process.done());
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "watch/model/ordering.hpp"
#include "watch/model/wakes.hpp"
#include "watch/model/watched.hpp"

namespace overture::watch {

constexpr std::uint64_t operator""_ms(unsigned long long ms) {
  return ms * 1'000'000;
}
constexpr std::uint64_t operator""_us(unsigned long long us) {
  return us * 1'000;
}

class made_up_thread {
 public:
  explicit made_up_thread(watched_thread& thread) : thread_(thread) {}

  watched_event& add(event_kind kind, std::uint64_t begin_ns, std::uint64_t took_ns,
                     std::uint32_t id = 0, std::uint64_t value = 0) {
    thread_.events.push_back({.kind = kind,
                              .id = id,
                              .begin_ns = begin_ns,
                              .end_ns = begin_ns + took_ns,
                              .took_ns = took_ns,
                              .value = value});
    return thread_.events.back();
  }
  void open(std::uint32_t name, std::uint64_t begin_ns, std::uint64_t took_ns) {
    add(event_kind::open, begin_ns, took_ns, name, O_RDONLY);
  }
  void miss(std::uint32_t name, std::uint64_t begin_ns, std::uint64_t took_ns) {
    add(event_kind::open, begin_ns, took_ns, name).flags = plain_event::failed;
  }
  void read(std::uint32_t name, std::uint64_t begin_ns, std::uint64_t took_ns, std::uint64_t place,
            std::uint64_t bytes) {
    add(event_kind::read, begin_ns, took_ns, name, at_place(place, bytes));
  }
  void zone(zone_number number, std::uint64_t begin_ns, std::uint64_t took_ns) {
    add(event_kind::zone, begin_ns, took_ns, static_cast<std::uint32_t>(number));
  }
  void wait(event_kind kind, std::uint64_t begin_ns, std::uint64_t took_ns, std::uint64_t address,
            std::uint64_t caller = 0) {
    add(kind, begin_ns, took_ns, 0, address).caller = caller;
  }
  void release(std::uint64_t at_ns, std::uint64_t address) {
    add(event_kind::release, at_ns, 0, 0, address);
  }
  // Where `sleepers` were known to wait.
  void wake(std::uint64_t begin_ns, std::uint64_t took_ns, std::uint64_t address,
            std::uint32_t sleepers) {
    add(event_kind::release, begin_ns, took_ns, sleepers, address);
  }
  // Calls until then.
  void allocate(std::uint64_t at_ns, std::uint16_t calls, std::uint64_t took_ns) {
    watched_event& made = add(event_kind::allocate, at_ns, 0, 0, took_ns);
    made.detail = calls;
    made.caller = 0x1200;
  }
  void frame(std::uint64_t end_ns) { add(event_kind::frame, end_ns, 0); }
  watched_thread* operator->() { return &thread_; }

 private:
  watched_thread& thread_;
};

class made_up {
 public:
  made_up() {
    made_.program = "/game/bin/game";
    made_.threads.reserve(64);
    thread("main", 0).operator->()->is_main = true;
    made_.modules.push_back({0x1000, 0x9000, "/game/bin/game"});
  }

  std::uint32_t name(const std::string& text) {
    made_.names.push_back(text);
    return static_cast<std::uint32_t>(made_.names.size());
  }
  made_up_thread main() { return made_up_thread(made_.threads.front()); }
  made_up_thread thread(const std::string& name, std::uint64_t begin_ns) {
    made_.threads.push_back(
        {.name = name, .number = made_.threads.size() + 1, .begin_ns = begin_ns});
    return made_up_thread(made_.threads.back());
  }
  watched_process* operator->() { return &made_; }

  // It ran until then.
  const watched_process& done(std::uint64_t end_ns) {
    made_.end_ns = end_ns;
    for (watched_thread& each : made_.threads) {
      if (each.end_ns == 0) each.end_ns = end_ns;
      order(each.events, [](const watched_event& a, const watched_event& b) {
        return std::tuple(a.begin_ns, b.end_ns) < std::tuple(b.begin_ns, a.end_ns);
      });
    }
    made_.wakes = find_wakes(made_.threads);
    return made_;
  }

 private:
  watched_process made_;
};

}  // namespace overture::watch
