#include "overture/decoders/decoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace overture {
namespace {

TEST(decoders, have_distinct_names) {
  std::set<std::string> names;
  for (const decoder* each : all_decoders()) EXPECT_TRUE(names.insert(each->name()).second);
  EXPECT_EQ(names,
            (std::set<std::string>{"png", "jpeg",   "tga",  "dds",  "bmp",    "pcx",  "sgi",
                                   "qoi", "vorbis", "opus", "wav",  "md3",    "ktx2", "glb",
                                   "iqm", "md5",    "obj",  "font", "module", "utf8", "text"}));
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
}  // namespace overture
