// SPDX-License-Identifier: Zlib
//
// A non-owning reference to a callable or a function, for visitors: two pointers, no allocation. A
// callable must outlive the call it is passed to.
//
// function_ref<void(int) noexcept> takes only callables that are noexcept.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "overture/base/version.hpp"

namespace overture {

template <class Signature>
class function_ref;

template <class R, class... Args>
class function_ref<R(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref> &&
             std::is_invocable_r_v<R, F&, Args...>)
  // NOLINTNEXTLINE(google-explicit-constructor): a lambda converts where it is passed
  function_ref(F&& callable) noexcept
      : object_(address_of(callable)), call_([](void* object, Args... args) -> R {
          return (*reinterpret_cast<std::remove_reference_t<F>*>(object))(
              std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  template <class F>
  static void* address_of(F& callable) noexcept {
    if constexpr (std::is_function_v<F>) {
      return reinterpret_cast<void*>(&callable);
    } else {
      return const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
    }
  }

  void* object_;
  R (*call_)(void*, Args...);
};

template <class R, class... Args>
class function_ref<R(Args...) noexcept> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref> &&
             std::is_nothrow_invocable_r_v<R, F&, Args...>)
  // NOLINTNEXTLINE(google-explicit-constructor): a lambda converts where it is passed
  function_ref(F&& callable) noexcept : called_(callable) {}

  R operator()(Args... args) const noexcept { return called_(std::forward<Args>(args)...); }

 private:
  function_ref<R(Args...)> called_;
};

}  // namespace overture
