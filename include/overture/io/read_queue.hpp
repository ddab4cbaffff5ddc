// SPDX-License-Identifier: Zlib
//
// Asynchronous reads of physical files, identified by source_id.
//
//   read_queue reads{files, {.threads = 8}};
//   read_request request{.source = place.source, .offset = place.offset, .destination = bytes,
//                        .on = &group, .done = {[](void* self) { ... }, this}};
//   reads.submit({&request, 1});                   // or many at once
//   reads.set_priority(request, read_priority::high);
//   reads.cancel_tag(~0ull, level_three);
//
// Order. Requests about to miss their deadline come first, then priorities (each `ageing_ns` of
// waiting raises a request by one priority, so nothing starves), then the position on the disk:
// onwards in the file that was read last, then from its beginning, then the files after it, then
// those before it. Neighbours become one read, overlapping bytes are read once, and a request for
// bytes that are already in flight gets a copy of them.
//
// Completion. Every submitted request completes exactly once: done, failed or cancelled. Its
// completion is handed to its executor. It runs on a thread of the queue only if that executor runs
// tasks at once, as a thread_pool does when its own queue is full. What `done` throws goes to the
// executor: a thread_pool reports it (job_hooks). The request and its destination belong to the
// submitter and must stay in place until then. A failed request names source, offset and errno in
// its outcome; requests that were merged with it are read once more by themselves.
//
// Packed bytes (`method`, `packed_bytes`) are unpacked by jobs, in parallel where the format
// allows: on `unpack_executor`, or else on the request's own `on`. A host that runs the queue
// without `unpack_executor` unpacks inside poll() and run(). Bytes that were read and are not
// unpacked yet are bounded by `packed_bytes_max`: above it no packed request begins, others go on.
// A single request may be larger. The data must unpack to exactly the destination's size; if it
// does not it is corrupt, and the error names the position in the file.
//
// Gates. With `after`, requests are not queued until a barricade is lowered, at the end of a job
// for example; countdown::at_zero() is one. Until that moment the job may still fill in source,
// offset, sizes and destination.
//
// Destinations. `into` chooses: the caller's destination; a buffer from the pool, taken when the
// read begins (or when unpacking begins) and owned by the request afterwards; or a view of the
// bytes where they already are, if the source has one (source_files::view()), and a pool buffer
// otherwise. `content` is the bytes in all three cases. Buffers count in no memory_ledger. Requests
// that wait have none, so until they complete there are as many as are being read (32 in a merged
// read) or unpacked, of sizes that you choose. If input chooses them, take room before you submit,
// as a load_scope does.
//
// Threads. The queue has threads of its own (`threads`), which do nothing but open, read and close;
// with read_backend::uring it has one, which keeps many reads in flight, where the kernel allows
// it. A host that wants none sets `run_by_host` and calls run() on a thread of its own, or poll()
// now and then; completions without an executor then run inside those calls. Reads need not reach a
// disk at all: see simulated_disk.hpp.
//
// When many short reads are waiting, or loose files come from the disk, a thread takes several
// reads at once. Reads that it has not begun go back whenever they affect the order, so callers do
// not notice.
//
// Cost. submit() takes one lock, which reading threads never take, and makes at most one wake for
// the whole span. It does not look at the requests and allocates nothing. They are sorted in by the
// next thread of the queue that looks for work, or by the next call that depends on what waits;
// memory is allocated there when more requests wait than ever before. When 64 spans wait to be
// sorted in, or the span is gated, submit() does that itself under the queue's lock. A packed
// request takes one block of the pool. Choosing a request takes log n steps over columns of
// numbers.
//
// Limits: limits::io_threads_max threads; 32 requests merged into one read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/error.hpp"
#include "overture/base/executor.hpp"
#include "overture/base/os.hpp"
#include "overture/base/source_id.hpp"
#include "overture/base/thread.hpp"
#include "overture/base/version.hpp"
#include "overture/io/unpack.hpp"
#include "overture/sync/countdown.hpp"

namespace overture {

class job_system;
class simulated_disk;
class timeline;

// An open physical file.
struct open_source {
  operating_system* os = nullptr;
  os_handle handle;
  bool is_own = false;  // opened for this reader alone, which must close it
};

struct reader_counts {
  std::uint64_t hits = 0;   // files that were open already
  std::uint64_t opens = 0;  // files opened for this reader alone
};

// Reads files and can say at any time which; a read queue is one. See source_files::add_reader().
// Each function: any thread; takes a lock, and makes no call while it holds it.
class source_reader {
 public:
  // Whether a read of this file is under way. If so, source_files::released() is called when it has
  // ended, before its end is visible to any other thread.
  [[nodiscard]] virtual bool is_reading(source_id id) noexcept = 0;
  // Whether it has a file open for itself, or is about to open one.
  [[nodiscard]] virtual bool has_own_files() noexcept = 0;
  // Whether source_files::released() is called at the end of every read from now on.
  virtual void notify_every_release(bool wanted) noexcept = 0;
  // The files used since it was added.
  [[nodiscard]] virtual reader_counts counts() noexcept = 0;

 protected:
  ~source_reader() = default;
};

// Knows the files behind source_ids. A file_system is one, a handle_cache another. Every function
// may be called by any thread.
class source_files : public source_info {
 public:
  // The open file of an id. It stays open as long as the caller's claim on the id (a mount, an
  // opened_file). Error: not_found if the id is unknown or stale.
  [[nodiscard]] virtual result<open_source> source(source_id id) noexcept = 0;

  // The same where files are opened on demand: the file stays open until unpin(), once for each
  // pin() that succeeded. Error: busy if it would have to wait for another file to be closed and
  // `may_wait` is false; or why the file could not be opened.
  [[nodiscard]] virtual result<open_source> pin(source_id id, bool may_wait) noexcept {
    (void)may_wait;
    return source(id);
  }
  virtual void unpin(source_id id) noexcept { (void)id; }

  // Readers that can be asked what they read need not pin. A registered reader gets an open file
  // from borrow(); it stays open while is_reading() says that the reader reads it, and there is no
  // unpin().
  struct reader_terms {
    bool is_known = false;   // false: not registered, use pin()
    unsigned own_files = 0;  // how many files borrow() may open for this reader at a time
  };
  // The reader must be removed before either of the two ends. `reads_max`: its most reads at a
  // time. `own_files_wanted`: how many own files it would like, so that some are open before they
  // are read.
  [[nodiscard]] virtual reader_terms add_reader(source_reader& reader, unsigned reads_max,
                                                unsigned own_files_wanted) noexcept {
    (void)reader, (void)reads_max, (void)own_files_wanted;
    return {};
  }
  virtual void remove_reader(source_reader& reader) noexcept { (void)reader; }
  // `read_number`: how many reads the reader has begun, with this one; 0 = it may not have a file
  // of its own. Error: busy if the file is not open (use pin()), or why it could not be opened.
  [[nodiscard]] virtual result<open_source> borrow(source_id id,
                                                   std::uint64_t read_number) noexcept {
    (void)read_number;
    return fail(errc::busy, "readers are not registered here", id);
  }
  // The path of a file that a registered reader may open by itself, for this read alone and without
  // a descriptor of the process (io_uring has its own). Null: use borrow() or pin(). `read_number`
  // as above, never 0.
  [[nodiscard]] virtual const char* path_to_open(source_id id, std::uint64_t read_number) noexcept {
    (void)id, (void)read_number;
    return nullptr;
  }
  // A registered reader has ended a read of this file: see source_reader.
  virtual void released(source_id id) noexcept { (void)id; }
  // Bytes of the file, if they are already in memory: a mapping, a cached block. They stay as long
  // as the caller's claim on the id. Error: unsupported if there is nothing of the kind, truncated
  // if the file ends before them.
  [[nodiscard]] virtual result<std::span<const std::byte>> view(source_id id, std::uint64_t offset,
                                                                std::size_t bytes) noexcept {
    (void)offset, (void)bytes;
    return fail(errc::unsupported, "this source has no views", id);
  }
  // Hints: the file will be read soon; it will not be read any more.
  virtual void open_ahead(source_id id) noexcept { (void)id; }
  virtual void close_source(source_id id) noexcept { (void)id; }
};

enum class read_priority : std::uint8_t { minimum, low, below_normal, normal, high, maximum };
inline constexpr std::size_t read_priority_count = 6;

enum class read_into : std::uint8_t {
  destination,  // the caller's memory
  pool,         // `bytes` bytes in a buffer of the queue's pool, taken as late as possible
  view,         // where the bytes are already, if the source has a view; otherwise as `pool`
};

// What a read took whose bytes came out of a solid block, into which an archive packs several
// files: the first of its readers unpacks it.
struct block_work {
  bool used = false;               // false: the bytes are in no block, and all else is 0
  std::uint64_t packed_bytes = 0;  // read from the archive; 0: the block was unpacked already
  std::uint64_t packed_ns = 0;     // how long these took to be read
  std::uint64_t unpack_ns = 0;     // how long the rest of unpacking took
  std::uint64_t wait_ns = 0;       // how long it waited for another read that unpacked

  // For a request that was read together with the one that has done this work.
  [[nodiscard]] block_work of_another() const noexcept {
    return {.used = used, .wait_ns = packed_ns + unpack_ns + wait_ns};
  }
};

struct read_request {
  static constexpr std::uint32_t no_slot = UINT32_MAX;

  // What to read: all of the destination, or `bytes` bytes.
  source_id source = {};
  std::uint64_t offset = 0;
  std::span<std::byte> destination = {};  // set by the queue for pool and view
  read_into into = read_into::destination;
  compression method = compression::none;
  std::size_t bytes = 0;                           // for pool and view: how many, unpacked
  std::size_t packed_bytes = 0;                    // in the file, unless the method is none
  read_priority priority = read_priority::normal;  // above `maximum` counts as that
  std::uint32_t sort_key = 0;          // position of the file among others; lower comes first
  std::uint64_t deadline_ns = 0;       // on the clock of now_ns(); 0 = none
  std::uint64_t tag = 0;               // for cancel_tag()
  std::uint32_t subject = UINT32_MAX;  // for the timeline

  // On completion `done`, if set, is posted to `on`; without `on` it runs only inside run(), poll()
  // and drain() of a queue that the host runs. `counter`, if set, is counted down after `done` was
  // posted, not after it has run, and the request may be gone from then on. To wait until it has
  // run, let `on` be a job_group: counter.wait(), after which `done` is one of its jobs, and then
  // group.wait().
  executor* on = nullptr;
  task done = {};
  countdown* counter = nullptr;

  // Owned by the queue.
  read_request* next = nullptr;
  void* gate = nullptr;
  std::uint32_t slot = no_slot;
  std::uint64_t queued_ns =
      0;  // on the clock of now_ns(); for a gated one: when it was let through

  // Set before it completes.
  result<void> outcome = {};  // the destination's bytes are undefined unless this is a value
  // The bytes, if the outcome is a value. They stay as long as the destination, or as `buffer`,
  // which may be moved away, or as source_files::view() says.
  std::span<const std::byte> content = {};
  blob buffer = {};  // for pool, and for a view that had to be read
  std::uint64_t started_ns = 0;
  std::uint64_t read_ns = 0;  // when its bytes had been read, packed or not
  std::uint64_t finished_ns = 0;
  bool merged = false;  // read together with its neighbours
  bool shared = false;  // copied from a read that was in flight already
  bool viewed = false;  // a view: nothing was read
  // What of the time from started_ns to read_ns was no reading. Of requests that were read together
  // the first has done the work, and the others waited for it.
  block_work block = {};

  // How many bytes it yields, and how many it takes from the file.
  [[nodiscard]] std::size_t wanted_bytes() const noexcept {
    return into == read_into::destination ? destination.size() : bytes;
  }
  [[nodiscard]] std::size_t stored_bytes() const noexcept {
    return method == compression::none ? wanted_bytes() : packed_bytes;
  }
};

enum class read_backend : std::uint8_t {
  threads,  // each blocks in one read at a time
  uring,    // one thread with many reads in flight (io_uring, on Windows overlapped reads); where
            // the kernel refuses that, threads
};

struct read_queue_config {
  read_backend backend = read_backend::threads;
  unsigned depth = 64;  // uring: most reads in flight, 1..256
  // uring: files that are read once are opened, read and closed by one chain of requests.
  bool chains = true;
  // uring: memory that contains destinations, for the kernel to keep in place. It counts as locked
  // memory; where the limit for that is too low it is used like any other. Must outlive the queue.
  std::span<const std::span<std::byte>> registered = {};
  // Threads, which do nothing but open, read and close; at most limits::io_threads_max. 0 means 8
  // (8 to 16 if threads_max is 0 too).
  unsigned threads = 0;
  // If more than `threads`: starts this many; between `threads` and all of them read at once,
  // depending on what the disk benefits from. (On a simulated disk: how many reads are in flight.)
  unsigned threads_max = 0;
  const char* name = "io";  // threads are called "io 1", "io 2", ...
  thread_priority priority = thread_priority::above_normal;
  std::uint64_t affinity_mask = 0;  // as in thread_options
  bool run_by_host = false;         // no threads: the host calls run() or poll()

  std::uint64_t ageing_ns = 500'000'000;   // waiting that long raises a request by one priority
  std::uint64_t danger_ns = 5'000'000;     // deadlines nearer than this come before all priorities
  std::size_t merge_bytes_max = 1u << 20;  // requests are merged into reads up to this; 0 = never
  std::size_t merge_gap_max = 4096;        // largest gap between merged requests

  // Limit on the packed bytes being read or waiting to be unpacked; a single request may be larger.
  std::uint64_t packed_bytes_max = 64u << 20;
  // Where packed bytes are unpacked. Null: on each request's own `on`; in poll() and run() if the
  // host runs the queue. A simulated disk always unpacks in poll() and run(). Must outlive the
  // queue.
  executor* unpack_executor = nullptr;
  // Where buffers come from. Null: a pool of the queue's own, which buffers must not outlive. Must
  // outlive the queue.
  buffer_pool* pool = nullptr;

  allocator* memory = nullptr;        // null = default_allocator()
  thread_factory* factory = nullptr;  // null = default_thread_factory()
  timeline* record = nullptr;         // the threads attach to it; must outlive the queue
  // Told when a read is about to finish, so that a worker is awake for its completion
  // (job_system::expect_work). Must outlive the queue.
  job_system* wake_ahead = nullptr;
  simulated_disk* disk = nullptr;  // reads from it, in virtual time, in poll() and run()
};

struct read_queue_stats {
  std::uint64_t requests = 0;
  std::uint64_t in_flight_max = 0;    // most requests outstanding at a time
  std::uint64_t reads = 0;            // begun; fewer than requests if some were merged
  std::uint64_t bytes = 0;            // of requests that succeeded
  std::uint64_t queue_ns = 0;         // sum of the times from submit() to the start of the read
  std::uint64_t service_ns = 0;       // sum of the times from there to completion
  std::uint64_t bytes_in_flight = 0;  // being read now
  std::uint64_t wakes = 0;            // system calls that woke a thread
  unsigned threads = 0;               // how many may read now; without meaning for uring

  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t before_first_frame =
      0;                     // submitted before mark_first_frame(); all so far until then
  std::uint64_t merged = 0;  // requests read together with others
  std::uint64_t shared = 0;  // requests copied from a read in flight
  std::uint64_t queued[read_priority_count] = {};  // waiting now
  std::uint64_t gated = 0;                         // waiting for a barricade now
  std::uint64_t viewed = 0;                        // requests completed by a view
  std::uint64_t unpacked = 0;                      // requests that were unpacked
  std::uint64_t unpack_ns = 0;                     // sum of the times from read to unpacked
  std::uint64_t packed_bytes = 0;                  // being read or waiting to be unpacked, now
  std::uint64_t packed_bytes_peak = 0;             // the most there were
  std::uint64_t thrown = 0;                        // completions without an executor that threw
};

class OVERTURE_API read_queue {
 public:
  explicit read_queue(source_files& files, const read_queue_config& config = {}) noexcept;
  // Cancels what is queued, waits for what is in flight, joins the threads. No other call may be
  // under way, run() included.
  ~read_queue();
  read_queue(const read_queue&) = delete;
  read_queue& operator=(const read_queue&) = delete;

  // An error if threads or memory were refused, or if config.wake_ahead is unsupported. Without any
  // thread, submit() completes each request as failed. Any thread.
  [[nodiscard]] result<void> status() const noexcept;
  // As job_system::is_of_this_version().
  template <std::uint32_t Version = version_number>
  [[nodiscard]] bool is_of_this_version() const noexcept {
    return version_ == Version;
  }

  // How it reads; not `uring` if the kernel, a sandbox or the build does not allow it. Any thread.
  [[nodiscard]] read_backend backend() const noexcept;
  // How many reads it has in flight at a time if enough are queued; more with `threads_max` if the
  // disk benefits. Any thread.
  [[nodiscard]] unsigned reads_at_once() const noexcept;

  // Queues the requests. One that cannot be queued (memory was refused, there is no executor to
  // unpack on) completes as failed like any other: by a thread of the queue, inside poll() and
  // run(), or, if it was gated, by the thread that lowers the barricade. Any thread, including one
  // that runs a completion.
  // `after`: they are queued when this is lowered. It must live until then, and must eventually be
  // lowered, even if the requests are cancelled or the queue ends before.
  void submit(std::span<read_request> requests, barricade* after = nullptr) noexcept;
  // Reads at once, on the calling thread, if the bytes are in the page cache. True: the destination
  // is filled with the bytes as stored (`method` and `into` are ignored). False: the destination is
  // undefined; submit the request, which also reports the errors of the file. Nothing is recorded
  // on the timeline. Any thread.
  [[nodiscard]] bool read_if_cached(const read_request& request) noexcept;
  // Reads at once if the bytes are in the page cache, and otherwise submits the request and waits
  // for it as wait() does. For callers that can do nothing without the bytes: a job, a tool. The
  // call sets `counter` itself; leave `on` and `done` unset. Any thread but the queue's.
  [[nodiscard]] result<void> read_now(read_request& request) noexcept;

  // Change a request that is still queued. False: it is not queued any more, or memory was refused,
  // and nothing has changed. It must not have completed: only its owner knows. Any thread.
  bool set_priority(read_request& request, read_priority priority) noexcept;
  bool set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept;

  // Completes a request that is still queued as cancelled before it returns. False: it is in
  // flight, still uses its destination, and completes by itself. It must not have completed. Any
  // thread.
  bool cancel(read_request& request) noexcept;
  // The same for every queued request with (tag & mask) == value. Returns how many. Any thread.
  std::size_t cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept;
  // Changes the priority of every queued request with (tag & mask) == value. Returns how many. Any
  // thread.
  std::size_t set_tag_priority(std::uint64_t mask, std::uint64_t value,
                               read_priority priority) noexcept;
  // Cancels every queued request of a source, whose file is then closed as soon as no read
  // uses it. Closing may take long, so a thread of the queue does it, and drain() waits for that; a
  // queue without threads closes it here. The id stays known and may be read again. Any thread.
  std::size_t close_source(source_id id) noexcept;
  // The source will be read soon: a thread of the queue opens it if it is not open. Any thread.
  void open_ahead(source_id id) noexcept;

  // The first frame is visible from now on: requests submitted before are counted separately. Only
  // the first call counts. Any thread.
  void mark_first_frame() noexcept;

  // No read begins from suspend() until resume(); reads in flight end. Any thread.
  void suspend() noexcept;
  void resume() noexcept;
  // Waits until nothing is gated, queued or in flight, and unpacks meanwhile; if the host runs the
  // queue this does all the work. Not while suspended. Any thread but the queue's.
  void drain() noexcept;
  // Waits until the countdown is at zero, and works meanwhile as drain() does. Only requests of
  // this queue may count it down after the call. A job should wait for its own packed bytes in this
  // way, because unpacking might need the very worker that waits. Any thread but the queue's.
  void wait(countdown& until) noexcept;

  // For hosts that run the queue. run() serves it on the calling thread until stop(); several
  // threads may do so. poll() begins and ends up to `reads_max` reads, and returns how many
  // requests have completed in it. With a simulated disk: one thread at a time.
  void run() noexcept;
  void stop() noexcept;
  std::size_t poll(std::size_t reads_max = 1) noexcept;
  // Whether nothing is read without these calls. Any thread.
  [[nodiscard]] bool is_run_by_host() const noexcept {
    return config_.run_by_host || config_.disk != nullptr;
  }

  // Any thread.
  [[nodiscard]] read_queue_stats stats() const noexcept;

 private:
  struct state;
  std::uint32_t version_ = version_number;  // stays the first member in every version
  source_files& files_;
  read_queue_config config_;
  state* state_ = nullptr;
};

}  // namespace overture
