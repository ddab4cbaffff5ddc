// SPDX-License-Identifier: Zlib
#include "overture/decoders/decoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace overture::decoder_test {
namespace {

TEST(decoders, are_listed_with_their_distinct_names) {
  std::set<std::string> names;
  std::vector<const decoder*> built_in;
  for (const decoder_format& each : decoder_formats()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_STRNE(each.files, "");
    EXPECT_STRNE(each.library, "");
    if (!each.by) continue;
    EXPECT_STREQ(each.by->name(), each.name);
    built_in.push_back(each.by);
  }
  EXPECT_TRUE(std::ranges::equal(built_in, all_decoders()));
  EXPECT_GE(names.size(), 23u);
}

// The only decoders whose library may be missing.
TEST(decoders, are_all_built_in_but_for_optional_libraries) {
  for (const decoder_format& each : decoder_formats()) {
    static const std::set<std::string_view> optional = {"webp", "flac", "mp3"};
    EXPECT_TRUE(each.by || optional.contains(each.name)) << each.name;
  }
}

TEST(decoded_asset, moves_its_memory_and_frees_it_once) {
  tracking_allocator memory;
  {
    decoded_asset first = std::move(*decoded_asset::make(asset_kind::image, 100, memory));
    decoded_asset second;
    second = std::move(first);
    EXPECT_EQ(second.bytes().size(), 100u);
    EXPECT_EQ(memory.usage(memory_tag::decode).bytes, 100u);
    second = {};
    EXPECT_EQ(memory.usage(memory_tag::decode).bytes, 0u);
    EXPECT_TRUE(decoded_asset::make(asset_kind::text, 0, memory)->bytes().empty());
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(decoded_asset, places_its_content_at_the_requested_offset) {
  tracking_allocator memory;
  {
    decoded_asset asset = std::move(*decoded_asset::make(asset_kind::image, 100, memory, 8));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(asset.bytes().data()) % 64, 8u);
    EXPECT_EQ(asset.bytes().size(), 100u);
    std::ranges::fill(asset.bytes(), std::byte{1});
    const decoded_asset moved = std::move(asset);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(moved.bytes().data()) % 64, 8u);
  }
  EXPECT_EQ(memory.total().bytes, 0u);
  EXPECT_FALSE(decoded_asset::make(asset_kind::image, SIZE_MAX, memory, 8));
}

}  // namespace
}  // namespace overture::decoder_test
