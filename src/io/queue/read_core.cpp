// SPDX-License-Identifier: Zlib
#include "io/queue/read_core.hpp"

#include <algorithm>

#include "overture/jobs/job_system.hpp"

namespace overture::io_detail {

read_core::read_core(source_files& files, const read_queue_config& config,
                     const bundle_rules& rules) noexcept
    : files_(files),
      config_(config),
      bundle_reads_(std::clamp<std::size_t>(rules.reads_max, 1, bundle_reads_max)),
      clock_(config.disk),
      unpacks_(unpack_queue::make(*config.memory)),
      runner_(config, files,
              config.pool ? *config.pool
                          : own_pool_.emplace(buffer_pool_config{.memory = config.memory}),
              unpacks_, *this),
      schedule_(config, rules),
      gates_(*this, *config.memory, unpacks_),
      errands_(*config.memory) {
  // A completion on a host's own thread may wait for a file that this very thread has read, and a
  // read ends only after its completions. So such queues do not register as readers.
  if (config.run_by_host || config.disk) return;
  const bool ring = config.backend == read_backend::uring;
  const unsigned reads_max =
      std::max({config.threads, config.threads_max, ring ? config.depth : 0});
  const auto ahead = static_cast<unsigned>(rules.files_ahead);
  const source_files::reader_terms terms = files.add_reader(*this, reads_max, ring ? 0 : ahead);
  runner_.files().set_known(terms.is_known);
  schedule_.files().add_permits(terms.own_files);
}

read_core::~read_core() {
  if (runner_.files().is_known()) files_.remove_reader(*this);
  if (unpacks_) unpacks_->retire();
}

// --- Requests come -------------------------------------------------------------------------------

// Does not look at the requests: the reading threads wrote their cache lines last. Gated ones are
// registered before this returns, because the thread that lowers the barricade may destroy it.
void read_core::submit(std::span<read_request> requests, barricade* after) noexcept {
  const std::uint64_t now_ns = clock_.now();
  std::uint32_t calls = 0;
  if (after || !inbox_.put(requests, now_ns, calls)) {
    return submit_locked(requests, now_ns, after);
  }
  if (calls != 0) call_offered(calls);
}

void read_core::submit_locked(std::span<read_request> requests, std::uint64_t now_ns,
                              barricade* after) noexcept {
  read_gate* fresh = nullptr;
  {
    section hold(*this);
    sort_in();
    for (read_request& request : requests) {
      if (after) {
        hold_back(request, now_ns, *after, fresh);
      } else if (!enqueue(request, now_ns)) {
        schedule_.refuse(request);
      }
    }
    schedule_.note_submitted(requests.size());
    call_for_waiting(hold.due);
    if (fresh && !errands_.empty()) claim_reader(hold.due);
    offer_reader(hold.due);
  }
  gate_list::register_all(fresh);
}

void read_core::sort_in() noexcept {
  read_inbox::batch taken;
  std::size_t count = 0;
  while (received_.take(taken)) {
    for (read_request& request : std::span(taken.first, taken.count)) {
      if (!enqueue(request, taken.queued_ns)) schedule_.refuse(request);
    }
    count += taken.count;
  }
  if (count != 0) schedule_.note_submitted(count);
}

void read_core::drain_inbox() noexcept {
  if (!inbox_.has_any()) return;
  section hold(*this);
  sort_in();
  call_for_waiting(hold.due);
  offer_reader(hold.due);
}

bool read_core::enqueue(read_request& request, std::uint64_t now_ns) noexcept {
  request.queued_ns = now_ns;
  result<void> fits = runner_.check_unpacking(request);
  if (fits && !schedule_.add(request, now_ns)) {
    fits = fail(errc::out_of_memory, "out of memory for queueing a read");
  }
  if (!fits) request.outcome = fits;
  return fits.has_value();
}

void read_core::hold_back(read_request& request, std::uint64_t now_ns, barricade& after,
                          read_gate*& fresh) noexcept {
  request.queued_ns = now_ns;
  if (!gates_.add(request, after, fresh)) {
    request.outcome = fail(errc::out_of_memory, "out of memory for queueing a read");
    return schedule_.refuse(request);
  }
  // Its file can be opened while it waits.
  if (request.source.valid()) errands_.add_open(request.source);
}

void read_core::let_through(read_gate& opened) noexcept {
  const std::uint64_t now_ns = clock_.now();
  read_request* refused = nullptr;
  {
    section hold(*this);
    read_request* const request = opened.request;
    if (!request) return;
    gates_.remove(opened);
    if (enqueue(*request, now_ns)) {
      call_for_waiting(hold.due);
    } else {
      request->next = nullptr;
      refused = request;
    }
  }
  if (refused) end_refused(refused);
}

// --- Requests change and go ----------------------------------------------------------------------

bool read_core::set_priority(read_request& request, read_priority priority) noexcept {
  const std::uint64_t now_ns = clock_.now();
  const sync_detail::scoped_lock hold(lock_);
  sort_in();
  if (!request.gate) return schedule_.set_priority(request, priority, now_ns);
  request.priority = priority;
  return true;
}

bool read_core::set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  sort_in();
  if (!request.gate) return schedule_.set_deadline(request, deadline_ns);
  request.deadline_ns = deadline_ns;
  return true;
}

bool read_core::cancel(read_request& request) noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    sort_in();
    if (!gates_.remove(request) && !schedule_.remove(request)) return false;
    request.next = nullptr;
  }
  return end_cancelled(&request) != 0;
}

std::size_t read_core::end_cancelled(read_request* list) noexcept {
  if (!list) return 0;
  const read_tally sum = runner_.completion().cancel(list, clock_.now());
  section hold(*this);
  schedule_.counters().note_cancelled(sum.completed);
  schedule_.account(sum, hold.due.ended);
  call_for_ended(hold.due);
  return sum.completed;
}

void read_core::end_refused(read_request* list) noexcept {
  const read_tally sum = runner_.completion().refuse(list, clock_.now());
  section hold(*this);
  schedule_.account(sum, hold.due.ended);
  call_for_ended(hold.due);
}

std::size_t read_core::unpacked(packed_item& item) noexcept {
  const operation_runner::unpacked_requests ended = runner_.end_unpacked(item);
  section hold(*this);
  schedule_.counters().note_unpacked(ended.tally.completed, ended.unpack_ns);
  schedule_.account(ended.tally, hold.due.ended);
  call_for_ended(hold.due);
  return ended.tally.completed;
}

// --- The queue as a whole ------------------------------------------------------------------------

void read_core::open_ahead(source_id id) noexcept {
  section hold(*this);
  errands_.add_open(id);
  claim_reader(hold.due);
}

void read_core::mark_first_frame() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  sort_in();
  schedule_.counters().mark_first_frame();
}

void read_core::suspend() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  schedule_.suspend();
  (void)sleepers_.offer(false);  // takes the offer back
}

void read_core::resume() noexcept {
  section hold(*this);
  sort_in();
  schedule_.resume();
  call_for_waiting(hold.due);
  offer_reader(hold.due);
}

bool read_core::idle() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  sort_in();
  return schedule_.counters().outstanding() == 0;
}

read_queue_stats read_core::stats() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  sort_in();
  read_queue_stats now = schedule_.stats();
  now.wakes = sleepers_.claims() + inbox_.calls();
  now.gated = gates_.size();
  return now;
}

void read_core::stop() noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    stopping_ = true;
    (void)sleepers_.wake_claimed();
  }
  signal_.word.wake_all();
}

// --- Reads ---------------------------------------------------------------------------------------

template <class Reads>
read_core::look_outcome read_core::look(Reads& of, file_errand& other, due_calls& due) noexcept {
  schedule_.retire(of, due.ended);
  call_for_ended(due);
  sort_in();
  due.refused = schedule_.take_refused();
  if (errands_.take_close(other)) return look_outcome::errand;
  if (schedule_.take(of)) {
    if (config_.wake_ahead) due.expected_ns = schedule_.expected_end_ns(of);
    if (schedule_.has_waiting() && schedule_.may_read_more()) claim_reader(due);
    return look_outcome::found;
  }
  if (errands_.take_open(other)) return look_outcome::errand;
  return stopping_ ? look_outcome::stopped : look_outcome::nothing;
}

template <class Reads>
read_core::look_outcome read_core::look_or_enlist(Reads& of, bool& enlisted,
                                                  std::uint32_t& seen) noexcept {
  for (;;) {
    look_outcome outcome = look_outcome::nothing;
    file_errand other;
    {
      section hold(*this);
      if (enlisted) sleepers_.remove();
      enlisted = false;
      outcome = look(of, other, hold.due);
      if (outcome == look_outcome::nothing) {
        enlisted = sleepers_.add(schedule_.may_read_more(), seen);
      } else {
        offer_reader(hold.due);
      }
    }
    if (outcome == look_outcome::errand) {
      run_errand(other);
    } else if (outcome != look_outcome::nothing || enlisted) {
      return outcome;
    }
  }
}

bool read_core::take_next(read_operation& op) noexcept {
  for (;;) {
    look_outcome outcome = look_outcome::nothing;
    file_errand other;
    {
      section hold(*this);
      outcome = look(op, other, hold.due);
      offer_reader(hold.due);
    }
    if (outcome != look_outcome::errand) return outcome == look_outcome::found;
    run_errand(other);
  }
}

void read_core::leave(read_operation& op) noexcept {
  section hold(*this);
  schedule_.retire(op, hold.due.ended);
  call_for_ended(hold.due);
}

read_core::look_outcome read_core::take_next_or_enlist(read_operation& op,
                                                       bool& enlisted) noexcept {
  std::uint32_t seen = 0;
  return look_or_enlist(op, enlisted, seen);
}

bool read_core::take_next_or_sleep(read_bundle& of) noexcept {
  for (bool enlisted = false;;) {
    std::uint32_t seen = 0;
    const look_outcome outcome = look_or_enlist(of, enlisted, seen);
    if (outcome != look_outcome::nothing) return outcome == look_outcome::found;
    signal_.sleep_while(seen);
  }
}

void read_core::settle(read_bundle& of) noexcept {
  section hold(*this);
  schedule_.retire_until(of, of.current_index(), hold.due.ended);
  call_for_ended(hold.due);
}

void read_core::run_errand(const file_errand& taken) noexcept {
  if (!taken.closes) return files_.open_ahead(taken.source);
  files_.close_source(taken.source);
  end_errand();
}

// Something that counted as outstanding without being a request.
void read_core::end_errand() noexcept {
  section hold(*this);
  schedule_.counters().remove_outstanding();
  hold.due.ended.completed = true;
  call_for_ended(hold.due);
}

// --- Wakes ---------------------------------------------------------------------------------------

void read_core::act_on(const due_calls& due) noexcept {
  if (due.reader) signal_.word.wake_one();
  if (due.helpers) helper_word_.wake_all();
  if (due.expected_ns != 0) config_.wake_ahead->expect_work(due.expected_ns);
  for (std::uint32_t i = 0; i < due.ended.released_count; ++i) {
    files_.released(due.ended.released[i]);
    end_errand();
  }
  if (due.refused) end_refused(due.refused);
}

// For an offer that submit() has found in the inbox.
void read_core::call_offered(std::uint32_t sleepers) noexcept {
  if ((sleepers & read_inbox::reader) != 0) {
    if (config_.backend == read_backend::uring) {
      section hold(*this);
      hold.due.reader = sleepers_.wake_claimed();
    } else {
      signal_.call_one();
    }
  }
  if ((sleepers & read_inbox::host) != 0) {
    helper_word_.move_on();
    helper_word_.wake_all();
  }
}

void read_core::call_for_waiting(due_calls& due) noexcept {
  const bool to_read = schedule_.has_waiting();
  const bool to_end = schedule_.has_refused();
  if (to_end || (to_read && schedule_.may_read_more())) claim_reader(due);
  if (helpers_.any() && config_.run_by_host && (to_end || to_read)) call_helpers(due);
}

void read_core::call_for_ended(due_calls& due) noexcept {
  const ended_reads& ended = due.ended;
  if (ended.freed_packed && schedule_.has_waiting_packed()) claim_reader(due);
  if (!helpers_.any()) return;
  const bool drained = ended.completed && schedule_.counters().outstanding() == 0;
  const bool reached = ended.brought_to_zero && helpers_.any_hears_countdowns();
  if (drained || reached || ended.put_to_unpack || ended.freed_packed) call_helpers(due);
}

void read_core::call_helpers(due_calls& due) noexcept {
  helpers_.call();
  due.helpers = true;
}

// Offers a sleeper to submit(), unless submitted requests must be sorted in first.
void read_core::offer_reader(due_calls& due) noexcept {
  while (!sleepers_.offer(schedule_.may_read_more())) {
    sort_in();
    call_for_waiting(due);
  }
}

// --- Waiting for reads ---------------------------------------------------------------------------

void read_core::wait_until_idle() noexcept {
  help_until({.idle = true});
}

void read_core::wait_for_work() noexcept {
  help_until({.idle = true, .work = true});
}

void read_core::wait_for(const countdown& until, bool or_for_work) noexcept {
  help_until({.work = or_for_work, .counted = &until});
}

bool read_core::is_reached(const goal& wanted) noexcept {
  if (wanted.counted && wanted.counted->is_done()) return true;
  if (wanted.idle && schedule_.counters().outstanding() == 0) return true;
  return wanted.work && (schedule_.has_refused() || schedule_.can_take());
}

// A thread that adds something to unpack, ends a request or makes room takes the lock afterwards,
// and so sees every helper that has looked before.
void read_core::help_until(const goal& wanted) noexcept {
  const bool hears_countdowns = wanted.counted != nullptr;
  const bool helps = unpacks_ && !runner_.unpacks_here();
  for (;;) {
    std::uint32_t seen = 0;
    bool sleeps = false;
    {
      const sync_detail::scoped_lock hold(lock_);
      sort_in();
      if (is_reached(wanted)) return;
      sleeps = !helps || !unpacks_->has_work();
      if (sleeps) {
        seen = helpers_.add(hears_countdowns);  // before it can be called
        if (config_.run_by_host && !received_.offer(read_inbox::host)) {
          helpers_.remove(hears_countdowns);
          continue;
        }
      }
    }
    if (!sleeps) {
      std::size_t completed = 0;
      (void)unpacks_->work(completed);
      continue;
    }
    helper_word_.sleep_while(seen, wait_reasons::drain);
    const sync_detail::scoped_lock hold(lock_);
    helpers_.remove(hears_countdowns);
    if (!helpers_.any() && config_.run_by_host) (void)received_.withdraw(read_inbox::host);
  }
}

}  // namespace overture::io_detail
