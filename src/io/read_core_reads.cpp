// The way of one read: chosen, merged, done, and its requests completed.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "io/read_core.hpp"
#include "overture/timeline.hpp"

namespace overture::io_detail {

namespace {

std::uint16_t flags_of(const read_request& request) noexcept {
  const bool cancelled = !request.outcome && request.outcome.error().code == errc::cancelled;
  unsigned flags = 0;
  if (cancelled) flags |= request_flags::cancelled;
  if (!request.outcome && !cancelled) flags |= request_flags::failed;
  if (request.merged && !cancelled) flags |= request_flags::merged;
  if (request.shared && !cancelled) flags |= request_flags::shared;
  if (request.viewed && !cancelled) flags |= request_flags::viewed;
  if (request.deadline_ns != 0 && request.finished_ns > request.deadline_ns) {
    flags |= request_flags::late;
  }
  return static_cast<std::uint16_t>(flags);
}

// Into the calling thread's timeline.
void record_read(const read_request& request) noexcept {
  static constexpr const char* priorities[read_priority_count] = {"minimum", "low",  "below normal",
                                                                  "normal",  "high", "maximum"};
  record({.begin_ns = request.queued_ns,
          .end_ns = request.finished_ns,
          .name = "read",
          .value = request.wanted_bytes(),
          .subject = request.subject,
          .kind = event_kind::request});
  record({.begin_ns = request.started_ns,
          .end_ns = request.finished_ns,
          .name = priorities[static_cast<std::size_t>(request.priority)],
          .value = request.offset,
          .subject = request.source.index,
          .kind = event_kind::service,
          .flags = flags_of(request)});
}

}  // namespace

// Attaches the request to a read of the same bytes that is in flight.
bool read_core::share(read_request& request) noexcept {
  if (in_flight_of_[request.source.index % std::size(in_flight_of_)] == 0) return false;
  for (read_operation* op = in_flight_; op; op = op->after) {
    if (op->twin_of(request) == read_operation::no_member) continue;
    // Both before it can be found there, and may complete.
    store_of(request).remove(request);
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

// The better of what is stored and what is packed; the latter only while there is room for it.
read_request* read_core::choose(std::uint64_t now_at) noexcept {
  read_request* const stored = stored_.size() > 0 ? stored_.choose_next(head_, now_at) : nullptr;
  read_request* const packed = packed_.size() > 0 ? packed_.choose_next(head_, now_at) : nullptr;
  if (!packed || !fits(*packed)) return stored;
  if (!stored) return packed;
  const moment at{head_, now_at + config_.danger_ns};
  return goes_before(packed_.candidate_of(*packed), stored_.candidate_of(*stored), at) ? packed
                                                                                       : stored;
}

void read_core::begin_member(read_operation& op, read_request& request) noexcept {
  request_store& store = store_of(request);
  if (store.holds(request)) store.remove(request);  // or a read it came too late to share was its
  if (request.method != compression::none) {
    packed_bytes_ += request.packed_bytes;
    stats_.packed_bytes_peak = std::max(stats_.packed_bytes_peak, packed_bytes_);
  }
  op.add(request);
}

bool read_core::take(read_operation& op, wakes& due) noexcept {
  if (suspended_ || queued() == 0) return false;
  const std::uint64_t now_at = now();
  if (thread_rules_.most != 0) ask_disk(now_at);
  while (read_request* const chosen = choose(now_at)) {
    const std::uint8_t level = store_of(*chosen).level_of(*chosen);
    if (share(*chosen)) continue;
    op.has_turn = own_files_ > 0;
    op.may_own_file = op.has_turn;
    own_files_ -= op.has_turn ? 1 : 0;
    begin_read(op, *chosen, level, now_at);
    if (config_.warms && usual_service_ns_ != 0) due.expected_ns = now_at + usual_service_ns_;
    return true;
  }
  return false;
}

void read_core::begin_read(read_operation& op, read_request& chosen, std::uint8_t level,
                           std::uint64_t now_at) noexcept {
  op.begin();
  begin_member(op, chosen);
  op.level = level;
  op.started_ns = now_at;
  if (config_.merge_bytes_max > 0) merge_neighbours(op, chosen, level);
  const bool merged = op.members().size() > 1;
  for (read_request* const member : op.members()) {
    member->started_ns = now_at;
    member->merged = merged;
    member->shared = false;
    member->viewed = false;
  }
  ++stats_.reads;
  if (merged) stats_.merged += op.members().size();
  stats_.bytes_in_flight += op.bytes();
  op.turn = stats_.reads;
  op.behind = position_of(chosen.sort_key, chosen.source, op.end());
  head_ = op.behind;
  op.in_flight = true;
  op.before = nullptr;
  op.after = in_flight_;
  if (in_flight_) in_flight_->before = &op;
  in_flight_ = &op;
  ++in_flight_of_[op.source().index % std::size(in_flight_of_)];
}

// Those of both stores, in order of their offsets.
void read_core::merge_neighbours(read_operation& op, read_request& first,
                                 std::uint8_t level) noexcept {
  read_request* near[2][read_operation::members_max];
  const disk_position place = position_of(first.sort_key, first.source, first.offset);
  std::size_t left[2] = {stored_.following(place, level, near[0]),
                         packed_.following(place, level, near[1])};
  read_request** next[2] = {near[0], near[1]};
  while (left[0] + left[1] > 0) {
    const bool packed = left[0] == 0 || (left[1] > 0 && (*next[1])->offset < (*next[0])->offset);
    read_request& nearest = **next[packed];
    if (!op.accepts(nearest, config_.merge_bytes_max, config_.merge_gap_max)) return;
    if (packed && !fits(nearest)) return;
    begin_member(op, nearest);
    ++next[packed];
    --left[packed];
  }
}

void read_core::unlink(read_operation& op) noexcept {
  op.in_flight = false;
  (op.before ? op.before->after : in_flight_) = op.after;
  if (op.after) op.after->before = op.before;
  --in_flight_of_[op.source().index % std::size(in_flight_of_)];
  stats_.bytes_in_flight -= op.bytes();
}

void read_core::retire(read_operation& op, wakes& due) noexcept {
  if (!op.in_flight) return;
  unlink(op);
  own_files_ += std::exchange(op.has_turn, false) ? 1 : 0;
  file_counts_.hits += op.tally.files.hits;
  if (op.tally.files.opens != 0) file_counts_.opens += op.tally.files.opens;
  if ((op.asked_for || notifies_all_) && op.source().valid()) {
    op.asked_for = false;
    due.left[due.left_count++] = op.source();
    ++outstanding_;  // until they have been told
  }
  if (op.tally.viewed != 0) stats_.reads -= op.tally.viewed;
  if (op.tally.completed != 0) {
    const std::uint64_t service_ns = op.tally.service_ns / op.tally.completed;
    usual_service_ns_ = usual_service_ns_ - usual_service_ns_ / 8 + service_ns / 8;
  }
  count_out(op.tally, due);
}

bool read_core::is_reading(source_id id) noexcept {
  const scoped_lock hold(lock_);
  (void)recall_all();
  bool found = false;
  for (read_operation* op = in_flight_; op; op = op->after) {
    if (op->source() != id) continue;
    op->asked_for = true;
    found = true;
  }
  return found;
}

// Who asks has been refused a descriptor by the system, which has an order with those who got one.
bool read_core::has_own_files() noexcept {
  const scoped_lock hold(lock_);
  // First: a file that is not ahead any more is an operation's from before that on.
  for (const read_bundle* each = bundles_; each; each = each->after) {
    if (each->files_ahead.load(std::memory_order_acquire) != 0) return true;
  }
  const read_operation* op = in_flight_;
  while (op && !op->owns_file.load(std::memory_order_relaxed)) op = op->after;
  return op != nullptr;
}

void read_core::notify_every_release(bool wanted) noexcept {
  const scoped_lock hold(lock_);
  if (wanted) (void)recall_all();
  notifies_all_ = wanted;
}

reader_counts read_core::counts() noexcept {
  const scoped_lock hold(lock_);
  return file_counts_;
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

result<void> read_core::read_alone(read_operation& op, std::size_t member) noexcept {
  if (!op.has_room(member)) {
    return fail(errc::out_of_memory, "no memory for the bytes of a read");
  }
  return read_fully(*op.file.os, op.file.handle, op.members()[member]->offset, op.room(member));
}

void read_core::finish(read_operation& op, const result<void>& outcome) noexcept {
  const std::span<read_request* const> members = op.members();
  const bool alone = members.size() == 1;
  if (outcome && !alone) op.copy_overlaps();
  for (std::size_t i = 0; i < members.size(); ++i) {
    read_request& member = *members[i];
    // One member's bad luck is not the others'.
    const bool again = !outcome && !alone && op.file.os;
    member.outcome = again ? read_alone(op, i) : outcome;
    if (member.outcome) {
      if (!member.viewed && !op.packed[i]) member.content = member.destination;
      continue;
    }
    error& why = member.outcome.error();
    why.source = member.source;
    if (why.offset < member.offset) why.offset = member.offset;
  }
  if (op.file.os && op.is_pinned) files_.unpin(op.source());
  const open_source used = std::exchange(op.file, {});
  const std::uint64_t finished_ns = now();
  op.ended_ns = finished_ns;
  for (read_request* const member : members) member->read_ns = finished_ns;
  end_followers(op, finished_ns);
  put_to_unpack(op);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!op.packed[i]) count(op.tally, *members[i], finished_ns);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!op.packed[i]) end(op.tally, *members[i], finished_ns, op.counts);
  }
  // Behind the others: once it is unpacked it may be gone.
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (op.packed[i]) desk_->put(*op.packed[i]);
  }
  if (!used.is_own) return;
  used.os->close(used.handle);
  op.owns_file.store(false, std::memory_order_relaxed);
}

// Items of members that were read are ready for the desk; of others nothing stays.
void read_core::put_to_unpack(read_operation& op) noexcept {
  for (std::size_t i = 0; i < op.members().size(); ++i) {
    read_request& member = *op.members()[i];
    if (member.method == compression::none) continue;
    packed_item* const item = op.packed[i];
    if (member.outcome) {
      item->request = &member;
      item->core = this;
      item->on = unpacks_here() ? nullptr : who_unpacks(member);
      item->counted_bytes = member.packed_bytes;
      ++op.tally.put_to_unpack;
      continue;
    }
    op.tally.packed_bytes += member.packed_bytes;
    if (item) item->destroy();
    op.packed[i] = nullptr;
  }
}

void read_core::end_followers(read_operation& op, std::uint64_t finished_ns) noexcept {
  for (read_request* follower = op.close_followers(); follower;) {
    read_request& request = *follower;
    follower = request.next;
    const std::size_t twin = op.twin_of(request);
    request.read_ns = finished_ns;
    if (op.packed[twin] && op.members()[twin]->outcome) {
      request.next = op.packed[twin]->followers;
      op.packed[twin]->followers = &request;
      continue;
    }
    copy_from(request, *op.members()[twin]);
    count(op.tally, request, finished_ns);
    end(op.tally, request, finished_ns);
  }
}

void read_core::copy_from(read_request& follower, const read_request& twin) noexcept {
  follower.outcome = twin.outcome;
  if (follower.outcome) follower.outcome = take_destination(follower);
  if (!follower.outcome) {
    follower.outcome.error().source = follower.source;
    return;
  }
  follower.content = follower.destination;
  if (twin.content.empty()) return;
  std::memmove(follower.destination.data(), twin.content.data(), twin.content.size());
}

std::size_t read_core::unpacked(packed_item& item) noexcept {
  read_request& request = *item.request;
  read_request* follower = item.followers;
  const std::uint64_t finished_ns = now();
  read_tally sum;
  sum.packed_bytes = item.counted_bytes;
  if (item.failed_part != UINT32_MAX) {
    request.outcome = tl::unexpected<error>(item.first_error);
  } else {
    request.content = request.destination;
  }
  // The room goes back before anybody hears of the end.
  item.destroy();
  const std::uint64_t unpack_ns = finished_ns - request.read_ns;
  std::uint32_t count_of = 1;
  while (follower) {
    read_request& each = *follower;
    follower = each.next;
    copy_from(each, request);
    count(sum, each, finished_ns);
    end(sum, each, finished_ns);
    ++count_of;
  }
  count(sum, request, finished_ns);
  end(sum, request, finished_ns);
  wakes due;
  {
    const scoped_lock hold(lock_);
    stats_.unpacked += count_of;
    stats_.unpack_ns += unpack_ns;
    count_out(sum, due);
  }
  send(due);
  return count_of;
}

std::size_t read_core::unpack_here() noexcept {
  std::size_t completed = 0;
  if (!unpacks_here() || !desk_) return 0;
  while (desk_->work(completed)) {
  }
  return completed;
}

void read_core::count(read_tally& sum, const read_request& request,
                      std::uint64_t finished_ns) noexcept {
  ++sum.completed;
  if (request.outcome) {
    sum.bytes += request.wanted_bytes();
  } else {
    ++sum.failed;
  }
  sum.queue_ns += request.started_ns - request.queued_ns;
  sum.service_ns += finished_ns - request.started_ns;
}

// The request belongs to its submitter again from here on.
void read_core::end(read_tally& sum, read_request& request, std::uint64_t finished_ns,
                    held_counts* counts) noexcept {
  request.finished_ns = finished_ns;
  if (is_recording()) record_read(request);
  executor* const on = request.on;
  const task done = request.done;
  countdown* const counter = request.counter;
  if (on) {
    on->execute(done);
  } else if (done.run && (config_.run_by_host || config_.disk)) {
    done.run(done.context);
  }
  if (counter && (counts ? counts->add(*counter) : counter->done())) sum.brought_to_zero = true;
}

}  // namespace overture::io_detail
