// SPDX-License-Identifier: Zlib
//
// Ready-made loaders for C: overture/c/loaders.h.
#include "overture/c/loaders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "c/apart.hpp"
#include "c/store_parts.hpp"
#include "overture/loaders/decoded_loaders.hpp"
#include "overture/loaders/image_loader.hpp"
#include "overture/loaders/plain_loaders.hpp"
#include "overture/loaders/texture_loader.hpp"

using namespace overture;
using namespace overture::c;

struct overture_content {
  given_allocator memory;  // of the value
  std::variant<loaders::file_bytes, loaders::text_file, loaders::image, loaders::texture,
               loaders::sound, loaders::model>
      value;
};

namespace {

loaders::image_options options_of(const void* context) noexcept {
  loaders::image_options made;
  if (context == nullptr) return made;
  const auto& given = *static_cast<const overture_image_options*>(context);
  if (given.is_bgra) made.order = pixel_order::bgra;
  made.premultiplied = given.is_premultiplied;
  made.flipped = given.is_flipped;
  made.mips = given.mips;
  made.srgb = !given.is_linear;
  if (given.row_alignment != 0) made.row_alignment = given.row_alignment;
  if (given.level_alignment != 0) made.level_alignment = given.level_alignment;
  return made;
}

// The settings of a request reach the loaders as they are.
static_assert(sizeof(overture_image_settings) == sizeof(loaders::image_settings));
static_assert(offsetof(overture_image_settings, is_srgb) ==
              offsetof(loaders::image_settings, srgb));
static_assert(static_cast<int>(loaders::image_choice::no) == OVERTURE_IMAGE_NO);
static_assert(static_cast<int>(loaders::image_choice::yes) == OVERTURE_IMAGE_YES);

// With memory of the program for the content, if it is given.
template <class Loader>
Loader loader_with(const void* context, overture_content* content = nullptr) noexcept {
  if constexpr (std::is_same_v<Loader, loaders::image_loader>) {
    loaders::image_options options = options_of(context);
    if (content != nullptr && context != nullptr) {
      (void)content->memory.set(static_cast<const overture_image_options*>(context)->memory);
      options.memory = content->memory.get();
    }
    return Loader(options);
  } else {
    return Loader();
  }
}

std::span<const std::byte> span_of(const void* bytes, std::size_t count) noexcept {
  return {static_cast<const std::byte*>(bytes), count};
}

// As loaders/images/layout.cpp has it, which refuses each image.
bool is_alignment(std::uint32_t bytes) noexcept {
  return bytes == 0 || (std::has_single_bit(bytes) && bytes <= 65536);
}

// Null unless the settings of a request are none that the loader knows.
const char* flaw_of_settings(const overture_needs* needs) noexcept {
  std::array<std::uint8_t, OVERTURE_ASSET_SETTINGS_MAX> given;
  const std::size_t size = overture_needs_settings(needs, given.data(), given.size());
  if (size == 0) return nullptr;
  if (size != sizeof(overture_image_settings)) {
    return "the settings have not the size of an overture_image_settings";
  }
  const auto is_unknown = [](std::uint8_t choice) { return choice > OVERTURE_IMAGE_YES; };
  const bool any =
      std::any_of(given.begin(), given.begin() + sizeof(overture_image_settings), is_unknown);
  return any ? "a setting is neither 0 nor OVERTURE_IMAGE_NO nor _YES" : nullptr;
}

template <class Loader>
overture_code decode(void* context, const char* /*path*/, const void* bytes, std::size_t count,
                     overture_needs* needs, void** value, const char** reason) {
  if constexpr (std::is_same_v<Loader, loaders::image_loader>) {
    if (const char* const flaw = flaw_of_settings(needs)) {
      *reason = flaw;
      return OVERTURE_INVALID;
    }
  }
  auto* const content = make<overture_content>();
  if (content == nullptr) {
    *reason = no_memory;
    return OVERTURE_OUT_OF_MEMORY;
  }
  auto made = loader_with<Loader>(context, content).decode(span_of(bytes, count), needs->context);
  if (!made) {
    destroy(content);
    *reason = made.error().reason;
    return code_of(made.error().code);
  }
  content->value = *std::move(made);
  *value = content;
  return OVERTURE_OK;
}

void unload(void* /*context*/, void* value) {
  destroy(static_cast<overture_content*>(value));
}

template <class Loader>
std::uint64_t memory_needed(void* context, const char* path, const void* bytes, std::size_t count) {
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return 0;
  return loader_with<Loader>(context).memory_needed(*normal, span_of(bytes, count));
}

template <class Loader, class Value>
std::uint64_t bytes_of(void* /*context*/, const void* value) {
  const auto* const held = std::get_if<Value>(&static_cast<const overture_content*>(value)->value);
  return held == nullptr ? 0 : Loader().bytes_of(*held);
}

template <class Loader, class Value>
overture_loader functions_of() noexcept {
  overture_loader made = {};
  made.decode = decode<Loader>;
  made.unload = unload;
  made.bytes_of = bytes_of<Loader, Value>;
  made.memory_needed = memory_needed<Loader>;
  return made;
}

// Without decode() if there is none.
overture_loader functions_of_kind(std::int32_t kind) noexcept {
  switch (kind) {
    case OVERTURE_KIND_BINARY:
      return functions_of<loaders::bytes_loader, loaders::file_bytes>();
    case OVERTURE_KIND_TEXT:
      return functions_of<loaders::text_loader, loaders::text_file>();
    case OVERTURE_KIND_IMAGE:
      return functions_of<loaders::image_loader, loaders::image>();
    case OVERTURE_KIND_TEXTURE:
      return functions_of<loaders::texture_loader, loaders::texture>();
    case OVERTURE_KIND_SOUND:
      return functions_of<loaders::sound_loader, loaders::sound>();
    case OVERTURE_KIND_MODEL:
      return functions_of<loaders::model_loader, loaders::model>();
    default:
      return {};
  }
}

// Bytes and properties of each kind of value.
struct to_bytes {
  std::span<const std::byte> operator()(const loaders::file_bytes& of) const noexcept {
    return of.bytes();
  }
  std::span<const std::byte> operator()(const loaders::text_file& of) const noexcept {
    return std::as_bytes(std::span(of.text()));
  }
  std::span<const std::byte> operator()(const loaders::image& of) const noexcept {
    return of.bytes();
  }
  std::span<const std::byte> operator()(const loaders::texture& of) const noexcept {
    return of.bytes();
  }
  std::span<const std::byte> operator()(const loaders::sound& of) const noexcept {
    return std::as_bytes(of.samples());
  }
  std::span<const std::byte> operator()(const loaders::model& of) const noexcept {
    return of.bytes();
  }
};

struct fill_in {
  void operator()(const loaders::file_bytes& /*of*/) const noexcept {
    info.kind = OVERTURE_KIND_BINARY;
  }
  void operator()(const loaders::text_file& of) const noexcept {
    info.kind = OVERTURE_KIND_TEXT;
    info.lines = of.lines();
  }
  void operator()(const loaders::image& of) const noexcept {
    info.kind = OVERTURE_KIND_IMAGE;
    info.width = of.width();
    info.height = of.height();
    info.levels = of.layout().levels;
  }
  void operator()(const loaders::texture& of) const noexcept {
    info.kind = OVERTURE_KIND_TEXTURE;
    info.width = of.width();
    info.height = of.height();
    info.depth = of.depth();
    info.levels = of.levels;
    info.layers = of.layers;
    info.faces = of.faces;
    info.vulkan_format = of.format.vulkan;
    info.dxgi_format = of.format.dxgi;
  }
  void operator()(const loaders::sound& of) const noexcept {
    info.kind = OVERTURE_KIND_SOUND;
    info.sample_rate = of.sample_rate();
    info.channels = of.channels();
    info.frames = of.frames();
  }
  void operator()(const loaders::model& of) const noexcept {
    info.kind = OVERTURE_KIND_MODEL;
    info.frames = of.view().counts().frames;
  }

  overture_content_info& info;
};

overture_content_level level_of(const loaders::image& image, std::uint32_t level) noexcept {
  const loaders::image_level& from = image.layout().level[level];
  overture_content_level made = {};
  made.width = from.width;
  made.height = from.height;
  made.depth = 1;
  made.offset = from.offset;
  made.row_bytes = from.row_pitch;
  made.slice_bytes = from.row_pitch * (from.height - 1) + std::uint64_t{from.width} * 4;
  made.part_bytes = made.slice_bytes;
  made.part_stride = made.slice_bytes;
  return made;
}

overture_content_level level_of(const loaders::texture& texture, std::uint32_t level) noexcept {
  const loaders::texture_level& from = texture.level[level];
  overture_content_level made = {};
  made.width = from.width;
  made.height = from.height;
  made.depth = from.depth;
  made.offset = from.offset;
  made.row_bytes = from.row_bytes;
  made.slice_bytes = from.slice_bytes;
  made.part_bytes = from.part_bytes;
  made.part_stride = from.part_stride;
  return made;
}

constexpr const char* no_value = "the value is NULL";

}  // namespace

overture_code overture_loader_of_kind(int32_t kind, const overture_image_options* options,
                                      overture_loader* loader, overture_error* error) {
  overture_loader made = functions_of_kind(kind);
  if (made.decode == nullptr) {
    return apart::told(error, OVERTURE_UNSUPPORTED, "there is no loader for this kind");
  }
  if (options != nullptr) {
    overture_image_options known;
    if (const overture_code flaw = apart::read_options(options, known, error)) return flaw;
    if (kind != OVERTURE_KIND_IMAGE) return apart::invalid(error, "options are for images alone");
    if (!is_alignment(known.row_alignment) || !is_alignment(known.level_alignment)) {
      return apart::invalid(error, "an alignment is no power of two up to 65,536");
    }
    given_allocator memory;
    if (const char* const flaw = memory.set(known.memory)) return apart::invalid(error, flaw);
    made.context = const_cast<overture_image_options*>(options);
  }
  return apart::write_result(loader, made, error);
}

const void* overture_content_data(const overture_content* value) {
  return value == nullptr ? nullptr : std::visit(to_bytes(), value->value).data();
}

size_t overture_content_size(const overture_content* value) {
  return value == nullptr ? 0 : std::visit(to_bytes(), value->value).size();
}

overture_code overture_content_get_info(const overture_content* value, overture_content_info* info,
                                        overture_error* error) {
  if (value == nullptr) return apart::invalid(error, no_value);
  overture_content_info made = {};
  std::visit(fill_in{made}, value->value);
  return apart::write_result(info, made, error);
}

overture_code overture_content_get_level(const overture_content* value, uint32_t level,
                                         overture_content_level* place, overture_error* error) {
  if (value == nullptr) return apart::invalid(error, no_value);
  const auto* const image = std::get_if<loaders::image>(&value->value);
  if (image != nullptr && level < image->layout().levels) {
    return apart::write_result(place, level_of(*image, level), error);
  }
  const auto* const texture = std::get_if<loaders::texture>(&value->value);
  if (texture != nullptr && level < texture->levels) {
    return apart::write_result(place, level_of(*texture, level), error);
  }
  return apart::told(error, OVERTURE_NOT_FOUND, "the value has no such level");
}

const void* overture_content_key(const overture_content* value, const char* key, size_t* size) {
  if (size != nullptr) *size = 0;
  if (value == nullptr || key == nullptr) return nullptr;
  const auto* const texture = std::get_if<loaders::texture>(&value->value);
  if (texture == nullptr) return nullptr;
  const std::span<const std::byte> found = texture->value(key);
  if (size != nullptr) *size = found.size();
  return found.data();
}
