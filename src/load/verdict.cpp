// SPDX-License-Identifier: Zlib
//
// Attributes each worker's wall time to the stages it ran and its idle time to what it waited for;
// the rest is "other".
#include <algorithm>
#include <cstring>

#include "overture/load/load_scope.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"

namespace overture {
namespace {

bool is_stage(const char* name) noexcept {
  for (std::size_t stage = 0; stage < load_stage_count; ++stage) {
    if (std::strcmp(name, to_string(static_cast<load_stage>(stage))) == 0) return true;
  }
  return false;
}

// The share that a wait of this reason belongs to, or null. Other waits (for a lock, say) happen
// inside a stage and belong to it.
const char* idleness(const char* reason) noexcept {
  struct counted {
    const char* reason;
    const char* share;
  };
  static constexpr counted known[] = {
      {idle_reasons::read, idle_reasons::read},
      {idle_reasons::solid_block, idle_reasons::solid_block},
      {idle_reasons::budget, idle_reasons::budget},
      {idle_reasons::main_thread, idle_reasons::main_thread},
      {idle_reasons::nothing_left, idle_reasons::nothing_left},
      {idle_reasons::for_workers, idle_reasons::for_workers},
      {idle_reasons::to_run, idle_reasons::to_run},
      {wait_reasons::drain, idle_reasons::read},  // a file that is read in pieces
  };
  for (const counted& candidate : known) {
    if (std::strcmp(candidate.reason, reason) == 0) return candidate.share;
  }
  return nullptr;
}

// Waits for work that no load had a reason for: before and after it.
bool is_unexplained(const char* reason) noexcept {
  return std::strcmp(reason, wait_reasons::no_job) == 0 ||
         std::strcmp(reason, wait_reasons::group) == 0;
}

void add_share(load_verdict& verdict, const char* name, bool waiting, std::uint64_t ns) noexcept {
  for (std::size_t i = 0; i < verdict.share_count; ++i) {
    time_share& share = verdict.shares[i];
    if (share.waiting == waiting && std::strcmp(share.name, name) == 0) {
      share.ns += ns;
      return;
    }
  }
  // Cannot overflow: there are fewer stages and reasons than shares_max.
  verdict.shares[verdict.share_count++] = {name, waiting, ns};
}
static_assert(load_stage_count + 8 + 1 <= load_verdict::shares_max);  // reasons, and other

// A thread's time, of which there is so much.
class divided_time {
 public:
  divided_time(load_verdict& verdict, std::uint64_t wall_ns) noexcept
      : verdict_(verdict), left_ns_(wall_ns) {}
  void give(const char* name, bool waiting, std::uint64_t ns) noexcept {
    const std::uint64_t given_ns = std::min(ns, left_ns_);
    if (given_ns == 0) return;
    add_share(verdict_, name, waiting, given_ns);
    left_ns_ -= given_ns;
  }
  [[nodiscard]] std::uint64_t left_ns() const noexcept { return left_ns_; }

 private:
  load_verdict& verdict_;
  std::uint64_t left_ns_;
};

// Adds one worker over the load's wall_ns. Work comes first; a reason that began before the load or
// outlasts it gets less, all alike; and the rest is idle time without a reason, if there was any.
void add_worker(load_verdict& verdict, std::span<const trace_total> totals,
                std::uint64_t wall_ns) noexcept {
  divided_time time(verdict, wall_ns);
  std::uint64_t idle_ns = 0;
  std::uint64_t unexplained_ns = 0;
  for (const trace_total& total : totals) {
    if (total.kind == event_kind::zone && is_stage(total.name)) {
      time.give(total.name, false, total.ns);
    }
    if (total.kind != event_kind::wait) continue;
    if (idleness(total.name)) idle_ns += total.ns;
    if (is_unexplained(total.name)) unexplained_ns += total.ns;
  }
  const double kept = idle_ns <= time.left_ns()
                          ? 1.0
                          : static_cast<double>(time.left_ns()) / static_cast<double>(idle_ns);
  for (const trace_total& total : totals) {
    const char* const share = total.kind == event_kind::wait ? idleness(total.name) : nullptr;
    if (!share) continue;
    time.give(share, true, static_cast<std::uint64_t>(static_cast<double>(total.ns) * kept));
  }
  time.give(wait_reasons::no_job, true, unexplained_ns);
  time.give("other", false, time.left_ns());
  verdict.worker_ns += wall_ns;
}

const char* name_of(const time_share& largest) noexcept {
  struct named {
    const char* share;
    const char* verdict;
  };
  static constexpr named names[] = {
      {"resolve", "resolve-bound"},
      {"read", "read-bound"},
      {"unpack", "unpack-bound"},
      {"decode", "decode-bound"},
      {"finalize", "finalize-bound"},
      {idle_reasons::read, "waiting for reads"},
      {idle_reasons::solid_block, "waiting for solid blocks"},
      {idle_reasons::budget, "waiting for memory"},
      {idle_reasons::main_thread, "main-thread-bound"},
      {idle_reasons::nothing_left, "waiting for the last files"},
      {idle_reasons::for_workers, "waiting for the workers"},
      {idle_reasons::to_run, "waiting to run"},
      {"other", "overhead-bound"},
  };
  for (const named& candidate : names) {
    if (std::strcmp(candidate.share, largest.name) == 0) return candidate.verdict;
  }
  return "waiting";
}

bool works(std::string_view thread, std::string_view worker_prefix) noexcept {
  return thread == "main" || thread.starts_with(worker_prefix);
}

load_verdict named(load_verdict verdict) noexcept {
  std::sort(verdict.shares, verdict.shares + verdict.share_count,
            [](const time_share& a, const time_share& b) { return a.ns > b.ns; });
  verdict.name = verdict.worker_ns == 0 ? "nothing to do" : name_of(verdict.shares[0]);
  return verdict;
}

}  // namespace

const char* to_string(load_stage stage) noexcept {
  switch (stage) {
    case load_stage::resolve:
      return "resolve";
    case load_stage::read:
      return "read";
    case load_stage::unpack:
      return "unpack";
    case load_stage::decode:
      return "decode";
    case load_stage::finalize:
      return "finalize";
  }
  return "unknown";
}

load_verdict judge(const timeline& record, std::uint64_t begin_ns, std::uint64_t end_ns,
                   std::string_view worker_prefix) noexcept {
  load_verdict verdict;
  for (std::size_t i = 0; i < record.track_count(); ++i) {
    const timeline_track& track = record.track(i);
    if (works(track.name(), worker_prefix)) add_worker(verdict, track.totals(), end_ns - begin_ns);
  }
  return named(verdict);
}

load_verdict judge(std::span<const thread_totals> threads, std::uint64_t wall_ns,
                   std::string_view worker_prefix) noexcept {
  load_verdict verdict;
  for (const thread_totals& thread : threads) {
    if (works(thread.name, worker_prefix)) add_worker(verdict, thread.totals, wall_ns);
  }
  return named(verdict);
}

}  // namespace overture
