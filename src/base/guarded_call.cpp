// SPDX-License-Identifier: Zlib
//
// The only source of the library that is built with exceptions. It calls nothing of the library, so
// that no frame without clean-up comes between the host's code and the catch.
#include "base/guarded_call.hpp"

#include <exception>
#include <new>

namespace overture {

base_detail::outcome base_detail::run_guarded(void (*call)(void* context), void* context,
                                              void (*threw)(void* reporter,
                                                            const char* what) noexcept,
                                              void* reporter) noexcept {
  // Volatile, so that no link-time optimiser sees that it calls a function compiled without
  // exceptions, which it takes for one that never throws.
  void (*volatile unknown)(void* context) = call;
  try {
    unknown(context);
    return outcome::returned;
  } catch (const std::bad_alloc& thrown) {
    threw(reporter, thrown.what());
    return outcome::out_of_memory;
  } catch (const std::exception& thrown) {
    threw(reporter, thrown.what());
  } catch (...) {
    threw(reporter, nullptr);
  }
  return outcome::threw;
}

}  // namespace overture
