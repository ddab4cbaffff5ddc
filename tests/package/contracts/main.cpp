// SPDX-License-Identifier: Zlib
//
// A program that is told of misuse by the library, and by what it compiles of the headers itself.
#include <overture/base/contracts.hpp>
#include <overture/sync/countdown.hpp>
#include <overture/sync/memory_ledger.hpp>

namespace {

int told = 0;

void tell(const char*) noexcept {
  ++told;
}

}  // namespace

int main() {
  using namespace overture;
  set_contract_handler(tell);
  countdown left(0);
  left.add();  // in a header
  memory_ledger ledger(100);
  ledger.give_back(1, memory_tag::host);  // in the library
  return told == 2 ? 0 : 1;
}
