// The only source of the library that is built with exceptions. It calls nothing of the library, so
// that no frame without clean-up comes between the host's code and the catch.
#include "base/guarded_call.hpp"

#include <exception>

namespace overture {

bool base_detail::run_guarded(void (*call)(void* context), void* context,
                              void (*threw)(void* reporter, const char* what) noexcept,
                              void* reporter) noexcept {
  // Volatile, so that no link-time optimiser sees that it calls a function compiled without
  // exceptions, which it takes for one that never throws.
  void (*volatile unknown)(void* context) = call;
  try {
    unknown(context);
    return true;
  } catch (const std::exception& thrown) {
    threw(reporter, thrown.what());
  } catch (...) {
    threw(reporter, nullptr);
  }
  return false;
}

}  // namespace overture
