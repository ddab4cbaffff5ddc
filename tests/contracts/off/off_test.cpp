// SPDX-License-Identifier: Zlib
//
// Without OVERTURE_CONTRACTS nothing is checked, noted or larger. The checks in headers are
// templates on the setting, so they are there for whoever asks for them.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "overture/base/contracts.hpp"
#include "overture/sync/countdown.hpp"
#include "overture/sync/future.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "sync/object_use.hpp"

namespace overture::off_test {
namespace {

std::string heard;  // NOLINT: a handler has no context

void hear(const char* sentence) noexcept {
  heard = sentence;
}

TEST(contracts_off, checks_nothing) {
  set_contract_handler(hear);
  heard.clear();
  countdown left(0);
  left.add();
  memory_ledger ledger(1000);
  ledger.give_back(1, memory_tag::host);
  EXPECT_EQ(heard, "");
}

TEST(contracts_off, takes_no_room) {
  struct plain {
    void* first;
  };
  struct with_uses {
    [[no_unique_address]] sync_detail::object_uses<3> uses;
    [[no_unique_address]] sync_detail::same_thread<> owner;
    void* first;
  };
  EXPECT_EQ(sizeof(with_uses), sizeof(plain));
  EXPECT_FALSE(detail::contracts);
}

TEST(contracts_off, links_with_sources_that_check) {
  set_contract_handler(hear);
  heard.clear();
  countdown left(0);
  left.add<true>();  // what a source with OVERTURE_CONTRACTS calls
  EXPECT_NE(heard, "");
  heard.clear();
  left.reset(0);
  left.add();
  EXPECT_EQ(heard, "");
}

}  // namespace
}  // namespace overture::off_test
