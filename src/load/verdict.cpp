// Where the workers' time went: each lane's wall time goes to the stage it ran, its idle time to
// what it waited for, the rest to "other".
#include <algorithm>
#include <cstring>

#include "overture/load.hpp"
#include "overture/timeline.hpp"

namespace overture {
namespace {

bool is_stage(const char* name) noexcept {
  for (std::size_t stage = 0; stage < load_stage_count; ++stage) {
    if (std::strcmp(name, to_string(static_cast<load_stage>(stage))) == 0) return true;
  }
  return false;
}

class share_table {
 public:
  explicit share_table(load_verdict& verdict) noexcept : verdict_(verdict) {}

  void add(const char* name, bool waiting, std::uint64_t ns) noexcept {
    if (time_share* const share = find(name, waiting)) share->ns += ns;
  }
  void take_back(const char* name, std::uint64_t ns) noexcept {
    if (time_share* const share = find(name, true)) share->ns -= std::min(share->ns, ns);
  }

 private:
  time_share* find(const char* name, bool waiting) noexcept {
    for (std::size_t i = 0; i < verdict_.share_count; ++i) {
      time_share& share = verdict_.shares[i];
      if (share.waiting == waiting && std::strcmp(share.name, name) == 0) return &share;
    }
    // One place stays free for "other".
    if (verdict_.share_count + 1 == load_verdict::shares_max) return nullptr;
    time_share& fresh = verdict_.shares[verdict_.share_count++];
    fresh = {name, waiting, 0};
    return &fresh;
  }

  load_verdict& verdict_;
};

// A wait inside a stage belongs to the stage. Events come in the order of their ends, so such a
// wait comes just before its stage and is taken back then.
class lane_reader {
 public:
  lane_reader(share_table& shares, std::uint64_t begin_ns, std::uint64_t end_ns) noexcept
      : shares_(shares), begin_ns_(begin_ns), end_ns_(end_ns) {}

  void read(const trace_event& event) noexcept {
    const std::uint64_t begin = std::max(event.begin_ns, begin_ns_);
    const std::uint64_t end = std::min(event.end_ns, end_ns_);
    if (begin >= end) return;
    if (event.kind == event_kind::wait) {
      shares_.add(event.name, true, end - begin);
      recent_[recent_count_++ % recent_max] = {event.name, begin, end - begin};
    } else if (event.kind == event_kind::zone && is_stage(event.name)) {
      shares_.add(event.name, false, end - begin);
      take_back_nested(begin);
    }
  }

 private:
  struct recent_wait {
    const char* name = "";
    std::uint64_t begin_ns = 0;
    std::uint64_t ns = 0;
  };
  static constexpr std::size_t recent_max = 32;

  void take_back_nested(std::uint64_t stage_begin_ns) noexcept {
    const std::size_t kept = std::min(recent_count_, recent_max);
    for (std::size_t back = 1; back <= kept; ++back) {
      recent_wait& wait = recent_[(recent_count_ - back) % recent_max];
      if (wait.begin_ns < stage_begin_ns) break;
      shares_.take_back(wait.name, wait.ns);
    }
    recent_count_ = 0;
  }

  share_table& shares_;
  std::uint64_t begin_ns_;
  std::uint64_t end_ns_;
  recent_wait recent_[recent_max];
  std::size_t recent_count_ = 0;
};

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
  share_table shares(verdict);
  for (std::size_t i = 0; i < record.lane_count(); ++i) {
    const timeline_lane& lane = record.lane(i);
    const std::string_view name = lane.name();
    if (name != "main" && !name.starts_with(worker_prefix)) continue;
    verdict.worker_ns += end_ns - begin_ns;
    lane_reader reader(shares, begin_ns, end_ns);
    lane.for_each_event([&](const trace_event& event) { reader.read(event); });
  }
  std::uint64_t known_ns = 0;
  for (std::size_t k = 0; k < verdict.share_count; ++k) known_ns += verdict.shares[k].ns;
  const std::uint64_t other_ns = verdict.worker_ns - std::min(known_ns, verdict.worker_ns);
  verdict.shares[verdict.share_count++] = {"other", false, other_ns};
  std::sort(verdict.shares, verdict.shares + verdict.share_count,
            [](const time_share& a, const time_share& b) { return a.ns > b.ns; });
  verdict.name = verdict.worker_ns == 0 ? "nothing to do" : name_of(verdict.shares[0]);
  return verdict;
}

}  // namespace overture
