#include <iterator>

#include "decoders/table.hpp"

namespace overture {

std::span<const decoder* const> all_decoders() noexcept {
  using namespace decoders_detail;
  // clang-format off: one line each
  static const decoder* const table[] = {
      &png_decoder(),
      &jpeg_decoder(),
      &tga_decoder(),
      &dds_decoder(),
      &vorbis_decoder(),
      &opus_decoder(),
      &wav_decoder(),
      &md3_decoder(),
      &text_decoder(),
  };
  // clang-format on
  return table;
}

const char* to_string(asset_kind kind) noexcept {
  switch (kind) {
    case asset_kind::none:
      return "none";
    case asset_kind::image:
      return "image";
    case asset_kind::text:
      return "text";
    case asset_kind::sound:
      return "sound";
    case asset_kind::texture:
      return "texture";
    case asset_kind::model:
      return "model";
  }
  return "unknown";
}

const char* to_string(texture_format format) noexcept {
  static constexpr const char* names[] = {
      "none",      "bc1",       "bc2",         "bc3",          "bc4_unorm",   "bc4_snorm",
      "bc5_unorm", "bc5_snorm", "bc6h_ufloat", "bc6h_sfloat",  "bc7",         "r8",
      "rg8",       "bgr8",      "rgba8",       "bgra8",        "bgrx8",       "b5g6r5",
      "b5g5r5a1",  "bgra4",     "r16_float",   "rgba16_float", "rgba32_float"};
  const auto index = static_cast<std::size_t>(format);
  return index < std::size(names) ? names[index] : "unknown";
}

result<decoded_asset> decoded_asset::make(asset_kind kind, std::size_t bytes, allocator& memory,
                                          std::uint8_t offset) noexcept {
  decoded_asset made;
  made.kind_ = kind;
  if (bytes == 0) return made;
  void* const block = bytes > SIZE_MAX - offset
                          ? nullptr
                          : memory.allocate(offset + bytes, alignment, memory_tag::decode);
  if (!block) return fail(errc::out_of_memory, "out of memory for the decoded file", {}, bytes);
  made.data_ = static_cast<std::byte*>(block) + offset;
  made.offset_ = offset;
  made.memory_ = &memory;
  made.size_ = bytes;
  return made;
}

}  // namespace overture
