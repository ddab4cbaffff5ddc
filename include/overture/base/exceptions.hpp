// SPDX-License-Identifier: Zlib
//
// How header code deals with exceptions of the host. Not for callers.
//
// The library is built without exceptions, and so may be some sources of the host. A function that
// is compiled with a catch in one source and without in another must not be one function to the
// linker, which would keep either. So code that depends on the setting is a template, and the
// setting one of its arguments:
//
//   template <class F, bool Exceptions = detail::exceptions>
//   void run(F& function) { detail::call_guard<Exceptions>::call(function, report); }
#pragma once

#include <exception>

namespace overture::detail {

#if defined(__cpp_exceptions)
constexpr bool exceptions = true;
#else
constexpr bool exceptions = false;
#endif

template <bool Exceptions>
struct call_guard;

template <>
struct call_guard<false> {
  template <class F, class Report>
  static void call(F& function, Report /*threw*/) {
    function();
  }
  template <class F, class Cleanup>
  static void call_and_rethrow(F& function, Cleanup /*threw*/) {
    function();
  }
};

#if defined(__cpp_exceptions)
template <>
struct call_guard<true> {
  // If the function throws, calls threw(what), where `what` may be null.
  template <class F, class Report>
  static void call(F& function, Report threw) {
    try {
      function();
    } catch (const std::exception& thrown) {
      threw(thrown.what());
    } catch (...) {
      threw(static_cast<const char*>(nullptr));
    }
  }
  // If the function throws, calls threw() and lets the exception go on.
  template <class F, class Cleanup>
  static void call_and_rethrow(F& function, Cleanup threw) {
    try {
      function();
    } catch (...) {
      threw();
      throw;
    }
  }
};
#endif

}  // namespace overture::detail
