// SPDX-License-Identifier: Zlib
//
// What a program does with its handles on assets: overture/c/assets.h.
#include <algorithm>
#include <array>
#include <optional>

#include "c/duration.hpp"
#include "c/store_parts.hpp"

using namespace overture;
using namespace overture::c;

namespace {

// With the chain of assets that explains it.
overture_code explained(const overture_asset& asset, const result<void>& status,
                        overture_error* error) noexcept {
  if (status) return fine(error);
  const overture_code code = failed(error, status.error());
  if (code == OVERTURE_BUSY) return code;
  std::array<char, sizeof(overture_error::text)> text;
  const std::size_t length = asset.store->assets.explain(asset.handle, text);
  return length == 0 ? code : failed(error, status.error().code, {text.data(), length});
}

}  // namespace

overture_code overture_asset_status(const overture_asset* asset, overture_error* error) {
  if (asset == nullptr) return invalid(error, no_asset);
  return explained(*asset, asset->handle.status(), error);
}

overture_code overture_asset_reload_status(const overture_asset* asset, overture_error* error) {
  if (asset == nullptr) return invalid(error, no_asset);
  return explained(*asset, asset->store->assets.reload_status(asset->handle), error);
}

size_t overture_asset_path(const overture_asset* asset, char* text, size_t room) {
  if (room != 0 && text != nullptr) text[0] = '\0';
  if (asset == nullptr) return 0;
  const std::string_view path = asset->handle.path().text;
  if (room != 0 && text != nullptr) text[front_of(path, room - 1).copy(text, room - 1)] = '\0';
  return path.size();
}

uint32_t overture_asset_version(const overture_asset* asset) {
  return asset == nullptr ? 0 : asset->handle.version();
}

overture_code overture_asset_get_stage(const overture_asset* asset, overture_asset_stage* stage,
                                       overture_error* error) {
  if (asset == nullptr) return invalid(error, no_asset);
  const asset_stage now = asset->store->assets.stage(asset->handle);
  return write_result(
      stage,
      overture_asset_stage{
          .size = 0, .index = now.index, .is_whole = now.is_whole, .file_bytes = now.file_bytes},
      error);
}

overture_code overture_asset_raise(overture_asset* asset, int32_t priority, overture_error* error) {
  if (asset == nullptr) return invalid(error, no_asset);
  const std::optional<asset_priority> urgency = asset_priority_of(priority);
  if (!urgency) return invalid(error, no_such_priority);
  asset->store->assets.raise(asset->handle, *urgency);
  return fine(error);
}

overture_code overture_asset_set_last_stage(overture_asset* asset, uint32_t stage,
                                            overture_error* error) {
  if (asset == nullptr) return invalid(error, no_asset);
  asset->store->assets.set_last_stage(asset->handle, stage);
  return fine(error);
}

overture_code overture_store_set_priorities(overture_store* store, overture_asset* const* assets,
                                            const int32_t* priorities, size_t count,
                                            overture_error* error) {
  if (store == nullptr) return invalid(error, no_store);
  if (count != 0 && (assets == nullptr || priorities == nullptr)) {
    return invalid(error, "no assets, or no priorities");
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (assets[i] == nullptr) return invalid(error, no_asset);
    if (assets[i]->store != store) return invalid(error, "an asset of another store");
    if (!asset_priority_of(priorities[i])) return invalid(error, no_such_priority);
  }
  constexpr std::size_t some = 64;
  std::array<priority_change, some> changes;
  for (std::size_t begin = 0; begin < count; begin += some) {
    const std::size_t size = std::min(count - begin, some);
    for (std::size_t i = 0; i < size; ++i) {
      const asset_priority to = *asset_priority_of(priorities[begin + i]);
      changes[i] = {assets[begin + i]->handle, to};
    }
    store->assets.set_priorities({changes.data(), size});
  }
  return fine(error);
}

overture_code overture_asset_retry(overture_asset* asset, overture_error* error) {
  if (asset == nullptr) return invalid(error, no_asset);
  asset->store->assets.retry(asset->handle);
  return fine(error);
}

overture_code overture_asset_wait(overture_asset* asset, uint64_t timeout_ns,
                                  overture_error* error) {
  if (asset == nullptr) return invalid(error, no_asset);
  (void)asset->store->assets.wait_for(asset->handle, duration_of(timeout_ns));
  return overture_asset_status(asset, error);
}
