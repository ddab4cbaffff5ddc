// SPDX-License-Identifier: Zlib
//
// loader_call: this thread is in a function of a store's loader. Only with contracts; otherwise it
// does nothing. It goes around guarded_call(), not into it: a library without exceptions runs no
// destructor when the function throws.
#pragma once

#include "overture/base/contracts.hpp"

namespace overture::assets_detail {

class store_core;

template <bool Contracts = detail::contracts>
class loader_call {
 public:
  explicit loader_call(const store_core& /*of*/) noexcept {}
  [[nodiscard]] static bool is_within(const store_core& /*of*/) noexcept { return false; }
};

template <>
class loader_call<true> {
 public:
  explicit loader_call(const store_core& of) noexcept : of_(of), outer_(innermost) {
    innermost = this;
  }
  ~loader_call() { innermost = outer_; }
  loader_call(const loader_call&) = delete;
  loader_call& operator=(const loader_call&) = delete;

  [[nodiscard]] static bool is_within(const store_core& of) noexcept {
    const loader_call* one = innermost;
    while (one != nullptr && &one->of_ != &of) one = one->outer_;
    return one != nullptr;
  }

 private:
  static inline thread_local constinit const loader_call* innermost = nullptr;

  const store_core& of_;
  const loader_call* outer_;
};

}  // namespace overture::assets_detail
