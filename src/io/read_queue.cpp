// SPDX-License-Identifier: Zlib
#include "overture/io/read_queue.hpp"

#include <algorithm>

#include "base/guarded_call.hpp"
#include "base/threads/thread_name.hpp"
#include "io/back_ends/reads_blocking.hpp"
#include "io/back_ends/reads_simulated.hpp"
#include "io/back_ends/reads_uring.hpp"
#include "io/queue/read_core.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/limits.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/trace/timeline.hpp"
#include "sync/object_use.hpp"

namespace overture {
using namespace base_detail;

struct read_queue::state {
  struct io_thread {
    state* queue = nullptr;
    bool tries_uring = false;
    thread_handle handle;
    thread_name name = {};
  };

  io_detail::read_core core;
  io_detail::simulated_reads* simulated = nullptr;
  vec<io_thread> threads;
  result<void> status;
  atomic<bool> has_uring{false};
  barricade decided{barricade::raised};  // whether there is io_uring
  [[no_unique_address]] sync_detail::object_uses<4> uses;

  state(source_files& files, const read_queue_config& config) noexcept
      : core(files, config),
        threads(*config.memory, memory_tag::io),
        uses({{&files,
               "the files of a read_queue were destroyed before it: destroy the read_queue first"},
              {config.unpack_executor,
               "a job system was destroyed while a read_queue unpacks on it: destroy the "
               "read_queue first"},
              {config.wake_ahead,
               "a job system was destroyed while a read_queue tells it of reads (wake_ahead): "
               "destroy the read_queue first"},
              {config.disk,
               "a simulated_disk was destroyed while a read_queue reads from it: destroy the "
               "read_queue first"}}) {}

  [[nodiscard]] bool can_read() const noexcept {
    if (core.config().disk) return simulated != nullptr;
    return core.config().run_by_host || !threads.empty();
  }

  void start(thread_factory& factory) noexcept {
    const read_queue_config& config = core.config();
    const unsigned count = std::max(config.threads, config.threads_max);
    if (!threads.reserve(count)) {
      status = fail(errc::out_of_memory, "out of memory for the read queue's threads");
      return;
    }
    for (unsigned i = 0; i < count; ++i) {
      const bool tries_uring = i == 0 && config.backend == read_backend::uring;
      (void)threads.push_back({this, tries_uring, {}, {}});  // reserved: the address stays
      io_thread& thread = threads.back();
      write_thread_name(thread.name, config.name, i + 1);
      const thread_options options{
          .name = thread.name, .priority = config.priority, .affinity_mask = config.affinity_mask};
      const result<thread_handle> started = guarded_result(
          thread_factory_threw, [&] { return factory.start(options, run_thread, &thread); });
      if (!started) {
        threads.pop_back();
        status = tl::unexpected<error>(started.error());
        return;
      }
      thread.handle = *started;
      if (!tries_uring) continue;
      // If there is a ring it is all that is needed.
      decided.wait();
      if (has_uring.load(std::memory_order_relaxed)) return;
    }
  }

  static void run_thread(void* raw) noexcept {
    const auto& self = *static_cast<const io_thread*>(raw);
    state& queue = *self.queue;
    timeline* const record = queue.core.config().record;
    if (record) (void)record->attach_thread(self.name);
    if (self.tries_uring) {
      io_detail::serve_with_uring(
          queue.core, queue.core.config().depth,
          [](void* context, bool verdict) {
            auto& of = *static_cast<state*>(context);
            of.has_uring.store(verdict, std::memory_order_relaxed);
            of.decided.lower();
          },
          &queue);
    }
    if (!queue.has_uring.load(std::memory_order_relaxed)) io_detail::serve_blocking(queue.core);
    if (record) record->detach_thread();
  }

  std::size_t poll(std::size_t reads_max) noexcept {
    if (simulated) {
      const std::size_t read = simulated->poll(reads_max);
      return read + core.runner().unpack_here();
    }
    io_detail::read_operation op;
    std::size_t completed = 0;
    for (std::size_t reads = 0; core.take_next(op); ++reads) {
      core.runner().perform(op);
      completed += op.tally.completed + core.runner().unpack_here();
      if (reads + 1 >= reads_max) {
        core.leave(op);
        break;
      }
    }
    return completed;
  }
};

namespace {

void choose_threads(read_queue_config& config) noexcept {
  constexpr unsigned usual = 8;
  constexpr unsigned usual_max = 16;
  if (config.threads == 0) {
    const bool has_own_threads = !config.run_by_host && !config.disk;
    if (config.threads_max == 0 && has_own_threads) config.threads_max = usual_max;
    config.threads = config.threads_max > 0 ? std::min(usual, config.threads_max) : usual;
  }
  config.threads = std::min<unsigned>(config.threads, limits::io_threads_max);
  config.threads_max = std::min<unsigned>(config.threads_max, limits::io_threads_max);
}

}  // namespace

read_queue::read_queue(source_files& files, const read_queue_config& config) noexcept
    : files_(files), config_(config) {
  if (!config_.memory) config_.memory = &default_allocator();
  if (!config_.factory) config_.factory = &default_thread_factory();
  const bool other_jobs = config_.wake_ahead && !config_.wake_ahead->is_of_this_version();
  if (other_jobs) config_.wake_ahead = nullptr;
  choose_threads(config_);
  config_.depth = std::clamp(config_.depth, 1u, 256u);
  state_ = make_object<state>(*config_.memory, memory_tag::io, files, config_);
  if (!state_) return;
  if (!state_->core.can_unpack()) {
    state_->status = fail(errc::out_of_memory, "out of memory for the read queue");
  } else if (config_.disk) {
    state_->simulated =
        make_object<io_detail::simulated_reads>(*config_.memory, memory_tag::io, state_->core);
    if (!state_->simulated || !state_->simulated->ready()) {
      destroy_object(*config_.memory, memory_tag::io, state_->simulated);
      state_->simulated = nullptr;
      state_->status = fail(errc::out_of_memory, "out of memory for the read queue");
    }
  } else if (!config_.run_by_host) {
    state_->start(*config_.factory);
  }
  if (other_jobs) state_->status = fail(errc::unsupported, other_version);
}

read_queue::~read_queue() {
  if (!state_) return;
  if constexpr (detail::contracts) sync_detail::expects_unused(this);
  resume();
  (void)cancel_tag(0, 0);
  drain();
  state_->core.stop();
  for (state::io_thread& thread : state_->threads) config_.factory->join(thread.handle);
  destroy_object(*config_.memory, memory_tag::io, state_->simulated);
  destroy_object(*config_.memory, memory_tag::io, state_);
}

result<void> read_queue::status() const noexcept {
  if (!is_of_this_version()) return fail(errc::unsupported, other_version);
  if (!state_) return fail(errc::out_of_memory, "out of memory for the read queue");
  return state_->status;
}

void read_queue::submit(std::span<read_request> requests, barricade* after) noexcept {
  if (requests.empty()) return;
  if (state_ && state_->can_read()) return state_->core.submit(requests, after);
  const std::uint64_t now = now_ns();
  for (read_request& request : requests) {
    request.queued_ns = request.started_ns = request.finished_ns = now;
    request.outcome =
        fail(errc::out_of_memory, "the read queue could not start a thread", request.source);
    executor* const on = request.on;
    countdown* const counter = request.counter;
    if (on && request.done.run) on->execute(request.done);
    if (counter) counter->done();
  }
}

read_backend read_queue::backend() const noexcept {
  const bool uring = state_ && state_->has_uring.load(std::memory_order_relaxed);
  return uring ? read_backend::uring : read_backend::threads;
}

unsigned read_queue::reads_at_once() const noexcept {
  return backend() == read_backend::uring ? config_.depth : config_.threads;
}

bool read_queue::read_if_cached(const read_request& request) noexcept {
  const result<open_source> opened = files_.pin(request.source, false);
  if (!opened) return false;
  std::size_t done = 0;
  while (done < request.destination.size()) {
    const result<std::size_t> got = opened->os->read_cached_at(
        opened->handle, request.offset + done, request.destination.subspan(done));
    if (!got || *got == 0) break;
    done += *got;
  }
  files_.unpin(request.source);
  return done == request.destination.size();
}

result<void> read_queue::read_now(read_request& request) noexcept {
  if constexpr (detail::contracts) {
    detail::expects(
        request.on == nullptr && request.done.run == nullptr && request.counter == nullptr,
        "a request for read_now() has a completion of its own: leave `on`, `done` and "
        "`counter` unset, the call waits by itself");
  }
  const bool plain = request.into == read_into::destination && request.method == compression::none;
  if (plain && read_if_cached(request)) {
    request.outcome = {};
    request.content = request.destination;
    return {};
  }
  countdown left(1);
  request.counter = &left;
  submit({&request, 1});
  wait(left);
  request.counter = nullptr;
  return request.outcome;
}

bool read_queue::set_priority(read_request& request, read_priority priority) noexcept {
  return state_ && state_->core.set_priority(request, priority);
}

bool read_queue::set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept {
  return state_ && state_->core.set_deadline(request, deadline_ns);
}

bool read_queue::cancel(read_request& request) noexcept {
  return state_ && state_->core.cancel(request);
}

std::size_t read_queue::cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept {
  return state_ ? state_->core.cancel_tag(mask, value) : 0;
}

std::size_t read_queue::set_tag_priority(std::uint64_t mask, std::uint64_t value,
                                         read_priority priority) noexcept {
  return state_ ? state_->core.set_tag_priority(mask, value, priority) : 0;
}

std::size_t read_queue::close_source(source_id id) noexcept {
  return state_ ? state_->core.close_source(id, state_->threads.empty()) : 0;
}

void read_queue::open_ahead(source_id id) noexcept {
  if (state_) state_->core.open_ahead(id);
}

void read_queue::mark_first_frame() noexcept {
  if (state_) state_->core.mark_first_frame();
}

void read_queue::suspend() noexcept {
  if (state_) state_->core.suspend();
}

void read_queue::resume() noexcept {
  if (state_) state_->core.resume();
}

void read_queue::drain() noexcept {
  if (!state_) return;
  if constexpr (detail::contracts) {
    detail::expects(!state_->core.is_suspended(),
                    "read_queue::drain() was called while the queue is suspended, so it would "
                    "never return: resume() first");
  }
  if (!state_->threads.empty()) return state_->core.wait_until_idle();
  for (;;) {
    while (poll(SIZE_MAX) != 0) {
    }
    // The rest is in flight on another thread of the host, or being unpacked.
    if (state_->core.idle()) return;
    state_->core.wait_for_work();
  }
}

void read_queue::wait(countdown& until) noexcept {
  if (!state_) return until.wait();
  if (!state_->threads.empty()) return state_->core.wait_for(until, false);
  while (!until.is_done()) {
    if (poll() == 0 && !until.is_done()) state_->core.wait_for(until, true);
  }
}

void read_queue::run() noexcept {
  if (!state_) return;
  if (!state_->simulated) return io_detail::serve_blocking(state_->core);
  while (poll(SIZE_MAX) != 0) {
  }
}

void read_queue::stop() noexcept {
  if (state_) state_->core.stop();
}

std::size_t read_queue::poll(std::size_t reads_max) noexcept {
  if (!state_ || reads_max == 0 || !state_->can_read()) return 0;
  return state_->poll(reads_max);
}

read_queue_stats read_queue::stats() const noexcept {
  return state_ ? state_->core.stats() : read_queue_stats{};
}

}  // namespace overture
