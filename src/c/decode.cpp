// SPDX-License-Identifier: Zlib
//
// One decoded file: overture/c/assets.h. The store: store.cpp.
#include <algorithm>

#include "c/handles.hpp"
#include "overture/c/assets.h"

using namespace overture;
using namespace overture::c;

static_assert(static_cast<int>(asset_kind::none) == OVERTURE_KIND_NONE);
static_assert(static_cast<int>(asset_kind::image) == OVERTURE_KIND_IMAGE);
static_assert(static_cast<int>(asset_kind::text) == OVERTURE_KIND_TEXT);
static_assert(static_cast<int>(asset_kind::sound) == OVERTURE_KIND_SOUND);
static_assert(static_cast<int>(asset_kind::texture) == OVERTURE_KIND_TEXTURE);
static_assert(static_cast<int>(asset_kind::model) == OVERTURE_KIND_MODEL);
static_assert(static_cast<int>(asset_kind::binary) == OVERTURE_KIND_BINARY);

namespace {

result<decoded_asset> decode(std::string_view name, std::span<const std::byte> bytes) noexcept {
  const std::span<const decoder* const> all = all_decoders();
  const auto accepts = [&](const decoder* each) { return each->accepts(name, bytes); };
  const auto found = std::find_if(all.begin(), all.end(), accepts);
  if (found == all.end()) return fail(errc::unsupported, "no decoder knows this format");
  return (*found)->decode(bytes, default_allocator());
}

overture_code hand_over(result<decoded_asset> made, std::string_view name,
                        overture_decoded** decoded, overture_error* error) noexcept {
  if (!made) return failed(error, made.error(), name);
  *decoded = make<overture_decoded>(*std::move(made));
  return *decoded == nullptr ? out_of_memory(error) : fine(error);
}

}  // namespace

overture_code overture_decode_file(overture_files* files, const char* path,
                                   overture_decoded** decoded, overture_error* error) {
  if (decoded == nullptr) return invalid(error, "there is no place for what is decoded");
  *decoded = nullptr;
  if (files == nullptr) return invalid(error, "the files are NULL");
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  const result<blob> bytes = files->tree.read_all(*normal, files->buffers.pool());
  if (!bytes) return failed(error, bytes.error(), normal->text, files->tree);
  return hand_over(decode(normal->text, bytes->span()), normal->text, decoded, error);
}

overture_code overture_decode_bytes(const char* name, const void* bytes, size_t byte_count,
                                    overture_decoded** decoded, overture_error* error) {
  if (decoded == nullptr) return invalid(error, "there is no place for what is decoded");
  *decoded = nullptr;
  if (name == nullptr) return invalid(error, "the name is NULL");
  if (bytes == nullptr && byte_count != 0) return invalid(error, "there are no bytes");
  const std::span<const std::byte> content(static_cast<const std::byte*>(bytes), byte_count);
  return hand_over(decode(name, content), name, decoded, error);
}

void* overture_decoded_data(const overture_decoded* decoded) {
  return decoded == nullptr ? nullptr : decoded->asset.bytes().data();
}

size_t overture_decoded_size(const overture_decoded* decoded) {
  return decoded == nullptr ? 0 : decoded->asset.bytes().size();
}

overture_code overture_decoded_get_info(const overture_decoded* decoded,
                                        overture_decoded_info* info, overture_error* error) {
  if (decoded == nullptr) return invalid(error, "the decoded asset is NULL");
  const decoded_asset& of = decoded->asset;
  return write_result(info,
                      overture_decoded_info{.size = 0,
                                            .kind = static_cast<std::int32_t>(of.kind()),
                                            .width = of.width,
                                            .height = of.height,
                                            .depth = of.depth,
                                            .levels = of.levels,
                                            .layers = of.layers,
                                            .format = to_string(of.format),
                                            .is_srgb = of.srgb,
                                            .sample_rate = of.sample_rate,
                                            .channels = of.channels,
                                            .frames = of.frames,
                                            .vertices = of.vertices,
                                            .triangles = of.triangles,
                                            .lines = of.lines,
                                            .warning = of.warning},
                      error);
}

void overture_decoded_free(overture_decoded* decoded) {
  if (decoded != nullptr) destroy(decoded);
}
