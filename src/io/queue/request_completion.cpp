// SPDX-License-Identifier: Zlib
#include "io/queue/request_completion.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/guarded_call.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::io_detail {
using namespace base_detail;

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
  if (!request.block.used) return;
  // As record_work() has it: it waits, reads, unpacks.
  const std::uint64_t read_ns = std::max(request.started_ns, request.read_ns);
  const std::uint64_t unpack_ns = std::min(request.block.unpack_ns, read_ns - request.started_ns);
  record({.begin_ns = read_ns - unpack_ns,
          .end_ns = read_ns,
          .name = "unpack",
          .value = request.block.packed_bytes,
          .subject = request.subject,
          .kind = event_kind::part});
  const std::uint64_t wait_ns =
      std::min(request.block.wait_ns, read_ns - unpack_ns - request.started_ns);
  if (wait_ns == 0) return;
  record({.begin_ns = request.started_ns,
          .end_ns = request.started_ns + wait_ns,
          .name = wait_reasons::solid_block,
          .subject = request.subject,
          .kind = event_kind::part});
}

}  // namespace

void request_completion::count(read_tally& sum, const read_request& request,
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

void request_completion::end(read_tally& sum, read_request& request, std::uint64_t finished_ns,
                             held_counts* counts) const noexcept {
  request.finished_ns = finished_ns;
  if (is_recording()) record_read(request);
  executor* const on = request.on;
  const task done = request.done;
  countdown* const counter = request.counter;
  if (on && done.run) {
    on->execute(done);
  } else if (done.run && runs_here_) {
    if (!guarded_call([&] { done.run(done.context); })) ++sum.thrown;
  }
  if (counter && (counts ? counts->add(*counter) : counter->done())) sum.brought_to_zero = true;
}

read_tally request_completion::refuse(read_request* list, std::uint64_t now_ns) const noexcept {
  read_tally sum;
  while (list) {
    read_request& request = *list;
    list = request.next;
    request.started_ns = request.queued_ns;
    request.block = {};
    error& why = request.outcome.error();
    why.source = request.source;
    if (why.code != errc::out_of_memory) why.offset = request.offset;
    count(sum, request, now_ns);
    end(sum, request, now_ns);
  }
  return sum;
}

read_tally request_completion::cancel(read_request* list, std::uint64_t now_ns) const noexcept {
  read_tally sum;
  while (list) {
    read_request& request = *list;
    list = request.next;
    request.started_ns = now_ns;
    request.block = {};
    request.outcome = fail(errc::cancelled, "the read was cancelled", request.source);
    ++sum.completed;
    end(sum, request, now_ns);
  }
  return sum;
}

result<void> request_completion::take_destination(read_request& request) const noexcept {
  if (request.into == read_into::destination) return {};
  result<blob> taken = pool_.take(request.bytes);
  if (!taken) return tl::unexpected<error>(taken.error());
  request.buffer = std::move(*taken);
  request.destination = request.buffer.span();
  return {};
}

void request_completion::copy(read_request& follower, const read_request& twin) const noexcept {
  follower.outcome = twin.outcome;
  follower.block = twin.block.of_another();
  if (follower.outcome) follower.outcome = take_destination(follower);
  if (!follower.outcome) {
    follower.outcome.error().source = follower.source;
    return;
  }
  follower.content = follower.destination;
  if (twin.content.empty()) return;
  std::memmove(follower.destination.data(), twin.content.data(), twin.content.size());
}

}  // namespace overture::io_detail
