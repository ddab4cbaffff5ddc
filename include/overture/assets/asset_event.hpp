// SPDX-License-Identifier: Zlib
//
// asset_event: what has happened to an asset, taken from the store as one list in each frame.
//
//   (void)store.take_events([&](const asset_event& event) {
//     using enum asset_event_kind;
//     if (event.kind == failed) log_failure(event.path.text, event.failure.reason);
//     if (event.kind == reloaded && event.is_of(level)) rebuild_collision(*level);
//     const auto found = doors.find(event.subject);      // by the number of their mesh:
//     if (found != doors.end()) found->second->refresh();  // doors[door.shape.subject()] = &door
//   });
//
// A file may have several assets, of other types, parts or settings: the texts of an event name
// them, the number and is_of() tell them apart.
//
// Events say how an asset differs from the last call, so an asset has a few of them at most,
// however often it changed: one that was loaded, dropped and unloaded between two calls has none. A
// failure to load is always told, even if the asset has loaded since. A failure to reload is not,
// if a later reload succeeded. The events of one asset come in the order of asset_event_kind.
//
// Cost: no memory, and some nanoseconds for each asset that settles, whether or not the events are
// taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "overture/assets/asset.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/path.hpp"

namespace overture {

enum class asset_event_kind : std::uint8_t {
  unloaded,       // handles show the placeholder again, if there is one
  failed,         // to load; `failure` says why
  loaded,         // it is ready
  reloaded,       // it has a new value, of a changed file or of another stage
  reload_failed,  // it keeps its old value, as a part does with its file; `failure` says why
};
inline constexpr std::size_t asset_event_kind_count = 5;
// The name as spelled above. Any thread.
[[nodiscard]] OVERTURE_API const char* to_string(asset_event_kind kind) noexcept;

class asset_event {
 public:
  asset_event_kind kind = asset_event_kind::loaded;
  asset_path path;            // its text and the next ones live as long as the store
  std::string_view part;      // of the file; empty: all of it
  std::string_view settings;  // their bytes, for settings_text()
  std::string_view type;      // as asset_type.hpp says; empty before there is a loader for it
  std::uint32_t subject = 0;  // as asset::subject(), and for subject_failure()
  error failure;              // of `failed` and `reload_failed`

  // Whether it is an event of the asset that this handle is on.
  template <class T>
  [[nodiscard]] bool is_of(const asset<T>& handle) const noexcept {
    return head != nullptr && handle.head_ == head;
  }

  // For the store.
  const detail::asset_head* head = nullptr;
};

}  // namespace overture
