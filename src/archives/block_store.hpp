// SPDX-License-Identifier: Zlib
//
// Unpacks blocks that hold several files, once for all their readers.
//
// A solid 7z archive packs many files into one block; to get at one, everything in front of it must
// be unpacked. The store unpacks a block when it is first read, keeps the bytes, and copies from
// them. It looks like an operating_system with one file that consists of the unpacked blocks, so
// the read queue, read_all() and the pipeline need no special case.
//
// Memory: up to limits::blocks_kept_bytes of idle blocks, plus those being read, each up to
// limits::block_bytes_max. Blocks are evicted by the clock algorithm (Corbató, "A paging experiment
// with the Multics system", 1968), and idle ones when the ledger is short of room.
//
// Room: a block takes room for itself and for what unpacks it before it is unpacked. A pipeline can
// wait for room: it takes it first and hands it over with hold_block(). Any other reader gets it at
// once, or fails as errc::limit. Blocks of less than small_bytes are counted and never refused.
//
// A block that was admitted with the ledger's ticket keeps it until it is evicted, and files that
// hold it are admitted past the limit too. So nothing that waits for room holds the ticket, and
// one item can always go on.
//
// Threads: any, several at once. The first reader of a block unpacks it; meanwhile read_at() waits,
// as wait_reasons::solid_block, and read_cached_at() fails as busy. A damaged block is unpacked
// only once, too: the bytes in front of the damage can be read, the rest returns the error.
//
// Times: a reader with a block_work_scope is told whether it unpacked, or waited for another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "archives/block_table.hpp"
#include "archives/handle.hpp"
#include "base/one_file.hpp"
#include "base/vec.hpp"
#include "overture/base/limits.hpp"
#include "overture/sync/event_count.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "sync/mutex.hpp"

namespace overture::archives_detail {

class block_store : public base_detail::one_file, public room_reclaimer {
 public:
  static constexpr std::uint64_t small_bytes = 1u << 20;

  // `file` is the archive's, and stays open while the store is used.
  block_store(allocator& memory, operating_system& os, const owned_handle& file) noexcept
      : one_file("compressed data is not a folder"),
        os_(os),
        file_(file),
        places_(memory),
        kept_(memory, memory_tag::vfs),
        resident_(memory, memory_tag::vfs) {}
  ~block_store() override;
  block_store(const block_store&) = delete;
  block_store& operator=(const block_store&) = delete;

  // Counts blocks in a ledger, which must outlive the store. Call it once, before anything is read.
  void use_ledger(memory_ledger& ledger) noexcept;

  // The block at this offset; no bytes if they are stored uncompressed.
  struct extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] extent extent_at(std::uint64_t offset) const noexcept;

  // Where in the archive the bytes of a file at this offset are, if they are stored there. Error:
  // unsupported, which says what they are instead.
  [[nodiscard]] result<std::uint64_t> stored_at(std::uint64_t offset,
                                                std::uint64_t bytes) const noexcept;

  // The room that reading at this offset would take now: 0 if the block is in memory, if it is
  // small, or if room was taken for it.
  [[nodiscard]] std::uint64_t missing_room(std::uint64_t offset) noexcept;
  // Keeps the block at this offset until release_block(), once unpacked. Takes over `room`, which
  // missing_room() has stated and the caller has taken from the ledger with the tag vfs, and the
  // ticket, if the caller got it for that. If the room turns out not to be needed, it is given back
  // and the caller keeps the ticket. False: it is too little, because the block was evicted
  // meanwhile; nothing is held, the room was given back, and the caller keeps the ticket.
  [[nodiscard]] bool hold_block(std::uint64_t offset, std::uint64_t room, bool& ticket) noexcept;
  void release_block(std::uint64_t offset) noexcept;
  // Whether the block at this offset, which the caller holds, has the ledger's ticket.
  [[nodiscard]] bool has_ticket(std::uint64_t offset) noexcept;
  void reclaim(std::uint64_t bytes) noexcept override;

  // A handle to the one file, for an opened_entry.
  [[nodiscard]] owned_handle open_all() noexcept { return {*this, os_handle{1}}; }

  // How many times a block was unpacked; for tests.
  [[nodiscard]] std::uint64_t unpacked_count() noexcept;
  [[nodiscard]] std::uint64_t kept_bytes() noexcept;

  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> to) noexcept override {
    return read(offset, to, reading::may_wait);
  }
  result<std::size_t> read_cached_at(os_handle, std::uint64_t offset,
                                     std::span<std::byte> to) noexcept override {
    return read(offset, to, reading::at_once);
  }
  result<mapping> map(os_handle) noexcept override {
    return fail(errc::unsupported, "compressed data cannot be mapped");
  }
  void unmap(mapping) noexcept override {}

 protected:
  enum class reading : std::uint8_t { may_wait, at_once };

  // Adds a block while the archive is listed; bytes > 0. Returns its offset in the file.
  [[nodiscard]] result<std::uint64_t> add_block(std::uint64_t bytes) noexcept;
  // The same for bytes stored uncompressed in the archive, which are read there and never kept.
  [[nodiscard]] result<std::uint64_t> add_stored(std::uint64_t bytes,
                                                 std::uint64_t archive_offset) noexcept;
  [[nodiscard]] std::uint64_t size() const noexcept override { return places_.end(); }

  // Unpacks block `number` to fill `to`. If it fails, the first `made` bytes are right. Called on
  // any thread, for several blocks at once, without any lock. Error: busy, if `how` is at_once and
  // the packed bytes are not in the page cache.
  virtual result<void> unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                              std::size_t& made) noexcept = 0;

  // Why a block that is not stored is nowhere in one piece.
  [[nodiscard]] virtual const char* packed_as() const noexcept {
    return "the file is in a block that is unpacked as a whole";
  }

  // Memory that unpack() takes besides the block.
  [[nodiscard]] virtual std::uint64_t working_bytes(std::uint32_t number) const noexcept {
    (void)number;
    return 0;
  }

  // Fills `to` with bytes of the archive, for unpack().
  [[nodiscard]] result<void> read_packed(std::uint64_t offset, std::span<std::byte> to,
                                         reading how) noexcept;
  // The same for bytes that are read again: readers are not told of them.
  [[nodiscard]] result<void> read_archive(std::uint64_t offset, std::span<std::byte> to,
                                          reading how) noexcept;

 private:
  struct kept_block {
    std::byte* data = nullptr;  // null: not unpacked, or evicted
    std::uint64_t right = 0;    // how many bytes can be read
    error flaw = {};            // why the others cannot
    std::uint64_t room = 0;     // taken from the ledger
    std::uint32_t readers = 0;
    bool ticket = false;  // the ledger's, until the block is evicted; comes with `room`
    bool broken = false;  // permanently: `flaw` says why
    bool unpacking = false;
    bool not_cached = false;  // when last tried: until a reader that may wait comes
    bool used = false;        // since the clock hand passed

    [[nodiscard]] bool is_lost() const noexcept { return broken && right == 0; }
    [[nodiscard]] bool has_room() const noexcept { return data || room != 0 || is_lost(); }
  };

  [[nodiscard]] allocator& memory() const noexcept { return kept_.memory(); }
  result<std::uint64_t> add(const block_place& added) noexcept;
  result<std::size_t> read(std::uint64_t offset, std::span<std::byte> to, reading how) noexcept;
  result<void> hold(std::uint32_t number, reading how) noexcept;
  result<void> unpack_held(std::uint32_t number, reading how) noexcept;
  // What the ledger gets back, once the lock is released: nothing may be told under the lock.
  struct returned_room {
    std::uint64_t bytes = 0;
    bool ticket = false;
    bool is_told = false;  // a block can be reclaimed
  };
  void give_back(returned_room& room) noexcept EXCLUDES(lock_);
  void begin_use(kept_block& one) noexcept REQUIRES(lock_);
  void end_use(kept_block& one, returned_room& room) noexcept REQUIRES(lock_);
  [[nodiscard]] result<void> take_room(std::uint32_t number) noexcept EXCLUDES(lock_);
  [[nodiscard]] bool make_room(std::uint64_t bytes, returned_room& room) noexcept REQUIRES(lock_);
  void evict_at_hand(returned_room& room) noexcept REQUIRES(lock_);
  [[nodiscard]] bool is_counted(std::uint32_t number) const noexcept {
    return ledger_ && !places_[number].stored && places_[number].bytes >= small_bytes;
  }

  operating_system& os_;
  const owned_handle& file_;
  memory_ledger* ledger_ = nullptr;
  sync_detail::mutex lock_;
  event_count unpacked_;
  block_table places_;
  base_detail::vec<kept_block> kept_;                           // of each place
  base_detail::vec<std::uint32_t> resident_ GUARDED_BY(lock_);  // blocks in memory
  std::size_t hand_ GUARDED_BY(lock_) = 0;                      // clock hand, an index of resident_
  std::uint64_t kept_bytes_ GUARDED_BY(lock_) = 0;
  std::uint64_t unpacked_count_ GUARDED_BY(lock_) = 0;
};

}  // namespace overture::archives_detail
