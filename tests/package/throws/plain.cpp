// SPDX-License-Identifier: Zlib
//
// The source that is always compiled without exceptions. It brings its own copies of the functions
// of the headers, and of the host's.
#include "host.hpp"

namespace host {

void use_plainly(job_system& system) {
  use_everywhere(system, {[] {}});
  auto made = *promise<int>::make();
  const auto after = made.future().then(system, shared_call{[] {}});
  made.set_value(1);
  while (!after->is_ready()) (void)system.try_help();
  CHECK(after->get().value() == 1);
}

}  // namespace host
