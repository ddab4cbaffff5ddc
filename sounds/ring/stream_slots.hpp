// SPDX-License-Identifier: Zlib
//
// stream_slots: the streams that one thread decodes. They come and go while it is at work.
//
// The thread takes a slot while it uses its stream. Who removes a stream marks the slot instead of
// taking it, and waits until the thread has let go.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/sync/event_count.hpp"

namespace overture::sounds_detail {

// A stream, as the thread that decodes it sees it.
class decode_source {
 public:
  decode_source() = default;
  decode_source(const decode_source&) = delete;
  decode_source& operator=(const decode_source&) = delete;
  // Whether there is something to decode. Any thread.
  [[nodiscard]] virtual bool wants_turn() const noexcept = 0;
  // Decodes a piece, if there is room for one. One thread at a time.
  virtual void take_turn() noexcept = 0;

 protected:
  ~decode_source() = default;
};

template <std::size_t Count>
class stream_slots {
 public:
  class slot {
    friend class stream_slots;
    atomic<std::uint32_t> state_{empty};
    decode_source* source_ = nullptr;
  };

  // Null if all are taken. Any thread.
  [[nodiscard]] slot* add(decode_source& source) noexcept {
    for (slot& each : slots_) {
      std::uint32_t state = empty;
      if (!each.state_.compare_exchange_strong(state, filling, std::memory_order_acquire)) continue;
      each.source_ = &source;
      each.state_.store(idle, std::memory_order_release);
      return &each;
    }
    return nullptr;
  }

  // The thread is no longer in the stream when this returns, and does not enter it again. Any
  // thread but that one.
  void remove(slot& gone) noexcept {
    if (gone.state_.exchange(leaving, std::memory_order_acq_rel) == idle) {
      gone.state_.store(empty, std::memory_order_release);
      return;
    }
    left_.await([&gone] { return gone.state_.load(std::memory_order_acquire) != leaving; },
                {.reason = "decoding a sound"});
  }

  // Gives each stream that wants one a turn. Returns whether any did. The one thread.
  [[nodiscard]] bool take_turns() noexcept {
    bool any = false;
    for (slot& each : slots_) {
      std::uint32_t state = idle;
      if (each.state_.load(std::memory_order_relaxed) != idle ||
          !each.state_.compare_exchange_strong(state, busy, std::memory_order_acquire)) {
        continue;
      }
      if (each.source_->wants_turn()) {
        any = true;
        each.source_->take_turn();
      }
      state = busy;
      if (each.state_.compare_exchange_strong(state, idle, std::memory_order_acq_rel)) continue;
      each.state_.store(empty, std::memory_order_release);
      left_.notify_all();
    }
    return any;
  }

  // Any thread; may have changed when it returns.
  [[nodiscard]] bool is_empty() const noexcept {
    for (const slot& each : slots_) {
      if (each.state_.load(std::memory_order_acquire) != empty) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t filling = 1;
  static constexpr std::uint32_t idle = 2;
  static constexpr std::uint32_t busy = 3;
  static constexpr std::uint32_t leaving = 4;

  slot slots_[Count];
  event_count left_;
};

}  // namespace overture::sounds_detail
