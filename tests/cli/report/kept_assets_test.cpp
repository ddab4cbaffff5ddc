// SPDX-License-Identifier: Zlib
#include "report/kept_assets.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "support/failing_allocator.hpp"

namespace overture::cli::kept_assets_test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

const kept_kind& of(const kept_total& total, asset_kind kind) {
  return total.kinds[static_cast<std::size_t>(kind)];
}

decoded_asset asset_of(asset_kind kind, std::size_t bytes, allocator& memory) {
  return *decoded_asset::make(kind, bytes, memory);
}

TEST(kept_assets_sink, keeps_decoded_assets_without_copying) {
  tracking_allocator memory;
  kept_assets kept(2, memory);
  decoded_asset image = asset_of(asset_kind::image, 4000, kept.memory());
  decoded_asset sound = asset_of(asset_kind::sound, 100, kept.memory());
  ASSERT_TRUE(kept.finalize(1, image, bytes_of("packed image")));
  ASSERT_TRUE(kept.finalize(0, sound, bytes_of("packed sound")));
  EXPECT_TRUE(image.bytes().empty());
  const kept_total total = kept.total();
  EXPECT_EQ(total.files, 2u);
  EXPECT_EQ(total.bytes, 4100u);
  EXPECT_EQ(of(total, asset_kind::image).bytes, 4000u);
  EXPECT_EQ(of(total, asset_kind::sound).files, 1u);
  EXPECT_EQ(memory.total().bytes, 4100u);
}

TEST(kept_assets_sink, copies_the_bytes_of_undecoded_files) {
  tracking_allocator memory;
  kept_assets kept(2, memory);
  decoded_asset none;
  decoded_asset nothing;
  ASSERT_TRUE(kept.finalize(0, none, bytes_of("script")));
  ASSERT_TRUE(kept.finalize(1, nothing, {}));
  EXPECT_EQ(of(kept.total(), asset_kind::none).files, 2u);
  EXPECT_EQ(of(kept.total(), asset_kind::none).bytes, 6u);
  EXPECT_EQ(memory.total().bytes, 6u);
}

TEST(kept_assets_sink, counts_its_memory_as_the_hosts) {
  tracking_allocator memory;
  {
    kept_assets kept(2, memory);
    decoded_asset image = asset_of(asset_kind::image, 4000, kept.memory());
    ASSERT_TRUE(kept.finalize(0, image, {}));
    decoded_asset none;
    ASSERT_TRUE(kept.finalize(1, none, bytes_of("script")));
    EXPECT_EQ(memory.usage(memory_tag::host).bytes, 4006u);
    EXPECT_EQ(memory.usage(memory_tag::decode).peak_bytes, 0u);
    kept.clear();
    EXPECT_EQ(memory.total().bytes, 0u);
    EXPECT_EQ(kept.total().files, 0u);
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(kept_assets_sink, fails_only_the_file_without_memory) {
  failing_allocator memory(1);
  kept_assets kept(3, memory);
  for (entry_index entry = 0; entry < 3; ++entry) {
    decoded_asset none;
    const result<void> taken = kept.finalize(entry, none, bytes_of("script"));
    ASSERT_EQ(taken.has_value(), entry != 1);
    if (entry == 1) {
      EXPECT_EQ(taken.error().code, errc::out_of_memory);
    }
  }
  EXPECT_EQ(kept.total().files, 2u);
  EXPECT_EQ(kept.total().bytes, 12u);
}

TEST(kept_assets_sink, keeps_files_from_many_threads_at_once) {
  constexpr entry_index files = 1000;
  tracking_allocator memory;
  kept_assets kept(files, memory);
  std::vector<std::thread> threads;
  for (entry_index first = 0; first < 4; ++first) {
    threads.emplace_back([&, first] {
      for (entry_index entry = first; entry < files; entry += 4) {
        decoded_asset none;
        EXPECT_TRUE(kept.finalize(entry, none, bytes_of("script")));
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(kept.total().bytes, 6u * files);
}

}  // namespace
}  // namespace overture::cli::kept_assets_test
