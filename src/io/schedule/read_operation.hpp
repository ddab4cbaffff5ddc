// SPDX-License-Identifier: Zlib
//
// One read of the disk: a request, or several that lie side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/schedule/choice.hpp"
#include "io/schedule/packed_item.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/io/read_queue.hpp"

namespace overture::io_detail {

// What has completed, until the queue adds it up.
struct read_tally {
  std::uint32_t completed = 0;
  std::uint32_t failed = 0;
  std::uint32_t viewed = 0;
  std::uint32_t put_to_unpack = 0;
  std::uint32_t thrown = 0;      // completions that threw
  bool brought_to_zero = false;  // a countdown
  std::uint64_t bytes = 0;
  std::uint64_t queue_ns = 0;
  std::uint64_t service_ns = 0;
  std::uint64_t packed_bytes = 0;  // given up without being unpacked
  reader_counts files;
};

class held_counts;

class read_operation {
 public:
  static constexpr std::size_t members_max = 32;
  static constexpr std::size_t gap_bytes_max = 4096;

  // Begins anew, without members. They are added in order of their offsets.
  void begin() noexcept;
  // Whether the request may be read together with the members; it begins at or after the last.
  [[nodiscard]] bool accepts(const read_request& request, std::size_t bytes_max,
                             std::size_t gap_max) const noexcept;
  void add(read_request& request) noexcept;

  [[nodiscard]] source_id source() const noexcept { return source_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return end_ - offset_; }
  // No file has a byte there.
  [[nodiscard]] bool overflows() const noexcept { return end_ < offset_; }
  [[nodiscard]] std::span<read_request* const> members() const noexcept {
    return {members_, member_count_};
  }
  // Where the bytes of a member go: its destination, or room for packed ones. Without room it is
  // not read. All members have room before parts().
  void set_room(std::size_t member, std::span<std::byte> room) noexcept {
    rooms_[member] = room;
    has_room_[member] = true;
  }
  [[nodiscard]] bool has_room(std::size_t member) const noexcept { return has_room_[member]; }
  [[nodiscard]] std::span<std::byte> room(std::size_t member) const noexcept {
    return rooms_[member];
  }
  packed_item* packed[members_max] = {};  // of members that are to be unpacked

  // The number of the member that asks for the same bytes, or no_member. Does not look at the
  // members themselves, which may have completed.
  static constexpr std::size_t no_member = members_max;
  [[nodiscard]] std::size_t twin_of(const read_request& request) const noexcept;

  // Where the bytes go, in order, from byte `done` of the operation on. Returns how many parts.
  [[nodiscard]] std::size_t parts(std::uint64_t done, std::span<std::span<std::byte>> out) noexcept;
  static constexpr std::size_t parts_max = 2 * members_max;
  // Fills what two members share in the one that did not get it, once all has been read.
  void copy_overlaps() noexcept;

  // Requests for the same bytes as a member, which get a copy. False: too late.
  [[nodiscard]] bool follow(read_request& request) noexcept;
  // Takes no more followers after this; returns those it has.
  [[nodiscard]] read_request* close_followers() noexcept;

  read_tally tally;

  // For back ends.
  open_source file;
  open_source ahead;       // the same file, opened before the read begins
  bool is_pinned = false;  // and to be unpinned
  std::uint64_t started_ns = 0;
  std::uint64_t done = 0;  // bytes read so far
  std::uint64_t ended_ns = 0;
  block_work block;               // of the whole read
  std::uint64_t read_number = 0;  // how many reads the queue had begun, with this one
  disk_position end_position;     // where the head of the disk is then
  held_counts* counts = nullptr;  // of the thread that does several reads

  // What other threads look at during the read is kept off the lines that its thread writes.
  alignas(detail::line_bytes) atomic<bool> owns_file{false};  // one that is open, or about to be
  bool may_own_file = false;  // there is a permit for a file of its own
  bool has_permit = false;    // the permit is this read's, to be given back
  std::uint8_t level = 0;     // of its requests, when they were taken

 private:
  friend class reads_in_flight;
  struct range {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t unpacked_bytes = 0;
    compression method = compression::none;
    [[nodiscard]] std::uint64_t end() const noexcept { return offset + bytes; }
    friend bool operator==(const range&, const range&) = default;
  };

  static range range_of(const read_request& request) noexcept;

  // For reads_in_flight, on the line that other threads look at.
  read_operation* before_ = nullptr;
  read_operation* after_ = nullptr;
  bool in_flight_ = false;
  bool asked_for_ = false;
  source_id source_;
  std::uint64_t offset_ = 0;
  std::uint64_t end_ = 0;
  std::size_t member_count_ = 0;

  alignas(detail::line_bytes) read_request* members_[members_max] = {};
  range ranges_[members_max];
  std::span<std::byte> rooms_[members_max];
  bool has_room_[members_max] = {};
  atomic<read_request*> followers_{nullptr};
  std::byte gap_[gap_bytes_max];  // bytes between two members
};

}  // namespace overture::io_detail
