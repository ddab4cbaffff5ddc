// SPDX-License-Identifier: Zlib
//
// The table of mounts: what is mounted, how that changes, and when old memory is freed.
//
// Readers use the current snapshot, which is immutable. A change builds the next snapshot and
// publishes it in one step. Memory that only the old snapshot uses is freed when all its readers
// have left; a mount also stays until its last open file is closed. The last reader to leave, the
// last file to close, or the next change does the freeing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/vec.hpp"
#include "overture/base/atomic.hpp"
#include "sync/mutex.hpp"
#include "vfs/mounts/mount.hpp"
#include "vfs/mounts/reader_pins.hpp"
#include "vfs/mounts/sources.hpp"
#include "vfs/tree/live_index.hpp"

namespace overture::vfs_detail {

struct snapshot {
  explicit snapshot(allocator& memory) noexcept
      : mounts(memory, memory_tag::vfs),
        changing(memory, memory_tag::vfs),
        positions(memory, memory_tag::vfs),
        index(memory) {}

  [[nodiscard]] const mount* find(mount_id id) const noexcept;
  // A mount's priority: 0 is the highest.
  [[nodiscard]] std::size_t precedence(const mount& one) const noexcept {
    const std::size_t at = positions[one.pins];
    return first_wins ? at : mounts.size() - 1 - at;
  }
  [[nodiscard]] bool names_change(const mount& one) const noexcept {
    return std::find(changing.begin(), changing.end(), &one) != changing.end();
  }
  // Whether the index may be out of date for this path, because it was changed in a mount.
  [[nodiscard]] bool has_written(const asset_path& path) const noexcept {
    for (const mount* const each : changing) {
      if (each->written.find(path)) return true;
    }
    return false;
  }

  base_detail::vec<mount*> mounts;
  base_detail::vec<const mount*> changing;    // those whose names change
  base_detail::vec<std::uint32_t> positions;  // positions in `mounts`, by mount::pins
  bool first_wins = false;
  live_index index;

  // Once this snapshot has been replaced:
  std::uint64_t epoch = 0;
  live_block* replaced = nullptr;
  mount* departing = nullptr;
  snapshot* next = nullptr;
};

// A mount that has been opened and listed, but is not in the tree yet.
struct prepared_mount {
  vfs_detail::mount* mount = nullptr;
  mount_id id;  // of `mount`, which another thread may unmount once it is in the table
  mount_id wins_over;
  mount_id loses_to;
};

class mount_table {
 public:
  explicit mount_table(const file_system_config& config) noexcept;
  ~mount_table();
  mount_table(const mount_table&) = delete;
  mount_table& operator=(const mount_table&) = delete;

  // False if the constructor ran out of memory.
  [[nodiscard]] bool usable() const noexcept { return current_.load() != nullptr; }

  // Opens a folder or archive and reads its directory. Takes no lock.
  [[nodiscard]] result<prepared_mount> prepare(const mount_request& request) noexcept;
  // Destroys a prepared mount that change() has not taken, without the call to its `release`.
  void discard(mount* prepared) noexcept;
  // Unmounts `out` and mounts `in`, or changes nothing and returns an error. Calls `may_change`
  // once, under the lock; if it returns false, the error is `frozen`.
  [[nodiscard]] result<void> change(std::span<const mount_id> out,
                                    std::span<const prepared_mount> in,
                                    function_ref<bool()> may_change) noexcept;
  // From now on look-ups also ask what was noted in mount::written of this mount. Calls
  // `may_change` like change(). Errors: not_found, frozen, out_of_memory.
  [[nodiscard]] result<void> let_names_change(mount_id of,
                                              function_ref<bool()> may_change) noexcept;
  // Calls `act` under the lock, so that nothing changes meanwhile.
  void hold(function_ref<void(const snapshot&)> act) noexcept;

  // Reading, from any thread. Between enter() and leave() the current snapshot and everything in it
  // stay alive. Leave on the thread that entered.
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
  // Keeps a mount alive while one of its files is open. Call pin() between enter() and leave(), or
  // while nothing can change.
  void pin(const mount& used) noexcept { pins_.pin(used.pins); }
  void unpin(const mount& used) noexcept {
    pins_.unpin(used.pins);
    if (draining_count_.load() != 0) collect();
  }

  [[nodiscard]] source_table& sources() noexcept { return sources_; }
  [[nodiscard]] const source_table& sources() const noexcept { return sources_; }

 private:
  [[nodiscard]] result<void> derive(snapshot& next, std::span<const mount_id> out,
                                    std::span<const prepared_mount> in, mount*& departing) noexcept
      REQUIRES(changing_);
  [[nodiscard]] result<void> insert(base_detail::vec<mount*>& mounts,
                                    const prepared_mount& added) const noexcept;
  [[nodiscard]] result<void> assign_numbers(snapshot& next,
                                            std::span<const prepared_mount> in) noexcept
      REQUIRES(changing_);
  // Fills snapshot::positions. All mounts have their numbers.
  [[nodiscard]] static bool number_positions(snapshot& next) noexcept;
  void publish(snapshot* next, mount* departing) noexcept REQUIRES(changing_);
  void collect() noexcept;
  mount* take_unused() noexcept REQUIRES(changing_);
  void destroy(mount* gone) noexcept;

  file_system_config config_;
  allocator& memory_;
  reader_pins pins_;
  source_table sources_;
  descriptor_pool descriptors_;
  atomic<snapshot*> current_{nullptr};
  atomic<std::uint64_t> retired_epoch_{0};  // of the last snapshot that waits for readers; 0 = none
  atomic<std::uint32_t> draining_count_{0};
  atomic<std::uint32_t> next_id_{0};
  atomic<bool> collect_wanted_{false};

  sync_detail::mutex changing_;
  snapshot* oldest_retired_ GUARDED_BY(changing_) = nullptr;
  snapshot* newest_retired_ GUARDED_BY(changing_) = nullptr;
  mount* draining_ GUARDED_BY(changing_) = nullptr;  // unmounted mounts with open files
  std::uint64_t numbers_[reader_pins::numbers_max / 64] GUARDED_BY(changing_) = {};
};

// Opens and lists what the request names; leaves id and source unset. Errors: those of
// file_system::mount().
[[nodiscard]] result<void> scan_mount(mount& made, const mount_request& request,
                                      const file_system_config& config,
                                      descriptor_pool& descriptors) noexcept;

}  // namespace overture::vfs_detail
