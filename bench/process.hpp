// SPDX-License-Identifier: Zlib
//
// Work in child processes. Two of them that share nothing show what the machine can do at once, and
// variants that share neither heap nor threads do not slow each other down.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace bench {

struct repeated_work {
  std::function<void()> run;
  std::function<void()> after;  // tidies up
};

// Does its work on each request. Forks, so create it before this process has other threads.
class process {
 public:
  // Calls `prepare` once, in the child.
  explicit process(const std::function<repeated_work()>& prepare);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  void begin();
  void finish();  // waits for the work and counts its CPU time; throws if it failed
  void settle();  // waits until `after` has run

 private:
  int to_ = -1;
  int from_ = -1;
  int id_ = -1;
};

// Calls `work` in a new process and returns its result.
std::vector<double> in_process(const std::function<std::vector<double>()>& work);

}  // namespace bench
