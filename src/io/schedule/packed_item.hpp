// SPDX-License-Identifier: Zlib
//
// The packed bytes of one request, from its read until they are unpacked, and how far that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/unpack/unpack_plan.hpp"
#include "overture/base/blob.hpp"
#include "overture/io/read_queue.hpp"

namespace overture::io_detail {

struct packed_item;

// The queue that owns the items. Called on the thread that unpacks.
class unpack_owner {
 public:
  // Gives the request a buffer unless it has the caller's destination. Error: out_of_memory.
  [[nodiscard]] virtual result<void> take_destination(read_request& request) noexcept = 0;
  // Ends the item and its requests; returns how many.
  virtual std::size_t unpacked(packed_item& item) noexcept = 0;

 protected:
  ~unpack_owner() = default;
};

struct packed_item {
  read_request* request = nullptr;
  read_request* followers = nullptr;  // want the same and get a copy
  unpack_owner* owner = nullptr;
  executor* on = nullptr;  // where it is unpacked; null: by the polling thread
  std::span<const std::byte> packed;
  std::uint64_t counted_bytes = 0;  // against packed_bytes_max

  unpack_plan plan;
  error first_error;

  // The unpack queue's.
  packed_item* next = nullptr;
  std::uint32_t part_count = 1;  // until it is planned
  std::uint32_t next_part = 0;
  std::uint32_t parts_left = 1;
  std::uint32_t failed_part = UINT32_MAX;
  std::uint32_t holds = 0;  // threads that may still touch it; the last one ends it
  bool is_planned = false;

  // Item and room for so many bytes in one block of the pool; null if it was refused.
  [[nodiscard]] static packed_item* make(buffer_pool& pool, std::size_t bytes) noexcept;
  [[nodiscard]] std::span<std::byte> room() noexcept;
  void destroy() noexcept;

 private:
  blob block_;  // the item lies in it
};

}  // namespace overture::io_detail
