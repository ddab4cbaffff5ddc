// One read of the disc: a request, or several that lie side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/atomic.hpp"
#include "overture/read_queue.hpp"

namespace overture::io {

class read_operation {
 public:
  static constexpr std::size_t members_max = 32;
  static constexpr std::size_t gap_bytes_max = 4096;

  // The first member; `more` may follow it, in order of their offsets.
  void begin(read_request& first) noexcept;
  // Whether the request may be read together with the members; it begins at or behind the last.
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
  // The number of the member that asks for the same bytes, or no_member. Does not look at the
  // members themselves, which may have completed.
  static constexpr std::size_t no_member = members_max;
  [[nodiscard]] std::size_t twin_of(const read_request& request) const noexcept;

  // Where the bytes go, in order, from byte `done` of the operation on; how many parts.
  [[nodiscard]] std::size_t parts(std::uint64_t done, std::span<std::span<std::byte>> out) noexcept;
  static constexpr std::size_t parts_max = 2 * members_max;
  // Fills what two members share in the one that did not get it, once all has been read.
  void copy_overlaps() noexcept;

  // Requests for the same bytes as a member, which get a copy. False: too late.
  [[nodiscard]] bool follow(read_request& request) noexcept;
  // Ends that; the followers.
  [[nodiscard]] read_request* close_followers() noexcept;

  // The queue's list of those in flight.
  read_operation* before = nullptr;
  read_operation* after = nullptr;
  bool in_flight = false;

  // What has completed with it, until the queue adds it up.
  struct {
    std::uint32_t completed = 0;
    std::uint32_t failed = 0;
    std::uint64_t bytes = 0;
    std::uint64_t queue_ns = 0;
    std::uint64_t service_ns = 0;
  } tally;

  // For back ends.
  open_source file;
  std::uint64_t started_ns = 0;
  std::uint64_t done = 0;  // bytes that are there

 private:
  struct range {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    friend bool operator==(const range&, const range&) = default;
  };

  read_request* members_[members_max] = {};
  range ranges_[members_max];
  std::size_t member_count_ = 0;
  source_id source_;
  std::uint64_t offset_ = 0;
  std::uint64_t end_ = 0;
  atomic<read_request*> followers_{nullptr};
  std::byte gap_[gap_bytes_max];  // what lies between two members
};

}  // namespace overture::io
