// SPDX-License-Identifier: Zlib
//
// src/vfs/mounts/reader_pins.cpp, and from src/vfs/tree/mount_table.cpp a copy of how a snapshot is
// replaced and freed, cut down: a snapshot is one number, there are no mounts, files and indices.
#include "vfs/mounts/reader_pins.cpp"

#include "genmc/model.hpp"
#include "genmc/platform.hpp"
#include "sync/mutex.cpp"

namespace {

using namespace overture;
using namespace overture::base_detail;
using vfs_detail::reader_pins;

constexpr unsigned passes_max = 3;

struct snapshot {
  snapshot() noexcept {}
  int value = 7;
  std::uint64_t epoch = 1;
  snapshot* next = nullptr;
};

class mount_table {
 public:
  void begin() noexcept {
    current_.store(base_detail::make_object<snapshot>(memory_, memory_tag::vfs));
    for (genmc::self = 0; genmc::self < vfs_detail::pin_stripes_max; ++genmc::self)
      (void)pins_.mine();
  }
  // copied from src/vfs/tree/mount_table.hpp
  [[nodiscard]] const snapshot& current() const noexcept { return *current_.load(); }
  [[nodiscard]] reader_pins::stripe* enter() noexcept {
    reader_pins::stripe& here = pins_.mine();
    pins_.enter(here);
    return &here;
  }
  void leave(reader_pins::stripe* here) noexcept {
    const std::uint64_t epoch = pins_.leave(*here);
    if (epoch != 0 && epoch <= retired_epoch_.load()) collect();
  }
  // end of copy
  void change() noexcept {
    {
      const sync_detail::scoped_lock changing(changing_);
      publish(base_detail::make_object<snapshot>(memory_, memory_tag::vfs));
    }
    collect();
  }
  [[nodiscard]] bool has_garbage() const noexcept { return oldest_retired_ != nullptr; }

 private:
  // copied from src/vfs/tree/mount_table.cpp
  void publish(snapshot* next) noexcept {  // changed
    snapshot* const old = current_.exchange(next);
    old->epoch = pins_.advance();
    (newest_retired_ ? newest_retired_->next : oldest_retired_) = old;
    newest_retired_ = old;
    retired_epoch_.store(old->epoch);
    pins_.fence();
  }
  void collect() noexcept {  // changed
    unsigned passes = 0;     // changed: in step, two threads could take turns without end
    do {
      genmc::leave_out(passes++ == passes_max);  // changed
      collect_wanted_.exchange(true);
      if (!changing_.try_lock()) return;
      collect_wanted_.exchange(false);
      take_unused();  // changed
      changing_.unlock();
    } while (collect_wanted_.exchange(false));
  }
  void take_unused() noexcept {  // changed
    while (oldest_retired_ && pins_.have_left(oldest_retired_->epoch)) {
      snapshot* const left = std::exchange(oldest_retired_, oldest_retired_->next);
      destroy_object(memory_, memory_tag::vfs, left);
    }
    if (!oldest_retired_) {
      newest_retired_ = nullptr;
      retired_epoch_.store(0);
    }
  }
  // end of copy

  allocator& memory_ = genmc::memory;
  reader_pins pins_{genmc::memory, FENCED};
  atomic<snapshot*> current_{nullptr};
  atomic<std::uint64_t> retired_epoch_{0};
  atomic<bool> collect_wanted_{false};
  sync_detail::mutex changing_;
  snapshot* oldest_retired_ = nullptr;
  snapshot* newest_retired_ = nullptr;
};

mount_table table;

void reads() {
  reader_pins::stripe* const here = table.enter();
  genmc::check(table.current().value == 7, "a snapshot that is read was not freed");
  table.leave(here);
}
void changes() {
  table.change();
}

}  // namespace

int main() {
  table.begin();
  genmc::self = 0;
  genmc::run(changes, READERS);
  genmc::check(!genmc::anybody_sleeps(), "no thread sleeps for ever");
  genmc::check(!table.has_garbage(), "what is replaced is freed once its readers have left");
}
