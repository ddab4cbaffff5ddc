// What is mounted, how it changes, and when what is gone may be freed.
//
// Readers go by the current snapshot, which does not change. A change makes the next one beside it
// and puts it in its place in one step. What the old one does not share with the new one is freed
// when the readers of that time have left, a mount when its last open file is closed besides: by
// whoever leaves or closes last, or by the next change.
#pragma once

#include <cstdint>
#include <span>

#include "base/vec.hpp"
#include "overture/atomic.hpp"
#include "sync/mutex.hpp"
#include "vfs/live_index.hpp"
#include "vfs/mount.hpp"
#include "vfs/reader_pins.hpp"
#include "vfs/sources.hpp"

namespace overture::vfs {

struct snapshot {
  explicit snapshot(allocator& memory) noexcept
      : mounts(memory, memory_tag::vfs),
        writable(memory, memory_tag::vfs),
        positions(memory, memory_tag::vfs),
        index(memory) {}

  [[nodiscard]] const mount* find(mount_id id) const noexcept;
  // Of those that are mounted the winner over all has 0.
  [[nodiscard]] std::size_t precedence(const mount& one) const noexcept {
    const std::size_t at = positions[one.pins];
    return first_wins ? at : mounts.size() - 1 - at;
  }
  // Whether look-ups must look beside the index, at what was written since it was made.
  [[nodiscard]] bool has_written(const asset_path& path) const noexcept {
    for (const mount* const each : writable) {
      if (each->written.find(path)) return true;
    }
    return false;
  }

  vec<mount*> mounts;
  vec<const mount*> writable;    // those of the mounts that are
  vec<std::uint32_t> positions;  // of the mounts, by their numbers in reader_pins
  bool first_wins = false;
  live_index index;

  // Of one that has been replaced.
  std::uint64_t epoch = 0;
  live_block* replaced = nullptr;
  mount* departing = nullptr;
  snapshot* next = nullptr;
};

// A mount that is made but not mounted yet.
struct made_mount {
  mount* made = nullptr;
  mount_id wins_over;
  mount_id loses_to;
};

class configuration {
 public:
  explicit configuration(const file_system_config& config) noexcept;
  ~configuration();
  configuration(const configuration&) = delete;
  configuration& operator=(const configuration&) = delete;

  // False if there was no memory to begin with.
  [[nodiscard]] bool usable() const noexcept { return current_.load() != nullptr; }

  // Opens what is to be mounted and reads its directory; no lock.
  [[nodiscard]] result<made_mount> make(const mount_request& request) noexcept;
  // Ends one that never came to be mounted.
  void discard(mount* made) noexcept;
  // All of it or, with an error, nothing. `may_change` is asked once, while nothing else changes.
  [[nodiscard]] result<void> change(std::span<const mount_id> out, std::span<const made_mount> in,
                                    function_ref<bool()> may_change) noexcept;
  // Calls `act` while nothing changes.
  void hold(function_ref<void(const snapshot&)> act) noexcept;

  // Reading, any thread. Between enter() and leave() the current snapshot and all that is in it
  // stay; a stripe is of one thread.
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
  // A file of a mount is open; pin() between enter() and leave(), or while nothing can change.
  void pin(const mount& used) noexcept { pins_.pin(used.pins); }
  void unpin(const mount& used) noexcept {
    pins_.unpin(used.pins);
    if (draining_count_.load() != 0) collect();
  }

  [[nodiscard]] source_table& sources() noexcept { return sources_; }
  [[nodiscard]] const source_table& sources() const noexcept { return sources_; }

 private:
  [[nodiscard]] result<void> derive(snapshot& next, std::span<const mount_id> out,
                                    std::span<const made_mount> in, mount*& departing) noexcept
      REQUIRES(changing_);
  [[nodiscard]] result<void> place(vec<mount*>& mounts, const made_mount& added) const noexcept;
  [[nodiscard]] result<void> give_numbers(snapshot& next, std::span<const made_mount> in) noexcept
      REQUIRES(changing_);
  // The positions of the mounts, which all have their numbers.
  [[nodiscard]] static bool number_positions(snapshot& next) noexcept;
  void publish(snapshot* next, mount* departing) noexcept REQUIRES(changing_);
  void collect() noexcept;
  mount* take_unused() noexcept REQUIRES(changing_);
  void end(mount* ended) noexcept;

  file_system_config config_;
  allocator& memory_;
  reader_pins pins_;
  source_table sources_;
  descriptor_pool descriptors_;
  atomic<snapshot*> current_{nullptr};
  atomic<std::uint64_t> retired_epoch_{0};  // the last of those waiting for readers; 0: none
  atomic<std::uint32_t> draining_count_{0};
  atomic<std::uint32_t> next_id_{0};
  atomic<bool> collect_wanted_{false};

  mutex changing_;
  snapshot* oldest_retired_ GUARDED_BY(changing_) = nullptr;
  snapshot* newest_retired_ GUARDED_BY(changing_) = nullptr;
  mount* draining_ GUARDED_BY(changing_) = nullptr;  // unmounted, but with open files
  std::uint64_t numbers_[reader_pins::numbers_max / 64] GUARDED_BY(changing_) = {};
};

// Makes a mount of what the request names, but for its id and source. Errors: those of
// file_system::mount().
[[nodiscard]] result<void> fill_mount(mount& made, const mount_request& request,
                                      const file_system_config& config,
                                      descriptor_pool& descriptors) noexcept;

}  // namespace overture::vfs
