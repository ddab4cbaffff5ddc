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

// Waits for work. Other waits (for a lock, say) happen inside a stage and belong to it.
bool is_idleness(const char* reason) noexcept {
  static constexpr const char* known[] = {
      idle_reasons::read,         idle_reasons::budget, idle_reasons::main_thread,
      idle_reasons::nothing_left, wait_reasons::no_job, wait_reasons::group,
  };
  return std::any_of(std::begin(known), std::end(known), [reason](const char* candidate) {
    return std::strcmp(candidate, reason) == 0;
  });
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
static_assert(load_stage_count + 6 + 1 <= load_verdict::shares_max);

struct thread_time {
  std::uint64_t busy_ns = 0;
  std::uint64_t idle_ns = 0;
};

thread_time time_of(const timeline_track& track) noexcept {
  thread_time sum;
  for (const trace_total& total : track.totals()) {
    if (total.kind == event_kind::zone && is_stage(total.name)) sum.busy_ns += total.ns;
    if (total.kind == event_kind::wait && is_idleness(total.name)) sum.idle_ns += total.ns;
  }
  return sum;
}

// Adds one worker over the load's wall_ns. Its waits may reach beyond the load at both ends; if
// they add up to too much, all are scaled down alike.
void add_worker(load_verdict& verdict, const timeline_track& track,
                std::uint64_t wall_ns) noexcept {
  const thread_time sum = time_of(track);
  const std::uint64_t busy_ns = std::min(sum.busy_ns, wall_ns);
  const std::uint64_t idle_ns = std::min(sum.idle_ns, wall_ns - busy_ns);
  const double kept =
      sum.idle_ns == 0 ? 0 : static_cast<double>(idle_ns) / static_cast<double>(sum.idle_ns);
  std::uint64_t given_ns = 0;
  for (const trace_total& total : track.totals()) {
    if (total.kind == event_kind::zone && is_stage(total.name)) {
      const std::uint64_t ns = std::min(total.ns, wall_ns - given_ns);
      add_share(verdict, total.name, false, ns);
      given_ns += ns;
    }
  }
  for (const trace_total& total : track.totals()) {
    if (total.kind == event_kind::wait && is_idleness(total.name)) {
      const auto ns = std::min(static_cast<std::uint64_t>(static_cast<double>(total.ns) * kept),
                               wall_ns - given_ns);
      add_share(verdict, total.name, true, ns);
      given_ns += ns;
    }
  }
  add_share(verdict, "other", false, wall_ns - given_ns);
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
      {idle_reasons::budget, "waiting for memory"},
      {idle_reasons::main_thread, "main-thread-bound"},
      {idle_reasons::nothing_left, "waiting for the last files"},
      {"other", "overhead-bound"},
  };
  for (const named& candidate : names) {
    if (std::strcmp(candidate.share, largest.name) == 0) return candidate.verdict;
  }
  return "waiting";
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
    const std::string_view name = track.name();
    if (name == "main" || name.starts_with(worker_prefix)) {
      add_worker(verdict, track, end_ns - begin_ns);
    }
  }
  std::sort(verdict.shares, verdict.shares + verdict.share_count,
            [](const time_share& a, const time_share& b) { return a.ns > b.ns; });
  verdict.name = verdict.worker_ns == 0 ? "nothing to do" : name_of(verdict.shares[0]);
  return verdict;
}

}  // namespace overture
