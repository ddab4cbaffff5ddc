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
#include "loaders/decode_as.hpp"
#include "overture/loaders/decoded_loaders.hpp"
#include "overture/loaders/image_loader.hpp"
#include "overture/loaders/plain_loaders.hpp"
#include "overture/loaders/texture_loader.hpp"

using namespace overture;
using namespace overture::c;

namespace {

// Memory of the program for images.
class given_memory final : public loaders::image_memory {
 public:
  // Why it cannot be used, or null. NULL is none.
  [[nodiscard]] const char* set(const overture_image_memory* given) noexcept {
    if (given == nullptr) return nullptr;
    if (given->size != sizeof *given) {
      return "the size of the memory for images is not set: set it to sizeof the structure";
    }
    if (given->take == nullptr || given->give_back == nullptr) {
      return "the memory for images lacks a function";
    }
    how_ = *given;
    return nullptr;
  }
  // For options; null if the program gave none.
  [[nodiscard]] loaders::image_memory* get() noexcept {
    return how_.take != nullptr ? this : nullptr;
  }

  result<std::span<std::byte>> take(const asset_path& path,
                                    loaders::image_layout& layout) noexcept override {
    const c_path text(path.text);
    void* memory = nullptr;
    std::size_t bytes = layout.bytes;
    auto* const levels = reinterpret_cast<overture_image_level*>(layout.level);
    const overture_code code =
        how_.take(how_.context, text.text(), levels, layout.levels, &memory, &bytes);
    if (code == OVERTURE_OK && memory != nullptr)
      return std::span(static_cast<std::byte*>(memory), bytes);
    return fail(code == OVERTURE_OK ? errc::invalid : errc_of(code),
                "the program has no memory for this image");
  }
  void give_back(std::span<std::byte> memory) noexcept override {
    how_.give_back(how_.context, memory.data(), memory.size());
  }

 private:
  overture_image_memory how_ = {};
};

// Levels reach the program as they are.
static_assert(sizeof(overture_image_level) == sizeof(loaders::image_level));
static_assert(offsetof(overture_image_level, height) == offsetof(loaders::image_level, height));
static_assert(offsetof(overture_image_level, offset) == offsetof(loaders::image_level, offset));
static_assert(offsetof(overture_image_level, row_bytes) ==
              offsetof(loaders::image_level, row_pitch));

}  // namespace

struct overture_content {
  given_allocator memory;  // of the value
  given_memory place;      // of its pixels
  void* user = nullptr;
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

// With memory of the program, which the content has from now on.
loaders::image_options options_for(overture_content& content, const void* context) noexcept {
  loaders::image_options options = options_of(context);
  if (context == nullptr) return options;
  const auto& given = *static_cast<const overture_image_options*>(context);
  (void)content.memory.set(given.memory);
  (void)content.place.set(given.place);
  options.memory = content.memory.get();
  options.place = content.place.get();
  return options;
}

template <class Loader>
Loader loader_for(overture_content& content, const void* context) noexcept {
  if constexpr (std::is_same_v<Loader, loaders::image_loader>) {
    return Loader(options_for(content, context));
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
  if (needs == nullptr || needs->decoding == nullptr) {
    *reason = "a ready-made loader decodes within decode() of an asset only";
    return OVERTURE_INVALID;
  }
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
  auto made = loader_for<Loader>(*content, context).decode(span_of(bytes, count), *needs->decoding);
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
  overture_content content;
  return loader_for<Loader>(content, context).memory_needed(*normal, span_of(bytes, count));
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
    info.warning = of.warning();
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
    info.warning = of.warning();
  }
  void operator()(const loaders::model& of) const noexcept {
    info.kind = OVERTURE_KIND_MODEL;
    info.frames = of.view().counts().frames;
    info.warning = of.warning();
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

// Whether a loader of this kind can have these options.
overture_code check(const overture_image_options* options, std::int32_t kind,
                    overture_error* error) noexcept {
  if (functions_of_kind(kind).decode == nullptr) {
    return apart::told(error, OVERTURE_UNSUPPORTED, "there is no loader for this kind");
  }
  if (options == nullptr) return OVERTURE_OK;
  overture_image_options known;
  if (const overture_code flaw = apart::read_options(options, known, error)) return flaw;
  if (kind != OVERTURE_KIND_IMAGE) return apart::invalid(error, "options are for images alone");
  if (!is_alignment(known.row_alignment) || !is_alignment(known.level_alignment)) {
    return apart::invalid(error, "an alignment is no power of two up to 65,536");
  }
  given_allocator memory;
  if (const char* const flaw = memory.set(known.memory)) return apart::invalid(error, flaw);
  given_memory place;
  if (const char* const flaw = place.set(known.place)) return apart::invalid(error, flaw);
  return OVERTURE_OK;
}

template <class Value>
result<void> fill(overture_content& content, result<Value> made) noexcept {
  if (!made) return tl::unexpected<error>(made.error());
  content.value = *std::move(made);
  return {};
}

template <class Value>
result<void> fill_decoded(overture_content& content, asset_kind kind, const asset_path& path,
                          std::span<const std::byte> bytes) noexcept {
  auto made = loaders::detail::decode_kind(kind, path, bytes, default_allocator());
  if (!made) return tl::unexpected<error>(made.error());
  content.value = Value(*std::move(made));
  return {};
}

// Makes a value as the loader of its kind does.
result<void> fill_in_kind(overture_content& content, std::int32_t kind,
                          const overture_image_options* options, const asset_path& path,
                          std::span<const std::byte> bytes) noexcept {
  switch (kind) {
    case OVERTURE_KIND_TEXT:
      return fill(content, loaders::decode_text(bytes, default_allocator()));
    case OVERTURE_KIND_IMAGE:
      return fill(content, loaders::decode_image(path, bytes, options_for(content, options)));
    case OVERTURE_KIND_TEXTURE:
      return fill(content, loaders::decode_texture(path, bytes));
    case OVERTURE_KIND_SOUND:
      return fill_decoded<loaders::sound>(content, asset_kind::sound, path, bytes);
    case OVERTURE_KIND_MODEL:
      return fill_decoded<loaders::model>(content, asset_kind::model, path, bytes);
    default:
      return fill(content, loaders::copy_bytes(bytes, default_allocator()));
  }
}

}  // namespace

overture_code overture_loader_of_kind(int32_t kind, const overture_image_options* options,
                                      overture_loader* loader, overture_error* error) {
  if (const overture_code flaw = check(options, kind, error)) return flaw;
  overture_loader made = functions_of_kind(kind);
  made.context = const_cast<overture_image_options*>(options);
  return apart::write_result(loader, made, error);
}

overture_code overture_content_make(int32_t kind, const overture_image_options* options,
                                    const char* name, const void* bytes, size_t byte_count,
                                    overture_content** content, overture_error* error) {
  if (content == nullptr) return apart::invalid(error, "there is no place for the content");
  *content = nullptr;
  if (name == nullptr) return apart::invalid(error, "the name is NULL");
  if (bytes == nullptr && byte_count != 0) return apart::invalid(error, "there are no bytes");
  if (const overture_code flaw = check(options, kind, error)) return flaw;
  given_path given;
  const result<asset_path> path = given.read(name);
  if (!path) return apart::failed(error, path.error(), name);
  overture_content* const made = make<overture_content>();
  if (made == nullptr) return apart::told(error, OVERTURE_OUT_OF_MEMORY, no_memory);
  const result<void> filled = fill_in_kind(*made, kind, options, *path, span_of(bytes, byte_count));
  if (!filled) {
    destroy(made);
    return apart::failed(error, filled.error(), name);
  }
  *content = made;
  return apart::fine(error);
}

void overture_content_free(overture_content* content) {
  if (content != nullptr) destroy(content);
}

void overture_content_set_user(overture_content* value, void* user) {
  if (value != nullptr) value->user = user;
}

void* overture_content_user(const overture_content* value) {
  return value == nullptr ? nullptr : value->user;
}

void overture_content_release(overture_content* value) {
  if (value == nullptr) return;
  if (auto* const image = std::get_if<loaders::image>(&value->value)) image->release();
  if (auto* const texture = std::get_if<loaders::texture>(&value->value)) {
    *texture = loaders::texture(*texture, {});
  }
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
