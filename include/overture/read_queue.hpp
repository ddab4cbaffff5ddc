// Asynchronous reads of physical files, which are known by source_id alone.
//
//   read_queue reads{files, {.threads = 4}};
//   read_request request{.source = place.source, .offset = place.offset, .destination = bytes,
//                        .on = &group, .done = {[](void* self) { ... }, this}};
//   reads.submit({&request, 1});
//
// Any thread submits; threads of the queue read, highest priority first and in order of submission
// within one, and hand each finished request to its executor. Every submitted request completes
// exactly once: done, failed or cancelled. A request belongs to its submitter and must stay where
// it is until `done` runs; the queue allocates nothing for it.
//
// Cost: submitting takes one lock and wakes at most one thread, for the whole span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/allocator.hpp"
#include "overture/error.hpp"
#include "overture/executor.hpp"
#include "overture/os.hpp"
#include "overture/source_id.hpp"
#include "overture/thread.hpp"

namespace overture {

class timeline;

// An open physical file, as whoever gives out source_ids shows it to the read queue.
struct open_source {
  operating_system* os = nullptr;
  os_handle handle;
};

// Knows the files behind source_ids. A file_system is one.
class source_files : public source_info {
 public:
  // The open file behind an id; it stays open while the caller's claim on the id lasts (a mount,
  // or an opened_file). Error: not_found for an id that is not, or no longer, known. Any thread.
  [[nodiscard]] virtual result<open_source> source(source_id id) noexcept = 0;
};

enum class read_priority : std::uint8_t { minimum, low, below_normal, normal, high, maximum };
inline constexpr std::size_t read_priority_count = 6;

struct read_request {
  // What to read: exactly destination.size() bytes.
  source_id source;
  std::uint64_t offset = 0;
  std::span<std::byte> destination;
  read_priority priority = read_priority::normal;
  std::uint64_t tag = 0;               // for cancel_tag() and for whoever reads the timeline
  std::uint32_t subject = UINT32_MAX;  // for the timeline

  // Who hears of the end: `on` gets `done` to run, never on a thread of the queue.
  executor* on = nullptr;
  task done;

  // Set before `done` runs.
  result<void> outcome;         // the destination's bytes are undefined unless this is a value
  std::uint64_t queued_ns = 0;  // on the clock of now_ns()
  std::uint64_t started_ns = 0;
  std::uint64_t finished_ns = 0;

  read_request* next = nullptr;  // the queue's
};

struct read_queue_config {
  unsigned threads = 4;     // at most limits::io_threads_max; they only block in reads
  const char* name = "io";  // threads are called "io 1", "io 2", ...
  thread_priority priority = thread_priority::above_normal;
  allocator* memory = nullptr;        // null = default_allocator()
  thread_factory* factory = nullptr;  // null = default_thread_factory()
  timeline* record = nullptr;         // threads attach to it; must outlive the queue
};

struct read_queue_stats {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t in_flight_max = 0;  // most requests submitted and not completed
};

class read_queue {
 public:
  explicit read_queue(source_files& files, const read_queue_config& config = {}) noexcept;
  // Cancels what is queued, waits for what is in flight, joins the threads.
  ~read_queue();
  read_queue(const read_queue&) = delete;
  read_queue& operator=(const read_queue&) = delete;

  // An error if threads or memory were refused. With no thread at all, submit() completes each
  // request as failed. Any thread.
  [[nodiscard]] result<void> status() const noexcept;

  // Queues the requests. Any thread.
  void submit(std::span<read_request> requests) noexcept;
  // Reads at once on the calling thread if the bytes are in the page cache, instead of submit():
  // true if that has filled the destination. False: nothing was read, submit the request. Errors
  // of the file come out of submit(). Any thread.
  [[nodiscard]] bool read_if_cached(const read_request& request) noexcept;

  // Completes every queued request whose (tag & mask) == value as cancelled before it returns; a
  // read in flight keeps its destination until it completes. Returns how many. Any thread.
  std::size_t cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept;
  // Waits until nothing is queued or in flight. Any thread but the queue's.
  void drain() noexcept;
  [[nodiscard]] read_queue_stats stats() const noexcept;

 private:
  struct state;
  source_files& files_;
  read_queue_config config_;
  state* state_ = nullptr;
};

}  // namespace overture
