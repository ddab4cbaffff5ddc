// The way of one read: chosen, merged, done, and its requests completed.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/read_core.hpp"
#include "overture/timeline.hpp"

namespace overture::io {

// Attaches the request to a read of the same bytes that is in flight.
bool read_core::share(read_request& request) noexcept {
  for (read_operation* op = in_flight_; op; op = op->after) {
    if (op->twin_of(request) == read_operation::no_member) continue;
    // Both before it can be found there, and may complete.
    store_.remove(request);
    request.started_ns = op->started_ns < request.queued_ns ? request.queued_ns : op->started_ns;
    request.shared = true;
    if (op->follow(request)) {
      ++stats_.shared;
      return true;
    }
    request.shared = false;
    return false;
  }
  return false;
}

bool read_core::take(read_operation& op, wakes& due) noexcept {
  if (suspended_ || store_.size() == 0) return false;
  const std::uint64_t now_at = now();
  while (read_request* const chosen = store_.choose_next(head_, now_at)) {
    if (share(*chosen)) continue;
    op.begin(*chosen);
    op.started_ns = now_at;
    if (store_.holds(*chosen)) {
      if (config_.merge_bytes_max > 0) merge_neighbours(op, *chosen);
      store_.remove(*chosen);
    }
    const bool merged = op.members().size() > 1;
    for (read_request* const member : op.members()) {
      member->started_ns = now_at;
      member->merged = merged;
      member->shared = false;
    }
    ++stats_.reads;
    if (merged) stats_.merged += op.members().size();
    stats_.bytes_in_flight += op.bytes();
    head_ = place_of(chosen->sort_key, chosen->source, op.end());
    if (config_.warms && usual_service_ns_ != 0) due.expected_ns = now_at + usual_service_ns_;
    op.in_flight = true;
    op.before = nullptr;
    op.after = in_flight_;
    if (in_flight_) in_flight_->before = &op;
    in_flight_ = &op;
    return true;
  }
  return false;
}

void read_core::merge_neighbours(read_operation& op, read_request& first) noexcept {
  read_request* near[read_operation::members_max];
  const std::size_t count = store_.neighbours(first, near);
  for (std::size_t i = 1; i < count; ++i) {
    if (!op.accepts(*near[i], config_.merge_bytes_max, config_.merge_gap_max)) return;
    store_.remove(*near[i]);
    op.add(*near[i]);
  }
}

void read_core::retire(read_operation& op, wakes& due) noexcept {
  if (!op.in_flight) return;
  op.in_flight = false;
  (op.before ? op.before->after : in_flight_) = op.after;
  if (op.after) op.after->before = op.before;
  stats_.bytes_in_flight -= op.bytes();
  stats_.bytes += op.tally.bytes;
  stats_.failed += op.tally.failed;
  stats_.queue_ns += op.tally.queue_ns;
  stats_.service_ns += op.tally.service_ns;
  if (op.tally.completed != 0) {
    const std::uint64_t service_ns = op.tally.service_ns / op.tally.completed;
    usual_service_ns_ = usual_service_ns_ - usual_service_ns_ / 8 + service_ns / 8;
  }
  count_out(op.tally.completed, due);
}

read_core::opening read_core::open(read_operation& op, bool may_wait) noexcept {
  if (op.overflows()) {
    finish(op, fail(errc::truncated, "no file is as long as that"));
    return opening::ended;
  }
  const result<open_source> opened = files_.pin(op.source(), may_wait);
  if (!opened && !may_wait && opened.error().code == errc::busy) return opening::busy;
  if (!opened) {
    finish(op, tl::unexpected<error>(opened.error()));
    return opening::ended;
  }
  op.file = *opened;
  return opening::open;
}

void read_core::perform(read_operation& op) noexcept {
  if (open(op, true) == opening::open) read_here(op);
}

void read_core::read_here(read_operation& op) noexcept {
  std::span<std::byte> parts[read_operation::parts_max];
  const std::size_t count = op.parts(0, parts);
  result<void> outcome;
  {
    const zone work("read", {op.members()[0]->subject, op.bytes()});
    outcome =
        read_parts_fully(*op.file.os, op.file.handle, op.offset(), std::span(parts).first(count));
  }
  finish(op, outcome);
}

bool read_core::advance(read_operation& op, std::int64_t outcome) noexcept {
  if (outcome == -EINTR || outcome == -EAGAIN) return false;
  if (outcome < 0) {
    finish(op, tl::unexpected<error>(os_failure(static_cast<int>(-outcome), "cannot read")));
    return true;
  }
  if (outcome == 0 && op.done < op.bytes()) {
    finish(op, fail(errc::truncated, "the file ends before the bytes asked for", {},
                    op.offset() + op.done));
    return true;
  }
  op.done += static_cast<std::uint64_t>(outcome);
  if (op.done < op.bytes()) return false;
  finish(op, {});
  return true;
}

result<void> read_core::read_alone(read_operation& op, read_request& request) noexcept {
  return read_fully(*op.file.os, op.file.handle, request.offset, request.destination);
}

void read_core::finish(read_operation& op, const result<void>& outcome) noexcept {
  const bool alone = op.members().size() == 1;
  if (outcome && !alone) op.copy_overlaps();
  for (read_request* const member : op.members()) {
    // One member's bad luck is not the others'.
    const bool again = !outcome && !alone && op.file.os;
    member->outcome = again ? read_alone(op, *member) : outcome;
    if (member->outcome) continue;
    error& why = member->outcome.error();
    why.source = member->source;
    if (why.offset < member->offset) why.offset = member->offset;
  }
  if (op.file.os) files_.unpin(op.source());
  op.file = {};
  const std::uint64_t finished_ns = now();
  for (read_request* follower = op.close_followers(); follower;) {
    read_request& request = *follower;
    follower = request.next;
    const read_request& twin = *op.members()[op.twin_of(request)];
    request.outcome = twin.outcome;
    if (request.outcome && !request.destination.empty()) {
      std::memmove(request.destination.data(), twin.destination.data(), request.destination.size());
    }
    tally(op, request, finished_ns);
    end(request, finished_ns);
  }
  for (read_request* const member : op.members()) tally(op, *member, finished_ns);
  for (read_request* const member : op.members()) end(*member, finished_ns);
}

void read_core::tally(read_operation& op, const read_request& request,
                      std::uint64_t finished_ns) noexcept {
  ++op.tally.completed;
  if (request.outcome) {
    op.tally.bytes += request.destination.size();
  } else {
    ++op.tally.failed;
  }
  op.tally.queue_ns += request.started_ns - request.queued_ns;
  op.tally.service_ns += finished_ns - request.started_ns;
}

// The request belongs to its submitter again from here on.
void read_core::end(read_request& request, std::uint64_t finished_ns) noexcept {
  request.finished_ns = finished_ns;
  record({.begin_ns = request.queued_ns,
          .end_ns = finished_ns,
          .name = "read",
          .value = request.destination.size(),
          .subject = request.subject,
          .kind = event_kind::request});
  executor* const on = request.on;
  const task done = request.done;
  countdown* const counter = request.counter;
  if (on) {
    on->execute(done);
  } else if (done.run && (config_.run_by_host || config_.disc)) {
    done.run(done.context);
  }
  if (counter) counter->done();
}

void read_core::serve() noexcept {
  read_operation op;
  while (next_or_sleep(op)) perform(op);
}

}  // namespace overture::io
