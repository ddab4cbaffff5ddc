// A lane: one thread on its way from file to file.
#pragma once

#include "load/load_state.hpp"

namespace overture {

// Keeps for its thread what need not be shared for every file: counts that all threads change are
// brought up to date when the lane signs off, about once in a millisecond.
class lane {
 public:
  explicit lane(load_state& of) noexcept;
  ~lane();
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;

  // Queues a job that is a lane.
  static void begin(load_state& load) noexcept;
  // Runs until no file may begin, or for a slice of time, and goes on as another job then.
  void run() noexcept;

  load_state& load;
  // The end of the last stage on this thread, which is where the next one begins: one look at the
  // clock for each stage, and no time between them is lost.
  std::uint64_t clock_ns = now_ns();
  std::uint16_t zone_flags = 0;  // request_flags of the stage that runs, for its zone

  // An item of those that are there, or null.
  [[nodiscard]] load_item* pop(index_stack& from, atomic<std::uint32_t>& count) noexcept;

  // For pipeline.cpp. Room of so many bytes until the lane's next file; of size 0 if `bytes` are
  // too many, or if files do not end on the lane where they begin.
  [[nodiscard]] std::span<std::byte> packed_room(std::size_t bytes) noexcept;
  [[nodiscard]] std::span<std::byte> unpacked_room(std::size_t bytes) noexcept;
  [[nodiscard]] unpacker* tables() noexcept { return work_ ? &work_->tables : nullptr; }

  // False: the budget is full, and the item waits until a lane takes it up again.
  [[nodiscard]] bool reserve_budget(load_item& item) noexcept;
  // Files that make more than this when they are decoded are admitted to it first.
  [[nodiscard]] std::uint64_t large_decode_bytes() const noexcept { return share_bytes_ + 1; }
  // The budget is too full for what the decoder asks for: the item waits, with its content.
  void wait_to_decode(load_item& item) noexcept;
  // Memory that was not known when the file began. Never waits.
  void add_to_budget(load_item& item, std::uint64_t bytes) noexcept;
  void release_budget(load_item& item, std::uint64_t bytes) noexcept;
  // The file is done, whatever became of it.
  void retire(load_item& item) noexcept;

 private:
  [[nodiscard]] load_item* next_item() noexcept;
  void push(index_stack& to, atomic<std::uint32_t>& count, load_item& item) noexcept;
  [[nodiscard]] bool enter() noexcept;
  [[nodiscard]] std::span<std::byte> room(blob workspace::* kept, std::size_t bytes) noexcept;
  void leave_room_to(load_item& item) noexcept;
  void give_back(std::uint64_t bytes) noexcept;
  void sign_off() noexcept;
  void explain_idleness() noexcept;

  std::uint64_t share_bytes_;  // of the budget, what a lane may keep for itself in one piece
  workspace* work_;
  bool keeps_files_;                // they end where they begin
  load_item* spare_ = nullptr;      // an item for the next file
  std::uint64_t credit_bytes_ = 0;  // reserved for the next small files
  std::uint64_t files_done_ = 0;
  std::uint64_t bytes_done_ = 0;
};

// pipeline.cpp: the way of one file.
void advance(lane& on, load_item& item) noexcept;
// The rest of it, for a file that waited for the host's one thread.
void finalize_here(lane& on, load_item& item) noexcept;

}  // namespace overture
