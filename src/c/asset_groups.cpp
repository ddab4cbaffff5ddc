// SPDX-License-Identifier: Zlib
//
// Groups of assets: overture/c/assets.h.
#include <array>

#include "c/duration.hpp"
#include "c/store_parts.hpp"

using namespace overture;
using namespace overture::c;

struct overture_asset_group {
  overture_asset_group(overture_store& in, asset_priority priority) noexcept
      : store(in), assets(in.assets, priority) {
    store.users.add();
  }
  ~overture_asset_group() {
    assets.cancel();
    store.users.remove();
  }
  overture_asset_group(const overture_asset_group&) = delete;
  overture_asset_group& operator=(const overture_asset_group&) = delete;

  overture_store& store;
  asset_group assets;
};

namespace {

constexpr const char* none_given = "the group of assets is NULL";

}  // namespace

overture_code overture_asset_group_make(overture_store* store, int32_t priority,
                                        overture_asset_group** group, overture_error* error) {
  if (group == nullptr) return invalid(error, "there is no place for the group");
  *group = nullptr;
  if (store == nullptr) return invalid(error, no_store);
  const std::optional<asset_priority> urgency = asset_priority_of(priority);
  if (!urgency) return invalid(error, no_such_priority);
  *group = make<overture_asset_group>(*store, *urgency);
  return *group != nullptr ? fine(error) : out_of_memory(error);
}

overture_code overture_asset_group_free(overture_asset_group* group, overture_error* error) {
  if (group != nullptr) destroy(group);
  return fine(error);
}

overture_code overture_asset_group_add(overture_asset_group* group, overture_asset* asset,
                                       overture_error* error) {
  if (group == nullptr) return invalid(error, none_given);
  if (asset == nullptr) return invalid(error, no_asset);
  if (asset->store != &group->store) return invalid(error, "an asset of another store");
  const result<void> joined = group->assets.add(asset->handle);
  return joined ? fine(error) : failed(error, joined.error());
}

overture_code overture_asset_group_set_priority(overture_asset_group* group, int32_t priority,
                                                overture_error* error) {
  if (group == nullptr) return invalid(error, none_given);
  const std::optional<asset_priority> urgency = asset_priority_of(priority);
  if (!urgency) return invalid(error, no_such_priority);
  group->assets.set_priority(*urgency);
  return fine(error);
}

overture_code overture_asset_group_get_progress(const overture_asset_group* group,
                                                overture_asset_group_progress* progress,
                                                overture_error* error) {
  if (group == nullptr) return invalid(error, none_given);
  const asset_group_progress now = group->assets.progress();
  return write_result(progress,
                      overture_asset_group_progress{.size = 0,
                                                    .assets = now.assets,
                                                    .ready = now.ready,
                                                    .failed = now.failed,
                                                    .bytes_read = now.bytes_read,
                                                    .bytes_ready = now.bytes_ready},
                      error);
}

overture_code overture_asset_group_wait(overture_asset_group* group, uint64_t timeout_ns,
                                        overture_error* error) {
  if (group == nullptr) return invalid(error, none_given);
  if (!group->assets.wait_for(duration_of(timeout_ns))) {
    return failed(error, errc::busy, "assets of the group are loading still");
  }
  const result<void> failure = group->assets.failure();
  if (failure) return fine(error);
  std::array<char, sizeof(overture_error::text)> text;
  const std::size_t length = group->assets.explain(text);
  if (length == 0) return failed(error, failure.error());  // it loads again
  return failed(error, failure.error().code, {text.data(), length});
}

overture_code overture_asset_group_cancel(overture_asset_group* group, overture_error* error) {
  if (group == nullptr) return invalid(error, none_given);
  group->assets.cancel();
  return fine(error);
}
