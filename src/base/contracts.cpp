// SPDX-License-Identifier: Zlib
#include "overture/base/contracts.hpp"

#include <cstdio>
#include <cstdlib>

#include "overture/base/atomic.hpp"

namespace overture {
namespace {

void print_and_abort(const char* sentence) noexcept {
  std::fprintf(stderr, "overture: %s\n", sentence);
  std::abort();
}

constinit atomic<contract_handler> current{&print_and_abort};

}  // namespace

contract_handler set_contract_handler(contract_handler handler) noexcept {
  return current.exchange(handler != nullptr ? handler : &print_and_abort,
                          std::memory_order_acq_rel);
}

void detail::contract_broken(const char* sentence) noexcept {
  current.load(std::memory_order_acquire)(sentence);
}

}  // namespace overture
