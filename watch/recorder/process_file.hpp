// SPDX-License-Identifier: Zlib
//
// The mapped file of a process.
#pragma once

#include "watch/recorder/recording.hpp"

namespace overture::watch {

class process_file {
 public:
  // In `room`, which is zero. Null if it cannot be made.
  [[nodiscard]] static process_file* make(const char* folder, std::size_t chunks_max,
                                          process_file& room) noexcept;

  [[nodiscard]] process_head& head() const noexcept { return *part<process_head>(0); }
  [[nodiscard]] thread_entry& thread(std::size_t place) const noexcept {
    return part<thread_entry>(threads_at)[place];
  }
  [[nodiscard]] std::size_t place_of(const thread_entry& entry) const noexcept {
    return static_cast<std::size_t>(&entry - part<thread_entry>(threads_at));
  }
  [[nodiscard]] std::uint64_t time_of(std::uint64_t clock) const noexcept {
    const std::uint64_t begin = head().begin_ns.load(std::memory_order_relaxed);
    return clock > begin ? clock - begin : 0;
  }
  // Null if there is no room for one more.
  [[nodiscard]] thread_entry* claim_thread() noexcept;
  // The first event of a chunk; null if there is no room.
  [[nodiscard]] packed_event* claim_chunk(const thread_entry& entry) noexcept;
  [[nodiscard]] std::uint32_t name(const char* text, std::size_t bytes) noexcept;
  // Of a name's number; `bytes` is 0 for none.
  [[nodiscard]] const char* text_of(std::uint32_t name, std::size_t& bytes) const noexcept;

 private:
  template <class T>
  [[nodiscard]] T* part(std::size_t at) const noexcept {
    return reinterpret_cast<T*>(room_ + at);
  }
  // Whether the disk has room for [0, end) of a region that begins at `begin`.
  [[nodiscard]] bool has_room(counter& ready, std::size_t begin, std::size_t end,
                              std::size_t most) noexcept;
  [[nodiscard]] bool allocate(std::size_t begin, std::size_t bytes) const noexcept;
  [[nodiscard]] int open_again() const noexcept;
  [[nodiscard]] std::uint64_t add_text(const char* text, std::size_t bytes,
                                       std::uint64_t mark) noexcept;

  char* room_ = nullptr;
  std::size_t chunks_max_ = 0;
  int file_ = -1;
  std::uint64_t file_number_ = 0;
  char path_[512] = {};
};

}  // namespace overture::watch
