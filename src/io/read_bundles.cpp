// The way of a thread of the queue: several reads under one lock, one after the other, and how they
// are recalled; see read_bundle.hpp.
#include <algorithm>
#include <new>
#include <utility>

#include "io/read_core.hpp"
#include "overture/prefetch.hpp"

namespace overture::io_detail {

namespace {

// What is looked at of a request when it is its turn; the submitter's thread has written it.
void fetch(const read_operation& op) noexcept {
  const auto* const request = reinterpret_cast<const std::byte*>(op.members()[0]);
  for (std::size_t at = 0; at < sizeof(read_request); at += 64) prefetch_to_write(request + at);
}

}  // namespace

void read_core::serve() noexcept {
  const std::size_t wanted = std::clamp<std::size_t>(rules_.reads_max, 1, bundle_max);
  read_operation alone;
  void* const room = config_.memory->allocate(sizeof(read_operation) * wanted,
                                              alignof(read_operation), memory_tag::io);
  auto* const reads = static_cast<read_operation*>(room);
  for (std::size_t i = 0; room && i < wanted; ++i)
    ::new (static_cast<void*>(reads + i)) read_operation;
  read_bundle mine(room ? reads : &alone, room ? wanted : 1);
  {
    const scoped_lock hold(lock_);
    mine.after = bundles_;
    if (bundles_) bundles_->before = &mine;
    bundles_ = &mine;
    ++bundle_count_;
  }
  while (next_or_sleep(mine)) {
    perform(mine);
    (void)unpack_here();
  }
  {
    const scoped_lock hold(lock_);
    (mine.before ? mine.before->after : bundles_) = mine.after;
    if (mine.after) mine.after->before = mine.before;
    --bundle_count_;
  }
  if (!room) return;
  for (std::size_t i = 0; i < wanted; ++i) reads[i].~read_operation();
  config_.memory->deallocate(room, sizeof(read_operation) * wanted, alignof(read_operation),
                             memory_tag::io);
}

// --- Taken ---------------------------------------------------------------------------------------

bool read_core::take(read_bundle& of, wakes& due) noexcept {
  if (!take(of.at(0), due)) return false;
  read_operation& first = of.at(0);
  of.turns = std::exchange(first.has_turn, false) ? 1 : 0;
  const bundle_moment moment{
      .waiting = queued(),
      .threads = bundle_count_,
      .usual_read_ns = usual_service_ns_,
      .is_exact = notifies_all_ || stored_.has_deadlines() || packed_.has_deadlines(),
      .fetched_ahead = of.turns != 0 ? fetched_ahead() : 0};
  const std::size_t size = std::min(bundle_size(rules_, moment), of.room());
  // One turn for all that are read one after the other; one for each that is open at a time.
  const std::size_t more = std::min(size, std::max<std::size_t>(moment.fetched_ahead, 1)) - 1;
  of.turns += more;
  own_files_ -= static_cast<unsigned>(more);
  std::size_t count = 1;
  while (count < size && take_another(of, count, first.started_ns)) ++count;
  of.publish(count);
  ++reading_;
  if (!of.is_open()) return true;
  open_level_ = open_bundles_ == 0 ? first.level : std::min(open_level_, first.level);
  ++open_bundles_;
  return true;
}

// How many of a thread's reads the disk may work on at a time: 0 where they come from memory.
std::size_t read_core::fetched_ahead() const noexcept {
  if (usual_service_ns_ < rules_.memory_ns) return 0;
  const std::size_t threads = thread_rules_.most != 0 ? search_.count : bundle_count_;
  const std::size_t share = rules_.files_ahead / std::max<std::size_t>(threads, 1);
  return std::min<std::size_t>(share, 1 + own_files_);
}

// Of the level of the first, and such as end without anything that others may have to do or to wait
// for.
bool read_core::take_another(read_bundle& of, std::size_t at, std::uint64_t now_at) noexcept {
  while (read_request* const chosen = choose(now_at)) {
    const std::uint8_t level = store_of(*chosen).level_of(*chosen);
    if (level != of.at(0).level || chosen->method != compression::none ||
        chosen->into == read_into::view) {
      return false;
    }
    // What is fetched ahead are files of their own.
    if (of.turns > 1 && chosen->source == of.at(0).source()) return false;
    if (share(*chosen)) continue;
    read_operation& op = of.at(at);
    op.has_turn = false;
    op.may_own_file = of.turns != 0;
    begin_read(op, *chosen, level, now_at);
    return true;
  }
  return false;
}

// --- Done ----------------------------------------------------------------------------------------

// The requests of those it has not claimed are not to be touched.
void read_core::open_ahead(read_bundle& of) noexcept {
  constexpr std::uint64_t bytes_max = 1u << 18;  // more keep a disk busy by themselves
  const bool first_is_view = of.at(0).members()[0]->into == read_into::view;
  const std::size_t end = std::min(of.turns, of.taken());
  for (std::size_t i = first_is_view ? 1 : 0; i < end; ++i) {
    read_operation& op = of.at(i);
    if (op.overflows() || op.bytes() > bytes_max) continue;
    of.files_ahead.fetch_add(1, std::memory_order_relaxed);
    const result<open_source> opened = files_.look(op.source(), op.turn);
    if (!opened || !opened->is_own) {
      of.files_ahead.fetch_sub(1, std::memory_order_release);
      continue;
    }
    op.ahead = *opened;
    op.ahead.os->fetch_ahead(op.ahead.handle, op.offset(), op.bytes());
  }
}

// Of reads that were recalled.
void read_core::close_ahead(read_bundle& of) noexcept {
  for (std::size_t i = of.current_index() + 1; i < of.taken(); ++i) {
    const open_source left = std::exchange(of.at(i).ahead, {});
    if (!left.os) continue;
    left.os->close(left.handle);
    of.files_ahead.fetch_sub(1, std::memory_order_release);
  }
}

void read_core::perform(read_bundle& of) noexcept {
  if (of.turns > 1) open_ahead(of);
  for (;;) {
    read_operation& op = of.current();
    const bool is_ahead = op.ahead.os != nullptr;
    if (const read_operation* const next = of.likely_next()) fetch(*next);
    op.counts = &of.counts;
    // Those that have ended are not known as such yet, and somebody may wait for that; so must not
    // this thread, then.
    opening how = open(op, of.current_index() == of.retired);
    if (how == opening::busy) {
      settle(of);
      how = open(op, true);
    }
    if (is_ahead) of.files_ahead.fetch_sub(1, std::memory_order_release);
    if (how == opening::open) read_here(op);
    const std::uint64_t ended_ns = op.ended_ns;
    // What was submitted meanwhile may be more urgent than the rest, which is recalled then.
    if (inbox_.has_any()) take_up_and_call();
    const bool claimed = of.claim_next();
    if (claimed) begin_claimed(of, ended_ns);
    const bool counts_on = claimed && of.current().members()[0]->counter == of.counts.counter();
    if (!counts_on && of.counts.flush()) op.tally.brought_to_zero = true;
    if (!claimed) {
      if (of.files_ahead.load(std::memory_order_relaxed) != 0) close_ahead(of);
      return;
    }
    // Somebody is to hear of it now.
    if (op.tally.brought_to_zero || op.tally.put_to_unpack != 0) settle(of);
  }
}

void read_core::begin_claimed(read_bundle& of, std::uint64_t begun_ns) noexcept {
  for (read_request* const member : of.current().members()) member->started_ns = begun_ns;
}

// The queue gets to know of the reads that have ended, and the thread keeps the others.
void read_core::settle(read_bundle& of) noexcept {
  wakes due;
  {
    const scoped_lock hold(lock_);
    retire_until(of, of.current_index(), due);
  }
  send(due);
}

void read_core::retire_until(read_bundle& of, std::size_t end, wakes& due) noexcept {
  for (; of.retired < end; ++of.retired) retire(of.at(of.retired), due);
}

// All that it has claimed have ended, and the others were recalled.
void read_core::retire(read_bundle& of, wakes& due) noexcept {
  if (of.taken() == 0) return;
  retire_until(of, of.current_index() + 1, due);
  if (of.is_open()) {
    of.close();
    --open_bundles_;
  }
  own_files_ += static_cast<unsigned>(std::exchange(of.turns, 0));
  of.publish(0);
  --reading_;
}

// --- How many threads ----------------------------------------------------------------------------

// At the end of a period of reading; under the lock.
void read_core::ask_disk(std::uint64_t now_at) noexcept {
  constexpr std::uint64_t reads_each = 16;
  constexpr std::uint64_t period_ns_min = 2'000'000;
  constexpr std::uint64_t work_of_read = 32'768;
  period_.kept_busy = period_.kept_busy && queued() > 0;
  if (now_at - period_.begin_ns < period_ns_min ||
      stats_.reads - period_.reads < reads_each * search_.count) {
    return;
  }
  const disk_answer answer{
      .work = stats_.bytes - period_.bytes + (stats_.reads - period_.reads) * work_of_read,
      .time_ns = now_at - period_.begin_ns,
      .usual_read_ns = usual_service_ns_,
      .kept_busy = period_.kept_busy && period_.begin_ns != 0};
  search_ = next_thread_count(thread_rules_, search_, answer);
  period_ = {now_at, stats_.bytes, stats_.reads, true};
}

unsigned read_core::reads_at_once() noexcept {
  if (thread_rules_.most == 0) return 0;
  const scoped_lock hold(lock_);
  return search_.count;
}

// --- Recalled ------------------------------------------------------------------------------------

// False: there was nothing to recall.
bool read_core::recall_all() noexcept {
  if (open_bundles_ == 0) return false;
  open_bundles_ = 0;
  const read_operation* last = nullptr;  // of those that have begun
  bool found = false;
  for (read_bundle* each = bundles_; each; each = each->after) {
    if (!each->is_open()) continue;
    const std::size_t begin = each->recall();
    const read_operation& begun = each->at(begin - 1);
    if (!last || last->turn < begun.turn) last = &begun;
    found |= begin < each->taken();
    for (std::size_t i = begin; i < each->taken(); ++i) recall(each->at(i));
  }
  // The disk goes on from there.
  if (found) head_ = last->behind;
  return found;
}

void read_core::recall_outranked() noexcept {
  if (open_bundles_ == 0) return;
  if (stored_.outranks(open_level_) || packed_.outranks(open_level_)) (void)recall_all();
}

void read_core::recall(read_operation& op) noexcept {
  unlink(op);
  --stats_.reads;
  if (op.members().size() > 1) stats_.merged -= op.members().size();
  for (read_request* const member : op.members()) stand_again(*member, op.level);
  for (read_request* follower = op.close_followers(); follower;) {
    read_request& request = *follower;
    follower = request.next;
    request.shared = false;
    --stats_.shared;
    stand_again(request, static_cast<std::uint8_t>(request.priority));
  }
}

void read_core::stand_again(read_request& request, std::uint8_t level) noexcept {
  if (store_of(request).put_back(request, level)) return;
  request.outcome = fail(errc::out_of_memory, "no memory to queue a read");
  request.next = refused_;
  refused_ = &request;
}

}  // namespace overture::io_detail
