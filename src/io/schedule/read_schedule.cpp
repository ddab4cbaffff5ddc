// SPDX-License-Identifier: Zlib
#include "io/schedule/read_schedule.hpp"

#include <algorithm>

namespace overture::io_detail {

namespace {

thread_rules thread_rules_of(const read_queue_config& config) noexcept {
  thread_rules rules;
  const bool sized = config.threads_max > config.threads && !config.run_by_host;
  rules.fewest = std::max(config.threads, 1u);
  rules.most = sized ? config.threads_max : 0;
  if (config.disk) rules.memory_ns = 0;
  return rules;
}

waiting_rules waiting_rules_of(const read_queue_config& config) noexcept {
  return {.store = {.ageing_ns = config.ageing_ns, .danger_ns = config.danger_ns},
          .packed_bytes_max = config.packed_bytes_max,
          .merge_bytes_max = config.merge_bytes_max,
          .merge_gap_max = config.merge_gap_max};
}

}  // namespace

read_schedule::read_schedule(const read_queue_config& config, const bundle_rules& rules) noexcept
    : rules_(rules),
      clock_(config.disk),
      threads_(config.threads),
      waiting_(*config.memory, waiting_rules_of(config)),
      sizing_(thread_rules_of(config)) {}

// --- Requests ------------------------------------------------------------------------------------

bool read_schedule::remove(read_request& request) noexcept {
  const bool waits = waiting_.holds(request) || (recall_all() && waiting_.holds(request));
  if (waits) waiting_.remove(request);
  return waits;
}

bool read_schedule::set_priority(read_request& request, read_priority priority,
                                 std::uint64_t now_ns) noexcept {
  if (!waiting_.holds(request)) (void)recall_all();
  const bool changed = waiting_.set_priority(request, priority, now_ns);
  recall_outranked();
  return changed;
}

std::size_t read_schedule::set_tag_priority(std::uint64_t mask, std::uint64_t value,
                                            read_priority priority, std::uint64_t now_ns) noexcept {
  (void)recall_all();
  std::size_t count = 0;
  waiting_.visit_tagged(mask, value, [&](read_request& request) {
    if (waiting_.set_priority(request, priority, now_ns)) ++count;
  });
  return count;
}

bool read_schedule::set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept {
  if (!waiting_.holds(request)) (void)recall_all();
  const bool changed = waiting_.set_deadline(request, deadline_ns);
  recall_outranked();
  return changed;
}

// --- Taken ---------------------------------------------------------------------------------------

bool read_schedule::take_waiting(read_operation& op) noexcept {
  if (!has_waiting()) return false;
  const std::uint64_t now_ns = clock_.now();
  if (sizing_.is_sized()) {
    sizing_.note({.now_ns = now_ns,
                  .bytes = counters_.bytes(),
                  .reads = counters_.reads(),
                  .usual_read_ns = counters_.usual_read_ns()});
  }
  while (read_request* const chosen = waiting_.choose(now_ns)) {
    const std::uint8_t level = waiting_.level_of(*chosen);
    if (share(*chosen)) continue;
    op.has_permit = op.may_own_file = files_.take_permit();
    begin(op, *chosen, level, now_ns);
    return true;
  }
  return false;
}

bool read_schedule::take_waiting(read_bundle& of) noexcept {
  if (!take_waiting(of.at(0))) return false;
  read_operation& first = of.at(0);
  of.permits = std::exchange(first.has_permit, false) ? 1 : 0;
  const bundle_moment moment{
      .waiting = waiting_.size(),
      .threads = bundles_.size(),
      .usual_read_ns = counters_.usual_read_ns(),
      .is_exact = files_.notifies_every_release() || waiting_.has_deadlines(),
      .fetched_ahead = of.permits != 0 ? fetched_ahead() : 0};
  const std::size_t size = std::min(bundle_size(rules_, moment), of.room());
  // Reads done one after the other share one permit; files open at a time need one each.
  const std::size_t more = std::min(size, std::max<std::size_t>(moment.fetched_ahead, 1)) - 1;
  of.permits += more;
  files_.take_permits(static_cast<unsigned>(more));
  std::size_t count = 1;
  while (count < size && take_another(of, count, first.started_ns)) ++count;
  bundles_.publish(of, count);
  sizing_.begin();
  return true;
}

// How many of a thread's reads the disk may work on at a time: 0 where they come from memory.
std::size_t read_schedule::fetched_ahead() const noexcept {
  if (counters_.usual_read_ns() < rules_.memory_ns) return 0;
  const std::size_t threads = sizing_.is_sized() ? sizing_.count() : bundles_.size();
  const std::size_t share = rules_.files_ahead / std::max<std::size_t>(threads, 1);
  return std::min<std::size_t>(share, 1 + files_.permits());
}

// Only reads of the first one's level that are neither packed nor views.
bool read_schedule::take_another(read_bundle& of, std::size_t at, std::uint64_t now_ns) noexcept {
  while (read_request* const chosen = waiting_.choose(now_ns)) {
    const std::uint8_t level = waiting_.level_of(*chosen);
    if (level != of.at(0).level || chosen->method != compression::none ||
        chosen->into == read_into::view) {
      return false;
    }
    // Reads that are fetched ahead are of different files.
    if (of.permits > 1 && chosen->source == of.at(0).source()) return false;
    if (share(*chosen)) continue;
    read_operation& op = of.at(at);
    op.has_permit = false;
    op.may_own_file = of.permits != 0;
    begin(op, *chosen, level, now_ns);
    return true;
  }
  return false;
}

// Attaches the request to a read of the same bytes that is in flight.
bool read_schedule::share(read_request& request) noexcept {
  read_operation* const op = in_flight_.find_twin(request);
  if (!op) return false;
  // Before it can be found there, and may complete.
  waiting_.remove(request);
  request.started_ns = std::max(op->started_ns, request.queued_ns);
  request.shared = true;
  if (op->follow(request)) {
    counters_.note_shared();
    return true;
  }
  request.shared = false;
  return false;
}

void read_schedule::begin(read_operation& op, read_request& chosen, std::uint8_t level,
                          std::uint64_t now_ns) noexcept {
  waiting_.take_into(op, chosen, level);
  op.started_ns = now_ns;
  const bool merged = op.members().size() > 1;
  for (read_request* const member : op.members()) {
    member->started_ns = now_ns;
    member->merged = merged;
    member->shared = false;
    member->viewed = false;
  }
  counters_.note_begun(op.members().size());
  op.read_number = counters_.reads();
  in_flight_.add(op);
}

// --- Ended ---------------------------------------------------------------------------------------

void read_schedule::retire(read_operation& op, ended_reads& ended) noexcept {
  if (!reads_in_flight::has(op)) return;
  in_flight_.remove(op);
  files_.add_permits(std::exchange(op.has_permit, false) ? 1 : 0);
  files_.add(op.tally.files);
  const bool reports = reads_in_flight::was_asked_for(op) || files_.notifies_every_release();
  if (reports && op.source().valid()) {
    ended.released[ended.released_count++] = op.source();
    counters_.add_outstanding();  // until it has been reported
  }
  counters_.note_ended(op.tally);
  account(op.tally, ended);
}

void read_schedule::retire_until(read_bundle& of, std::size_t end, ended_reads& ended) noexcept {
  for (; of.retired < end; ++of.retired) retire(of.at(of.retired), ended);
}

void read_schedule::retire(read_bundle& of, ended_reads& ended) noexcept {
  if (of.taken() == 0) return;
  retire_until(of, of.current_index() + 1, ended);
  files_.add_permits(static_cast<unsigned>(std::exchange(of.permits, 0)));
  bundles_.retire(of);
  sizing_.end();
}

void read_schedule::account(const read_tally& tally, ended_reads& ended) noexcept {
  counters_.add(tally);
  if (tally.packed_bytes != 0) waiting_.free_packed(tally.packed_bytes);
  ended.completed |= tally.completed != 0;
  ended.brought_to_zero |= tally.brought_to_zero;
  ended.put_to_unpack |= tally.put_to_unpack != 0;
  ended.freed_packed |= tally.packed_bytes != 0;
}

// --- Recalled ------------------------------------------------------------------------------------

bool read_schedule::recall_all() noexcept {
  if (!bundles_.has_open()) return false;
  const read_operation* const last =
      bundles_.recall_all([this](read_operation& op) { recall(op); });
  if (last) waiting_.set_head(last->end_position);  // the disk goes on from there
  return last != nullptr;
}

void read_schedule::recall_outranked() noexcept {
  if (bundles_.has_open() && waiting_.outranks(bundles_.lowest_level())) (void)recall_all();
}

void read_schedule::recall(read_operation& op) noexcept {
  in_flight_.remove(op);
  counters_.note_recalled(op.members().size());
  for (read_request* const member : op.members()) put_back(*member, op.level);
  for (read_request* follower = op.close_followers(); follower;) {
    read_request& request = *follower;
    follower = request.next;
    request.shared = false;
    counters_.note_unshared();
    put_back(request, static_cast<std::uint8_t>(request.priority));
  }
}

void read_schedule::put_back(read_request& request, std::uint8_t level) noexcept {
  if (waiting_.put_back(request, level)) return;
  request.outcome = fail(errc::out_of_memory, "out of memory for queueing a read");
  refuse(request);
}

// --- Files and counts ----------------------------------------------------------------------------

bool read_schedule::is_reading(source_id id) noexcept {
  (void)recall_all();
  return in_flight_.ask_for(id);
}

bool read_schedule::has_own_files() const noexcept {
  // In this order: a file that is not ahead any more belongs to an operation by then.
  return bundles_.has_files_ahead() || in_flight_.any_owns_file();
}

read_queue_stats read_schedule::stats() const noexcept {
  read_queue_stats now = counters_.sums();
  for (std::size_t i = 0; i < read_priority_count; ++i) {
    now.queued[i] = waiting_.size(static_cast<read_priority>(i));
  }
  now.bytes_in_flight = in_flight_.bytes();
  now.packed_bytes = waiting_.packed_bytes();
  now.packed_bytes_peak = waiting_.packed_bytes_peak();
  now.threads = sizing_.is_sized() ? sizing_.count() : threads_;
  return now;
}

}  // namespace overture::io_detail
