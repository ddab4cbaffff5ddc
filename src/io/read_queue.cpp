#include "overture/read_queue.hpp"

#include <algorithm>
#include <cstdio>

#include "base/vec.hpp"
#include "overture/limits.hpp"
#include "overture/timeline.hpp"
#include "overture/wait_observer.hpp"
#include "sync/mutex.hpp"
#include "sync/wait.hpp"

namespace overture {
namespace {

// First in, first out.
class request_list {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  void push_back(read_request& request) noexcept {
    request.next = nullptr;
    (first_ ? last_->next : first_) = &request;
    last_ = &request;
  }
  read_request& pop_front() noexcept {
    read_request& request = *first_;
    first_ = request.next;
    return request;
  }

 private:
  read_request* first_ = nullptr;
  read_request* last_ = nullptr;
};

}  // namespace

struct read_queue::state {
  struct io_thread {
    state* queue = nullptr;
    thread_handle handle;
    char name[16] = {};
  };

  mutex lock;  // guards the lists
  request_list queued[read_priority_count];

  // Moves on whenever threads of the queue may have something to do.
  atomic<std::uint32_t> work_word{0};
  atomic<std::uint32_t> sleepers{0};
  atomic<bool> stopping{false};

  // Requests submitted and not completed; drain() sleeps on its changes.
  atomic<std::uint32_t> outstanding{0};
  atomic<std::uint32_t> drain_word{0};

  atomic<std::uint64_t> requests{0};
  atomic<std::uint64_t> bytes{0};
  atomic<std::uint64_t> failed{0};
  atomic<std::uint64_t> cancelled{0};
  atomic<std::uint64_t> in_flight_max{0};

  source_files& files;
  timeline* record;
  vec<io_thread> threads;
  result<void> status;

  state(source_files& known_files, timeline* timeline_or_null, allocator& memory) noexcept
      : files(known_files), record(timeline_or_null), threads(memory, memory_tag::io) {}

  read_request* take_next() noexcept {
    const scoped_lock hold(lock);
    for (std::size_t priority = read_priority_count; priority-- > 0;) {
      if (!queued[priority].empty()) return &queued[priority].pop_front();
    }
    return nullptr;
  }

  void begin(std::uint32_t count) noexcept {
    const std::uint32_t now = outstanding.fetch_add(count, std::memory_order_relaxed) + count;
    requests.fetch_add(count, std::memory_order_relaxed);
    std::uint64_t most = in_flight_max.load(std::memory_order_relaxed);
    while (now > most &&
           !in_flight_max.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
  }

  // The request belongs to its submitter again from here on.
  void complete(read_request& request, result<void> outcome) noexcept {
    request.outcome = std::move(outcome);
    request.finished_ns = now_ns();
    if (request.outcome) {
      bytes.fetch_add(request.destination.size(), std::memory_order_relaxed);
    } else {
      atomic<std::uint64_t>& kind =
          request.outcome.error().code == errc::cancelled ? cancelled : failed;
      kind.fetch_add(1, std::memory_order_relaxed);
    }
    if (request.on) request.on->execute(request.done);
    if (outstanding.fetch_sub(1, std::memory_order_seq_cst) == 1) {
      drain_word.fetch_add(1, std::memory_order_seq_cst);
      address_wake_all(&drain_word);
    }
  }

  void perform(read_request& request) noexcept {
    request.started_ns = now_ns();
    const result<open_source> opened = files.source(request.source);
    result<void> outcome;
    if (!opened) {
      outcome = tl::unexpected<error>(opened.error());
    } else {
      const zone work("read", {request.subject, request.destination.size()});
      outcome = read_fully(*opened->os, opened->handle, request.offset, request.destination);
    }
    if (!outcome) {
      outcome.error().source = request.source;
      if (outcome.error().offset == 0) outcome.error().offset = request.offset;
    }
    overture::record({.begin_ns = request.queued_ns,
                      .end_ns = now_ns(),
                      .name = "read",
                      .value = request.destination.size(),
                      .subject = request.subject,
                      .kind = event_kind::request});
    complete(request, std::move(outcome));
  }

  void run_thread(const char* name) noexcept {
    if (record) (void)record->attach_thread(name);
    for (;;) {
      if (read_request* const request = take_next()) {
        // Hand the wake on: whoever finds work makes sure that the next is found too.
        wake_one_if_work_is_left();
        perform(*request);
        continue;
      }
      // Announce first, look again, sleep on the word seen before the look.
      const std::uint32_t seen = work_word.load(std::memory_order_seq_cst);
      sleepers.fetch_add(1, std::memory_order_seq_cst);
      const bool stop = stopping.load(std::memory_order_seq_cst);
      if (!stop && !anything_queued()) {
        const observed_wait waiting(wait_reasons::no_request);
        (void)address_wait(work_word, seen, 0);
      }
      sleepers.fetch_sub(1, std::memory_order_seq_cst);
      if (stop) break;
    }
    if (record) record->detach_thread();
  }

  bool anything_queued() noexcept {
    const scoped_lock hold(lock);
    return std::any_of(std::begin(queued), std::end(queued),
                       [](const request_list& list) { return !list.empty(); });
  }

  void wake_one_if_work_is_left() noexcept {
    if (sleepers.load(std::memory_order_seq_cst) == 0 || !anything_queued()) return;
    wake_one();
  }

  void wake_one() noexcept {
    work_word.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) > 0) address_wake_one(&work_word);
  }

  void stop_threads(thread_factory& factory) noexcept {
    stopping.store(true, std::memory_order_seq_cst);
    work_word.fetch_add(1, std::memory_order_seq_cst);
    address_wake_all(&work_word);
    for (io_thread& thread : threads) factory.join(thread.handle);
    threads.clear();
  }
};

read_queue::read_queue(source_files& files, const read_queue_config& config) noexcept
    : files_(files), config_(config) {
  if (!config_.memory) config_.memory = &default_allocator();
  if (!config_.factory) config_.factory = &default_thread_factory();
  config_.threads = std::min<unsigned>(config_.threads, limits::io_threads_max);
  state_ =
      make_object<state>(*config_.memory, memory_tag::io, files, config_.record, *config_.memory);
  if (!state_) return;
  if (!state_->threads.reserve(config_.threads)) {
    state_->status = fail(errc::out_of_memory, "no memory for the threads of a read queue");
    return;
  }
  for (unsigned i = 0; i < config_.threads; ++i) {
    (void)state_->threads.push_back({state_, {}, {}});  // reserved: the address stays
    state::io_thread& thread = state_->threads.back();
    (void)std::snprintf(thread.name, sizeof thread.name, "%s %u", config_.name, i + 1);
    const result<thread_handle> started = config_.factory->start(
        {.name = thread.name, .priority = config_.priority},
        [](void* raw) {
          const auto& self = *static_cast<const state::io_thread*>(raw);
          self.queue->run_thread(self.name);
        },
        &thread);
    if (!started) {
      state_->threads.pop_back();
      state_->status = tl::unexpected<error>(started.error());
      return;
    }
    thread.handle = *started;
  }
}

read_queue::~read_queue() {
  if (!state_) return;
  (void)cancel_tag(0, 0);
  drain();
  state_->stop_threads(*config_.factory);
  destroy_object(*config_.memory, memory_tag::io, state_);
}

result<void> read_queue::status() const noexcept {
  if (!state_) return fail(errc::out_of_memory, "no memory for a read queue");
  return state_->status;
}

void read_queue::submit(std::span<read_request> requests) noexcept {
  if (requests.empty()) return;
  const std::uint64_t now = now_ns();
  if (!state_ || state_->threads.empty()) {
    for (read_request& request : requests) {
      request.queued_ns = request.started_ns = request.finished_ns = now;
      request.outcome = fail(errc::out_of_memory, "the read queue has no thread", request.source);
      if (request.on) request.on->execute(request.done);
    }
    return;
  }
  state_->begin(static_cast<std::uint32_t>(requests.size()));
  {
    const scoped_lock hold(state_->lock);
    for (read_request& request : requests) {
      request.queued_ns = now;
      state_->queued[static_cast<std::size_t>(request.priority)].push_back(request);
    }
  }
  state_->wake_one();
}

bool read_queue::read_if_cached(const read_request& request) noexcept {
  const result<open_source> opened = files_.source(request.source);
  if (!opened) return false;
  std::size_t done = 0;
  while (done < request.destination.size()) {
    const result<std::size_t> got = opened->os->read_cached_at(
        opened->handle, request.offset + done, request.destination.subspan(done));
    if (!got || *got == 0) return false;
    done += *got;
  }
  return true;
}

std::size_t read_queue::cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept {
  if (!state_) return 0;
  request_list given_up;
  {
    const scoped_lock hold(state_->lock);
    for (request_list& list : state_->queued) {
      request_list kept;
      while (!list.empty()) {
        read_request& request = list.pop_front();
        ((request.tag & mask) == value ? given_up : kept).push_back(request);
      }
      list = kept;
    }
  }
  std::size_t count = 0;
  for (; !given_up.empty(); ++count) {
    read_request& request = given_up.pop_front();
    request.started_ns = now_ns();
    state_->complete(request, fail(errc::cancelled, "the read was cancelled", request.source));
  }
  return count;
}

void read_queue::drain() noexcept {
  if (!state_) return;
  for (;;) {
    const std::uint32_t seen = state_->drain_word.load(std::memory_order_seq_cst);
    if (state_->outstanding.load(std::memory_order_seq_cst) == 0) return;
    const observed_wait waiting(wait_reasons::drain);
    (void)address_wait(state_->drain_word, seen, 0);
  }
}

read_queue_stats read_queue::stats() const noexcept {
  if (!state_) return {};
  const auto read = [](const atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  return {read(state_->requests), read(state_->bytes), read(state_->failed),
          read(state_->cancelled), read(state_->in_flight_max)};
}

}  // namespace overture
