// SPDX-License-Identifier: Zlib
#include "overture/jobs/job_graph.hpp"

#include <optional>

#include "base/limit_text.hpp"
#include "base/vec.hpp"
#include "jobs/pool/running_job.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/thread.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/trace/timeline.hpp"
#include "sync/object_use.hpp"

namespace overture {
using namespace base_detail;

namespace {

using namespace jobs_detail;

constexpr std::uint32_t none = UINT32_MAX;

// Limits how long one job of the system goes on with jobs of a graph: another thread may wait for
// this one.
class slice {
 public:
  // After each job of the graph. Reads the clock rarely while jobs are short.
  [[nodiscard]] bool is_over() noexcept {
    if (--left_ != 0) return false;
    const std::uint64_t now = now_ns();
    if (begin_ns_ == 0) begin_ns_ = looked_ns_ = now;
    const bool short_ones = now - looked_ns_ < short_ns;
    looked_ns_ = now;
    step_ = !short_ones ? 1 : step_ < step_max ? step_ * 2 : step_;
    left_ = step_;
    return now - begin_ns_ > slice_ns;
  }

 private:
  static constexpr std::uint64_t slice_ns = 100'000;
  static constexpr std::uint64_t short_ns = 2'000;
  static constexpr unsigned step_max = 64;

  std::uint64_t begin_ns_ = 0;
  std::uint64_t looked_ns_ = 0;
  unsigned step_ = 1;
  unsigned left_ = 1;
};

struct edge {
  std::uint32_t before;
  std::uint32_t after;
};

// Two cache lines that no two jobs share: threads count jobs down while others run.
struct alignas(detail::line_bytes) node {
  node(job&& added, const job_options& wanted) noexcept : work(std::move(added)), options(wanted) {}
  node(node&& other) noexcept
      : left(other.left.load(std::memory_order_relaxed)),
        before(other.before),
        after(other.after),
        after_begin(other.after_begin),
        work(std::move(other.work)),
        options(other.options) {}
  node& operator=(node&&) = delete;
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  ~node() = default;

  atomic<std::uint32_t> left{0};  // predecessors that have not ended
  std::uint32_t before = 0;       // predecessors
  std::uint32_t after = 0;        // successors ...
  std::uint32_t after_begin = 0;  // ... from here on in the list of all
  job work;
  job_options options;
  std::uint32_t next_back = none;  // of those that came back from the job system
  bool came_back = false;
};

static_assert(sizeof(node) == 128);

}  // namespace

struct job_graph::state {
  state(const job_system& system, allocator& memory) noexcept
      : jobs(memory, memory_tag::jobs),
        dependencies(memory, memory_tag::jobs),
        successors(memory, memory_tag::jobs),
        uses({{&system,
               "a job system was destroyed while a job_graph uses it: destroy the graph first"}}) {}

  // Lists the successors of each job, all in one list.
  [[nodiscard]] bool sort_dependencies() noexcept {
    if (!successors.resize_for_overwrite(dependencies.size())) return false;
    for (node& each : jobs) each.before = each.after = 0;
    for (const edge& each : dependencies) {
      ++jobs[each.before].after;
      ++jobs[each.after].before;
    }
    std::uint32_t begin = 0;
    for (node& each : jobs) {
      each.after_begin = begin;
      begin += std::exchange(each.after, 0);
    }
    for (const edge& each : dependencies) {
      node& first = jobs[each.before];
      successors[first.after_begin + first.after++] = each.after;
    }
    return true;
  }
  void reset() noexcept {
    for (node& each : jobs) each.left.store(each.before, std::memory_order_relaxed);
  }
  // Removes jobs without predecessors until none is left, or a cycle (Kahn). Uses the counts up.
  [[nodiscard]] result<void> find_circle() noexcept {
    vec<std::uint32_t> ready(jobs.memory(), memory_tag::jobs);
    if (!ready.reserve(jobs.size()))
      return fail(errc::out_of_memory, "out of memory for the job graph");
    for (std::uint32_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i].before == 0) (void)ready.push_back(i);
    }
    std::size_t gone = 0;
    for (; gone < ready.size(); ++gone) {
      const node& ended = jobs[ready[gone]];
      for (std::uint32_t i = 0; i < ended.after; ++i) {
        const std::uint32_t after = successors[ended.after_begin + i];
        if (jobs[after].left.fetch_sub(1, std::memory_order_relaxed) == 1) {
          (void)ready.push_back(after);
        }
      }
    }
    if (gone != jobs.size())
      return fail(errc::invalid, "the dependencies of the graph form a cycle");
    return {};
  }
  // Runs one job of the graph on this thread.
  void call(node& now, const job_group& group) {
    if (now.options.token != nullptr && now.options.token->is_cancelled()) return;
    if (now.options.name == nullptr) return now.work();
    // A job system of the host has no such frame.
    std::optional<on_stack> frame;
    const running_job* const inside = this_thread_jobs().innermost;
    if (inside != nullptr) frame.emplace(*inside->reports, now.options.name, &group);
    const zone shown(now.options.name, {.colour = now.options.colour});
    now.work();
  }

  vec<node> jobs;
  vec<edge> dependencies;
  vec<std::uint32_t> successors;
  [[no_unique_address]] sync_detail::object_uses<1> uses;
  bool prepared = false;
};

job_graph::job_graph(job_system& system, allocator& memory) noexcept
    : system_(system),
      memory_(memory),
      group_(system),
      state_(make_object<state>(memory, memory_tag::jobs, system, memory)) {}

job_graph::~job_graph() {
  if (system_.is_of_this_version()) group_.wait();
  destroy_object(memory_, memory_tag::jobs, state_);
}

std::size_t job_graph::size() const noexcept {
  return state_ != nullptr ? state_->jobs.size() : 0;
}

namespace {

constexpr const char* built_while_running =
    "a job_graph was changed while it runs: wait() first, then add() and order()";

}  // namespace

result<graph_job> job_graph::add(job work, const job_options& options) {
  if constexpr (detail::contracts) detail::expects(!is_running(), built_while_running);
  if (state_ == nullptr) return fail(errc::out_of_memory, "out of memory for the job graph");
  const std::size_t index = state_->jobs.size();
  if (index == limits::graph_jobs_max) return fail(errc::limit, limit_text::graph_jobs);
  if (!state_->jobs.push_back(node(std::move(work), options))) {
    return fail(errc::out_of_memory, "out of memory for a job of the graph");
  }
  state_->prepared = false;
  return static_cast<graph_job>(index);
}

result<void> job_graph::order(graph_job before, graph_job after) {
  if constexpr (detail::contracts) detail::expects(!is_running(), built_while_running);
  const edge added{static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after)};
  if (added.before >= size() || added.after >= size() || before == after) {
    return fail(errc::invalid, "a dependency on an unknown job, or of a job on itself");
  }
  if (state_->dependencies.size() == limits::graph_jobs_max) {
    return fail(errc::limit, limit_text::graph_dependencies);
  }
  if (!state_->dependencies.push_back(added)) {
    return fail(errc::out_of_memory, "out of memory for a dependency of the graph");
  }
  state_->prepared = false;
  return {};
}

result<void> job_graph::prepare() {
  if (state_ == nullptr) return fail(errc::out_of_memory, "out of memory for the job graph");
  if (state_->prepared) return {};
  if (!system_.is_of_this_version()) return fail(errc::unsupported, other_version);
  if (!state_->sort_dependencies())
    return fail(errc::out_of_memory, "out of memory for the job graph");
  state_->reset();
  const result<void> sound = state_->find_circle();
  if (sound) state_->reset();
  state_->prepared = sound.has_value();
  return sound;
}

result<void> job_graph::start() {
  if (is_running()) return fail(errc::busy, "the graph is already running");
  if (auto ok = prepare(); !ok) return ok;
  if (group_.is_cancelled()) {
    // The previous run has not used all counts up.
    state_->reset();
    group_.revive();
  }
  job_batch normal(system_, &group_);
  for (std::uint32_t i = 0; i < state_->jobs.size(); ++i) {
    const node& each = state_->jobs[i];
    if (each.before != 0) continue;
    if (each.options.priority == job_priority::normal) {
      normal.add([this, i] { run_from(i); });
    } else {
      system_.submit([this, i] { run_from(i); }, &group_, {.priority = each.options.priority});
    }
  }
  return {};
}

result<void> job_graph::run() {
  auto started = start();
  if (started) wait();
  return started;
}

// Runs a job of the graph, submitted by another one.
struct job_graph::turn {
  job_graph* graph;
  std::uint32_t first;

  void operator()() {
    if (detail::runs_inside_submit(this)) {
      graph->state_->jobs[first].came_back = true;
    } else {
      graph->run_from(first);
    }
  }
};

// False if the system has no room for the job; then the caller runs it after its own. If it ran
// inside submit(), so would its successors, nested until the stack is used up.
bool job_graph::hand_over(std::uint32_t index) {
  node& given = state_->jobs[index];
  system_.submit(turn{this, index}, &group_, {.priority = given.options.priority});
  return !std::exchange(given.came_back, false);
}

void job_graph::run_from(std::uint32_t first) {
  vec<node>& jobs = state_->jobs;
  slice own;
  std::uint32_t back = none;  // those that came back, linked by next_back
  for (std::uint32_t current = first;;) {
    node& now = jobs[current];
    const job_priority here = now.options.priority;
    // For the next run: in this one all predecessors have ended.
    now.left.store(now.before, std::memory_order_relaxed);
    state_->call(now, group_);
    // This thread keeps one of those that may start and hands the others over.
    std::uint32_t next = none;
    for (std::uint32_t i = 0; i < now.after; ++i) {
      const std::uint32_t after = state_->successors[now.after_begin + i];
      if (jobs[after].left.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      if (next == none && jobs[after].options.priority == here) {
        next = after;
      } else if (!hand_over(after)) {
        jobs[after].next_back = std::exchange(back, after);
      }
    }
    if (group_.is_cancelled()) return;
    if (next == none || (own.is_over() && hand_over(next))) {
      if (back == none) return;
      next = std::exchange(back, jobs[back].next_back);
    }
    current = next;
  }
}

}  // namespace overture
