// SPDX-License-Identifier: Zlib
//
// Bounds the memory that input asks for: unpacked blocks, files in flight, decoded assets.
//
//   memory_ledger ledger{512u << 20};
//   file_system files{{.ledger = &ledger}};
//   load_scope level{files, reads, jobs, {.ledger = &ledger}};    // share one bound
//
// A file_system and a load_scope have a ledger of their own unless you pass one.
//
// Work takes room before it takes memory. There is one rule: an item is admitted if it fits below
// the limit, or if it gets the ledger's one ticket. The holder of the ticket is admitted to
// whatever it needs, past the limit, and returns the ticket when it ends. So the peak is the limit
// plus one item, and however much the items hold already, one of them can always go on.
//
// Items of a pipeline wait for room, without holding a thread or a lock. Calls that work on their
// caller's thread (mount, open, read_all) never wait: they get room at once, or fail with
// errc::limit.
//
// The ledger counts; it allocates nothing. Amounts that Overture cannot know before it allocates
// (an asset of your own decoder) are added afterwards, whatever the limit.
//
// Cost: two read-modify-writes to take room and two to give it back. Waking those that wait takes a
// lock for a moment, only after something was refused. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/sync/event_count.hpp"

namespace overture {

class memory_ledger;
class room_waiter;

namespace sync_detail {

class waiter_link {
 protected:
  ~waiter_link() = default;

 private:
  friend class overture::memory_ledger;
  room_waiter* next_ = nullptr;
};

// A link in one of a ledger's lists.
class ledger_member {
 protected:
  ~ledger_member() = default;

 private:
  friend class overture::memory_ledger;
  ledger_member* next_ = nullptr;
  ledger_member* previous_ = nullptr;
  std::uint32_t calls_ = 0;  // threads inside its callback
  bool leaving_ = false;
};

}  // namespace sync_detail

// Hears that there may be room again for work that was refused some. A host implements it to let
// work of its own wait for room.
class room_listener : public sync_detail::ledger_member {
 public:
  // Called on the thread that made the room, without any lock held, at least once after take() has
  // refused something. Try again, or have another thread try again.
  virtual void room_made() noexcept = 0;

 protected:
  ~room_listener() = default;
};

// Hears so once, and need not leave: for work that waits by itself.
class room_waiter : public sync_detail::waiter_link {
 public:
  // Called once, unless stop_waiting() came before, as room_listener::room_made(). The ledger does
  // not touch the waiter afterwards, so it may wait again, or be destroyed.
  virtual void room_made() noexcept = 0;

 protected:
  ~room_waiter() = default;
};

// Holds memory that is only kept in case it is needed again.
class room_reclaimer : public sync_detail::ledger_member {
 public:
  // Frees at least `bytes` bytes if it can, and gives their room back. Called on a thread that
  // needs room, without any lock held.
  virtual void reclaim(std::uint64_t bytes) noexcept = 0;

 protected:
  ~room_reclaimer() = default;
};

class OVERTURE_API memory_ledger {
 public:
  // Before it ends, all room must have been given back, and all listeners and reclaimers have left.
  explicit memory_ledger(std::uint64_t limit_bytes) noexcept;
  memory_ledger(const memory_ledger&) = delete;
  memory_ledger& operator=(const memory_ledger&) = delete;

  // --- For items that can wait ---

  // Takes room if the item fits below the limit, or if it has the ticket or gets it, which sets
  // `ticket`. False: refused; room_made() will be called.
  [[nodiscard]] bool take(std::uint64_t bytes, memory_tag tag, bool& ticket) noexcept;
  // Takes room only if it fits below the limit. If refused, room_made() is not called.
  [[nodiscard]] bool take_if_free(std::uint64_t bytes, memory_tag tag) noexcept;
  // Calls waiter.room_made() when room is made. After this try take() once more, which finds what
  // was made before.
  void wait(room_waiter& waiter) noexcept;
  // False: room_made() was called, or will be at any moment.
  [[nodiscard]] bool stop_waiting(room_waiter& waiter) noexcept;
  // Counts memory that is in use already, whatever the limit.
  void add(std::uint64_t bytes, memory_tag tag) noexcept;
  void give_back(std::uint64_t bytes, memory_tag tag) noexcept;
  // Counts room under another tag.
  void move(std::uint64_t bytes, memory_tag from, memory_tag to) noexcept;
  // Returns the ticket if the item has it.
  void end_item(bool& ticket) noexcept;

  // --- For calls that cannot wait ---

  // As take(), but fails as errc::limit, and room_made() is not called for it.
  [[nodiscard]] result<void> take_now(std::uint64_t bytes, memory_tag tag, bool& ticket) noexcept;

  [[nodiscard]] std::uint64_t limit() const noexcept { return limit_; }
  [[nodiscard]] std::uint64_t used() const noexcept {
    return used_.load(std::memory_order_relaxed);
  }
  // The highest value of used() so far; of the room with one tag.
  [[nodiscard]] std::uint64_t peak() const noexcept {
    return peak_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t peak(memory_tag tag) const noexcept {
    return by_tag_[static_cast<std::size_t>(tag)].peak.load(std::memory_order_relaxed);
  }

  // --- Listeners and reclaimers ---
  // leave() waits for calls in progress: call it before the object ends, and not from inside one.

  void join(room_listener& listener) noexcept;
  void leave(room_listener& listener) noexcept;
  void join(room_reclaimer& reclaimer) noexcept;
  void leave(room_reclaimer& reclaimer) noexcept;
  // How much of the room reclaim() could free. Without any, no reclaimer is called. After more was
  // added, call wake() without holding a lock: what was refused may be admitted now.
  void add_reclaimable(std::uint64_t bytes) noexcept {
    reclaimable_.fetch_add(bytes, std::memory_order_seq_cst);
  }
  void remove_reclaimable(std::uint64_t bytes) noexcept {
    reclaimable_.fetch_sub(bytes, std::memory_order_seq_cst);
  }
  void wake() noexcept;

 private:
  struct tag_counters {
    atomic<std::uint64_t> used{0};
    atomic<std::uint64_t> peak{0};
  };

  [[nodiscard]] bool take_at_once(std::uint64_t bytes, memory_tag tag, bool& ticket) noexcept;
  void note_peaks(std::uint64_t bytes, memory_tag tag, std::uint64_t now) noexcept;
  void reclaim(std::uint64_t bytes) noexcept;
  void lock() noexcept;
  void unlock() noexcept;
  void link(sync_detail::ledger_member*& list, sync_detail::ledger_member& member) noexcept;
  void unlink(sync_detail::ledger_member*& list, sync_detail::ledger_member& member) noexcept;
  // Calls visit(member) for each, until it returns false, without holding the lock.
  template <class Visit>
  void visit_each(sync_detail::ledger_member*& list, Visit visit) noexcept;

  const std::uint64_t limit_;
  atomic<std::uint64_t> used_{0};
  atomic<std::uint64_t> peak_{0};
  atomic<std::uint64_t> reclaimable_{0};
  atomic<bool> ticket_taken_{false};
  atomic<bool> refused_{false};  // something was, since the last wake()
  tag_counters by_tag_[memory_tag_count];
  // The lists, and what is in their members, are read and written while `locked_` is set.
  sync_detail::ledger_member* listeners_ = nullptr;
  sync_detail::ledger_member* reclaimers_ = nullptr;
  room_waiter* waiters_ = nullptr;
  atomic<bool> locked_{false};
  event_count unlocked_;
  event_count call_ended_;
};

// Room that a call has taken, given back when it ends. Move-only.
class OVERTURE_API ledger_room {
 public:
  ledger_room() = default;
  ledger_room(ledger_room&& other) noexcept { swap(other); }
  ledger_room& operator=(ledger_room&& other) noexcept {
    ledger_room taken(std::move(other));
    swap(taken);
    return *this;
  }
  ledger_room(const ledger_room&) = delete;
  ledger_room& operator=(const ledger_room&) = delete;
  ~ledger_room() {
    if (!ledger_) return;
    ledger_->give_back(bytes_, tag_);
    ledger_->end_item(ticket_);
  }

  // By take_now(). Less than `counted_bytes_min` is not counted, and always granted. Error: limit.
  [[nodiscard]] static result<ledger_room> take(memory_ledger& from, std::uint64_t bytes,
                                                memory_tag tag) noexcept;
  static constexpr std::uint64_t counted_bytes_min = 1u << 20;

 private:
  void swap(ledger_room& other) noexcept {
    std::swap(ledger_, other.ledger_);
    std::swap(bytes_, other.bytes_);
    std::swap(tag_, other.tag_);
    std::swap(ticket_, other.ticket_);
  }

  memory_ledger* ledger_ = nullptr;
  std::uint64_t bytes_ = 0;
  memory_tag tag_ = memory_tag::base;
  bool ticket_ = false;
};

}  // namespace overture
