// Work in processes of their own. What two of them do at once, with nothing in common but the
// machine, is what the machine can do; and what is compared in this way shares no heap and no
// threads, each of which would cost the other something.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace bench {

struct repeated_work {
  std::function<void()> run;
  std::function<void()> after;  // tidies up
};

// Does its work each time it is asked to. Made by fork: when this process has no threads.
class process {
 public:
  // Calls `prepare` there, once.
  explicit process(const std::function<repeated_work()>& prepare);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  void begin();
  void finish();  // waits for the work, and counts its processor time; throws if it failed
  void settle();  // waits until everything is tidy

 private:
  int to_ = -1;
  int from_ = -1;
  int id_ = -1;
};

// Calls `work` in a process made for it, and returns the numbers that it returns.
std::vector<double> in_process(const std::function<std::vector<double>()>& work);

}  // namespace bench
