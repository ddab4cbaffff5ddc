// SPDX-License-Identifier: Zlib
//
// Recording: each thread has a track, which it alone writes.
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "base/guarded_call.hpp"
#include "base/limit_text.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"

namespace overture {
namespace {

constexpr char other_name[] = "other";
constexpr char wake_name[] = "wake";

std::uint64_t duration_ns(const trace_event& event) noexcept {
  return event.end_ns > event.begin_ns ? event.end_ns - event.begin_ns : 0;
}

// Others have a place or a subject as their value.
constexpr bool has_amount(event_kind kind) noexcept {
  return kind != event_kind::wait && kind != event_kind::wake && kind != event_kind::room &&
         kind != event_kind::delay;
}

constexpr bool has_cpu_time(event_kind kind) noexcept {
  return kind == event_kind::zone || kind == event_kind::wait;
}

// Sums by kind and name: a dense array, and an open-addressing table of positions in it.
class total_table {
 public:
  trace_total& add(const trace_event& event) noexcept {
    trace_total& total = find(event.kind, event.name);
    ++total.count;
    total.ns += duration_ns(event);
    if (has_amount(event.kind)) total.value += event.value;
    return total;
  }
  [[nodiscard]] const trace_total* data() const noexcept { return totals_; }
  [[nodiscard]] std::size_t size() const noexcept { return used_; }

 private:
  static constexpr std::size_t slot_bits = 7;
  static constexpr std::size_t slot_count = std::size_t{1} << slot_bits;
  static_assert(limits::timeline_totals_max <= slot_count / 2, "keep probe sequences short");
  static_assert(limits::timeline_totals_max > event_kind_count);

  static std::size_t first_slot(const char* name) noexcept {
    const std::uint64_t key = std::bit_cast<std::uintptr_t>(name);
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> (64 - slot_bits));
  }

  trace_total& find(event_kind kind, const char* name) noexcept {
    std::size_t slot = first_slot(name);
    for (; slots_[slot] != 0; slot = (slot + 1) % slot_count) {
      trace_total& total = totals_[slots_[slot] - 1];
      if (total.name == name && total.kind == kind) return total;
    }
    // The last entries are reserved for "other", one for each kind.
    const bool full = used_ >= limits::timeline_totals_max - event_kind_count;
    if (full && name != other_name) return find(kind, other_name);
    trace_total& total = totals_[used_++];
    slots_[slot] = static_cast<std::uint8_t>(used_);
    total.name = name;
    total.kind = kind;
    return total;
  }

  std::uint8_t slots_[slot_count] = {};  // position + 1, 0 = free
  std::size_t used_ = 0;
  trace_total totals_[limits::timeline_totals_max];
};

}  // namespace

namespace trace_detail {

// The ring follows the object in the same allocation. Aligned, so that tracks share no cache line.
class alignas(detail::line_bytes) track_recorder final : public wait_observer {
 public:
  static track_recorder* make(const timeline& owner, std::uint64_t capacity, bool cpu_times,
                              const char* name) noexcept {
    void* const memory =
        owner.memory().allocate(block_bytes(capacity), alignof(track_recorder), memory_tag::trace);
    return memory ? ::new (memory) track_recorder(owner, capacity, cpu_times, name) : nullptr;
  }
  static void destroy(track_recorder* recorder) noexcept {
    allocator& memory = recorder->owner_.memory();
    const std::size_t bytes = block_bytes(recorder->track_.capacity_);
    recorder->~track_recorder();
    memory.deallocate(recorder, bytes, alignof(track_recorder), memory_tag::trace);
  }

  void attach() noexcept {
    track_.attached_ns_ = now_ns();
    cpu_ns_at_attach_ = thread_cpu_ns();
    cpu_ns_counted_ = cpu_ns_at_attach_;
    next = set_wait_observer(this);
  }
  void detach() noexcept {
    remove_wait_observer(*this);
    track_.cpu_ns_ = thread_cpu_ns() - cpu_ns_at_attach_;
    track_.detached_ns_ = now_ns();
  }

  void add(const trace_event& event) noexcept {
    if (track_.capacity_ != 0) {
      ::new (track_.events_ + (track_.written_ & (track_.capacity_ - 1))) trace_event(event);
      ++track_.written_;
    }
    trace_total& total = totals_.add(event);
    track_.totals_used_ = totals_.size();
    if (cpu_times_ && has_cpu_time(event.kind)) {
      const std::uint64_t cpu_ns = thread_cpu_ns();
      total.cpu_ns += cpu_ns - std::exchange(cpu_ns_counted_, cpu_ns);
    }
  }

  void wait_begins(const char* reason) noexcept override {
    if (next) next->wait_begins(reason);  // first: it may run jobs that wait themselves (a cork)
    wait_reason_ = reason;
    wait_place_ = 0;
    wait_begin_ns_ = now_ns();
  }
  void wait_was_for(const char* reason, std::uint64_t ns) noexcept override {
    const std::uint64_t end_ns = std::min(wait_begin_ns_ + ns, now_ns());
    add({wait_begin_ns_, end_ns, reason, wait_place_, no_subject, event_kind::wait});
    wait_begin_ns_ = end_ns;
    if (next) next->wait_was_for(reason, ns);
  }
  void wait_ends() noexcept override {
    add({wait_begin_ns_, now_ns(), wait_reason_, wait_place_, no_subject, event_kind::wait});
    if (next) next->wait_ends();
  }
  void sleeps_at(const void* place) noexcept override {
    wait_place_ = std::bit_cast<std::uintptr_t>(place);
    if (next) next->sleeps_at(place);
  }
  void wakes(const void* place) noexcept override {
    const std::uint64_t now = now_ns();
    add({now, now, wake_name, std::bit_cast<std::uintptr_t>(place), no_subject, event_kind::wake});
    if (next) next->wakes(place);
  }

  [[nodiscard]] const timeline& owner() const noexcept { return owner_; }
  [[nodiscard]] const timeline_track& track() const noexcept { return track_; }

  // A timeline's list of recorders, newest first; the oldest has index 0.
  track_recorder* older = nullptr;
  std::size_t index = 0;

 private:
  track_recorder(const timeline& owner, std::uint64_t capacity, bool cpu_times,
                 const char* name) noexcept
      : owner_(owner), cpu_times_(cpu_times) {
    std::memcpy(track_.name_, name, std::min(std::strlen(name), sizeof track_.name_ - 1));
    track_.capacity_ = capacity;
    track_.events_ = reinterpret_cast<trace_event*>(this + 1);
    track_.totals_ = totals_.data();
  }

  static std::size_t block_bytes(std::uint64_t capacity) noexcept {
    static_assert(limits::timeline_events_max < SIZE_MAX / sizeof(trace_event) / 2);
    return sizeof(track_recorder) + static_cast<std::size_t>(capacity) * sizeof(trace_event);
  }

  const timeline& owner_;
  const bool cpu_times_;
  const char* wait_reason_ = "";
  std::uint64_t wait_begin_ns_ = 0;
  std::uint64_t wait_place_ = 0;
  std::uint64_t cpu_ns_at_attach_ = 0;
  std::uint64_t cpu_ns_counted_ = 0;  // up to the end of the last zone or wait
  timeline_track track_;
  total_table totals_;
};

}  // namespace trace_detail

using trace_detail::track_recorder;

namespace {

constinit thread_local track_recorder* own_recorder = nullptr;

}  // namespace

std::uint64_t timeline_track::events_lost() const noexcept {
  return written_ > capacity_ ? written_ - capacity_ : 0;
}

std::span<const trace_total> timeline_track::totals() const noexcept {
  return {totals_, totals_used_};
}

result<void> timeline_track::for_each_event(
    function_ref<void(const trace_event&)> visit) const noexcept {
  const auto visit_all = [&] {
    for (std::uint64_t i = events_lost(); i < written_; ++i) visit(events_[i & (capacity_ - 1)]);
  };
  if (!base_detail::guarded_call(visit_all)) return fail(errc::threw, base_detail::visitor_threw);
  return {};
}

timeline::timeline(const timeline_config& config) noexcept
    : memory_(config.memory ? *config.memory : default_allocator()),
      events_per_thread_(config.events_per_thread),
      cpu_times_(config.cpu_times),
      start_ns_(now_ns()) {}

timeline::~timeline() {
  detach_thread();
  track_recorder* recorder = newest_.load(std::memory_order_acquire);
  while (recorder) {
    if constexpr (detail::contracts) {
      detail::expects(recorder->track().detached_ns() != 0,
                      "a timeline was destroyed while another thread is attached to it: detach the "
                      "thread, or destroy the pool or queue that records into it, first");
    }
    track_recorder* const older = recorder->older;
    track_recorder::destroy(recorder);
    recorder = older;
  }
}

result<void> timeline::attach_thread(const char* name) noexcept {
  if (own_recorder) return fail(errc::busy, "the thread is already attached to a timeline");
  if (events_per_thread_ > limits::timeline_events_max) {
    return fail(errc::limit, limit_text::timeline_events);
  }
  const std::uint64_t capacity = events_per_thread_ == 0 ? 0 : std::bit_ceil(events_per_thread_);
  track_recorder* const recorder = track_recorder::make(*this, capacity, cpu_times_, name);
  if (!recorder) return fail(errc::out_of_memory, "out of memory for the thread's timeline");

  recorder->attach();
  track_recorder* older = newest_.load(std::memory_order_acquire);
  do {
    recorder->older = older;
    recorder->index = older ? older->index + 1 : 0;
  } while (!newest_.compare_exchange_weak(older, recorder, std::memory_order_acq_rel,
                                          std::memory_order_acquire));
  own_recorder = recorder;
  return {};
}

void timeline::detach_thread() noexcept {
  if (!own_recorder || &own_recorder->owner() != this) return;
  own_recorder->detach();
  own_recorder = nullptr;
}

std::size_t timeline::track_count() const noexcept {
  const track_recorder* const newest = newest_.load(std::memory_order_acquire);
  return newest ? newest->index + 1 : 0;
}

const timeline_track& timeline::track(std::size_t index) const noexcept {
  if constexpr (detail::contracts) {
    detail::expects(index < track_count(),
                    "timeline::track() was called with an index that is not below track_count()");
  }
  const track_recorder* recorder = newest_.load(std::memory_order_acquire);
  while (recorder->index != index) recorder = recorder->older;
  return recorder->track();
}

void record(const trace_event& event) noexcept {
  if (own_recorder) own_recorder->add(event);
}

bool is_recording() noexcept {
  return own_recorder != nullptr;
}

void count(const char* name, std::uint64_t value) noexcept {
  if (!own_recorder) return;
  const std::uint64_t now = now_ns();
  own_recorder->add({now, now, name, value, no_subject, event_kind::counter});
}

void mark(const char* name, std::uint32_t subject) noexcept {
  if (!own_recorder) return;
  const std::uint64_t now = now_ns();
  own_recorder->add({now, now, name, 0, subject, event_kind::instant});
}

zone::zone(const char* name, const zone_options& options) noexcept {
  if (!own_recorder) return;
  event_ = {now_ns(), 0, name, options.bytes, options.subject, event_kind::zone, options.colour};
}

void zone::end() noexcept {
  if (event_.begin_ns == 0) return;
  if (own_recorder && own_recorder->track().attached_ns() <= event_.begin_ns) {
    event_.end_ns = now_ns();
    own_recorder->add(event_);
  }
  event_.begin_ns = 0;
}

}  // namespace overture
