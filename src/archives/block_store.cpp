// SPDX-License-Identifier: Zlib
#include "archives/block_store.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/limit_text.hpp"
#include "io/files/block_work_here.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

// Adds the time from its construction to end() to what the reader on this thread is told. Where
// no reader asks it reads no clock.
class told_time {
 public:
  explicit told_time(std::uint64_t block_work::* to) noexcept
      : work_(io_detail::block_work_here()), to_(to), begin_ns_(work_ ? now_ns() : 0) {}
  // The time but for `without_ns`.
  void end(std::uint64_t without_ns = 0) const noexcept {
    if (!work_) return;
    const std::uint64_t ns = now_ns() - begin_ns_;
    work_->*to_ += ns - std::min(ns, without_ns);
  }

 private:
  block_work* const work_;
  std::uint64_t block_work::* const to_;
  const std::uint64_t begin_ns_;
};

std::uint64_t packed_ns_here() noexcept {
  const block_work* const work = io_detail::block_work_here();
  return work ? work->packed_ns : 0;
}

// Whether a second try would fail in the same way.
bool lasts(errc code) noexcept {
  return code == errc::corrupt || code == errc::unsupported || code == errc::limit ||
         code == errc::password;
}

}  // namespace

block_store::~block_store() {
  if (ledger_) ledger_->leave(*this);
  returned_room room;
  {
    const sync_detail::scoped_lock hold(lock_);
    hand_ = 0;
    while (!resident_.empty()) evict_at_hand(room);
  }
  give_back(room);
}

std::uint64_t block_store::unpacked_count() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return unpacked_count_;
}

std::uint64_t block_store::kept_bytes() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return kept_bytes_;
}

result<std::uint64_t> block_store::add(const block_place& added) noexcept {
  if (!kept_.push_back({})) return block_table::no_memory();
  return places_.add(added);
}

result<std::uint64_t> block_store::add_block(std::uint64_t bytes) noexcept {
  if (bytes > limits::block_bytes_max) {
    return fail(errc::limit, limit_text::block);
  }
  return add({.bytes = bytes});
}

result<std::uint64_t> block_store::add_stored(std::uint64_t bytes,
                                              std::uint64_t archive_offset) noexcept {
  return add({.bytes = bytes, .archive_offset = archive_offset, .stored = true});
}

result<void> block_store::read_packed(std::uint64_t offset, std::span<std::byte> to,
                                      reading how) noexcept {
  const told_time took(&block_work::packed_ns);
  result<void> done = read_archive(offset, to, how);
  took.end();
  block_work* const work = io_detail::block_work_here();
  if (work && done) work->packed_bytes += to.size();
  return done;
}

result<void> block_store::read_archive(std::uint64_t offset, std::span<std::byte> to,
                                       reading how) noexcept {
  if (how == reading::may_wait) return read_fully(os_, file_.get(), offset, to);
  while (!to.empty()) {
    const result<std::size_t> read = os_.read_cached_at(file_.get(), offset, to);
    if (!read) return tl::unexpected(read.error());
    if (*read == 0) return fail(errc::truncated, "the archive is truncated", {}, offset);
    offset += *read;
    to = to.subspan(*read);
  }
  return {};
}

// --- Reading -------------------------------------------------------------------------------------

result<std::size_t> block_store::read(std::uint64_t offset, std::span<std::byte> to,
                                      reading how) noexcept {
  if (offset >= size() || to.empty()) return std::size_t{0};
  const std::uint32_t number = places_.number_at(offset);
  const block_place& place = places_[number];
  const std::uint64_t inside = offset - place.offset;
  const std::size_t count = std::min<std::uint64_t>(to.size(), place.bytes - inside);
  if (place.stored) {
    return read_archive(place.archive_offset + inside, to.first(count), how).map([&] {
      return count;
    });
  }
  if (block_work* const work = io_detail::block_work_here()) work->used = true;
  kept_block& one = kept_[number];
  if (result<void> held = hold(number, how); !held) return tl::unexpected(held.error());
  const bool right = inside + count <= one.right;
  if (right) std::memcpy(to.data(), one.data + inside, count);
  returned_room room;
  lock_.lock();
  const error flaw = one.flaw;
  end_use(one, room);
  lock_.unlock();
  give_back(room);
  if (right) return count;
  return tl::unexpected(flaw);
}

// Makes sure that the block is unpacked, and keeps it until the caller decrements `readers`.
result<void> block_store::hold(std::uint32_t number, reading how) noexcept {
  kept_block& one = kept_[number];
  for (;;) {
    lock_.lock();
    if (!one.unpacking) {
      if (one.is_lost()) {
        const error flaw = one.flaw;
        lock_.unlock();
        return tl::unexpected(flaw);
      }
      if (!one.data && one.not_cached && how == reading::at_once) {
        lock_.unlock();
        return fail(errc::busy, "the packed bytes are not in the page cache");
      }
      begin_use(one);
      if (one.data) {
        lock_.unlock();
        return {};
      }
      one.unpacking = true;
      lock_.unlock();
      return unpack_held(number, how);
    }
    lock_.unlock();
    if (how == reading::at_once) return fail(errc::busy, "another thread is unpacking the block");
    const told_time took(&block_work::wait_ns);
    unpacked_.await(
        [&] {
          const sync_detail::scoped_lock look(lock_);
          return !one.unpacking;
        },
        {.reason = wait_reasons::solid_block});
    took.end();
  }
}

// The caller has set `unpacking` and incremented `readers`.
result<void> block_store::unpack_held(std::uint32_t number, reading how) noexcept {
  kept_block& one = kept_[number];
  const std::uint64_t bytes = places_[number].bytes;
  std::size_t made = 0;
  std::byte* data = nullptr;
  const told_time took(&block_work::unpack_ns);
  const std::uint64_t packed_ns = packed_ns_here();
  result<void> done = take_room(number);
  const bool has_room = done.has_value();
  if (done) {
    returned_room room;
    lock_.lock();
    const bool listed = make_room(bytes, room);
    lock_.unlock();
    give_back(room);
    if (listed) data = static_cast<std::byte*>(memory().allocate(bytes, 64, memory_tag::vfs));
    done = data ? unpack(number, {data, bytes}, how, made)
                : fail(errc::out_of_memory, "out of memory for unpacking a block of the archive",
                       {}, bytes);
    if (done) made = bytes;
  }
  const bool broken = !done && has_room && lasts(done.error().code);
  const bool keep = done || (broken && made > 0);
  const bool tried = data != nullptr;
  // To find nothing in the page cache is not to unpack.
  const bool begun = done || made > 0 || done.error().code != errc::busy;
  if (begun) took.end(packed_ns_here() - packed_ns);
  // Before others hear of it: one that holds the block's room may begin at once.
  if (!keep) memory().deallocate(data, bytes, 64, memory_tag::vfs);
  returned_room room;
  {
    const sync_detail::scoped_lock hold(lock_);
    one.unpacking = false;
    one.not_cached = how == reading::at_once && !done && done.error().code == errc::busy;
    one.broken = broken;
    if (broken) one.flaw = done.error();
    one.right = keep ? made : 0;
    if (tried) ++unpacked_count_;
    if (keep) {
      one.data = data;
      kept_bytes_ += bytes;
      (void)resident_.push_back(number);  // make_room() has reserved it
      if (one.room > bytes) {             // what unpacking took is free again
        room.bytes = one.room - bytes;
        one.room = bytes;
      }
      done = {};
    } else {
      end_use(one, room);
    }
  }
  unpacked_.notify_all();
  give_back(room);
  return done;
}

// --- Room ----------------------------------------------------------------------------------------

void block_store::use_ledger(memory_ledger& ledger) noexcept {
  ledger_ = &ledger;
  ledger.join(*this);
}

// For a block that no pipeline has taken room for.
result<void> block_store::take_room(std::uint32_t number) noexcept {
  kept_block& one = kept_[number];
  if (!ledger_) return {};
  {
    const sync_detail::scoped_lock hold(lock_);
    if (one.room != 0) return {};
  }
  const std::uint64_t bytes = places_[number].bytes + working_bytes(number);
  bool ticket = false;
  if (is_counted(number)) {
    if (result<void> taken = ledger_->take_now(bytes, memory_tag::vfs, ticket); !taken) {
      return taken;
    }
  } else {
    ledger_->add(bytes, memory_tag::vfs);
  }
  returned_room surplus;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (one.room == 0) {
      one.room = bytes;
      one.ticket = ticket;
    } else {  // a pipeline has handed over room meanwhile
      surplus = {bytes, ticket};
    }
  }
  give_back(surplus);
  return {};
}

block_store::extent block_store::extent_at(std::uint64_t offset) const noexcept {
  if (offset >= size()) return {};
  const block_place& place = places_[places_.number_at(offset)];
  return {place.offset, place.stored ? 0 : place.bytes};
}

result<std::uint64_t> block_store::stored_at(std::uint64_t offset,
                                             std::uint64_t bytes) const noexcept {
  if (offset >= size() || bytes > size() - offset) return fail(errc::unsupported, packed_as());
  std::uint32_t number = places_.number_at(offset);
  const std::uint64_t in_archive = places_[number].archive_offset + offset - places_[number].offset;
  for (;; ++number) {
    const block_place& place = places_[number];
    if (!place.stored) return fail(errc::unsupported, packed_as());
    if (place.end() >= offset + bytes) return in_archive;
    if (places_[number + 1].archive_offset != place.archive_offset + place.bytes) {
      return fail(errc::unsupported, "the file is in several pieces");
    }
  }
}

std::uint64_t block_store::missing_room(std::uint64_t offset) noexcept {
  if (offset >= size()) return 0;
  const std::uint32_t number = places_.number_at(offset);
  if (!is_counted(number)) return 0;
  const sync_detail::scoped_lock hold(lock_);
  return kept_[number].has_room() ? 0 : places_[number].bytes + working_bytes(number);
}

bool block_store::hold_block(std::uint64_t offset, std::uint64_t room, bool& ticket) noexcept {
  if (offset >= size()) return true;
  const std::uint32_t number = places_.number_at(offset);
  if (!is_counted(number)) return true;
  kept_block& one = kept_[number];
  returned_room surplus{room, false};
  bool held = true;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (!one.has_room()) {
      held = room != 0;
      one.room = std::exchange(surplus.bytes, 0);
      if (held) one.ticket = std::exchange(ticket, false);
    }
    if (held) begin_use(one);
  }
  give_back(surplus);
  return held;
}

void block_store::release_block(std::uint64_t offset) noexcept {
  if (offset >= size()) return;
  const std::uint32_t number = places_.number_at(offset);
  if (!is_counted(number)) return;
  returned_room room;
  {
    const sync_detail::scoped_lock hold(lock_);
    end_use(kept_[number], room);
  }
  give_back(room);
}

bool block_store::has_ticket(std::uint64_t offset) noexcept {
  if (offset >= size()) return false;
  const sync_detail::scoped_lock hold(lock_);
  return kept_[places_.number_at(offset)].ticket;
}

void block_store::reclaim(std::uint64_t bytes) noexcept {
  returned_room room;
  {
    const sync_detail::scoped_lock hold(lock_);
    for (hand_ = 0; room.bytes < bytes && hand_ < resident_.size();) {
      if (kept_[resident_[hand_]].readers > 0) {
        ++hand_;
      } else {
        evict_at_hand(room);
      }
    }
  }
  give_back(room);
}

void block_store::give_back(returned_room& room) noexcept {
  if (!ledger_) return;
  if (room.bytes != 0) ledger_->give_back(room.bytes, memory_tag::vfs);
  ledger_->end_item(room.ticket);
  if (room.is_told) ledger_->wake();
}

void block_store::begin_use(kept_block& one) noexcept {
  one.used = true;
  if (one.readers++ == 0 && one.data && ledger_) ledger_->remove_reclaimable(one.room);
}

void block_store::end_use(kept_block& one, returned_room& room) noexcept {
  if (--one.readers > 0 || !ledger_) return;
  if (one.data) {
    ledger_->add_reclaimable(one.room);
    room.is_told = true;
  } else {
    room.bytes = std::exchange(one.room, 0);
    room.ticket = std::exchange(one.ticket, false);
  }
}

// --- Memory --------------------------------------------------------------------------------------

// Evicts blocks until there is room for one of this size. False if out of memory.
bool block_store::make_room(std::uint64_t bytes, returned_room& room) noexcept {
  // Reserve for all blocks at once, because other threads may be unpacking too. The list is small.
  if (!resident_.reserve(kept_.size())) return false;
  for (std::size_t looked = 0; kept_bytes_ + bytes > limits::blocks_kept_bytes &&
                               looked < 2 * resident_.size() + 2 && !resident_.empty();
       ++looked) {
    if (hand_ >= resident_.size()) hand_ = 0;
    kept_block& one = kept_[resident_[hand_]];
    if (one.readers > 0 || one.used) {
      one.used = false;
      ++hand_;
      continue;
    }
    evict_at_hand(room);
  }
  return true;
}

void block_store::evict_at_hand(returned_room& room) noexcept {
  kept_block& one = kept_[resident_[hand_]];
  const std::uint64_t bytes = places_[resident_[hand_]].bytes;
  kept_bytes_ -= bytes;
  memory().deallocate(one.data, bytes, 64, memory_tag::vfs);
  one.data = nullptr;
  if (ledger_) ledger_->remove_reclaimable(one.room);
  room.bytes += std::exchange(one.room, 0);
  room.ticket |= std::exchange(one.ticket, false);
  resident_[hand_] = resident_.back();
  resident_.pop_back();
}

}  // namespace overture::archives_detail
