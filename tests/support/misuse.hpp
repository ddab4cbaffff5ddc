// SPDX-License-Identifier: Zlib
//
// For a test that breaks a rule on purpose, to see that the call does nothing: a library with
// contracts would abort.
#pragma once

#include "overture/base/contracts.hpp"

namespace overture::test {

struct misuse {
  misuse() {
    set_contract_handler([](const char*) noexcept {});
  }
  ~misuse() { set_contract_handler(nullptr); }
  misuse(const misuse&) = delete;
  misuse& operator=(const misuse&) = delete;
};

}  // namespace overture::test
