// SPDX-License-Identifier: Zlib
#include "loaders/decode_as.hpp"

#include "overture/loaders/decoded_loaders.hpp"

namespace overture::loaders {

const decoder* decoder_called(std::string_view name) noexcept {
  for (const decoder* each : all_decoders()) {
    if (each->name() == name) return each;
  }
  return nullptr;
}

const decoder* decoder_for(std::string_view path, std::span<const std::byte> bytes) noexcept {
  for (const decoder* each : all_decoders()) {
    if (each->accepts(path, bytes)) return each;
  }
  return nullptr;
}

const char* not_of_kind(asset_kind wanted, asset_kind found) noexcept {
  if (wanted == asset_kind::image) {
    return found == asset_kind::texture
               ? "this is a texture, not an image: get it from a texture_loader"
               : "not an image, or in a format that is not decoded";
  }
  if (wanted == asset_kind::texture) {
    return found == asset_kind::image
               ? "this is an image, not a texture: get it from an image_loader"
               : "not a texture, or in a format that is not decoded";
  }
  if (wanted == asset_kind::sound) return "not a sound, or in a format that is not decoded";
  return "not a model, or in a format that is not decoded";
}

result<decoded_asset> decode_as(asset_kind kind, std::string_view path,
                                std::span<const std::byte> bytes, allocator& memory) noexcept {
  const decoder* const by = decoder_for(path, bytes);
  if (by == nullptr) return fail(errc::unsupported, not_of_kind(kind, asset_kind::none));
  result<decoded_asset> made = by->decode(bytes, memory);
  if (made && made->kind() != kind) {
    return fail(errc::unsupported, not_of_kind(kind, made->kind()));
  }
  return made;
}

result<decoded_asset> detail::decode_kind(asset_kind kind, const asset_path& path,
                                          std::span<const std::byte> bytes,
                                          allocator& memory) noexcept {
  return decode_as(kind, path.text, bytes, memory);
}

std::uint64_t detail::decoding_needs(const asset_path& path,
                                     std::span<const std::byte> bytes) noexcept {
  const decoder* const by = decoder_for(path.text, bytes);
  const std::uint64_t needed = by != nullptr ? by->memory_needed(bytes) : 0;
  return needed == 0 ? 0 : needed + sizeof(model);
}

}  // namespace overture::loaders
