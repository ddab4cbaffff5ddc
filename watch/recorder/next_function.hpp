// SPDX-License-Identifier: Zlib
//
// A function that the recorder takes the place of: how to define it, and how to call the next one.
//
//   constinit next_function<int(int)> next_close("close");
//   OVERTURE_WATCH_TAKES(int, close, (int file)) { return next_close(file); }
#pragma once

#include <dlfcn.h>

#include "overture/base/atomic.hpp"

// Under a name of its own, so that no declaration of a header stands in the way.
#define OVERTURE_WATCH_TAKES(RESULT, NAME, PARAMETERS)                                \
  extern "C" __attribute__((                                                          \
      visibility("default"))) RESULT overture_watch_##NAME PARAMETERS __asm__(#NAME); \
  RESULT overture_watch_##NAME PARAMETERS

// Where the function returns to: only in the function itself.
#define OVERTURE_WATCH_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace overture::watch {

using find_of_function = void*(void* library, const char* name);
// The loader's own dlsym(), which dlsym() itself cannot be asked for here.
[[nodiscard]] find_of_function* loader_dlsym() noexcept;

// The next definition after this library's, as the loader would find it for the program. Where the
// program has none, that of a library which came with a plug-in: the plug-in's calls come here,
// too. Null if there is none at all.
[[nodiscard]] void* find_next(const char* name, const char* version) noexcept;

template <class Function>
class next_function;

template <class Result, class... Parameters>
class next_function<Result(Parameters...)> {
 public:
  using pointer = Result (*)(Parameters...);

  // Of some functions plain dlsym() may give an older version.
  constexpr explicit next_function(const char* name, const char* version = nullptr) noexcept
      : name_(name), version_(version) {}

  // Null if no other library has it.
  pointer get() noexcept {
    const pointer found = found_.load(std::memory_order_relaxed);
    return found ? found : find();
  }
  // Null until it has been looked for.
  [[nodiscard]] pointer known() const noexcept { return found_.load(std::memory_order_relaxed); }
  // Where a program has found it by name.
  void set(pointer found) noexcept { found_.store(found, std::memory_order_relaxed); }
  Result operator()(Parameters... arguments) { return get()(arguments...); }

 private:
  __attribute__((noinline, cold)) pointer find() noexcept {
    const auto found = reinterpret_cast<pointer>(find_next(name_, version_));
    found_.store(found, std::memory_order_relaxed);
    return found;
  }

  const char* name_;
  const char* version_;
  atomic<pointer> found_{nullptr};
};

}  // namespace overture::watch
