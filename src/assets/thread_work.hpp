// SPDX-License-Identifier: Zlib
//
// thread_work: what this thread does for a store in a job.
//
// A pool whose queue is full, and a job system of the host, may run a job at once, within the call
// that submits it. Each job of a store may submit others, so they would nest as deep as there are
// assets. A job that runs within a call of submit() leaves its work to the frame of the job around
// it. Jobs that a loader's own wait runs are not affected: what that waits for must go on.
#pragma once

#include <cstdint>
#include <utility>

#include "assets/innermost_work.hpp"

namespace overture::assets_detail {

class store_core;

class thread_work {
 public:
  explicit thread_work(const store_core& of) noexcept
      : of_(of), outer_(std::exchange(innermost_work(), this)) {}
  ~thread_work() { innermost_work() = outer_; }
  thread_work(const thread_work&) = delete;
  thread_work& operator=(const thread_work&) = delete;

  // The frame around a job that runs within its submit(); null if it runs by itself.
  [[nodiscard]] static thread_work* around(const store_core& of) noexcept {
    thread_work* const here = innermost_work();
    return here != nullptr && here->submits_ && &here->of_ == &of ? here : nullptr;
  }

  // While it lives, jobs that run on this thread run within their submit().
  class submitting {
   public:
    submitting() noexcept : in_(innermost_work()), before_(in_ != nullptr && in_->submits_) {
      if (in_ != nullptr) in_->submits_ = true;
    }
    ~submitting() {
      if (in_ != nullptr) in_->submits_ = before_;
    }
    submitting(const submitting&) = delete;
    submitting& operator=(const submitting&) = delete;

   private:
    thread_work* in_;
    bool before_;
  };

  // What was left to it.
  std::uint32_t jobs = 0;
  std::uint32_t background_jobs = 0;
  bool feeds = false;
  bool unloads = false;

 private:
  const store_core& of_;
  thread_work* outer_;
  bool submits_ = false;
};

}  // namespace overture::assets_detail
