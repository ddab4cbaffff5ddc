// Jobs: small pieces of work for many cores.
//
//   thread_pool jobs{{.workers = 7}};
//   job_group group{jobs};
//   for (auto& chunk : chunks) group.run([&chunk] { build(chunk); });
//   group.wait();                                  // helps with this group's jobs meanwhile
//   parallel_for(jobs, 0, n, [&](std::size_t i) { ... });
//
// A job is a callable of at most 48 bytes, stored in the job itself: submitting allocates nothing
// and takes no lock. A job must not throw. A thread that waits for a group runs jobs of that group
// only, so it can never bury the job it waits for under a longer one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "overture/atomic.hpp"
#include "overture/executor.hpp"
#include "overture/limits.hpp"

namespace overture {

class job_group;

// A move-only callable without arguments, stored inline.
class job {
 public:
  job() = default;

  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, job> && std::is_invocable_v<F&>)
  // NOLINTNEXTLINE(google-explicit-constructor): a lambda is a job wherever one is asked for
  job(F&& callable) noexcept {
    using function = std::remove_cvref_t<F>;
    static_assert(sizeof(function) <= limits::job_bytes_max,
                  "the callable captures too much for a job: capture a pointer instead");
    static_assert(alignof(function) <= alignof(std::max_align_t));
    static_assert(std::is_nothrow_move_constructible_v<function>);
    ::new (static_cast<void*>(storage_)) function(std::forward<F>(callable));
    operate_ = [](operation what, void* self, void* other) {
      auto& function_here = *static_cast<function*>(self);
      if (what == operation::run) {
        function_here();
      } else if (what == operation::move) {
        ::new (other) function(std::move(function_here));
      }
      if (what != operation::run) static_cast<function*>(self)->~function();
    };
  }
  job(job&& other) noexcept { take(other); }
  job& operator=(job&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  ~job() { reset(); }

  [[nodiscard]] explicit operator bool() const noexcept { return operate_ != nullptr; }
  void operator()() { operate_(operation::run, storage_, nullptr); }

 private:
  enum class operation : std::uint8_t { run, move, destroy };

  void take(job& other) noexcept {
    operate_ = std::exchange(other.operate_, nullptr);
    if (operate_) operate_(operation::move, other.storage_, storage_);
  }
  void reset() noexcept {
    if (operate_) std::exchange(operate_, nullptr)(operation::destroy, storage_, nullptr);
  }

  alignas(std::max_align_t) std::byte storage_[limits::job_bytes_max];
  void (*operate_)(operation, void* self, void* other) = nullptr;
};

// What runs jobs. thread_pool is Overture's own; a host may bring another.
class job_system : public executor {
 public:
  // Runs `work` later, as part of `group` if one is given. Never fails: when job_system is out of
  // room it runs the job at once on the calling thread. Any thread.
  virtual void submit(job work, job_group* group) = 0;
  // Returns when every job of the group has ended; runs jobs of that group meanwhile. Any thread.
  virtual void wait(job_group& group) = 0;
  // As wait(), but returns false once `deadline_ns` (on the clock of now_ns()) has passed. Runs one
  // job of the group if there is one, however little time is left; a job that runs is finished
  // first. Any thread.
  virtual bool wait_until(job_group& group, std::uint64_t deadline_ns) = 0;
  // How many threads can run jobs at once when one thread of the host waits. Any thread.
  [[nodiscard]] virtual unsigned concurrency() const noexcept = 0;
  // What threads that find no job report as the reason for their wait; a literal, null for
  // wait_reasons::no_job. Whoever feeds the system knows best why it runs dry. Any thread.
  virtual void set_idle_reason(const char* reason) noexcept = 0;

  void execute(task work) override {
    submit([work] { work.run(work.context); }, nullptr);
  }
};

// Jobs that are waited for together. May be used again after wait(). Must outlive its jobs, and
// must not be destroyed before wait() has returned; after that at once.
class job_group final : public executor {
 public:
  explicit job_group(job_system& system) noexcept : system_(system) {}
  ~job_group() override { wait(); }
  job_group(const job_group&) = delete;
  job_group& operator=(const job_group&) = delete;

  // Any thread; from a thread that is not a job of this group only while the group cannot end.
  void run(job work) { system_.submit(std::move(work), this); }
  void execute(task work) override {
    run([work] { work.run(work.context); });
  }
  // Any thread.
  void wait() { system_.wait(*this); }
  [[nodiscard]] bool wait_until(std::uint64_t deadline_ns) {
    return system_.wait_until(*this, deadline_ns);
  }
  // Jobs not yet ended. Any thread.
  [[nodiscard]] std::uint32_t pending() const noexcept {
    return pending_.load(std::memory_order_seq_cst);
  }

  // For job systems: counts a job that is about to be queued, and one that has ended. end_job()
  // returns true for the last; the group may be gone from then on.
  void begin_job() noexcept { pending_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool end_job() noexcept {
    return pending_.fetch_sub(1, std::memory_order_seq_cst) == 1;
  }

 private:
  job_system& system_;
  atomic<std::uint32_t> pending_{0};
};

// Calls body(i) for each i in [first, last) on all threads of the system, the caller's included,
// in pieces of `grain` (0 = chosen: about eight pieces for each thread). Returns when all is done.
// Any thread.
template <class Body>
void parallel_for(job_system& system, std::size_t first, std::size_t last, Body&& body,
                  std::size_t grain = 0) {
  if (first >= last) return;
  const std::size_t count = last - first;
  if (grain == 0) grain = count / (std::size_t{system.concurrency()} * 8) + 1;
  const std::size_t pieces = (count - 1) / grain + 1;
  atomic<std::size_t> next{0};
  auto run_pieces = [&next, &body, first, count, grain, pieces] {
    for (;;) {
      const std::size_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) return;
      const std::size_t begin = piece * grain;
      const std::size_t end = count - begin < grain ? count : begin + grain;
      for (std::size_t i = begin; i < end; ++i) body(first + i);
    }
  };
  const std::size_t helpers = (pieces < system.concurrency() ? pieces : system.concurrency()) - 1;
  job_group group{system};
  for (std::size_t i = 0; i < helpers; ++i) group.run([&run_pieces] { run_pieces(); });
  run_pieces();
  group.wait();
}

}  // namespace overture
