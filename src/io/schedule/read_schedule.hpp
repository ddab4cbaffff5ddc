// SPDX-License-Identifier: Zlib
//
// The order of a queue's reads: which wait, which are taken, and how many threads may read.
//
// take() turns waiting requests into the next operation, retire() ends it. A thread may take
// several reads at once as a bundle. Those it has not begun go back to the queue whenever the order
// may have changed: when a more urgent request comes, one is cancelled, or a thread has nothing to
// do.
//
// One thread at a time: read_core holds its lock around every call. Nothing here blocks, sleeps or
// wakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "io/schedule/bundle_table.hpp"
#include "io/schedule/file_ledger.hpp"
#include "io/schedule/queue_clock.hpp"
#include "io/schedule/read_counters.hpp"
#include "io/schedule/reads_in_flight.hpp"
#include "io/schedule/thread_sizing.hpp"
#include "io/schedule/waiting_requests.hpp"

namespace overture::io_detail {

// What has ended, so that read_core wakes the threads that wait for it.
struct ended_reads {
  bool completed = false;        // a request has
  bool brought_to_zero = false;  // a countdown
  bool put_to_unpack = false;    // there is something to unpack
  bool freed_packed = false;     // packed requests may have room now
  // Files whose read has ended; source_files::released() is to be called for each.
  std::uint32_t released_count = 0;
  source_id released[bundle_reads_max];
};

class read_schedule {
 public:
  read_schedule(const read_queue_config& config, const bundle_rules& rules) noexcept;

  // --- Requests ---
  // False: memory was refused.
  [[nodiscard]] bool add(read_request& request, std::uint64_t now_ns) noexcept {
    return waiting_.add(request, now_ns);
  }
  // Call this after adding requests: that many more are outstanding.
  void note_submitted(std::size_t count) noexcept {
    counters_.note_submitted(count);
    recall_outranked();
  }
  // False if it no longer waits.
  [[nodiscard]] bool remove(read_request& request) noexcept;
  template <class Visit>
  void remove_tagged(std::uint64_t mask, std::uint64_t value, Visit visit) noexcept {
    (void)recall_all();
    waiting_.remove_tagged(mask, value, visit);
  }
  template <class Visit>
  void remove_source(source_id source, Visit visit) noexcept {
    (void)recall_all();
    waiting_.remove_source(source, visit);
  }
  // False if it no longer waits, or if memory was refused.
  [[nodiscard]] bool set_priority(read_request& request, read_priority priority,
                                  std::uint64_t now_ns) noexcept;
  // Of all with this tag; returns how many. Those for which memory was refused stay as they are.
  [[nodiscard]] std::size_t set_tag_priority(std::uint64_t mask, std::uint64_t value,
                                             read_priority priority, std::uint64_t now_ns) noexcept;
  [[nodiscard]] bool set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept;
  // Takes a request that cannot be queued; its outcome says why. A reading thread completes it.
  void refuse(read_request& request) noexcept {
    request.next = refused_;
    refused_ = &request;
  }
  [[nodiscard]] bool has_refused() const noexcept { return refused_ != nullptr; }
  [[nodiscard]] read_request* take_refused() noexcept { return std::exchange(refused_, nullptr); }

  // --- Reads ---
  // No read is taken while suspended.
  void suspend() noexcept {
    (void)recall_all();
    suspended_ = true;
  }
  void resume() noexcept { suspended_ = false; }
  [[nodiscard]] bool is_suspended() const noexcept { return suspended_; }
  // Whether a request waits that may be read; whether one more thread may read.
  [[nodiscard]] bool has_waiting() const noexcept { return !suspended_ && waiting_.size() > 0; }
  [[nodiscard]] bool has_waiting_packed() const noexcept {
    return !suspended_ && waiting_.has_packed();
  }
  [[nodiscard]] bool may_read_more() const noexcept { return !suspended_ && sizing_.may_begin(); }
  // Whether take() would find something.
  [[nodiscard]] bool can_take() noexcept {
    return !suspended_ && waiting_.has_choice(clock_.now());
  }
  // Takes the next read, or the next few. False: there is nothing to read. If nothing waits,
  // recalls reads that other threads have taken and not begun.
  [[nodiscard]] bool take(read_operation& op) noexcept {
    return take_waiting(op) || (recall_all() && take_waiting(op));
  }
  [[nodiscard]] bool take(read_bundle& of) noexcept {
    return sizing_.may_begin() && (take_waiting(of) || (recall_all() && take_waiting(of)));
  }
  // When the read is likely to end; 0 = not known.
  [[nodiscard]] std::uint64_t expected_end_ns(const read_operation& op) const noexcept {
    const std::uint64_t usual_ns = counters_.usual_read_ns();
    return usual_ns != 0 ? op.started_ns + usual_ns : 0;
  }
  [[nodiscard]] std::uint64_t expected_end_ns(read_bundle& of) const noexcept {
    return expected_end_ns(of.at(0));
  }
  // Ends the operation, if it was ever taken.
  void retire(read_operation& op, ended_reads& ended) noexcept;
  // Ends all reads of the bundle that its thread has claimed.
  void retire(read_bundle& of, ended_reads& ended) noexcept;
  // Ends the first `end` reads of the bundle.
  void retire_until(read_bundle& of, std::size_t end, ended_reads& ended) noexcept;
  // Counts requests that have completed in another way than by the end of an operation.
  void account(const read_tally& tally, ended_reads& ended) noexcept;
  // Recalls reads that have not begun. False: there were none.
  bool recall_all() noexcept;

  // --- The threads and their files ---
  void add_bundle(read_bundle& of) noexcept { bundles_.add(of); }
  void remove_bundle(read_bundle& of) noexcept { bundles_.remove(of); }
  // How many reads may be under way at a time; 0: any number.
  [[nodiscard]] unsigned reads_at_once() const noexcept {
    return sizing_.is_sized() ? sizing_.count() : 0;
  }
  [[nodiscard]] file_ledger& files() noexcept { return files_; }
  // Whether a read of the file is under way. If so, source_files::released() will be called.
  [[nodiscard]] bool is_reading(source_id id) noexcept;
  [[nodiscard]] bool has_own_files() const noexcept;

  [[nodiscard]] read_counters& counters() noexcept { return counters_; }
  // Fills the fields that this class knows.
  [[nodiscard]] read_queue_stats stats() const noexcept;

 private:
  [[nodiscard]] bool take_waiting(read_operation& op) noexcept;
  [[nodiscard]] bool take_waiting(read_bundle& of) noexcept;
  [[nodiscard]] bool take_another(read_bundle& of, std::size_t at, std::uint64_t now_ns) noexcept;
  [[nodiscard]] std::size_t fetched_ahead() const noexcept;
  [[nodiscard]] bool share(read_request& request) noexcept;
  void begin(read_operation& op, read_request& chosen, std::uint8_t level,
             std::uint64_t now_ns) noexcept;
  void recall_outranked() noexcept;
  void recall(read_operation& op) noexcept;
  void put_back(read_request& request, std::uint8_t level) noexcept;

  const bundle_rules rules_;
  const queue_clock clock_;
  const unsigned threads_;

  waiting_requests waiting_;
  bool suspended_ = false;
  read_request* refused_ = nullptr;
  reads_in_flight in_flight_;
  bundle_table bundles_;
  thread_sizing sizing_;
  file_ledger files_;
  read_counters counters_;
};

}  // namespace overture::io_detail
