// SPDX-License-Identifier: Zlib
#include "loaders/images/image_writer.hpp"

#include "loaders/images/layout.hpp"

namespace overture::loaders {

image_writer::~image_writer() {
  if (scratch_ == nullptr) return;
  memory_.deallocate(scratch_, scratch_bytes_, alignof(std::uint32_t), memory_tag::decode);
}

result<pixel_order> image_writer::begin(const asset_info& info, bool any_order) noexcept {
  result<image_layout> layout = layout_of(info.width, info.height, options_);
  if (!layout) return tl::unexpected<error>(layout.error());
  made_.layout_ = *layout;
  if (const result<void> taken = take_memory(); !taken) {
    return tl::unexpected<error>(taken.error());
  }
  how_ = {options_.order, options_.premultiplied, options_.srgb};
  // What is changed anyhow changes its order on the way.
  const bool by_decoder = any_order && !options_.premultiplied && !options_.mips;
  if (by_decoder) how_.order = pixel_order::rgba;
  direct_ = how_.changes_nothing() && !options_.mips;
  if (!direct_) {
    row_bytes_ = std::size_t{info.width} * 4;
    scratch_bytes_ = row_bytes_ * rows_max;
    scratch_ = static_cast<std::byte*>(
        memory_.allocate(scratch_bytes_, alignof(std::uint32_t), memory_tag::decode));
    if (scratch_ == nullptr) {
      return fail(errc::out_of_memory, "out of memory for rows of an image");
    }
  }
  if (options_.mips) {
    if (const result<void> begun = chain_.begin(made_.layout_); !begun) {
      return tl::unexpected<error>(begun.error());
    }
  }
  return by_decoder ? options_.order : pixel_order::rgba;
}

result<void> image_writer::take_memory() noexcept {
  if (options_.place != nullptr) {
    image_layout wish = made_.layout_;
    const result<std::span<std::byte>> taken = options_.place->take(path_, wish);
    if (!taken) return tl::unexpected<error>(taken.error());
    made_.place_ = options_.place;
    made_.taken_ = *taken;
    all_ = taken->data();
    return accept(wish, made_.layout_, taken->size());
  }
  result<decoded_asset> own = decoded_asset::make(asset_kind::image, made_.layout_.bytes, memory_);
  if (!own) return tl::unexpected<error>(own.error());
  made_.own_ = *std::move(own);
  all_ = made_.own_.bytes().data();
  return {};
}

std::byte* image_writer::place_of(std::uint32_t level, std::uint32_t y) const noexcept {
  const image_level& at = made_.layout_.level[level];
  return all_ + at.offset + (options_.flipped ? at.height - 1 - y : y) * at.row_pitch;
}

std::byte* image_writer::row(std::uint32_t y) noexcept {
  return direct_ ? place_of(0, y) : scratch_row(y);
}

void image_writer::done(std::uint32_t first, std::uint32_t count) noexcept {
  if (direct_) return;
  const image_layout& layout = made_.layout_;
  const std::uint32_t width = layout.level[0].width;
  for (std::uint32_t y = first; y < first + count; ++y) {
    convert_row(scratch_row(y), place_of(0, y), width, how_);
    if (!options_.mips) continue;
    to_light(scratch_row(y), chain_.row(), width, options_.srgb);
    chain_.add([&](std::uint32_t level, std::uint32_t at, const float* row) {
      from_light(row, place_of(level, at), layout.level[level].width, how_);
    });
  }
}

image image_writer::finished(const asset_info& info) noexcept {
  static_cast<asset_info&>(made_.own_) = info;
  return std::move(made_);
}

image image_writer::adopted(decoded_asset decoded) noexcept {
  image made;
  made.layout_.levels = 1;
  made.layout_.bytes = decoded.bytes().size();
  made.layout_.level[0] = {decoded.width, decoded.height, 0, std::uint64_t{decoded.width} * 4};
  made.own_ = std::move(decoded);
  return made;
}

}  // namespace overture::loaders
