// SPDX-License-Identifier: Zlib
//
// A few groups, remembered so that their waiters can be woken.
#pragma once

#include <array>
#include <cstddef>

#include "jobs/sleep/parking.hpp"

namespace overture {
class job_group;
}

namespace overture::jobs_detail {

class group_set {
 public:
  void add(const job_group* group) noexcept {
    if (group == nullptr) return;
    for (std::size_t i = 0; i < count_ && i < most; ++i) {
      if (groups_[i] == group) return;
    }
    if (count_ < most) groups_[count_] = group;
    ++count_;
  }
  // With more groups than fit, those of all groups.
  void wake_waiters(parking& sleepers) const noexcept {
    if (count_ == 0 || !sleepers.has_waiters()) return;
    if (count_ > most) return sleepers.wake_waiters(nullptr);
    for (std::size_t i = 0; i < count_; ++i) sleepers.wake_waiters(groups_[i]);
  }

 private:
  static constexpr std::size_t most = 8;
  std::array<const job_group*, most> groups_{};
  std::size_t count_ = 0;
};

}  // namespace overture::jobs_detail
