// SPDX-License-Identifier: Zlib
//
// A plug-in whose symbols are hidden, but for one function.
#include "assets/plugin/shared.hpp"

namespace overture::asset_type_test {

// The test has another one of this name.
struct changed {
  std::size_t bytes = 0;
  std::size_t lines = 0;
};

extern "C" __attribute__((visibility("default"))) plugin_loaders overture_test_plugin() {
  return {.lengths = new bytes_loader<length>, .changed = new bytes_loader<changed>};
}

}  // namespace overture::asset_type_test
