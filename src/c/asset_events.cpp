// SPDX-License-Identifier: Zlib
//
// Events of assets, and those that have had none: overture/c/assets.h.
#include <bit>

#include "c/store_parts.hpp"
#include "overture/assets/asset_event.hpp"

using namespace overture;
using namespace overture::c;

namespace {

constexpr std::int32_t number_of(asset_event_kind kind) noexcept {
  return static_cast<std::int32_t>(kind);
}
static_assert(number_of(asset_event_kind::unloaded) == OVERTURE_ASSET_UNLOADED);
static_assert(number_of(asset_event_kind::failed) == OVERTURE_ASSET_FAILED);
static_assert(number_of(asset_event_kind::loaded) == OVERTURE_ASSET_LOADED);
static_assert(number_of(asset_event_kind::reloaded) == OVERTURE_ASSET_RELOADED);
static_assert(number_of(asset_event_kind::reload_failed) == OVERTURE_ASSET_RELOAD_FAILED);

// Why it failed, with the chain of assets that explains it, unless it has loaded since.
void explain(const asset_store& assets, const asset_event& event, overture_error& why) noexcept {
  const bool has_failed =
      event.kind == asset_event_kind::failed || event.kind == asset_event_kind::reload_failed;
  if (!has_failed) return;
  std::array<char, sizeof(overture_error::text)> text;
  const std::size_t length = assets.subject_failure(event.subject, text);
  if (length != 0) {
    failed(&why, event.failure.code, {text.data(), length});
  } else {
    failed(&why, event.failure, event.path.text);
  }
}

}  // namespace

overture_code overture_store_take_events(overture_store* store, overture_asset_told told,
                                         void* context, overture_error* error) {
  if (store == nullptr) return invalid(error, no_store);
  if (told == nullptr) return invalid(error, "there is no function to tell the events");
  const auto tell = [&](const asset_event& event) {
    const c_path path(event.path.text);
    const c_path part(event.part);
    overture_error why = {.size = sizeof why, .code = OVERTURE_OK, .os_error = 0, .text = ""};
    explain(store->assets, event, why);
    const overture_asset_event one = {.kind = number_of(event.kind),
                                      .subject = event.subject,
                                      .path = path.text(),
                                      .part = part.text(),
                                      .why = &why,
                                      .of = event.head};
    told(context, &one);
  };
  const result<std::size_t> taken = store->assets.take_events(tell);
  return taken ? fine(error) : failed(error, taken.error());
}

uint32_t overture_asset_subject(const overture_asset* asset) {
  return asset == nullptr ? 0 : asset->handle.subject();
}

bool overture_asset_event_is_of(const overture_asset_event* event, const overture_asset* asset) {
  return event != nullptr && asset != nullptr &&
         std::bit_cast<const void*>(soft_asset(asset->handle)) == event->of;
}

overture_code overture_store_unsettled(const overture_store* store,
                                       void (*told)(void* context, const overture_unsettled* asset),
                                       void* context, overture_error* error) {
  if (store == nullptr) return invalid(error, no_store);
  if (told == nullptr) return invalid(error, "there is no function to tell the assets");
  const auto tell = [&](const unsettled_asset& asset) noexcept {
    const c_path path(asset.path.text);
    const c_path part(asset.part);
    const c_path needs(asset.needs.text);
    const overture_unsettled one = {.path = path.text(),
                                    .part = part.text(),
                                    .state = to_string(asset.state),
                                    .needs = needs.text(),
                                    .what = asset.what,
                                    .ns = asset.ns,
                                    .subject = asset.subject};
    told(context, &one);
  };
  const result<void> visited = store->assets.for_each_unsettled(tell);
  return visited ? fine(error) : failed(error, visited.error());
}
