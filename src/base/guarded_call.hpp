// SPDX-License-Identifier: Zlib
//
// Calls functions of the host that may throw.
//
//   result<void> taken = guarded_result("asset_sink::finalize() threw an exception", [&] {
//     return sink.finalize(entry, asset, bytes);
//   });
//
// The library is built without exceptions: one that passed its frames would skip their clean-up and
// end the process at the next noexcept function. So whatever the host may throw from is called
// through guarded_call.cpp, which catches it. Between the host's function and that catch lies only
// the lambda given here, which must own nothing that has to be destroyed. A function or virtual
// that is noexcept by its type needs no guard.
//
// Cost: two calls.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "overture/base/api.hpp"
#include "overture/base/error.hpp"

namespace overture::base_detail {

enum class outcome : std::uint8_t { returned, threw, out_of_memory };  // by std::bad_alloc

// Calls call(context). If that throws, returns how after threw(reporter, what); `what` is null
// unless it was a std::exception. Exported for the library of sounds, which is apart.
[[nodiscard]] OVERTURE_API outcome run_guarded(void (*call)(void* context), void* context,
                                               void (*threw)(void* reporter,
                                                             const char* what) noexcept,
                                               void* reporter) noexcept;

// How call() ended, after threw(what) if it threw.
template <class Call, class Threw>
outcome guarded_outcome(Call call, Threw threw) noexcept {
  return run_guarded(
      [](void* self) { (*static_cast<Call*>(self))(); }, &call,
      [](void* self, const char* what) noexcept { (*static_cast<Threw*>(self))(what); }, &threw);
}
template <class Call>
[[nodiscard]] outcome guarded_outcome(Call call) noexcept {
  return guarded_outcome(call, [](const char* /*what*/) noexcept {});
}
// False if call() threw, after threw(what).
template <class Call, class Threw>
bool guarded_call(Call call, Threw threw) noexcept {
  return guarded_outcome(call, threw) == outcome::returned;
}
template <class Call>
[[nodiscard]] bool guarded_call(Call call) noexcept {
  return guarded_call(call, [](const char* /*what*/) noexcept {});
}

// What call() returns, a result<T>; errc::threw and that reason if it threw.
template <class Call>
[[nodiscard]] std::invoke_result_t<Call&> guarded_result(const char* reason, Call call) noexcept {
  std::optional<std::invoke_result_t<Call&>> returned;
  if (!guarded_call([&] { returned.emplace(call()); })) return fail(errc::threw, reason);
  return std::move(*returned);
}

// The same, but out_of_memory, with that reason, if it threw std::bad_alloc.
template <class Call>
[[nodiscard]] std::invoke_result_t<Call&> guarded_result(const char* reason, const char* no_memory,
                                                         Call call) noexcept {
  std::optional<std::invoke_result_t<Call&>> returned;
  const outcome how = guarded_outcome([&] { returned.emplace(call()); });
  if (how == outcome::out_of_memory) return fail(errc::out_of_memory, no_memory);
  if (how == outcome::threw) return fail(errc::threw, reason);
  return std::move(*returned);
}

inline constexpr const char* thread_factory_threw = "thread_factory::start() threw an exception";
inline constexpr const char* visitor_threw = "the function that visits them threw an exception";

}  // namespace overture::base_detail
