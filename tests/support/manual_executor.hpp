// SPDX-License-Identifier: Zlib
//
// An executor that keeps its tasks until the test runs them. Any thread may submit.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "overture/base/executor.hpp"

namespace overture::test {

class manual_executor final : public executor {
 public:
  void execute(task work) noexcept override {
    const std::lock_guard hold(lock_);
    tasks_.push_back(work);
  }
  // Runs the current tasks in order; returns how many.
  std::size_t run() {
    std::vector<task> now;
    {
      const std::lock_guard hold(lock_);
      now = std::exchange(tasks_, {});
    }
    for (const task& work : now) work.run(work.context);
    return now.size();
  }

 private:
  std::mutex lock_;
  std::vector<task> tasks_;
};

}  // namespace overture::test
