// SPDX-License-Identifier: Zlib
//
// Images decoded row by row, for the tests of decoders.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "overture/decoders/decoder.hpp"

namespace overture::test {

// Has rows that are not next to each other, and sees that each comes once and in order.
class row_list final : public row_sink {
 public:
  explicit row_list(pixel_order wanted = pixel_order::rgba, bool refuses = false)
      : wanted_(wanted), refuses_(refuses) {}

  result<pixel_order> begin(const asset_info& image, bool any_order) noexcept override {
    if (refuses_) return fail(errc::no_space, "no room for the image");
    rows_.resize(image.height);
    for (auto& row : rows_) row.resize(std::size_t{image.width} * 4);
    return any_order ? wanted_ : pixel_order::rgba;
  }
  std::byte* row(std::uint32_t y) noexcept override {
    EXPECT_EQ(y, asked_++);
    EXPECT_LE(asked_ - done_, rows_max);
    return rows_.at(y).data();
  }
  void done(std::uint32_t first, std::uint32_t count) noexcept override {
    EXPECT_EQ(first, done_);
    done_ += count;
    EXPECT_LE(done_, asked_);
  }
  [[nodiscard]] std::uint32_t count() const { return done_; }
  [[nodiscard]] std::vector<std::byte> all() const {
    std::vector<std::byte> joined;
    for (const auto& row : rows_) joined.insert(joined.end(), row.begin(), row.end());
    return joined;
  }

 private:
  pixel_order wanted_;
  bool refuses_;
  std::vector<std::vector<std::byte>> rows_;
  std::uint32_t asked_ = 0;
  std::uint32_t done_ = 0;
};

// Whether the file has the same pixels and properties row by row as at once.
inline void expect_same_rows(const decoder& by, const std::vector<std::byte>& file) {
  const result<decoded_asset> whole = by.decode(file, default_allocator());
  ASSERT_TRUE(whole) << whole.error().reason;
  row_list rows;
  const result<decoded_asset> made = by.decode_rows(file, rows, default_allocator());
  ASSERT_TRUE(made) << made.error().reason;
  EXPECT_EQ(made->kind(), asset_kind::image);
  EXPECT_TRUE(made->bytes().empty());
  EXPECT_EQ(made->width, whole->width);
  EXPECT_EQ(made->height, whole->height);
  EXPECT_EQ(made->warning, whole->warning);
  EXPECT_EQ(rows.count(), whole->height);
  const std::span<const std::byte> pixels = whole->bytes();
  const std::vector<std::byte> joined = rows.all();
  EXPECT_TRUE(std::equal(joined.begin(), joined.end(), pixels.begin(), pixels.end()));
}

// Whether each cut of the file ends as it does at once.
inline void expect_same_cuts(const decoder& by, const std::vector<std::byte>& file) {
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::vector<std::byte> cut(file.begin(),
                                     file.begin() + static_cast<std::ptrdiff_t>(size));
    row_list rows;
    const result<decoded_asset> whole = by.decode(cut, default_allocator());
    const result<decoded_asset> made = by.decode_rows(cut, rows, default_allocator());
    ASSERT_EQ(made.has_value(), whole.has_value()) << size;
    if (!made) {
      EXPECT_EQ(made.error().code, whole.error().code) << size;
    }
  }
}

inline void expect_refused_rows(const decoder& by, const std::vector<std::byte>& file) {
  row_list rows(pixel_order::rgba, true);
  const result<decoded_asset> made = by.decode_rows(file, rows, default_allocator());
  ASSERT_FALSE(made);
  EXPECT_STREQ(made.error().reason, "no room for the image");
}

}  // namespace overture::test
