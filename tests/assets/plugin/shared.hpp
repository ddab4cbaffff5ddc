// SPDX-License-Identifier: Zlib
//
// What the test of types and its plug-in both know.
#pragma once

#include <cstddef>

#include "overture/assets/loader.hpp"

namespace overture::asset_type_test {

struct length {
  std::size_t bytes = 0;
};

template <class T>
class bytes_loader final : public loader<T> {
 public:
  result<T> decode(std::span<const std::byte> bytes, load_context&) override {
    T made{};
    made.bytes = bytes.size();
    return made;
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }
};

// The loaders of the plug-in, which are never destroyed.
struct plugin_loaders {
  loader<length>* lengths = nullptr;
  detail::any_loader* changed = nullptr;  // of a type that it has another idea of
};

}  // namespace overture::asset_type_test
