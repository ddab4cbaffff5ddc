// SPDX-License-Identifier: Zlib
//
// Takes the rows of an image from its decoder to where the options want them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loaders/images/convert.hpp"
#include "loaders/images/mip_chain.hpp"
#include "overture/base/error.hpp"
#include "overture/loaders/image_loader.hpp"

namespace overture::loaders {

class image_writer final : public row_sink {
 public:
  image_writer(const asset_path& path, const image_options& options, allocator& memory) noexcept
      : path_(path), options_(options), memory_(memory), chain_(memory) {}
  ~image_writer() override;
  image_writer(const image_writer&) = delete;
  image_writer& operator=(const image_writer&) = delete;

  result<pixel_order> begin(const asset_info& info, bool any_order) noexcept override;
  std::byte* row(std::uint32_t y) noexcept override;
  void done(std::uint32_t first, std::uint32_t count) noexcept override;

  // After all rows.
  [[nodiscard]] image finished(const asset_info& info) noexcept;
  // Makes an image of one that needs no change.
  [[nodiscard]] static image adopted(decoded_asset decoded) noexcept;

 private:
  [[nodiscard]] result<void> take_memory() noexcept;
  [[nodiscard]] std::byte* place_of(std::uint32_t level, std::uint32_t y) const noexcept;
  [[nodiscard]] std::byte* scratch_row(std::uint32_t y) const noexcept {
    return scratch_ + y % rows_max * row_bytes_;
  }

  const asset_path& path_;
  const image_options& options_;
  allocator& memory_;
  image made_;
  std::byte* all_ = nullptr;  // the image's memory
  conversion how_;            // of rows as they come
  mip_chain chain_;
  bool direct_ = false;  // rows are decoded where they belong
  std::byte* scratch_ = nullptr;
  std::size_t row_bytes_ = 0;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace overture::loaders
