// SPDX-License-Identifier: Zlib
#include "overture/sync/memory_ledger.hpp"

#include <algorithm>

#include "overture/base/contracts.hpp"

namespace overture {
namespace {

using sync_detail::ledger_member;

void raise_to(atomic<std::uint64_t>& peak, std::uint64_t value) noexcept {
  std::uint64_t most = peak.load(std::memory_order_relaxed);
  while (value > most && !peak.compare_exchange_weak(most, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

memory_ledger::memory_ledger(std::uint64_t limit_bytes) noexcept : limit_(limit_bytes) {}

// --- Room ----------------------------------------------------------------------------------------

void memory_ledger::note_peaks(std::uint64_t bytes, memory_tag tag, std::uint64_t now) noexcept {
  raise_to(peak_, now);
  tag_counters& mine = by_tag_[static_cast<std::size_t>(tag)];
  raise_to(mine.peak, mine.used.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

bool memory_ledger::take_if_free(std::uint64_t bytes, memory_tag tag) noexcept {
  std::uint64_t now = used_.load(std::memory_order_seq_cst);
  do {
    if (now > limit_ || bytes > limit_ - now) return false;
  } while (!used_.compare_exchange_weak(now, now + bytes, std::memory_order_seq_cst));
  note_peaks(bytes, tag, now + bytes);
  return true;
}

void memory_ledger::add(std::uint64_t bytes, memory_tag tag) noexcept {
  note_peaks(bytes, tag, used_.fetch_add(bytes, std::memory_order_seq_cst) + bytes);
}

bool memory_ledger::take_at_once(std::uint64_t bytes, memory_tag tag, bool& ticket) noexcept {
  if (!ticket) {
    if (take_if_free(bytes, tag)) return true;
    if (ticket_taken_.exchange(true, std::memory_order_seq_cst)) return false;
    ticket = true;
  }
  add(bytes, tag);
  return true;
}

bool memory_ledger::take(std::uint64_t bytes, memory_tag tag, bool& ticket) noexcept {
  if (!ticket) {
    if (take_if_free(bytes, tag)) return true;
    reclaim(bytes);
  }
  if (take_at_once(bytes, tag, ticket)) return true;
  // Whoever makes room from now on sees this. The second look finds what was made before.
  refused_.store(true, std::memory_order_seq_cst);
  reclaim(bytes);
  return take_at_once(bytes, tag, ticket);
}

result<void> memory_ledger::take_now(std::uint64_t bytes, memory_tag tag, bool& ticket) noexcept {
  if (!ticket) {
    if (take_if_free(bytes, tag)) return {};
    reclaim(bytes);
  }
  if (take_at_once(bytes, tag, ticket)) return {};
  return fail(errc::limit, "too little room in the memory budget while other files are loaded");
}

void memory_ledger::give_back(std::uint64_t bytes, memory_tag tag) noexcept {
  [[maybe_unused]] const std::uint64_t held =
      by_tag_[static_cast<std::size_t>(tag)].used.fetch_sub(bytes, std::memory_order_relaxed);
  if constexpr (detail::contracts) {
    detail::expects(held >= bytes,
                    "memory_ledger::give_back() gave back more than was taken with this tag: give "
                    "back what take() or add() took, once");
  }
  used_.fetch_sub(bytes, std::memory_order_seq_cst);
  wake();
}

void memory_ledger::move(std::uint64_t bytes, memory_tag from, memory_tag to) noexcept {
  [[maybe_unused]] const std::uint64_t held =
      by_tag_[static_cast<std::size_t>(from)].used.fetch_sub(bytes, std::memory_order_relaxed);
  if constexpr (detail::contracts) {
    detail::expects(held >= bytes,
                    "memory_ledger::move() moved more than was taken with this tag: name the tag "
                    "that the room was taken with");
  }
  tag_counters& now = by_tag_[static_cast<std::size_t>(to)];
  raise_to(now.peak, now.used.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

void memory_ledger::end_item(bool& ticket) noexcept {
  if (!std::exchange(ticket, false)) return;
  ticket_taken_.store(false, std::memory_order_seq_cst);
  wake();
}

void memory_ledger::wake() noexcept {
  if (!refused_.load(std::memory_order_seq_cst)) return;
  if (!refused_.exchange(false, std::memory_order_seq_cst)) return;
  visit_each(listeners_, [](ledger_member& member) {
    static_cast<room_listener&>(member).room_made();
    return true;
  });
  lock();
  room_waiter* waiter = std::exchange(waiters_, nullptr);
  unlock();
  while (waiter) {
    room_waiter& first = *std::exchange(waiter, waiter->next_);
    first.room_made();
  }
}

void memory_ledger::wait(room_waiter& waiter) noexcept {
  lock();
  waiter.next_ = std::exchange(waiters_, &waiter);
  unlock();
}

bool memory_ledger::stop_waiting(room_waiter& waiter) noexcept {
  lock();
  room_waiter** link = &waiters_;
  while (*link && *link != &waiter) link = &(*link)->next_;
  const bool waited = *link != nullptr;
  if (waited) *link = waiter.next_;
  unlock();
  return waited;
}

void memory_ledger::reclaim(std::uint64_t bytes) noexcept {
  if (reclaimable_.load(std::memory_order_seq_cst) == 0) return;
  visit_each(reclaimers_, [&](ledger_member& member) {
    const std::uint64_t now = used_.load(std::memory_order_relaxed);
    const std::uint64_t room = limit_ - std::min(limit_, now);
    if (room >= bytes) return false;
    static_cast<room_reclaimer&>(member).reclaim(bytes - room);
    return true;
  });
}

// --- Listeners and reclaimers --------------------------------------------------------------------

void memory_ledger::lock() noexcept {
  unlocked_.await([this] { return !locked_.exchange(true, std::memory_order_seq_cst); },
                  {.spin = spin_policy::none()});
}

void memory_ledger::unlock() noexcept {
  locked_.store(false, std::memory_order_seq_cst);
  unlocked_.notify_one();
}

// A member stays in the list while it is called, so that the walk can go on from it.
template <class Visit>
void memory_ledger::visit_each(ledger_member*& list, Visit visit) noexcept {
  lock();
  bool more = true;
  for (ledger_member* member = list; member && more; member = member->next_) {
    if (member->leaving_) continue;
    ++member->calls_;
    unlock();
    more = visit(*member);
    lock();
    if (--member->calls_ == 0 && member->leaving_) call_ended_.notify_all();
  }
  unlock();
}

void memory_ledger::link(ledger_member*& list, ledger_member& member) noexcept {
  lock();
  member.next_ = list;
  if (list) list->previous_ = &member;
  list = &member;
  unlock();
}

void memory_ledger::unlink(ledger_member*& list, ledger_member& member) noexcept {
  lock();
  member.leaving_ = true;
  while (member.calls_ != 0) {
    const event_count::key_type key = call_ended_.prepare_wait();
    unlock();
    call_ended_.wait(key, {.spin = spin_policy::none()});
    lock();
  }
  if (member.next_) member.next_->previous_ = member.previous_;
  (member.previous_ ? member.previous_->next_ : list) = member.next_;
  member.next_ = member.previous_ = nullptr;
  member.leaving_ = false;
  unlock();
}

void memory_ledger::join(room_listener& listener) noexcept {
  link(listeners_, listener);
}
void memory_ledger::leave(room_listener& listener) noexcept {
  unlink(listeners_, listener);
}
void memory_ledger::join(room_reclaimer& reclaimer) noexcept {
  link(reclaimers_, reclaimer);
}
void memory_ledger::leave(room_reclaimer& reclaimer) noexcept {
  unlink(reclaimers_, reclaimer);
}

result<ledger_room> ledger_room::take(memory_ledger& from, std::uint64_t bytes,
                                      memory_tag tag) noexcept {
  ledger_room room;
  if (bytes < counted_bytes_min) return room;
  if (const result<void> taken = from.take_now(bytes, tag, room.ticket_); !taken) {
    return tl::unexpected<error>(taken.error());
  }
  room.ledger_ = &from;
  room.bytes_ = bytes;
  room.tag_ = tag;
  return room;
}

}  // namespace overture
