// Work in processes of their own: what two of them do at once, with nothing in common but the
// machine, is what the machine can do.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace bench {

// Does its work each time it is asked to. Made by fork: before this process starts threads.
class process {
 public:
  // `after` follows the work; settle() waits for it.
  process(const std::function<void()>& work, const std::function<void()>& after);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  void begin();
  void finish();  // the work; throws if it failed
  void settle();

 private:
  int to_ = -1;
  int from_ = -1;
  int id_ = -1;
};

// Calls `work` in a process made for it, and returns the numbers that it returns.
std::vector<double> in_process(const std::function<std::vector<double>()>& work);

}  // namespace bench
