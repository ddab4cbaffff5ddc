// What all ways of reading share: who waits, who is in flight, who sleeps, and how requests end.
//
// A back end asks for the next read, does it in its own way, and hands it back. Everything that
// decides is under one lock, taken once for each read; completions run outside of it. What is
// submitted lies in an inbox (read_inbox.hpp) until somebody has the lock, and whoever asks for
// anything that depends on what waits takes it up first.
//
// Why no request is left lying: a thread that finds nothing notes itself as a sleeper under the
// lock and sleeps on the word that it saw there. Whoever adds a request under the lock and sees a
// sleeper moves the word on and wakes one. While that one is on its way nobody else is woken: it
// will look, and wakes the next if it leaves something behind. A sleeper that may be woken is
// offered to the inbox, where submit() finds it without the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "io/read_bundle.hpp"
#include "io/read_inbox.hpp"
#include "io/read_operation.hpp"
#include "io/request_store.hpp"
#include "io/thread_count.hpp"
#include "io/unpack_queue.hpp"
#include "overture/barricade.hpp"
#include "overture/function_ref.hpp"
#include "overture/read_queue.hpp"
#include "sync/mutex.hpp"

namespace overture::io_detail {

class read_core final : public source_reader {
 public:
  read_core(source_files& files, const read_queue_config& config,
            const bundle_rules& rules = {}) noexcept;
  ~read_core();
  read_core(const read_core&) = delete;
  read_core& operator=(const read_core&) = delete;

  // --- Of read_queue ---
  void submit(std::span<read_request> requests, barricade* after = nullptr) noexcept;
  bool set_priority(read_request& request, read_priority priority) noexcept;
  bool set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept;
  bool cancel(read_request& request) noexcept;
  std::size_t cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept;
  // At once: the file is closed by this thread, not by one of the queue.
  std::size_t close_source(source_id id, bool at_once) noexcept;
  void open_ahead(source_id id) noexcept;
  void mark_first_frame() noexcept;
  void suspend() noexcept;
  void resume() noexcept;
  // Returns once nothing is outstanding, or the countdown is at zero, or, for a host that is to
  // read by itself, a read could begin; unpacks meanwhile.
  void wait_until_idle() noexcept {
    help_until([this] { return outstanding_ == 0; }, false);
  }
  void wait_for_work() noexcept;
  void wait_for(const countdown& until, bool or_for_work) noexcept;
  [[nodiscard]] bool idle() noexcept;
  [[nodiscard]] read_queue_stats stats() noexcept;

  // --- Of source_files ---
  [[nodiscard]] bool is_reading(source_id id) noexcept override;
  [[nodiscard]] bool has_own_files() noexcept override;
  void notify_every_release(bool wanted) noexcept override;
  [[nodiscard]] reader_counts counts() noexcept override;

  // --- Of back ends ---
  // Serves the queue with reads that block, until stop().
  void serve() noexcept;
  void stop() noexcept;
  // Ends the operation's last read and makes it the next one. False: there is none.
  [[nodiscard]] bool next(read_operation& op) noexcept;
  // Ends its last read only.
  void leave(read_operation& op) noexcept;
  // As next(), but sleeps until there is one. False: stop() was called.
  [[nodiscard]] bool next_or_sleep(read_bundle& of) noexcept;
  // For back ends that sleep in their own way, and give a waker() to end that: as next(), but notes
  // the caller among the sleepers if there is nothing to read. `noted` says whether it is there.
  enum class turn : std::uint8_t { found, nothing, stopped, errand };
  // `seen` is the word that it may sleep on then.
  [[nodiscard]] turn next_or_note(read_operation& op, bool& noted, std::uint32_t& seen) noexcept {
    return next_or_note_of(op, noted, seen);
  }
  // The waker is called under the lock. Behind this call the one before is not called any more.
  void set_waker(void (*wake)(void* context) noexcept, void* context) noexcept;
  // Opens the file. ended: the operation has ended with an error. busy: too many are open, and only
  // the end of another read can change that.
  enum class opening : std::uint8_t { open, ended, busy };
  [[nodiscard]] opening open(read_operation& op, bool may_wait) noexcept;
  // For back ends that open, read and close in one go. open: there is room for the bytes, and
  // `path` names the file, which is open nowhere. ended: as above. busy: open() is the way.
  [[nodiscard]] opening open_by_path(read_operation& op, const char*& path) noexcept;
  // As open(), where that has come to nothing.
  [[nodiscard]] opening open_after_all(read_operation& op, bool may_wait) noexcept;
  // Reads all of it, blocking; the last one has opened it.
  void perform(read_operation& op) noexcept;
  void perform(read_bundle& of) noexcept;
  void read_here(read_operation& op) noexcept;
  // A read of the operation has ended: bytes, or minus errno. True: the operation has ended, false:
  // the rest of it is to be read.
  [[nodiscard]] bool advance(read_operation& op, std::int64_t outcome) noexcept;
  void finish(read_operation& op, const result<void>& outcome) noexcept;

  // How many reads there may be at a time; 0: as many as there are threads.
  [[nodiscard]] unsigned reads_at_once() noexcept;

  // --- Of unpacking ---
  // Whether packed bytes are unpacked by those who poll.
  [[nodiscard]] bool unpacks_here() const noexcept {
    return config_.disk || (config_.run_by_host && !config_.unpacks_on);
  }
  // False if memory for that was refused.
  [[nodiscard]] bool can_unpack() const noexcept { return desk_ != nullptr; }
  // Unpacks all that waits, on this thread; how many requests have completed.
  std::size_t unpack_here() noexcept;
  // Gives the request its buffer if it is not to have the caller's. Error: out_of_memory.
  [[nodiscard]] result<void> take_destination(read_request& request) noexcept;
  // Ends the item and its requests; how many.
  std::size_t unpacked(packed_item& item) noexcept;

  [[nodiscard]] std::uint64_t now() const noexcept;
  [[nodiscard]] const read_queue_config& config() const noexcept { return config_; }

 private:
  // A request that waits for a barricade, and what is registered there; that stays until the
  // barricade is lowered, whatever becomes of the request.
  struct gate {
    barricade_continuation registered;
    read_core* core = nullptr;
    unpack_queue* desk = nullptr;     // holds a reference
    read_request* request = nullptr;  // null once it was given up
    barricade* after = nullptr;
    gate* next_fresh = nullptr;
    gate* before = nullptr;
    gate* behind = nullptr;
  };
  [[nodiscard]] gate* make_gate(read_request& request, barricade& after) noexcept;
  static void open_gate(void* raw) noexcept;
  void let_through(gate& opened) noexcept;
  void unlink(gate& left) noexcept;
  // Gives up those that match, and puts them in front of the list.
  template <class Matches>
  void remove_gated(Matches matches, read_request*& list) noexcept {
    for (gate* each = gated_; each;) {
      gate& now = *each;
      each = now.behind;
      if (!matches(*now.request)) continue;
      read_request& request = *now.request;
      unlink(now);
      request.next = list;
      list = &request;
    }
  }
  // The way of a request that was never read.
  [[nodiscard]] bool enqueue(read_request& request, std::uint64_t now_at) noexcept;
  // Under the lock: what was submitted until now stands in the queue behind this.
  void take_up() noexcept;
  // Without the lock; wakes whom that has work for.
  void take_up_and_call() noexcept;
  void take_in(read_request& request, std::uint64_t now_at) noexcept;
  // Its outcome says why; it is ended outside of the lock.
  void refuse(read_request& request) noexcept;
  // Registered behind the lock, with all that are `fresh`.
  void hold_back(read_request& request, std::uint64_t now_at, barricade& after,
                 gate*& fresh) noexcept;
  void note_submitted(std::size_t count) noexcept;
  // With the lock; as submit() does where that is not enough.
  void submit_locked(std::span<read_request> requests, std::uint64_t now_at,
                     barricade* after) noexcept;
  void call(std::uint32_t who) noexcept;
  void register_gates(gate* fresh) noexcept;
  void end_refused(read_request* list, std::uint64_t now_at) noexcept;

  static constexpr std::size_t bundle_max = 8;
  struct wakes {
    bool worker = false;
    bool helpers = false;
    std::uint64_t expected_ns = 0;  // when the read that begins will end
    std::uint32_t left_count = 0;
    source_id left[bundle_max];       // whose reads have ended, if somebody waits for that
    read_request* refused = nullptr;  // that cannot be queued
  };
  void send(const wakes& due) noexcept;
  void call_for_queued(wakes& due) noexcept;
  // `seen`: what it may sleep on. False: it has to look again, and is not noted.
  [[nodiscard]] bool note_asleep(std::uint32_t& seen) noexcept;
  void note_woken() noexcept;
  // A woken thread that has taken the processor away from submit() lets that end its call.
  void give_way_to_submit() const noexcept;
  // Whether there is somebody to wake, and how.
  void claim_sleeper(wakes& due) noexcept;
  void wake_claimed(wakes& due) noexcept;
  [[nodiscard]] bool is_waking() noexcept;
  // Under the lock, behind all that changes who sleeps and who may read. False: something was
  // submitted that nobody was called for.
  [[nodiscard]] bool offer_sleeper() noexcept;
  void offer_sleeper(wakes& due) noexcept;
  // What threads of the queue do for a file besides reading.
  struct errand {
    source_id source;
    bool closes = false;
  };
  [[nodiscard]] bool leave_to_close(source_id id) noexcept;
  void leave_to_open(source_id id) noexcept;
  [[nodiscard]] bool take_errand(errand& taken, bool closes) noexcept;
  // Of an operation, or of a bundle.
  template <class Reads>
  [[nodiscard]] turn look(Reads& of, errand& other, wakes& due) noexcept;
  template <class Reads>
  [[nodiscard]] turn next_or_note_of(Reads& of, bool& noted, std::uint32_t& seen) noexcept;
  void run_errand(const errand& taken) noexcept;
  void retire(read_operation& op, wakes& due) noexcept;
  void unlink(read_operation& op) noexcept;
  // In read_bundles.cpp.
  void retire(read_bundle& of, wakes& due) noexcept;
  void retire_until(read_bundle& of, std::size_t end, wakes& due) noexcept;
  void settle(read_bundle& of) noexcept;
  [[nodiscard]] bool take(read_bundle& of, wakes& due) noexcept;
  [[nodiscard]] static bool may_take(const read_operation&) noexcept { return true; }
  [[nodiscard]] bool may_take(const read_bundle&) const noexcept { return may_read_more(); }
  [[nodiscard]] std::size_t fetched_ahead() const noexcept;
  void open_ahead(read_bundle& of) noexcept;
  void close_ahead(read_bundle& of) noexcept;
  [[nodiscard]] bool take_another(read_bundle& of, std::size_t at, std::uint64_t now_at) noexcept;
  void begin_claimed(read_bundle& of, std::uint64_t begun_ns) noexcept;
  bool recall_all() noexcept;
  void recall_outranked() noexcept;
  void recall(read_operation& op) noexcept;
  void stand_again(read_request& request, std::uint8_t level) noexcept;
  // Whether one more thread may read.
  [[nodiscard]] bool may_read_more() const noexcept {
    return thread_rules_.most == 0 || reading_ < search_.count;
  }
  void ask_disk(std::uint64_t now_at) noexcept;
  void end_errand() noexcept;
  [[nodiscard]] result<open_source> open_file(read_operation& op, bool may_wait) noexcept;
  void call_helpers(wakes& due) noexcept;
  void count_out(const read_tally& tally, wakes& due) noexcept;
  void help_until(function_ref<bool()> is_over, bool hears_countdowns) noexcept;
  [[nodiscard]] bool can_take() noexcept;
  [[nodiscard]] request_store& store_of(const read_request& request) noexcept {
    return request.method == compression::none ? stored_ : packed_;
  }
  [[nodiscard]] std::size_t queued() const noexcept { return stored_.size() + packed_.size(); }
  [[nodiscard]] bool fits(const read_request& packed) const noexcept {
    return packed_bytes_ == 0 || (packed_bytes_ < config_.packed_bytes_max &&
                                  packed.packed_bytes <= config_.packed_bytes_max - packed_bytes_);
  }
  [[nodiscard]] read_request* choose(std::uint64_t now_at) noexcept;
  void begin_member(read_operation& op, read_request& request) noexcept;
  void begin_read(read_operation& op, read_request& chosen, std::uint8_t level,
                  std::uint64_t now_at) noexcept;
  [[nodiscard]] bool take(read_operation& op, wakes& due) noexcept;
  [[nodiscard]] bool share(read_request& request) noexcept;
  void merge_neighbours(read_operation& op, read_request& first, std::uint8_t level) noexcept;
  [[nodiscard]] bool show(read_operation& op) noexcept;
  [[nodiscard]] result<void> make_room(read_operation& op) noexcept;
  [[nodiscard]] result<void> read_alone(read_operation& op, std::size_t member) noexcept;
  [[nodiscard]] executor* who_unpacks(const read_request& request) const noexcept {
    return config_.unpacks_on ? config_.unpacks_on : request.on;
  }
  [[nodiscard]] result<void> check(const read_request& request) const noexcept;
  void copy_from(read_request& follower, const read_request& twin) noexcept;
  void end_followers(read_operation& op, std::uint64_t finished_ns) noexcept;
  void put_to_unpack(read_operation& op) noexcept;
  // Nothing of the request may be touched behind end().
  void end(read_tally& sum, read_request& request, std::uint64_t finished_ns,
           held_counts* counts = nullptr) noexcept;
  static void count(read_tally& sum, const read_request& request,
                    std::uint64_t finished_ns) noexcept;
  std::size_t give_up(read_request* list) noexcept;

  source_files& files_;
  const read_queue_config config_;
  const bundle_rules rules_;
  const thread_rules thread_rules_;  // most = 0: all threads read

  alignas(64) mutex lock_;  // guards everything below but the words
  request_store stored_;    // two, so that packed ones can wait for room while others go on
  request_store packed_;
  read_operation* in_flight_ = nullptr;
  std::uint16_t in_flight_of_[64] = {};  // by the last bits of the source
  read_bundle* bundles_ = nullptr;       // of all threads that serve
  std::uint32_t bundle_count_ = 0;
  std::uint32_t open_bundles_ = 0;   // of which some may be recalled
  std::uint8_t open_level_ = 0;      // the lowest of them
  read_request* refused_ = nullptr;  // that cannot be queued; the next thread that reads ends them
  disk_position head_;
  std::uint64_t outstanding_ = 0;  // submitted and not completed
  std::uint32_t sleepers_ = 0;
  bool waking_ = false;   // a sleeper is on its way, see is_waking()
  bool offered_ = false;  // or was offered to the inbox, and may be by now
  bool suspended_ = false;
  bool has_frame_ = false;
  bool stopping_ = false;
  gate* gated_ = nullptr;
  std::uint64_t gated_count_ = 0;
  vec<errand> errands_;
  std::size_t closings_ = 0;                        // among them
  void (*wake_)(void* context) noexcept = nullptr;  // instead of the wait layer
  void* wake_context_ = nullptr;
  std::uint64_t packed_bytes_ = 0;       // of packed requests that are read or unpacked
  std::uint32_t helpers_ = 0;            // sleep on the word in help_until()
  std::uint32_t countdown_waiters_ = 0;  // of those
  read_queue_stats stats_;
  std::uint64_t usual_service_ns_ = 0;  // of the reads that ended lately
  thread_search search_;
  unsigned reading_ = 0;  // threads that have taken something
  struct {
    std::uint64_t begin_ns = 0;
    std::uint64_t bytes = 0;
    std::uint64_t reads = 0;
    bool kept_busy = true;
  } period_;                // of which the disk is asked
  unsigned own_files_ = 0;  // operations that may open one for themselves yet
  reader_counts file_counts_;
  bool notifies_all_ = false;
  bool is_known_ = false;  // to the files, as a reader that can be asked; never changes

  alignas(64) atomic<std::uint32_t> work_word_{0};  // moves on when a sleeper is to look
  atomic<std::uint32_t> drain_word_{0};             // moves on when a helper is to look

  read_inbox inbox_;
  // On which processor submit() is waking a thread, + 1; 0: on none. A hint.
  alignas(64) atomic<std::uint32_t> calling_on_{0};

  unpack_queue* desk_ = nullptr;
  std::optional<buffer_pool> own_pool_;
  buffer_pool* pool_ = nullptr;
};

}  // namespace overture::io_detail
