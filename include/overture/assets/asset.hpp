// SPDX-License-Identifier: Zlib
//
// asset<T>: a handle on something that an asset_store loads.
//
//   asset<texture> wall = store.get<texture>("gfx/wall.png"_path);
//   ...
//   draw(*wall);                     // each frame: the wall, or the placeholder until it is ready
//
//   store.wait_for(wall, 2s);        // on the main thread, which has to pump()
//   wall.settled().wait();           // on others; in a coroutine: auto loaded = co_await wall;
//   if (auto loaded = wall.status(); !loaded) return report(loaded.error());
//
// Handles are counted: an asset stays loaded for as long as one is held. They may be copied and
// passed to other threads. Once the last is gone, on whatever thread, the next pump() or progress()
// has the asset unloaded on the kind of thread that finalized it, or keeps it for a while: see
// asset_store_config::keep_bytes.
//
// Cost: get() and is_ready() are one load; to copy or destroy a handle is one read-modify-write.
//
// Lifetime: the store outlives its handles. The value stays for as long as a handle is held, but a
// reload replaces it: a pointer from get() is valid until the next asset_store::pump(), so call
// get() again in each frame. A loader's function, on whatever thread, may use it until it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "overture/assets/asset_variant.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/error.hpp"
#include "overture/base/path.hpp"
#include "overture/sync/barricade.hpp"

namespace overture {

class asset_event;
class asset_group;
class asset_store;
class asset_context;
class priority_change;
template <class T>
class soft_asset;
namespace detail {
class typed_at_run_time;
}

enum class asset_state : std::uint8_t {
  unloaded,    // no handle holds it
  queued,      // waits for its turn to be read
  reading,     //
  decoding,    // read; in decode(), or waiting for a thread
  needing,     // decoded; waits for the assets that it needs
  finalizing,  // waits for pump(), or for a worker, or is between two steps
  ready,
  failed,
};
inline constexpr std::size_t asset_state_count = 8;
// The name as spelled above. Any thread.
[[nodiscard]] OVERTURE_API const char* to_string(asset_state state) noexcept;

namespace detail {

// Finds waits that only the waiting thread could end, in builds with contracts.
OVERTURE_API void expects_may_wait(const barricade& settled) noexcept;

}  // namespace detail

// A barricade that knows where waiting for it never ends.
class asset_barricade : public barricade {
 public:
  using barricade::barricade;
  template <bool Contracts = detail::contracts>
  void wait(const wait_options& options = {}) noexcept {
    if constexpr (Contracts) detail::expects_may_wait(*this);
    barricade::wait(options);
  }
};

namespace detail {

// What handles see of an asset. Lives as long as its store.
struct asset_head {
  atomic<const void*> shown{nullptr};  // the value, or a placeholder, or null
  atomic<std::uint32_t> handles{0};
  atomic<asset_state> state{asset_state::unloaded};
  atomic<std::uint32_t> version{0};
  asset_barricade settled{barricade::raised};
  bool is_none = false;  // there was no memory for an asset
  // The store wants to know when a handle goes, not only the last one: what it keeps has others.
  atomic<bool> tells_drops{false};
};
// One that has failed, for lack of memory.
[[nodiscard]] OVERTURE_API asset_head& no_asset() noexcept;
// Called when the last handle is gone, and when others are if it tells_drops.
OVERTURE_API void asset_unused(asset_head& head) noexcept;
inline void drop_handle(asset_head& head) noexcept {
  const bool is_last = head.handles.fetch_sub(1, std::memory_order_seq_cst) == 1;
  if (is_last || head.tells_drops.load(std::memory_order_seq_cst)) asset_unused(head);
}
[[nodiscard]] OVERTURE_API result<void> asset_status(const asset_head& head) noexcept;
[[nodiscard]] OVERTURE_API asset_path asset_path_of(const asset_head& head) noexcept;
// Its part and settings.
[[nodiscard]] OVERTURE_API asset_wanted asset_variant_of(const asset_head& head) noexcept;
[[nodiscard]] OVERTURE_API std::uint32_t asset_subject_of(const asset_head& head) noexcept;

}  // namespace detail

template <class T>
class asset {
 public:
  // A handle on nothing.
  asset() = default;
  asset(const asset& other) noexcept : head_(other.head_) {
    if (head_ != nullptr) head_->handles.fetch_add(1, std::memory_order_relaxed);
  }
  asset(asset&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
  asset& operator=(asset other) noexcept {
    std::swap(head_, other.head_);
    return *this;
  }
  ~asset() {
    if (head_ != nullptr) detail::drop_handle(*head_);
  }

  // Whether it is a handle on an asset. If it is not, only get(), is_ready(), state() and status()
  // of the functions below may be called. All of them: any thread.
  [[nodiscard]] bool valid() const noexcept { return head_ != nullptr && !head_->is_none; }
  // The asset once it is ready, else its loader's placeholder, else null. After a reload that
  // failed, the asset as it was.
  [[nodiscard]] const T* get() const noexcept {
    if (head_ == nullptr) return nullptr;
    return static_cast<const T*>(head_->shown.load(std::memory_order_acquire));
  }
  // get(), which must not be null.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] const T& operator*() const noexcept {
    return *shown<Contracts>();
  }
  template <bool Contracts = detail::contracts>
  [[nodiscard]] const T* operator->() const noexcept {
    return shown<Contracts>();
  }
  [[nodiscard]] bool is_ready() const noexcept { return state() == asset_state::ready; }
  [[nodiscard]] asset_state state() const noexcept {
    if (head_ == nullptr) return asset_state::unloaded;
    return head_->state.load(std::memory_order_acquire);
  }
  // Ok once the asset is ready. Errors: why it failed; busy while it is loading; invalid for a
  // handle on nothing; out_of_memory if there was no memory for the asset.
  [[nodiscard]] result<void> status() const noexcept {
    if (head_ == nullptr) {
      return fail(errc::invalid, "no asset: the handle was default-constructed or moved from");
    }
    return detail::asset_status(*head_);
  }
  // Lowered once it is ready or has failed. Do not wait for it on the thread that calls pump(),
  // which has to finalize it: use asset_store::wait_for() there.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] asset_barricade& settled() const noexcept {
    return head<Contracts>().settled;
  }
  // How many values it has had: each successful reload adds one, and so does each stage.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] std::uint32_t version() const noexcept {
    return head<Contracts>().version.load(std::memory_order_acquire);
  }
  // Lives as long as the store.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] asset_path path() const noexcept {
    return detail::asset_path_of(head<Contracts>());
  }
  // Its part of the file and its settings. The part's text lives as long as the store.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] asset_variant<T> variant() const noexcept {
    return detail::variant_from<T>(detail::asset_variant_of(head<Contracts>()));
  }
  // The asset's number, which asset_event, known_asset and timelines have too: the key for a table
  // of the program's own objects. Stays the same until the store ends, and is never 0.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] std::uint32_t subject() const noexcept {
    return detail::asset_subject_of(head<Contracts>());
  }

  friend bool operator==(const asset& a, const asset& b) noexcept { return a.head_ == b.head_; }

 private:
  friend class asset_event;
  friend class asset_group;
  friend class asset_store;
  friend class asset_context;
  friend class priority_change;
  friend class detail::typed_at_run_time;
  friend class soft_asset<T>;
  // Takes over a count.
  explicit asset(detail::asset_head* head) noexcept : head_(head) {}
  template <bool Contracts>
  [[nodiscard]] detail::asset_head& head() const noexcept {
    if constexpr (Contracts) {
      detail::expects(valid(),
                      "a handle on no asset was used: ask valid() first, it was "
                      "default-constructed or moved from, or there was no memory");
      if (head_ == nullptr) return detail::no_asset();  // the handler has returned
    }
    return *head_;
  }
  template <bool Contracts>
  [[nodiscard]] const T* shown() const noexcept {
    const T* const value = get();
    if constexpr (Contracts) {
      detail::expects(value != nullptr,
                      "an asset that is not ready was used as a value: ask is_ready() first, or "
                      "give its loader a placeholder()");
    }
    return value;
  }

  detail::asset_head* head_ = nullptr;
};

// The name of an asset, which keeps nothing loaded: for what may be needed later, such as the rooms
// next to this one. asset_store::get() makes a handle of it and loads it;
// asset_store::get_if_ready() makes one only if the asset is ready.
//
// It may outlive the store. After that it can only be compared: path(), variant() and subject()
// must not be called.
template <class T>
class soft_asset {
 public:
  // The name of nothing.
  soft_asset() = default;
  // What the handle is on.
  explicit soft_asset(const asset<T>& of) noexcept : head_(of.valid() ? of.head_ : nullptr) {}

  [[nodiscard]] bool valid() const noexcept { return head_ != nullptr; }
  // As those of the handle; of the name of nothing they are empty, and the number is 0.
  [[nodiscard]] asset_path path() const noexcept {
    return valid() ? detail::asset_path_of(*head_) : asset_path{};
  }
  [[nodiscard]] asset_variant<T> variant() const noexcept {
    return valid() ? detail::variant_from<T>(detail::asset_variant_of(*head_)) : asset_variant<T>{};
  }
  [[nodiscard]] std::uint32_t subject() const noexcept {
    return valid() ? detail::asset_subject_of(*head_) : 0;
  }
  friend bool operator==(const soft_asset&, const soft_asset&) = default;

 private:
  friend class asset_store;
  friend class asset_context;
  explicit soft_asset(detail::asset_head* head) noexcept : head_(head) {}

  detail::asset_head* head_ = nullptr;
};

}  // namespace overture
