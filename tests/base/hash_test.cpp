// SPDX-License-Identifier: Zlib
#include "overture/base/hash.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <random>
#include <string>

namespace overture::hash_test {
namespace {

static_assert(hash64("") == 0xEF46DB3751D8E999u, "known answer of XXH64 with seed 0");
static_assert(hash64("abc") == 0x44BC2CF5AD770999u, "known answer of XXH64 with seed 0");

TEST(hash, equals_xxhash_for_every_length_up_to_300) {
  std::mt19937 random(1);
  std::string text;
  for (int length = 0; length <= 300; ++length) {
    EXPECT_EQ(hash64(text), XXH64(text.data(), text.size(), 0)) << length;
    text.push_back(static_cast<char>(random()));
  }
}

}  // namespace
}  // namespace overture::hash_test
