// SPDX-License-Identifier: Zlib
#include "overture/loaders/image_loader.hpp"

#include <string_view>

#include "loaders/decode_as.hpp"
#include "loaders/images/image_writer.hpp"
#include "loaders/images/layout.hpp"

namespace overture::loaders {

namespace {

using namespace std::string_view_literals;

allocator& memory_of(const image_options& options) noexcept {
  return options.memory != nullptr ? *options.memory : default_allocator();
}

// Whether an image is wanted as its decoder makes it.
bool as_it_is(const image_options& options) noexcept {
  return options.order == pixel_order::rgba && !options.premultiplied && !options.flipped &&
         !options.mips && options.place == nullptr && options.row_alignment <= 4;
}

// Whether rows come one by one, without an image in memory.
bool comes_in_rows(const decoder& by, std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t interlaced_at = 28;
  if (by.name() == "png"sv) {
    return bytes.size() > interlaced_at && bytes[interlaced_at] == std::byte{0};
  }
  return by.name() == "jpeg"sv;
}

}  // namespace

result<image> decode_image(const asset_path& path, std::span<const std::byte> bytes,
                           const image_options& options) noexcept {
  allocator& memory = memory_of(options);
  const auto refused = [](asset_kind found) {
    return fail(errc::unsupported, not_of_kind(asset_kind::image, found));
  };
  const decoder* const by = decoder_for(path.text, bytes);
  if (by == nullptr) return refused(asset_kind::none);
  if (as_it_is(options)) {
    // Refuses the same options as every other way.
    if (const auto layout = layout_of(1, 1, options); !layout) {
      return tl::unexpected<error>(layout.error());
    }
    result<decoded_asset> decoded = by->decode(bytes, memory);
    if (!decoded) return tl::unexpected<error>(decoded.error());
    if (decoded->kind() != asset_kind::image) return refused(decoded->kind());
    return image_writer::adopted(*std::move(decoded));
  }
  image_writer writer(path, options, memory);
  const result<decoded_asset> decoded = by->decode_rows(bytes, writer, memory);
  if (!decoded) return tl::unexpected<error>(decoded.error());
  if (decoded->kind() != asset_kind::image) return refused(decoded->kind());
  return writer.finished(*decoded);
}

std::uint64_t image_memory_needed(const asset_path& path, std::span<const std::byte> bytes,
                                  const image_options& options) noexcept {
  const decoder* const by = decoder_for(path.text, bytes);
  const std::uint64_t decoding = by != nullptr ? by->memory_needed(bytes) : 0;
  if (decoding == 0) return 0;
  if (as_it_is(options)) return sizeof(image) + decoding;
  // Decoding has the image in it; some rows, and those of mips, come on top.
  const std::uint64_t levels = options.mips ? decoding / 3 : 0;
  const std::uint64_t twice = comes_in_rows(*by, bytes) ? 0 : decoding;
  constexpr std::uint64_t rows = 256u << 10;
  return sizeof(image) + decoding + levels + twice + rows;
}

}  // namespace overture::loaders
