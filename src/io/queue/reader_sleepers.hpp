// SPDX-License-Identifier: Zlib
//
// The threads of back ends that sleep because there is nothing to read, and how one of them is
// woken.
//
// At most one is on its way at a time; it looks for work and wakes the next if it leaves some. A
// sleeper that may be woken is offered to the inbox, so that submit() can wake it without the
// queue's lock.
#pragma once

#include <cstdint>
#include <utility>

#include "base/threads/processor.hpp"
#include "io/queue/read_inbox.hpp"
#include "io/queue/sleep_word.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/thread.hpp"

namespace overture::io_detail {

// The word they sleep on. Any thread.
class reader_signal {
 public:
  // Sleeps while the word is `seen`. A thread woken on the processor where submit() runs yields
  // once, so that submit() can return first.
  void sleep_while(std::uint32_t seen) noexcept {
    word.sleep_while(seen, wait_reasons::no_request);
    if (waking_on_.load(std::memory_order_relaxed) == base_detail::this_processor() + 1)
      yield_thread();
  }
  // For submit().
  void call_one() noexcept {
    word.move_on();
    waking_on_.store(base_detail::this_processor() + 1, std::memory_order_relaxed);
    word.wake_one();
    waking_on_.store(0, std::memory_order_relaxed);
  }

  alignas(detail::line_bytes) sleep_word word;

 private:
  // The processor on which submit() is waking a thread, + 1; 0: none. A hint.
  alignas(detail::line_bytes) atomic<std::uint32_t> waking_on_{0};
};

// The threads that sleep. One thread at a time: read_core holds its lock around every call.
class reader_sleepers {
 public:
  reader_sleepers(reader_signal& signal, read_inbox::receiver& inbox) noexcept
      : signal_(signal), inbox_(inbox) {}

  // Adds the caller, which may sleep while the word is `seen`. False: something was submitted
  // meanwhile, and it was not added. `may_read`: whether submit() may wake it.
  [[nodiscard]] bool add(bool may_read, std::uint32_t& seen) noexcept {
    ++count_;
    seen = signal_.word.value();  // before it can be called
    if (offer(may_read)) return true;
    --count_;
    return false;
  }
  // The caller must look for work after this: a put() may have taken the offer.
  void remove() noexcept {
    if (std::exchange(offered_, false)) (void)inbox_.withdraw(read_inbox::reader);
    --count_;
    on_its_way_ = false;
  }

  // There is work for one of them. True: wake one by the signal, after the lock is released.
  [[nodiscard]] bool claim() noexcept {
    if (count_ == 0 || is_on_its_way()) return false;
    on_its_way_ = true;
    if (std::exchange(offered_, false) && !inbox_.withdraw(read_inbox::reader)) return false;
    ++claims_;
    return wake_claimed();
  }
  // The same for one that submit() has claimed.
  [[nodiscard]] bool wake_claimed() noexcept {
    signal_.word.move_on();
    if (waker_) waker_(waker_context_);
    return waker_ == nullptr;
  }

  // Call this when a sleeper comes or goes, or when reading is allowed or stopped: offers a sleeper
  // to submit(), or takes the offer back. False: something was submitted that no thread was woken
  // for.
  [[nodiscard]] bool offer(bool may_read) noexcept {
    const bool wanted = may_read && count_ > 0 && !is_on_its_way();
    if (wanted == offered_) return true;
    if (wanted) return offered_ = inbox_.offer(read_inbox::reader);
    offered_ = false;
    if (!inbox_.withdraw(read_inbox::reader)) on_its_way_ = true;
    return true;
  }

  // For a thread that sleeps in its own way. The previous waker is not called after this.
  void set_waker(void (*wake)(void* context) noexcept, void* context) noexcept {
    waker_ = wake;
    waker_context_ = context;
  }
  // How often claim() found one.
  [[nodiscard]] std::uint64_t claims() const noexcept { return claims_; }

 private:
  // An offer that is gone was taken by submit(), which wakes.
  [[nodiscard]] bool is_on_its_way() noexcept {
    if (offered_ && !inbox_.is_offered(read_inbox::reader)) {
      offered_ = false;
      on_its_way_ = true;
    }
    return on_its_way_;
  }

  reader_signal& signal_;
  read_inbox::receiver& inbox_;
  std::uint32_t count_ = 0;
  bool on_its_way_ = false;
  bool offered_ = false;
  void (*waker_)(void* context) noexcept = nullptr;
  void* waker_context_ = nullptr;
  std::uint64_t claims_ = 0;
};

}  // namespace overture::io_detail
