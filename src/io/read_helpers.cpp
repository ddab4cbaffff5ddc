// Threads that wait for reads and unpack meanwhile.
#include "io/read_core.hpp"
#include "overture/sync/wait_observer.hpp"
#include "sync/wait.hpp"

namespace overture::io {

// Whoever puts something to unpack, ends a request or makes room takes the lock behind that, and
// sees the helper that has looked before.
void read_core::help_until(function_ref<bool()> is_over, bool hears_countdowns) noexcept {
  const bool helps = desk_ && !unpacks_here();
  for (;;) {
    std::uint32_t seen = 0;
    bool sleeps = false;
    {
      const scoped_lock hold(lock_);
      take_up();
      if (is_over()) return;
      sleeps = !helps || !desk_->has_work();
      if (sleeps) {
        seen = drain_word_.load(std::memory_order_relaxed);  // before it can be called
        if (config_.run_by_host && !inbox_.offer(read_inbox::host)) continue;
        ++helpers_;
        countdown_waiters_ += hears_countdowns ? 1 : 0;
      }
    }
    if (!sleeps) {
      std::size_t completed = 0;
      (void)desk_->work(completed);
      continue;
    }
    {
      const observed_wait waiting(wait_reasons::drain);
      (void)sync_detail::address_wait(drain_word_, seen, 0);
    }
    const scoped_lock hold(lock_);
    if (--helpers_ == 0 && config_.run_by_host) (void)inbox_.withdraw(read_inbox::host);
    countdown_waiters_ -= hears_countdowns ? 1 : 0;
  }
}

bool read_core::can_take() noexcept {
  if (refused_) return true;
  if (suspended_) return false;
  if (stored_.size() > 0) return true;
  const read_request* const next = packed_.size() > 0 ? packed_.choose_next(head_, now()) : nullptr;
  return next && fits(*next);
}

void read_core::wait_for_work() noexcept {
  help_until([this] { return outstanding_ == 0 || can_take(); }, false);
}

void read_core::wait_for(const countdown& until, bool or_for_work) noexcept {
  help_until([&] { return until.is_done() || (or_for_work && can_take()); }, true);
}

}  // namespace overture::io
