// SPDX-License-Identifier: Zlib
#include "vfs/mounts/descriptor_pool.hpp"

#include <algorithm>
#include <cstring>

#include "io/files/descriptor_limit.hpp"
#include "overture/base/limits.hpp"

namespace overture::vfs_detail {
namespace {

using phase = pooled_file::phase;

// A folder's size and time change as files come and go; it is still the same folder.
bool is_same(const file_status& before, const file_status& now) noexcept {
  if (before.kind != now.kind || before.volume != now.volume || before.number != now.number) {
    return false;
  }
  return now.kind == file_kind::folder ||
         (before.size == now.size && before.mtime_ns == now.mtime_ns);
}

}  // namespace

void descriptor_pool::measure() noexcept {
  if (measured_) return;
  measured_ = true;
  const std::size_t left = io_detail::descriptors_left();
  kept_max_ = left / 2;
  slot_count_ = std::clamp<std::size_t>(left / 8, 2, slots_max);
}

bool descriptor_pool::claim() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  measure();
  if (kept_ >= kept_max_) return false;
  ++kept_;
  return true;
}

void descriptor_pool::give_back() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  --kept_;
}

pooled_file& descriptor_pool::of(parked_file& file, const sync_detail::mutex& held) noexcept {
  (void)held;
  return file.pooled_;
}

// Finds a slot for the file. The caller closes the evicted file's descriptor without the lock.
bool descriptor_pool::take_slot(parked_file& file,
                                archives_detail::owned_handle& evicted) noexcept {
  for (std::size_t look = 0; look < 2 * slot_count_; ++look) {
    const std::size_t at = hand_;
    hand_ = (hand_ + 1) % slot_count_;
    parked_file* const there = slots_[at];
    if (there) {
      pooled_file& owner = of(*there, lock_);
      if (owner.now != phase::open || owner.pins > 0) continue;
      if (std::exchange(owner.used, false)) continue;
      owner.now = phase::closed;
      evicted = archives_detail::owned_handle(*there->os_, owner.handle);
    }
    slots_[at] = &file;
    of(file, lock_).slot = at;
    of(file, lock_).now = phase::opening;
    return true;
  }
  return false;
}

result<os_handle> descriptor_pool::pin(parked_file& file, bool may_wait) noexcept {
  for (;;) {
    const event_count::key_type key = changed_.prepare_wait();
    bool mine = false;
    archives_detail::owned_handle evicted;
    {
      const sync_detail::scoped_lock hold(lock_);
      pooled_file& state = of(file, lock_);
      if (state.now == phase::open) {
        changed_.cancel_wait();
        ++state.pins;
        state.used = true;
        return state.handle;
      }
      mine = state.now == phase::closed && take_slot(file, evicted);
    }
    if (mine) {
      changed_.cancel_wait();
      evicted = {};
      return open_again(file);
    }
    if (!may_wait) {
      changed_.cancel_wait();
      return fail(errc::busy, "all shared descriptors are in use");
    }
    changed_.wait(key, {.reason = wait_reasons::handle});
  }
}

// The slot counts as taken meanwhile, so there is never one descriptor too many.
result<os_handle> descriptor_pool::open_again(parked_file& file) noexcept {
  result<os_handle> opened = file.os_->open(file.path_.data());
  if (opened) {
    const result<file_status> status = file.os_->status(*opened);
    if (!status || !is_same(file.status_, *status)) {
      file.os_->close(*opened);
      opened =
          status ? fail(errc::replaced, "the archive or folder has changed on disk; mount it again")
                 : tl::unexpected(status.error());
    }
  } else if (opened.error().code == errc::not_found) {
    opened = fail(errc::replaced, "the archive or folder is no longer on disk");
  }
  {
    const sync_detail::scoped_lock hold(lock_);
    pooled_file& state = of(file, lock_);
    if (opened) {
      state.now = phase::open;
      state.handle = *opened;
      state.pins = 1;
      state.used = true;
    } else {
      state.now = phase::closed;
      slots_[state.slot] = nullptr;
    }
  }
  changed_.notify_all();
  return opened;
}

void descriptor_pool::unpin(parked_file& file) noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    if (--of(file, lock_).pins > 0) return;
  }
  changed_.notify_all();
}

void descriptor_pool::forget(parked_file& file) noexcept {
  archives_detail::owned_handle last;
  {
    const sync_detail::scoped_lock hold(lock_);
    pooled_file& state = of(file, lock_);
    if (state.now != phase::open) return;
    state.now = phase::closing;
    last = archives_detail::owned_handle(*file.os_, state.handle);
  }
  // Before the slot is free, or another thread would open one descriptor too many.
  last = {};
  {
    const sync_detail::scoped_lock hold(lock_);
    pooled_file& state = of(file, lock_);
    slots_[state.slot] = nullptr;
    state.now = phase::closed;
  }
  changed_.notify_all();
}

result<void> parked_file::begin(descriptor_pool& pool, operating_system& os, const char* path,
                                const file_status& status) noexcept {
  pool_ = &pool;
  os_ = &os;
  status_ = status;
  // Store the canonical path: a relative one would break if the process changes its folder.
  char whole[2 * limits::path_bytes_max];
  if (os.canonical_path(path, whole)) path = whole;
  if (!path_.append(path, std::strlen(path) + 1)) {
    return fail(errc::out_of_memory, "out of memory for the mount");
  }
  return {};
}

}  // namespace overture::vfs_detail
