// SPDX-License-Identifier: Zlib
//
// The operations that threads have taken and not ended: which files they use, and which
// other requests want the same bytes.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/schedule/read_operation.hpp"

namespace overture::io_detail {

class reads_in_flight {
 public:
  void add(read_operation& op) noexcept;
  void remove(read_operation& op) noexcept;
  [[nodiscard]] static bool has(const read_operation& op) noexcept { return op.in_flight_; }

  // An operation that reads the very bytes that the request asks for, or null.
  [[nodiscard]] read_operation* find_twin(const read_request& request) const noexcept;
  // Marks the operations that read this file, for was_asked_for(). False: there is none.
  [[nodiscard]] bool ask_for(source_id id) noexcept;
  // Whether ask_for() has marked the operation; clears the mark.
  [[nodiscard]] static bool was_asked_for(read_operation& op) noexcept;
  // Whether one of them has a file of its own.
  [[nodiscard]] bool any_owns_file() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t files_counted = 64;
  [[nodiscard]] static std::size_t slot_of(source_id id) noexcept {
    return id.index % files_counted;
  }

  read_operation* first_ = nullptr;
  // By the last bits of the source: most requests share no file with what is in flight.
  std::uint16_t reads_of_[files_counted] = {};
  std::uint64_t bytes_ = 0;
};

}  // namespace overture::io_detail
