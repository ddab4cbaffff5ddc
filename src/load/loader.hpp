// SPDX-License-Identifier: Zlib
//
// loader: a job that sends one file after another down the pipeline.
//
// A load runs at most one loader per thread of the job system. A loader ends when no file may
// begin: none is left, no item is free, or the ledger has refused one. Room that is made starts
// another.
#pragma once

#include "load/admission.hpp"

namespace overture::load_detail {

// Shared counters are expensive to update for every file, so a loader keeps its own (files done, a
// credit of room, a spare item) and flushes them about once a millisecond.
class loader {
 public:
  explicit loader(load_state& of) noexcept;
  ~loader() { flush(); }
  loader(const loader&) = delete;
  loader& operator=(const loader&) = delete;

  // Queues a job that runs a loader.
  static void spawn(load_state& load) noexcept;
  // Runs until no file may begin, or for a time slice, after which it continues as a new job.
  void run() noexcept;
  // Goes on with an item that was left, if there is one.
  static void resume_left(load_state& load) noexcept;
  // Retires the items of a line that are cancelled.
  void drop_from(item_stack& line) noexcept;

  load_state& load;
  loader_scratch scratch;
  // The end of the last stage on this thread, and the begin of the next: one clock reading per
  // stage, and no time falls between stages.
  std::uint64_t clock_ns = now_ns();
  std::uint16_t zone_flags = 0;  // request_flags of the current stage
  block_work block;              // what of the current part was unpacking a solid block

  // Whether the item's next stage, of `ns`, takes longer than this thread lends itself. Never on a
  // worker, nor where there are none. Stages of less than a slice are not worth handing over.
  [[nodiscard]] bool is_too_long(std::uint64_t ns) const noexcept {
    return ns > slice_ns && clock_ns + ns > lent_until_ns_;
  }
  [[nodiscard]] bool is_lent() const noexcept { return lent_until_ns_ != 0; }

  // -- room --

  // Takes `bytes` of room for an item's file, and its block's. False: item.lacks says which.
  [[nodiscard]] bool take_room(load_item& item, std::uint64_t bytes) noexcept;
  // Counts memory that was not known when the file began. Never waits.
  void add_room(load_item& item, std::uint64_t bytes) noexcept;
  void release_room(load_item& item, std::uint64_t bytes) noexcept;
  // What its asset does not need.
  void release_asset_room(load_item& item, std::uint64_t bytes) noexcept;
  // Gives back all that an item holds.
  void release_all(load_item& item) noexcept;
  // Decodes that allocate at least this much take room first.
  [[nodiscard]] std::uint64_t large_decode_bytes() const noexcept {
    return credit_.share_bytes() + 1;
  }

  // -- how an item's turn ends; another thread may have the item then --

  // It waits for the room that it lacks.
  void wait_for_room(load_item& item) noexcept;
  // The workers go on with it.
  void leave(load_item& item) noexcept;
  // Its file has ended, whatever the outcome.
  void retire(load_item& item) noexcept;

 private:
  static constexpr std::uint64_t slice_ns = 1'000'000;  // then the loader continues as a new job

  [[nodiscard]] bool enter() noexcept;
  [[nodiscard]] bool try_enter() noexcept;
  void put_aside(load_item& item) noexcept;
  void flush() noexcept;

  std::uint64_t lent_until_ns_ = 0;
  room_credit credit_;
  admission admission_;
  std::uint64_t files_done_ = 0;
  std::uint64_t bytes_done_ = 0;
  std::uint64_t listed_done_ = 0;
};

// Submits a read of a file, with its priority, so that cancelling and raising the file reach it.
void submit_read(load_state& load, read_request& request, std::uint32_t file) noexcept;

// Ends the items that wait for room and were cancelled, or whose load was.
void drop_waiting(load_state& load) noexcept;

// In pipeline.cpp. Takes an item as far as it can go now.
void advance(loader& by, load_item& item) noexcept;

}  // namespace overture::load_detail
