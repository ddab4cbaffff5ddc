// SPDX-License-Identifier: Zlib
#include "decoders/image_size.hpp"

#include <gtest/gtest.h>

#include "overture/base/limits.hpp"

namespace overture::image_size_test {
namespace {

using namespace decoders_detail;

constexpr std::uint64_t mib = 1u << 20;

TEST(image_size, is_limited_in_proportion_to_the_file) {
  struct {
    std::uint32_t width;
    std::uint32_t height;
    std::uint64_t file_bytes;
    const char* refused;  // how the reason begins; empty if the image is decoded
  } const table[] = {
      {1, 1, 1, ""},
      {32768, 1, 1, ""},
      {32769, 1, 1 << 20, "the image has more than 32,768 pixels on a side"},
      {1, 32769, 1 << 20, "the image has more than 32,768 pixels on a side"},
      // 64 MiB, whatever the file's size; one row more takes its bytes.
      {4096, 4096, 1, ""},
      {4096, 4097, 1, "the image is larger than 64 MiB when decoded and"},
      {4096, 4097, 4096 * 4097 / 1100, "the image is larger than 64 MiB when decoded and"},
      {4096, 4097, 4096 * 4097 / 1100 + 1, ""},
      {11000, 11000, 110'000, ""},
      {11000, 11000, 109'999, "the image is larger than 64 MiB when decoded and"},
      // 1 GiB, however large the file is.
      {32768, 8192, 64 * mib, ""},
      {32768, 8193, 64 * mib, "the image is larger than 1 GiB when decoded"},
      {32768, 32768, UINT32_MAX, "the image is larger than 1 GiB when decoded"},
  };
  for (const auto& row : table) {
    const std::uint64_t decoded = std::uint64_t{row.width} * row.height * 4;
    const result<void> checked = check_image_size(row.width, row.height, decoded, row.file_bytes);
    const std::string_view expected = row.refused;
    EXPECT_EQ(checked.has_value(), expected.empty()) << row.width << " x " << row.height;
    if (checked) continue;
    EXPECT_EQ(checked.error().code, errc::limit);
    EXPECT_TRUE(std::string_view(checked.error().reason).starts_with(expected))
        << checked.error().reason;
  }
}

}  // namespace
}  // namespace overture::image_size_test
