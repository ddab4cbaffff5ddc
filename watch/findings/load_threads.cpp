// SPDX-License-Identifier: Zlib
#include "watch/findings/load_threads.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace overture::watch {

namespace {

bool began_in(const watched_process& process, const watched_thread& thread,
              std::initializer_list<std::string_view> files) {
  const watched_module* const module = process.module_of(thread.start);
  return module && std::any_of(files.begin(), files.end(), [&](std::string_view each) {
           return module->path.find(each) != std::string::npos;
         });
}

}  // namespace

bool is_of_graphics_driver(const watched_process& process, const watched_thread& thread) {
  return began_in(process, thread,
                  {"_dri.so", "libgallium", "libLLVM", "libGLX", "nvidia", "libvulkan"});
}

bool is_of_driver(const watched_process& process, const watched_thread& thread) {
  return is_of_graphics_driver(process, thread) ||
         began_in(process, thread, {"libpulse", "libasound", "pipewire", "libopenal"});
}

std::vector<bool> awaited_threads(const load_view& view) {
  constexpr double awaited_share_min = 0.05;
  std::vector<std::uint64_t> awaited_ns(view.threads.size());
  for (const watched_wake& each : view.process.wakes) {
    const watched_thread& to = view.process.threads[each.to_thread];
    const watched_event& wait = to.events[each.to_event];
    if (to.is_main && wait.begin_ns < view.end_ns()) awaited_ns[each.from_thread] += wait.took_ns;
  }
  std::vector<bool> is_awaited(view.threads.size());
  for (std::size_t i = 0; i < view.threads.size(); ++i) {
    is_awaited[i] =
        view.process.threads[i].is_main ||
        static_cast<double>(awaited_ns[i]) > awaited_share_min * static_cast<double>(view.end_ns());
  }
  return is_awaited;
}

std::vector<bool> loading_threads(const load_view& view) {
  std::vector<bool> loads = awaited_threads(view);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::vector<watched_event>& events = view.process.threads[i].events;
    loads[i] =
        loads[i] || std::any_of(events.begin(), events.end(), [&](const watched_event& each) {
          return each.begin_ns < view.end_ns() && opens_content(view.process, each);
        });
  }
  return loads;
}

}  // namespace overture::watch
