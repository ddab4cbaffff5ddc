// SPDX-License-Identifier: Zlib
#include "io/queue/operation_runner.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/files/block_work_here.hpp"
#include "overture/base/thread.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::io_detail {

namespace {

// Into the calling thread's timeline: first it waited, as is recorded already, then it read, and
// then it unpacked. For a solid block it reads and unpacks in turns, which are summed up.
void record_work(const read_operation& op, std::uint64_t begin_ns) noexcept {
  const std::uint64_t end_ns = now_ns();
  const std::uint32_t subject = op.members()[0]->subject;
  const std::uint64_t read_ns = std::min(begin_ns + op.block.wait_ns, end_ns);
  const std::uint64_t unpack_ns = std::max(end_ns - op.block.unpack_ns, read_ns);
  // First what needs the processor: the CPU time since the event before is counted for it.
  if (unpack_ns != end_ns) {
    record({.begin_ns = unpack_ns,
            .end_ns = end_ns,
            .name = "unpack",
            .subject = subject,
            .flags = request_flags::block});
  }
  record({.begin_ns = read_ns,
          .end_ns = unpack_ns,
          .name = "read",
          .value = op.block.used ? op.block.packed_bytes : op.bytes(),
          .subject = subject});
}

}  // namespace

operation_runner::operation_runner(const read_queue_config& config, source_files& files,
                                   buffer_pool& pool, unpack_queue* unpacks,
                                   unpack_owner& owner) noexcept
    : files_(files),
      pool_(pool),
      completion_(pool, config.run_by_host || config.disk),
      clock_(config.disk),
      unpacks_(unpacks),
      owner_(owner),
      unpack_executor_(config.unpack_executor),
      unpacks_here_(config.disk || (config.run_by_host && !config.unpack_executor)) {}

// --- Opening -------------------------------------------------------------------------------------

operation_runner::opening operation_runner::open(read_operation& op, bool may_wait) noexcept {
  if (op.overflows()) {
    finish(op, fail(errc::truncated, "the file ends before the requested bytes"));
    return opening::ended;
  }
  if (const opening how = open_after_all(op, may_wait); how != opening::open) return how;
  if (show(op)) return opening::ended;
  if (const result<void> ready = make_room(op); !ready) {
    finish(op, ready);
    return opening::ended;
  }
  return opening::open;
}

operation_runner::opening operation_runner::open_by_path(read_operation& op,
                                                         const char*& path) noexcept {
  path = op.overflows() ? nullptr : files_.path_to_open(op);
  if (!path) return opening::busy;
  const result<void> ready = make_room(op);
  if (ready) return opening::open;
  finish(op, ready);
  return opening::ended;
}

operation_runner::opening operation_runner::open_after_all(read_operation& op,
                                                           bool may_wait) noexcept {
  const result<void> opened = files_.open(op, may_wait);
  if (opened) return opening::open;
  if (!may_wait && opened.error().code == errc::busy) return opening::busy;
  finish(op, opened);
  return opening::ended;
}

// A view needs no read.
bool operation_runner::show(read_operation& op) noexcept {
  read_request& request = *op.members()[0];
  if (request.into != read_into::view || request.method != compression::none) return false;
  const result<std::span<const std::byte>> seen = files_.view(request);
  if (!seen) return false;
  request.content = *seen;
  request.viewed = true;
  ++op.tally.viewed;
  finish(op, {});
  return true;
}

// Done this late so that waiting requests hold no memory. The first refusal becomes the
// operation's; members that have room are still read, each by itself.
result<void> operation_runner::make_room(read_operation& op) noexcept {
  result<void> all;
  for (std::size_t i = 0; i < op.members().size(); ++i) {
    read_request& member = *op.members()[i];
    if (member.method == compression::none) {
      const result<void> taken = completion_.take_destination(member);
      if (taken) op.set_room(i, member.destination);
      if (!taken) all = taken;
      continue;
    }
    packed_item* const item = packed_item::make(pool_, member.packed_bytes);
    if (!item) {
      all = fail(errc::out_of_memory, "out of memory for the bytes to read");
      continue;
    }
    op.packed[i] = item;
    op.set_room(i, item->room());
  }
  return all;
}

// --- Reading -------------------------------------------------------------------------------------

void operation_runner::read_here(read_operation& op) noexcept {
  std::span<std::byte> parts[read_operation::parts_max];
  const std::size_t count = op.parts(0, parts);
  const bool is_told = is_recording();
  const std::uint64_t begin_ns = is_told ? now_ns() : 0;
  result<void> outcome;
  {
    const block_work_scope noted(op.block);
    outcome =
        read_parts_fully(*op.file.os, op.file.handle, op.offset(), std::span(parts).first(count));
  }
  if (is_told) record_work(op, begin_ns);
  finish(op, outcome);
}

bool operation_runner::advance(read_operation& op, std::int64_t outcome) noexcept {
  if (outcome == -EINTR || outcome == -EAGAIN) return false;
  if (outcome < 0) {
    finish(op, tl::unexpected<error>(os_failure(static_cast<int>(-outcome), "cannot read")));
    return true;
  }
  if (outcome == 0 && op.done < op.bytes()) {
    finish(op, fail(errc::truncated, "the file ends before the requested bytes", {},
                    op.offset() + op.done));
    return true;
  }
  op.done += static_cast<std::uint64_t>(outcome);
  if (op.done < op.bytes()) return false;
  finish(op, {});
  return true;
}

result<void> operation_runner::read_alone(read_operation& op, std::size_t member) noexcept {
  if (!op.has_room(member)) {
    return fail(errc::out_of_memory, "out of memory for the bytes to read");
  }
  const block_work_scope noted(op.members()[member]->block);
  return read_fully(*op.file.os, op.file.handle, op.members()[member]->offset, op.room(member));
}

// --- Finishing -----------------------------------------------------------------------------------

void operation_runner::finish(read_operation& op, const result<void>& outcome) noexcept {
  const std::span<read_request* const> members = op.members();
  const bool alone = members.size() == 1;
  if (outcome && !alone) op.copy_overlaps();
  for (std::size_t i = 0; i < members.size(); ++i) {
    read_request& member = *members[i];
    member.block = i == 0 ? op.block : op.block.of_another();
    // One member's error must not fail the others.
    const bool again = !outcome && !alone && op.file.os;
    member.outcome = again ? read_alone(op, i) : outcome;
    if (member.outcome) {
      if (!member.viewed && !op.packed[i]) member.content = member.destination;
      continue;
    }
    error& why = member.outcome.error();
    why.source = member.source;
    if (why.code != errc::out_of_memory && why.offset < member.offset) why.offset = member.offset;
  }
  const open_source used = files_.release(op);
  const std::uint64_t finished_ns = clock_.now();
  op.ended_ns = finished_ns;
  for (read_request* const member : members) member->read_ns = finished_ns;
  end_followers(op, finished_ns);
  prepare_unpacking(op);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!op.packed[i]) request_completion::count(op.tally, *members[i], finished_ns);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!op.packed[i]) completion_.end(op.tally, *members[i], finished_ns, op.counts);
  }
  // After the others: once it is unpacked it may be gone.
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (op.packed[i]) unpacks_->put(*op.packed[i]);
  }
  files_.close(op, used);
}

void operation_runner::end_followers(read_operation& op, std::uint64_t finished_ns) noexcept {
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
    completion_.copy(request, *op.members()[twin]);
    request_completion::count(op.tally, request, finished_ns);
    completion_.end(op.tally, request, finished_ns);
  }
}

// Items of members that were read are made ready; those of the others end.
void operation_runner::prepare_unpacking(read_operation& op) noexcept {
  for (std::size_t i = 0; i < op.members().size(); ++i) {
    read_request& member = *op.members()[i];
    if (member.method == compression::none) continue;
    packed_item* const item = op.packed[i];
    if (member.outcome) {
      item->request = &member;
      item->owner = &owner_;
      item->on = unpacks_here_ ? nullptr : unpacker_of(member);
      item->counted_bytes = member.packed_bytes;
      ++op.tally.put_to_unpack;
      continue;
    }
    op.tally.packed_bytes += member.packed_bytes;
    if (item) item->destroy();
    op.packed[i] = nullptr;
  }
}

// --- Unpacking -----------------------------------------------------------------------------------

result<void> operation_runner::check_unpacking(const read_request& request) const noexcept {
  if (request.method == compression::none) return {};
  if (!unpacks_) return fail(errc::out_of_memory, "out of memory for unpacking files");
  if (unpacks_here_ || unpacker_of(request)) return {};
  return fail(errc::invalid,
              "no executor to unpack on: set `on` or read_queue_config::unpack_executor");
}

operation_runner::unpacked_requests operation_runner::end_unpacked(
    packed_item& item) const noexcept {
  read_request& request = *item.request;
  read_request* follower = item.followers;
  const std::uint64_t finished_ns = clock_.now();
  unpacked_requests ended{.tally = {}, .unpack_ns = finished_ns - request.read_ns};
  ended.tally.packed_bytes = item.counted_bytes;
  if (item.failed_part != UINT32_MAX) {
    request.outcome = tl::unexpected<error>(item.first_error);
  } else {
    request.content = request.destination;
  }
  // The room is returned before the requests complete.
  item.destroy();
  while (follower) {
    read_request& each = *follower;
    follower = each.next;
    completion_.copy(each, request);
    request_completion::count(ended.tally, each, finished_ns);
    completion_.end(ended.tally, each, finished_ns);
  }
  request_completion::count(ended.tally, request, finished_ns);
  completion_.end(ended.tally, request, finished_ns);
  return ended;
}

std::size_t operation_runner::unpack_here() noexcept {
  std::size_t completed = 0;
  if (!unpacks_here_ || !unpacks_) return 0;
  while (unpacks_->work(completed)) {
  }
  return completed;
}

}  // namespace overture::io_detail
