// SPDX-License-Identifier: Zlib
//
// The read queue without its threads: what is submitted, taken and ended, and which threads sleep.
//
//   submit() ──► read_inbox ──► read_schedule ──► a back end's thread ──► operation_runner
//                               what goes next    take_next()             open, read,
//                                                                         complete
//
// A back end asks for the next read, does it in its own way with runner(), and hands it back by
// asking for the next. One lock, taken once for each read (or bundle of reads), guards every
// decision; completions run outside of it. Submitted requests stay in the inbox until a thread
// holds the lock; every call whose answer depends on them sorts them in first.
//
// Why no request is lost: a thread that finds nothing adds itself to the sleepers under the lock,
// and sleeps while the word keeps the value it had there. A thread that adds a request under the
// lock changes the word and wakes one sleeper, if there is one. The next is woken only when that
// sleeper has looked for work and leaves some. One sleeper is offered to the inbox, where submit()
// finds it without the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "io/queue/file_errands.hpp"
#include "io/queue/gate_list.hpp"
#include "io/queue/operation_runner.hpp"
#include "io/queue/read_inbox.hpp"
#include "io/queue/reader_sleepers.hpp"
#include "io/queue/waiting_helpers.hpp"
#include "io/schedule/read_schedule.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/sync/barricade.hpp"
#include "sync/mutex.hpp"

namespace overture::io_detail {

class read_core final : public source_reader, private unpack_owner, private gate_owner {
 public:
  read_core(source_files& files, const read_queue_config& config,
            const bundle_rules& rules = {}) noexcept;
  ~read_core();
  read_core(const read_core&) = delete;
  read_core& operator=(const read_core&) = delete;

  // --- For read_queue ---
  void submit(std::span<read_request> requests, barricade* after = nullptr) noexcept
      EXCLUDES(lock_);
  bool set_priority(read_request& request, read_priority priority) noexcept EXCLUDES(lock_);
  bool set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept EXCLUDES(lock_);
  bool cancel(read_request& request) noexcept EXCLUDES(lock_);
  std::size_t cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept EXCLUDES(lock_);
  std::size_t set_tag_priority(std::uint64_t mask, std::uint64_t value,
                               read_priority priority) noexcept EXCLUDES(lock_);
  // `on_this_thread`: the caller closes the file, not a thread of the queue.
  std::size_t close_source(source_id id, bool on_this_thread) noexcept EXCLUDES(lock_);
  void open_ahead(source_id id) noexcept EXCLUDES(lock_);
  void mark_first_frame() noexcept EXCLUDES(lock_);
  void suspend() noexcept EXCLUDES(lock_);
  void resume() noexcept EXCLUDES(lock_);
  [[nodiscard]] bool is_suspended() noexcept EXCLUDES(lock_) {
    const sync_detail::scoped_lock hold(lock_);
    return schedule_.is_suspended();
  }
  // All three unpack while they wait. wait_until_idle() and wait_for_work() return when nothing is
  // outstanding, wait_for_work() also when a read could begin; wait_for() when the countdown is
  // done or, with `or_for_work`, when a read could begin.
  void wait_until_idle() noexcept EXCLUDES(lock_);
  void wait_for_work() noexcept EXCLUDES(lock_);
  void wait_for(const countdown& until, bool or_for_work) noexcept EXCLUDES(lock_);
  [[nodiscard]] bool idle() noexcept EXCLUDES(lock_);
  [[nodiscard]] read_queue_stats stats() noexcept EXCLUDES(lock_);
  void stop() noexcept EXCLUDES(lock_);
  // False if memory for that was refused.
  [[nodiscard]] bool can_unpack() const noexcept { return unpacks_ != nullptr; }

  // --- For source_files ---
  // has_own_files() reads flags that are set before a file is opened. Relaxed loads are enough: its
  // caller was refused a descriptor, and the system orders that after the opens that succeeded.
  [[nodiscard]] bool is_reading(source_id id) noexcept override EXCLUDES(lock_) {
    const sync_detail::scoped_lock hold(lock_);
    return schedule_.is_reading(id);
  }
  [[nodiscard]] bool has_own_files() noexcept override EXCLUDES(lock_) {
    const sync_detail::scoped_lock hold(lock_);
    return schedule_.has_own_files();
  }
  void notify_every_release(bool wanted) noexcept override EXCLUDES(lock_) {
    const sync_detail::scoped_lock hold(lock_);
    if (wanted) (void)schedule_.recall_all();
    schedule_.files().notify_every_release(wanted);
  }
  [[nodiscard]] reader_counts counts() noexcept override EXCLUDES(lock_) {
    const sync_detail::scoped_lock hold(lock_);
    return schedule_.files().counts();
  }

  // --- For back ends ---
  [[nodiscard]] const read_queue_config& config() const noexcept { return config_; }
  [[nodiscard]] operation_runner& runner() noexcept { return runner_; }
  // Ends the operation's last read and makes it the next one. False: there is nothing to read.
  [[nodiscard]] bool take_next(read_operation& op) noexcept EXCLUDES(lock_);
  // Ends its last read only.
  void leave(read_operation& op) noexcept EXCLUDES(lock_);
  // For back ends that sleep in their own way and provide a waker: as take_next(), but adds the
  // caller to the sleepers if there is nothing to read. `enlisted`: whether it is among them.
  enum class look_outcome : std::uint8_t { found, nothing, stopped, errand };
  [[nodiscard]] look_outcome take_next_or_enlist(read_operation& op, bool& enlisted) noexcept
      EXCLUDES(lock_);
  // The waker is called with the lock held. After this call the one before is not called again.
  void set_waker(void (*wake)(void* context) noexcept, void* context) noexcept EXCLUDES(lock_) {
    const sync_detail::scoped_lock hold(lock_);
    sleepers_.set_waker(wake, context);
  }
  // How many reads may be under way at a time; 0: as many as there are threads.
  [[nodiscard]] unsigned reads_at_once() noexcept EXCLUDES(lock_) {
    const sync_detail::scoped_lock hold(lock_);
    return schedule_.reads_at_once();
  }

  // --- For the back end of threads that block ---
  // How many reads a thread may take at once.
  [[nodiscard]] std::size_t bundle_reads() const noexcept { return bundle_reads_; }
  void add_bundle(read_bundle& of) noexcept EXCLUDES(lock_) {
    const sync_detail::scoped_lock hold(lock_);
    schedule_.add_bundle(of);
  }
  void remove_bundle(read_bundle& of) noexcept EXCLUDES(lock_) {
    const sync_detail::scoped_lock hold(lock_);
    schedule_.remove_bundle(of);
  }
  // Ends the claimed reads of the bundle and takes the next ones; sleeps until there are some.
  // False: stop() was called.
  [[nodiscard]] bool take_next_or_sleep(read_bundle& of) noexcept EXCLUDES(lock_);
  // Reports the reads of the bundle that have ended; the thread keeps the others.
  void settle(read_bundle& of) noexcept EXCLUDES(lock_);
  // Sorts in what was submitted, if anything was.
  void drain_inbox() noexcept EXCLUDES(lock_);

 private:
  // What is due once the lock is released.
  struct due_calls {
    bool reader = false;  // one sleeper is to be woken
    bool helpers = false;
    std::uint64_t expected_ns = 0;  // when the read that begins is likely to end
    ended_reads ended;
    read_request* refused = nullptr;  // cannot be queued
  };
  // Holds the lock; after its release, makes the calls that have become due.
  class SCOPED_CAPABILITY section {
   public:
    explicit section(read_core& core) noexcept ACQUIRE(core.lock_) : core_(core) {
      core.lock_.lock();
    }
    ~section() RELEASE() {
      core_.lock_.unlock();
      core_.act_on(due);
    }
    section(const section&) = delete;
    section& operator=(const section&) = delete;
    due_calls due;

   private:
    read_core& core_;
  };
  void act_on(const due_calls& due) noexcept EXCLUDES(lock_);

  // --- Requests ---
  void submit_locked(std::span<read_request> requests, std::uint64_t now_ns,
                     barricade* after) noexcept EXCLUDES(lock_);
  void sort_in() noexcept REQUIRES(lock_);
  [[nodiscard]] bool enqueue(read_request& request, std::uint64_t now_ns) noexcept REQUIRES(lock_);
  void hold_back(read_request& request, std::uint64_t now_ns, barricade& after,
                 read_gate*& fresh) noexcept REQUIRES(lock_);
  void let_through(read_gate& opened) noexcept override EXCLUDES(lock_);
  std::size_t end_cancelled(read_request* list) noexcept EXCLUDES(lock_);
  void end_refused(read_request* list) noexcept EXCLUDES(lock_);
  [[nodiscard]] result<void> take_destination(read_request& request) noexcept override {
    return runner_.completion().take_destination(request);
  }
  std::size_t unpacked(packed_item& item) noexcept override EXCLUDES(lock_);

  // --- Reads; of an operation, or of a bundle ---
  template <class Reads>
  [[nodiscard]] look_outcome look(Reads& of, file_errand& other, due_calls& due) noexcept
      REQUIRES(lock_);
  template <class Reads>
  [[nodiscard]] look_outcome look_or_enlist(Reads& of, bool& enlisted, std::uint32_t& seen) noexcept
      EXCLUDES(lock_);
  void run_errand(const file_errand& taken) noexcept EXCLUDES(lock_);
  void end_errand() noexcept EXCLUDES(lock_);

  // --- Wakes ---
  void call_offered(std::uint32_t sleepers) noexcept EXCLUDES(lock_);
  void call_for_waiting(due_calls& due) noexcept REQUIRES(lock_);
  void call_for_ended(due_calls& due) noexcept REQUIRES(lock_);
  void claim_reader(due_calls& due) noexcept REQUIRES(lock_) { due.reader |= sleepers_.claim(); }
  void call_helpers(due_calls& due) noexcept REQUIRES(lock_);
  void offer_reader(due_calls& due) noexcept REQUIRES(lock_);
  // What a thread waits for: any of these.
  struct goal {
    bool idle = false;  // nothing is outstanding
    bool work = false;  // a read could begin
    const countdown* counted = nullptr;
  };
  [[nodiscard]] bool is_reached(const goal& wanted) noexcept REQUIRES(lock_);
  void help_until(const goal& wanted) noexcept EXCLUDES(lock_);

  source_files& files_;
  const read_queue_config config_;
  const std::size_t bundle_reads_;
  const queue_clock clock_;
  unpack_queue* const unpacks_;  // null if memory for it was refused
  std::optional<buffer_pool> own_pool_;
  operation_runner runner_;

  read_inbox inbox_;
  reader_signal signal_;
  alignas(detail::line_bytes) sleep_word helper_word_;

  alignas(detail::line_bytes) sync_detail::mutex lock_;
  read_schedule schedule_ GUARDED_BY(lock_);
  read_inbox::receiver received_ GUARDED_BY(lock_){inbox_};
  reader_sleepers sleepers_ GUARDED_BY(lock_){signal_, received_};
  waiting_helpers helpers_ GUARDED_BY(lock_){helper_word_};
  gate_list gates_ GUARDED_BY(lock_);
  file_errands errands_ GUARDED_BY(lock_);
  bool stopping_ GUARDED_BY(lock_) = false;
};

}  // namespace overture::io_detail
