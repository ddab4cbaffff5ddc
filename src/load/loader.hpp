// SPDX-License-Identifier: Zlib
//
// loader: a job that sends one file after another down the pipeline.
//
// A load runs at most one loader per thread of the job system. A loader ends when no file may
// begin: none is left, no item is free, or the ledger has refused one. Room that is made starts
// another.
#pragma once

#include "load/file_room.hpp"
#include "load/load_state.hpp"
#include "overture/sync/countdown.hpp"

namespace overture::load_detail {

// Shared counters are expensive to update for every file, so a loader keeps its own (files done, a
// credit of room, a spare item) and flushes them about once a millisecond.
class loader {
 public:
  explicit loader(load_state& of) noexcept;
  ~loader();
  loader(const loader&) = delete;
  loader& operator=(const loader&) = delete;

  // Queues a job that runs a loader.
  static void spawn(load_state& load) noexcept;
  // Runs until no file may begin, or for a time slice, after which it continues as a new job.
  void run() noexcept;

  load_state& load;
  // The end of the last stage on this thread, and the begin of the next: one clock reading per
  // stage, and no time falls between stages.
  std::uint64_t clock_ns = now_ns();
  std::uint16_t zone_flags = 0;  // request_flags of the current stage

  // Ends a part of a stage: adds the time since `clock_ns` to the item's record, and to the
  // timeline.
  void end_part(const load_item& item, load_stage stage, std::uint64_t bytes) noexcept;

  // Whether a piece takes longer than this thread lends itself. Never on a worker, nor where there
  // are none. Pieces of less than a slice are not worth handing over.
  [[nodiscard]] bool is_too_long(std::uint64_t ns) const noexcept {
    return lent_until_ns_ != 0 && ns > slice_ns && clock_ns + ns > lent_until_ns_;
  }
  [[nodiscard]] bool is_lent() const noexcept { return lent_until_ns_ != 0; }
  // Leaves an item to the workers: its next piece takes `ns`. What it has read or unpacked must be
  // its own.
  void leave(load_item& item, std::uint64_t ns) noexcept;
  // Goes on with an item that was left, if there is one.
  static void resume_left(load_state& load) noexcept;

  // Retires the items of a line that are cancelled.
  void drop_from(item_stack& line) noexcept;

  // Pops an item, or returns null.
  [[nodiscard]] load_item* pop(item_stack& from) noexcept;

  // Scratch of `bytes` bytes, valid until this loader's next file. Empty if that is too much, or if
  // files may outlive the loader's turn (a one-thread sink).
  [[nodiscard]] std::span<std::byte> packed_buffer(std::size_t bytes) noexcept;
  [[nodiscard]] std::span<std::byte> unpacked_buffer(std::size_t bytes) noexcept;
  [[nodiscard]] unpacker* decompressor() noexcept {
    return scratch_ ? &scratch_->decompressor : nullptr;
  }

  // Takes `bytes` of room for an item's file, and its block's. False if refused: the item then
  // waits for a loader to resume it.
  [[nodiscard]] bool reserve(load_item& item, std::uint64_t bytes) noexcept;
  // Gives back all that an item holds.
  void release_all(load_item& item) noexcept;
  // Decodes that allocate at least this much take room first.
  [[nodiscard]] std::uint64_t large_decode_bytes() const noexcept {
    return credit_.share_bytes() + 1;
  }
  // Makes an item wait, with its content, because there is no room for its asset.
  void defer_decode(load_item& item) noexcept;
  // Makes its content the item's own.
  void keep_unpacked(load_item& item) noexcept;
  // Counts memory that was not known when the file began. Never waits.
  void add_room(load_item& item, std::uint64_t bytes) noexcept;
  void release_room(load_item& item, std::uint64_t bytes) noexcept;
  // Ends a file, whatever its outcome.
  void retire(load_item& item) noexcept;

 private:
  static constexpr std::uint64_t slice_ns = 1'000'000;  // then the loader continues as a new job

  [[nodiscard]] load_item* next_item() noexcept;
  [[nodiscard]] std::uint32_t next_file() noexcept;
  void push(item_stack& to, load_item& item) noexcept;
  [[nodiscard]] bool enter() noexcept;
  [[nodiscard]] bool try_enter() noexcept;
  [[nodiscard]] std::span<std::byte> scratch_buffer(blob scratch_space::* kept,
                                                    std::size_t bytes) noexcept;
  void give_scratch_to(load_item& item) noexcept;
  void wait_in(item_stack& line, load_item& item) noexcept;
  [[nodiscard]] load_item* pop_waiting(bool room, bool block_room) noexcept;
  void flush() noexcept;

  std::uint64_t lent_until_ns_ = 0;
  room_credit credit_;
  scratch_space* scratch_;
  bool uses_scratch_;           // files end in the call that began them
  load_item* spare_ = nullptr;  // for the next file
  // load_room::made() of both rooms before the current item asked for any.
  std::uint64_t room_seen_;
  std::uint64_t block_room_seen_;
  std::uint64_t files_done_ = 0;
  std::uint64_t bytes_done_ = 0;
  std::uint64_t listed_done_ = 0;
};

// Counts a read that the read queue has completed, and one that the page cache served at once.
void note_read(load_state& load, const load_item& item, const read_request& request) noexcept;
void note_cached(load_state& load, const load_item& item, std::uint64_t bytes) noexcept;
// Waits within a stage for a request that was submitted with this countdown. The wait is not part
// of the stage.
void wait_for_read(loader& by, const load_item& item, load_stage stage, read_request& request,
                   countdown& left) noexcept;

// Submits a read of a file, with its priority, so that cancelling and raising the file reach it.
void submit_read(load_state& load, read_request& request, std::uint32_t file) noexcept;

// Whether a loader that begins now would find something to do.
[[nodiscard]] bool can_begin(load_state& load) noexcept;
// Tells the job system what its idle threads wait for now. Call it when that may have changed.
void tell_idle_reason(load_state& load) noexcept;
// Ends the items that wait for room and were cancelled, or whose load was.
void drop_waiting(load_state& load) noexcept;

// In pipeline.cpp. Takes an item as far as it can go now.
void advance(loader& by, load_item& item) noexcept;
// Finalizes and retires an item. For a one-thread sink, call it on that thread.
void finalize_here(loader& by, load_item& item) noexcept;

}  // namespace overture::load_detail
