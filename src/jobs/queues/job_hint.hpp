// SPDX-License-Identifier: Zlib
//
// An entry of a deque: the address of a job record, or of a fork on the stack of the deque's owner.
//
// A record may have been claimed elsewhere by the time its hint is read, but stays readable. A fork
// is taken through the deque and in no other way: the thread that takes its hint runs it, and no
// thread may look at it before, because its stack may be gone.
#pragma once

#include <cstdint>

#include "jobs/queues/job_record.hpp"

namespace overture::jobs_detail {

class job_hint {
 public:
  constexpr job_hint() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a record is a hint wherever one is asked for
  job_hint(job_record& record) noexcept : bits_(reinterpret_cast<std::uintptr_t>(&record)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  job_hint(fork_half& half) noexcept : bits_(reinterpret_cast<std::uintptr_t>(&half) | half_bit) {}

  [[nodiscard]] explicit operator bool() const noexcept { return bits_ != 0; }
  [[nodiscard]] bool is_half() const noexcept { return (bits_ & half_bit) != 0; }
  // Null for the other kind, and for an empty hint.
  [[nodiscard]] job_record* record() const noexcept {
    return is_half() ? nullptr : reinterpret_cast<job_record*>(bits_);
  }
  [[nodiscard]] fork_half* half() const noexcept {
    return is_half() ? reinterpret_cast<fork_half*>(bits_ - half_bit) : nullptr;
  }
  friend bool operator==(const job_hint& left, const job_hint& right) noexcept {
    return left.bits_ == right.bits_;
  }

 private:
  static constexpr std::uintptr_t half_bit = 1;

  std::uintptr_t bits_ = 0;
};

static_assert(alignof(fork_half) > 1 && alignof(job_record) > 1);

}  // namespace overture::jobs_detail
