#include "io/read_core.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "overture/io/simulated_disc.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"
#include "sync/wait.hpp"

namespace overture::io {

namespace {

thread_rules rules_of(const read_queue_config& config) noexcept {
  thread_rules rules;
  const bool sized = config.threads_max > config.threads && !config.run_by_host;
  rules.fewest = std::max(config.threads, 1u);
  rules.most = sized ? config.threads_max : 0;
  if (config.disc) rules.memory_ns = 0;
  return rules;
}

}  // namespace

read_core::read_core(source_files& files, const read_queue_config& config,
                     const bundle_rules& rules) noexcept
    : files_(files),
      config_(config),
      rules_(rules),
      thread_rules_(rules_of(config)),
      stored_(*config.memory, {.ageing_ns = config.ageing_ns, .danger_ns = config.danger_ns}),
      packed_(*config.memory, {.ageing_ns = config.ageing_ns, .danger_ns = config.danger_ns}),
      errands_(*config.memory, memory_tag::io),
      desk_(unpack_desk::make(*config.memory)),
      pool_(config.pool) {
  search_.count = search_.best = thread_rules_.fewest;
  if (!pool_) pool_ = &own_pool_.emplace(buffer_pool_config{.memory = config.memory});
  // What a host's own thread completes may wait for a file that it has read itself, and such a read
  // ends only behind its completions.
  if (config.run_by_host || config.disc) return;
  const bool ring = config.backend == read_backend::uring;
  const unsigned at_once = std::max({config.threads, config.threads_max, ring ? config.depth : 0});
  const auto ahead = static_cast<unsigned>(rules.files_ahead);
  const source_files::reader_terms terms = files.add_reader(*this, at_once, ring ? 0 : ahead);
  is_known_ = terms.is_known;
  own_files_ = terms.own_files;
}

read_core::~read_core() {
  if (is_known_) files_.remove_reader(*this);
  if (desk_) desk_->retire();
}

std::uint64_t read_core::now() const noexcept {
  return config_.disc ? config_.disc->now_ns() : now_ns();
}

// --- Requests come and go ------------------------------------------------------------------------

bool read_core::enqueue(read_request& request, std::uint64_t now_at) noexcept {
  result<void> fits = check(request);
  if (fits && !store_of(request).add(request, now_at)) {
    fits = fail(errc::out_of_memory, "no memory to queue a read");
  }
  if (!fits) request.outcome = fits;
  return fits.has_value();
}

void read_core::end_refused(read_request* list, std::uint64_t now_at) noexcept {
  if (!list) return;
  read_tally sum;
  while (list) {
    read_request& request = *list;
    list = request.next;
    request.started_ns = request.queued_ns;
    error& why = request.outcome.error();
    why.source = request.source;
    why.offset = request.offset;
    count(sum, request, now_at);
    end(sum, request, now_at);
  }
  wakes due;
  {
    const scoped_lock hold(lock_);
    count_out(sum, due);
  }
  send(due);
}

result<void> read_core::check(const read_request& request) const noexcept {
  if (request.method == compression::none) return {};
  if (!desk_) return fail(errc::out_of_memory, "no memory to unpack reads");
  if (unpacks_here() || who_unpacks(request)) return {};
  return fail(errc::invalid, "nobody is there to unpack the read");
}

bool read_core::set_priority(read_request& request, read_priority priority) noexcept {
  const std::uint64_t now_at = now();
  const scoped_lock hold(lock_);
  take_up();
  if (!request.gate) {
    request_store& store = store_of(request);
    if (!store.holds(request)) (void)recall_all();
    const bool changed = store.set_priority(request, priority, now_at);
    recall_outranked();
    return changed;
  }
  request.priority = priority;
  return true;
}

bool read_core::set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept {
  const scoped_lock hold(lock_);
  take_up();
  if (!request.gate) {
    request_store& store = store_of(request);
    if (!store.holds(request)) (void)recall_all();
    const bool changed = store.set_deadline(request, deadline_ns);
    recall_outranked();
    return changed;
  }
  request.deadline_ns = deadline_ns;
  return true;
}

bool read_core::cancel(read_request& request) noexcept {
  {
    const scoped_lock hold(lock_);
    take_up();
    request_store& store = store_of(request);
    if (request.gate) {
      unlink(*static_cast<gate*>(request.gate));
    } else if (store.holds(request) || (recall_all() && store.holds(request))) {
      store.remove(request);
    } else {
      return false;
    }
    request.next = nullptr;
  }
  return give_up(&request) != 0;
}

std::size_t read_core::cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept {
  read_request* given_up = nullptr;
  {
    const scoped_lock hold(lock_);
    take_up();
    const auto keep = [&](read_request& request) {
      request.next = given_up;
      given_up = &request;
    };
    (void)recall_all();
    stored_.remove_tagged(mask, value, keep);
    packed_.remove_tagged(mask, value, keep);
    remove_gated([&](const read_request& each) { return (each.tag & mask) == value; }, given_up);
  }
  return give_up(given_up);
}

std::size_t read_core::close_source(source_id id, bool at_once) noexcept {
  read_request* given_up = nullptr;
  {
    const scoped_lock hold(lock_);
    take_up();
    const auto keep = [&](read_request& request) {
      request.next = given_up;
      given_up = &request;
    };
    (void)recall_all();
    stored_.remove_source(id, keep);
    packed_.remove_source(id, keep);
    remove_gated([&](const read_request& each) { return each.source == id; }, given_up);
  }
  const std::size_t count = give_up(given_up);
  if (at_once || !leave_to_close(id)) files_.close_source(id);
  return count;
}

std::size_t read_core::give_up(read_request* list) noexcept {
  if (!list) return 0;
  const std::uint64_t now_at = now();
  read_tally sum;
  while (list) {
    read_request& request = *list;
    list = request.next;
    request.started_ns = now_at;
    request.outcome = fail(errc::cancelled, "the read was cancelled", request.source);
    ++sum.completed;
    end(sum, request, now_at);
  }
  wakes due;
  {
    const scoped_lock hold(lock_);
    stats_.cancelled += sum.completed;
    count_out(sum, due);
  }
  send(due);
  return sum.completed;
}

// Closing may take the system long, so a thread of the queue does it. Counts as outstanding until
// then. False: memory was refused.
bool read_core::leave_to_close(source_id id) noexcept {
  wakes due;
  {
    const scoped_lock hold(lock_);
    if (!errands_.push_back({id, true})) return false;
    ++closings_;
    ++outstanding_;
    claim_sleeper(due);
  }
  send(due);
  return true;
}

void read_core::open_ahead(source_id id) noexcept {
  wakes due;
  {
    const scoped_lock hold(lock_);
    leave_to_open(id);
    claim_sleeper(due);
  }
  send(due);
}

// Once for those who ask one after the other. Refused memory leaves it: it was a hint.
void read_core::leave_to_open(source_id id) noexcept {
  if (!errands_.empty() && !errands_.back().closes && errands_.back().source == id) return;
  (void)errands_.push_back({id, false});
}

void read_core::mark_first_frame() noexcept {
  const scoped_lock hold(lock_);
  take_up();
  if (!has_frame_) stats_.before_first_frame = stats_.requests;
  has_frame_ = true;
}

void read_core::suspend() noexcept {
  const scoped_lock hold(lock_);
  (void)recall_all();
  suspended_ = true;
  (void)offer_sleeper();  // takes the offer back
}

void read_core::resume() noexcept {
  wakes due;
  {
    const scoped_lock hold(lock_);
    take_up();
    suspended_ = false;
    call_for_queued(due);
    offer_sleeper(due);
  }
  send(due);
}

read_queue_stats read_core::stats() noexcept {
  const scoped_lock hold(lock_);
  take_up();
  read_queue_stats now_is = stats_;
  now_is.wakes += inbox_.calls();
  for (std::size_t i = 0; i < read_priority_count; ++i) {
    const auto priority = static_cast<read_priority>(i);
    now_is.queued[i] = stored_.size(priority) + packed_.size(priority);
  }
  now_is.packed_bytes = packed_bytes_;
  now_is.gated = gated_count_;
  now_is.threads = thread_rules_.most == 0 ? config_.threads : search_.count;
  if (!has_frame_) now_is.before_first_frame = stats_.requests;
  return now_is;
}

// --- Sleeping and waking -------------------------------------------------------------------------

void read_core::send(const wakes& due) noexcept {
  if (due.worker) sync_detail::address_wake_one(&work_word_);
  if (due.helpers) sync_detail::address_wake_all(&drain_word_);
  if (due.expected_ns != 0) config_.warms->expect_work(due.expected_ns);
  for (std::uint32_t i = 0; i < due.left_count; ++i) {
    files_.left(due.left[i]);
    end_errand();
  }
  if (due.refused) end_refused(due.refused, now());
}

void read_core::call_helpers(wakes& due) noexcept {
  drain_word_.fetch_add(1, std::memory_order_relaxed);  // the lock orders it
  due.helpers = true;
}

void read_core::count_out(const read_tally& tally, wakes& due) noexcept {
  stats_.bytes += tally.bytes;
  if (tally.failed != 0) stats_.failed += tally.failed;  // rare, and not on the lines of the others
  if (tally.viewed != 0) stats_.viewed += tally.viewed;
  stats_.queue_ns += tally.queue_ns;
  stats_.service_ns += tally.service_ns;
  outstanding_ -= tally.completed;
  if (tally.packed_bytes != 0) {
    packed_bytes_ -= tally.packed_bytes;
    if (packed_.size() > 0 && !suspended_) claim_sleeper(due);
  }
  if (helpers_ == 0) return;
  const bool drained = outstanding_ == 0 && tally.completed != 0;
  const bool reached = tally.brought_to_zero && countdown_waiters_ > 0;
  if (drained || reached || tally.put_to_unpack != 0 || tally.packed_bytes != 0) call_helpers(due);
}

bool read_core::idle() noexcept {
  const scoped_lock hold(lock_);
  take_up();
  return outstanding_ == 0;
}

void read_core::stop() noexcept {
  {
    const scoped_lock hold(lock_);
    stopping_ = true;
    work_word_.fetch_add(1, std::memory_order_relaxed);
    if (wake_) wake_(wake_context_);
  }
  sync_detail::address_wake_all(&work_word_);
}

void read_core::set_waker(void (*wake)(void* context) noexcept, void* context) noexcept {
  const scoped_lock hold(lock_);
  wake_ = wake;
  wake_context_ = context;
}

bool read_core::next(read_operation& op) noexcept {
  for (;;) {
    wakes due;
    turn outcome = turn::nothing;
    errand other;
    {
      const scoped_lock hold(lock_);
      outcome = look(op, other, due);
      offer_sleeper(due);
    }
    send(due);
    if (outcome != turn::errand) return outcome == turn::found;
    run_errand(other);
  }
}

void read_core::leave(read_operation& op) noexcept {
  wakes due;
  {
    const scoped_lock hold(lock_);
    retire(op, due);
  }
  send(due);
}

bool read_core::next_or_sleep(read_bundle& of) noexcept {
  for (bool noted = false;;) {
    std::uint32_t seen = 0;
    const turn outcome = next_or_note_of(of, noted, seen);
    if (outcome != turn::nothing) return outcome == turn::found;
    const observed_wait waiting(wait_reasons::no_request);
    (void)sync_detail::address_wait(work_word_, seen, 0);
    give_way_to_submit();
  }
}

// Files to close come before reads, which may go on for ever; files to open behind them.
bool read_core::take_errand(errand& taken, bool closes) noexcept {
  if (errands_.empty() || (closes && closings_ == 0)) return false;
  std::size_t at = errands_.size();
  while (at-- > 0) {
    if (errands_[at].closes == closes) break;
  }
  if (at == SIZE_MAX) return false;
  taken = errands_[at];
  errands_[at] = errands_.back();
  errands_.pop_back();
  closings_ -= closes ? 1 : 0;
  return true;
}

void read_core::run_errand(const errand& taken) noexcept {
  if (!taken.closes) return files_.open_ahead(taken.source);
  files_.close_source(taken.source);
  end_errand();
}

// What counted as outstanding without being a request.
void read_core::end_errand() noexcept {
  read_tally sum;
  sum.completed = 1;
  wakes due;
  {
    const scoped_lock hold(lock_);
    count_out(sum, due);
  }
  send(due);
}

// Under the lock.
template <class Reads>
read_core::turn read_core::look(Reads& of, errand& other, wakes& due) noexcept {
  retire(of, due);
  take_up();
  due.refused = std::exchange(refused_, nullptr);
  if (take_errand(other, true)) return turn::errand;
  // What other threads have taken and not begun is better begun here than later.
  if (may_take(of) && (take(of, due) || (recall_all() && take(of, due)))) {
    if (queued() > 0 && may_read_more()) claim_sleeper(due);
    return turn::found;
  }
  if (take_errand(other, false)) return turn::errand;
  return stopping_ ? turn::stopped : turn::nothing;
}

template <class Reads>
read_core::turn read_core::next_or_note_of(Reads& of, bool& noted, std::uint32_t& seen) noexcept {
  for (;;) {
    wakes due;
    turn outcome = turn::nothing;
    errand other;
    bool again = false;
    {
      const scoped_lock hold(lock_);
      if (noted) note_woken();
      noted = false;
      outcome = look(of, other, due);
      if (outcome == turn::nothing) {
        again = !note_asleep(seen);
        noted = !again;
      } else {
        offer_sleeper(due);
      }
    }
    send(due);
    if (again) continue;
    if (outcome != turn::errand) return outcome;
    run_errand(other);
  }
}

template read_core::turn read_core::next_or_note_of(read_operation& of, bool& noted,
                                                    std::uint32_t& seen) noexcept;

}  // namespace overture::io
