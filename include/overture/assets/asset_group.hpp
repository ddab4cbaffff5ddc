// SPDX-License-Identifier: Zlib
//
// asset_group: assets that are wanted for one purpose, a level or a menu.
//
//   asset_group level{store, asset_priority::low};         // the player may go there
//   asset<level_map> first = level.get<level_map>("levels/2.map"_path);
//   level.get<sound>("music/2.ogg"_path);                  // the group holds it
//   ...
//   level.set_priority(asset_priority::high);              // the door opens
//   const asset_group_progress now = level.progress();
//   draw_bar(now.ready + now.failed, now.assets);
//   level.wait_for(10s);
//   ...
//   level.cancel();                                        // the player has turned round
//
// A group holds its assets and gives them its priority. An asset is as urgent as the most urgent of
// its groups, of the priorities that the program asked for by its handle, and of the assets that
// wait for it. So lowering a group does not delay what others want sooner.
//
// Cost: a record of 40 bytes for each asset of a group, which the store uses again.
//
// One thread at a time may use a group. It must end before its store.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/assets/asset_store.hpp"

namespace overture {

namespace detail {

struct group_member;
struct group_head {
  asset_priority priority = asset_priority::normal;
  group_member* members = nullptr;  // in the order in which they were added
  group_member* last_member = nullptr;
};

}  // namespace detail

// Counts the assets of a group and everything that they need, each once. `assets` grows while
// levels and materials name their needs, and shrinks when one fails, which then needs nothing.
// Assets that they only want() do not count: add those to the group, too.
struct asset_group_progress {
  std::uint64_t assets = 0;
  std::uint64_t ready = 0;        // of those
  std::uint64_t failed = 0;       //
  std::uint64_t bytes_read = 0;   // of their files; sizes of files that are not read are unknown
  std::uint64_t bytes_ready = 0;  // of the files of what is ready
};

class OVERTURE_API asset_group {
 public:
  explicit asset_group(asset_store& in, asset_priority priority = asset_priority::normal) noexcept
      : store_(&in), head_{.priority = priority} {}
  // Takes over the other's assets, which leaves it empty and ready to be used again. Cost: some
  // nanoseconds for each asset.
  asset_group(asset_group&& other) noexcept : store_(other.store_) {
    store_->take_over(head_, other.head_);
  }
  asset_group& operator=(asset_group&& other) noexcept {
    if (this == &other) return *this;
    cancel();
    store_ = other.store_;
    store_->take_over(head_, other.head_);
    return *this;
  }
  // As cancel().
  ~asset_group() { cancel(); }
  asset_group(const asset_group&) = delete;
  asset_group& operator=(const asset_group&) = delete;

  // The same as asset_store::get(), and adds the asset to the group. If memory for that is refused,
  // only the handle keeps it.
  template <class T>
  asset<T> get(const asset_path& path, const asset_variant<T>& as = {}) noexcept {
    return asset<T>(store_->get_for(head_, path, detail::wanted_of(as)));
  }
  template <class T>
  asset<T> get(std::string_view path, const asset_variant<T>& as = {}) noexcept {
    return asset<T>(store_->get_for(head_, path, detail::wanted_of(as)));
  }
  // Adds an asset by its handle. Errors: invalid (a handle on nothing), out_of_memory.
  template <class T>
  result<void> add(const asset<T>& one) noexcept {
    return store_->join(head_, one.head_);
  }

  // Up or down, with everything that the assets need: some 50 ns each.
  void set_priority(asset_priority priority) noexcept { store_->set_priority_of(head_, priority); }
  [[nodiscard]] asset_priority priority() const noexcept { return head_.priority; }

  // Cost: 20 to 40 ns for each asset that counts, under the store's lock.
  [[nodiscard]] asset_group_progress progress() const noexcept;
  // Pumps until all are ready or have failed (true), or until `duration` has passed (false).
  // Otherwise as asset_store::wait_for().
  bool wait_for(std::chrono::nanoseconds duration) noexcept {
    return store_->wait_for_all(head_, duration);
  }
  // Why the first failed asset failed, in the order of adding; a value if none has failed.
  [[nodiscard]] result<void> failure() const noexcept { return store_->failure_of(head_); }
  // Writes that as asset_store::explain() does.
  std::size_t explain(std::span<char> text) const noexcept {
    return store_->explain_any(store_->failed_of(head_), text);
  }
  // Gives all of its assets up. Those that nothing else holds are cancelled, or unloaded or kept as
  // when the last handle goes. Those that are held, but wanted by nothing else, get the lowest
  // priority. The group is then empty, and may be used again.
  void cancel() noexcept { store_->leave(head_); }

 private:
  asset_store* store_;
  detail::group_head head_;
};

}  // namespace overture
