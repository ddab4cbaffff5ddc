// Asynchronous reads of physical files, which are known by source_id alone.
//
//   read_queue reads{files, {.threads = 8}};
//   read_request request{.source = place.source, .offset = place.offset, .destination = bytes,
//                        .on = &group, .done = {[](void* self) { ... }, this}};
//   reads.submit({&request, 1});                   // or as many at once as there are
//   reads.set_priority(request, read_priority::high);
//   reads.cancel_tag(~0ull, level_three);
//
// Any thread submits. The next request is chosen by deadlines in danger, then by priority (and
// nobody starves: each `ageing_ns` of waiting lifts a request by one), then by the place on the
// disk: onwards in the file that was read last, then the files behind it. What lies side by side
// becomes one read, what overlaps is read once, and who asks for bytes that are in flight already
// gets a copy of them. A finished request is handed to its executor, never run on a thread of the
// queue.
//
// Every submitted request completes exactly once: done, failed or cancelled. A request belongs to
// its submitter and must stay where it is, its destination too, until it has completed. One that
// fails says which source, offset and errno in its outcome; requests that were read together with
// it are read once more by themselves.
//
// Packed bytes (`method`, `packed_bytes`) are unpacked by jobs, several at once where the format
// allows, and never by a thread of the queue: on `unpacks_on`, or where there is none on the
// request's own `on`; a host that runs the queue without `unpacks_on` unpacks inside poll() and
// run(). What has been read and is not unpacked yet is bounded by `packed_bytes_max`: above it no
// packed request begins, stored ones go on. One alone may be larger. The size that is announced is
// what the destination has room for; data that makes more or less is corrupt, and its error tells
// the place in the file.
//
// A read may wait for something: with `after` it stands aside until that barricade has been lowered
// (by the end of a job; countdown::at_zero() is one), and is queued then. Whoever lowers it may
// have filled in source, offset, sizes and destination until that moment.
//
// Where the bytes go: `into` says whether into the caller's destination, into a buffer of the pool
// that is taken when the read begins (behind unpacking: when that begins) and belongs to the
// request then, or whether to show them where they lie, if the source can (source_files::view()),
// and in such a buffer if not. `content` are the bytes in all three cases.
//
// Threads: those of the queue (`threads`), which only block in reads; with read_backend::uring one
// that keeps many reads in flight, where the kernel lets it. A host that wants none gives
// `run_by_host`, and calls run() on a thread of its own or poll() now and then; completions without
// an executor then run inside those calls. Reads need not reach a disk at all: see
// simulated_disk.hpp.
//
// Where many short reads wait, a thread takes several under one lock; those that it has not begun
// are given back for anything that the order depends on, so nobody can tell. So it does with files
// that come from the disk: it opens those of several reads, has the system fetch them, then reads.
//
// Cost: submit() is one lock, which no thread that reads takes, and at most one wake for the whole
// span; it notes where the span lies, looks at no request, and allocates nothing. The requests take
// their places in the queue when a thread of the queue looks for work, or any call below asks for
// something that depends on them, and memory is allocated there when more wait than ever before. A
// thread that is woken on the very processor where submit() is still waking it lets it return
// first. Where 64 spans lie there untaken, or the span is gated, submit() does all of that itself,
// under the queue's lock. A packed request takes one block of the pool. Choosing looks at columns
// of numbers, log n of them, and compares no text. Limits: limits::io_threads_max; at most 32
// requests are merged into one read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/allocator.hpp"
#include "overture/blob.hpp"
#include "overture/countdown.hpp"
#include "overture/error.hpp"
#include "overture/executor.hpp"
#include "overture/os.hpp"
#include "overture/source_id.hpp"
#include "overture/thread.hpp"
#include "overture/unpack.hpp"

namespace overture {

class job_system;
class simulated_disk;
class timeline;

// An open physical file, as whoever gives out source_ids shows it to the read queue.
struct open_source {
  operating_system* os = nullptr;
  os_handle handle;
  bool is_own = false;  // opened for this reader alone, which closes it
};

struct reader_counts {
  std::uint64_t hits = 0;   // files that it was shown, open already
  std::uint64_t opens = 0;  // files opened for it alone
};

// Who reads files and can say at any time which: a read queue is one, see add_reader().
class source_reader {
 public:
  // Whether a read of this file is under way. If so, source_files::released() is called once it has
  // ended, and before that counts as ended for anybody. Any thread; takes a lock, calls nobody.
  [[nodiscard]] virtual bool is_reading(source_id id) noexcept = 0;
  // Whether it has opened a file for itself, or is about to, and has not closed it yet. As above.
  [[nodiscard]] virtual bool has_own_files() noexcept = 0;
  // From now on released() is called for every read that ends; or not any more. As above.
  virtual void notify_every_release(bool wanted) noexcept = 0;
  // Since it was added. Any thread; takes a lock, calls nobody.
  [[nodiscard]] virtual reader_counts counts() noexcept = 0;

 protected:
  ~source_reader() = default;
};

// Knows the files behind source_ids. A file_system is one, handle_cache another.
class source_files : public source_info {
 public:
  // The open file behind an id; it stays open while the caller's claim on the id lasts (a mount,
  // or an opened_file). Error: not_found for an id that is not, or no longer, known. Any thread.
  [[nodiscard]] virtual result<open_source> source(source_id id) noexcept = 0;

  // The same for those whose files open when they are needed: the file stays open until unpin(),
  // once for each pin() that succeeded. Who may not wait for other files to be closed gets
  // errc::busy instead. Any thread.
  [[nodiscard]] virtual result<open_source> pin(source_id id, bool may_wait) noexcept {
    (void)may_wait;
    return source(id);
  }
  virtual void unpin(source_id id) noexcept { (void)id; }

  // For readers that need not be counted at every read, because they can be asked. Where they are
  // known, an open file is shown by look() to who has said that it reads it (by what is_reading()
  // says from then on), and stays open until the reader has ended that; there is no unpin(). Error:
  // busy if it is not open, then pin() is the way; or why it could not be opened.
  struct reader_terms {
    bool is_known = false;
    unsigned own_files = 0;  // how many files look() may open for it at once: a turn for each
  };
  // Must be removed before either of them ends. `at_once`: most reads at a time; `wished`: as many
  // files, if there is room, so that some are open before they are read.
  [[nodiscard]] virtual reader_terms add_reader(source_reader& who, unsigned at_once,
                                                unsigned wished) noexcept {
    (void)who, (void)at_once, (void)wished;
    return {};
  }
  virtual void remove_reader(source_reader& who) noexcept { (void)who; }
  // `turn`: how many reads this one began with; 0 = it may have no file of its own. Any thread.
  [[nodiscard]] virtual result<open_source> look(source_id id, std::uint64_t turn) noexcept {
    (void)turn;
    return fail(errc::busy, "readers are not known here", id);
  }
  // The path of a file that such a reader may open by itself for this read alone, without a
  // descriptor of the process (io_uring has some of its own), on the system's storage. Null where
  // look() and pin() are the ways. `turn` as above, never 0. Any thread.
  [[nodiscard]] virtual const char* path_to_open(source_id id, std::uint64_t turn) noexcept {
    (void)id, (void)turn;
    return nullptr;
  }
  virtual void released(source_id id) noexcept { (void)id; }
  // Bytes of the file where they lie in memory: a mapping, or what is cached. They stay for as long
  // as the caller's claim on the id (as of source()). Error: unsupported where there is nothing of
  // the kind, truncated for bytes behind the end. Any thread.
  [[nodiscard]] virtual result<std::span<const std::byte>> view(source_id id, std::uint64_t offset,
                                                                std::size_t bytes) noexcept {
    (void)offset, (void)bytes;
    return fail(errc::unsupported, "nothing to show without a read", id);
  }
  // The file will be read soon, or not any more: hints. Any thread.
  virtual void open_ahead(source_id id) noexcept { (void)id; }
  virtual void close_source(source_id id) noexcept { (void)id; }
};

enum class read_priority : std::uint8_t { minimum, low, below_normal, normal, high, maximum };
inline constexpr std::size_t read_priority_count = 6;

enum class read_into : std::uint8_t {
  destination,  // memory of the caller's
  pool,         // `bytes` bytes in a buffer of the queue's pool, chosen as late as can be
  view,         // where they lie, if the source shows them; otherwise as `pool`
};

struct read_request {
  static constexpr std::uint32_t no_slot = UINT32_MAX;

  // What to read: all of the destination, or `bytes` bytes.
  source_id source = {};
  std::uint64_t offset = 0;
  std::span<std::byte> destination = {};  // of pool and view: the queue's to set
  read_into into = read_into::destination;
  compression method = compression::none;
  std::size_t bytes = 0;         // of pool and view: how many, unpacked
  std::size_t packed_bytes = 0;  // in the file, unless the method is none
  read_priority priority = read_priority::normal;
  std::uint32_t sort_key = 0;          // where its file lies among others; lower ones come first
  std::uint64_t deadline_ns = 0;       // on the clock of now_ns(); 0 = none
  std::uint64_t tag = 0;               // for cancel_tag() and for whoever reads the timeline
  std::uint32_t subject = UINT32_MAX;  // for the timeline

  // Who hears of the end: `on` gets `done` to run, never on a thread of the queue. `counter` is
  // counted down instead, or as well; it may end the request's life, so it comes last.
  executor* on = nullptr;
  task done = {};
  countdown* counter = nullptr;

  // The queue's, with what submit() writes: on one line.
  read_request* next = nullptr;
  void* gate = nullptr;
  std::uint32_t slot = no_slot;
  std::uint64_t queued_ns = 0;  // on the clock of now_ns(); of a gated one: when it might begin

  // Set before it completes.
  result<void> outcome = {};  // the destination's bytes are undefined unless this is a value
  // The bytes, if the outcome is a value. They stay as long as the destination; `buffer`, which may
  // be moved away; or, of a view, as long as source_files::view() says.
  std::span<const std::byte> content = {};
  blob buffer = {};  // of pool, and of a view that had to be read
  std::uint64_t started_ns = 0;
  std::uint64_t read_ns = 0;  // when its bytes were there, packed or not
  std::uint64_t finished_ns = 0;
  bool merged = false;  // read together with its neighbours
  bool shared = false;  // copied from a read that was in flight already
  bool viewed = false;  // not read at all: a view

  // How many bytes it yields, and how many of the file make them.
  [[nodiscard]] std::size_t wanted_bytes() const noexcept {
    return into == read_into::destination ? destination.size() : bytes;
  }
  [[nodiscard]] std::size_t stored_bytes() const noexcept {
    return method == compression::none ? wanted_bytes() : packed_bytes;
  }
};

enum class read_backend : std::uint8_t {
  threads,  // each blocks in one read at a time
  uring,    // one thread with many reads in flight; where the kernel refuses that, threads
};

struct read_queue_config {
  read_backend backend = read_backend::threads;
  unsigned depth = 64;  // most reads in flight of uring, 1..256
  // Of uring: files that are read once are opened, read and closed by one chain of requests.
  bool chains = true;
  // Of uring: memory where destinations lie, which the kernel is to keep in place (it counts as
  // locked). Must outlive the queue. Where the limit for that is too low, it is read to as any
  // other.
  std::span<const std::span<std::byte>> registered = {};
  // They only block in reads. At most limits::io_threads_max; 0: 8, and with no threads_max either
  // 8 to 16.
  unsigned threads = 0;
  // More than `threads`: so many are there, and how many of them read at a time is sized by what
  // the disk answers, between the two (of a simulated disk: how many reads are in flight).
  unsigned threads_max = 0;
  const char* name = "io";  // threads are called "io 1", "io 2", ...
  thread_priority priority = thread_priority::above_normal;
  std::uint64_t affinity_mask = 0;  // as in thread_options
  bool run_by_host = false;         // no threads: the host calls run() or poll()

  std::uint64_t ageing_ns = 500'000'000;   // waiting that long lifts a request by one priority
  std::uint64_t danger_ns = 5'000'000;     // deadlines nearer than this come before all priorities
  std::size_t merge_bytes_max = 1u << 20;  // requests are merged into reads up to this; 0 = never
  std::size_t merge_gap_max = 4096;        // bytes between two that may be read and thrown away

  // Bytes that were read, or are being read, and not unpacked yet; one request may be more.
  std::uint64_t packed_bytes_max = 64u << 20;
  // Unpacks. Null: each request's own `on`; of a queue run by its host (or over a simulated disk,
  // whatever is given here) poll() and run(). Must outlive the queue.
  executor* unpacks_on = nullptr;
  // Where buffers come from. Null: a pool of the queue's own; then every buffer must have ended
  // before the queue. Must outlive the queue.
  buffer_pool* pool = nullptr;

  allocator* memory = nullptr;        // null = default_allocator()
  thread_factory* factory = nullptr;  // null = default_thread_factory()
  timeline* record = nullptr;         // threads attach to it; must outlive the queue
  // Told when a read that begins is likely to end, so that a worker looks for its completion
  // instead of sleeping (job_system::expect_work). Must outlive the queue.
  job_system* warms = nullptr;
  simulated_disk* disk = nullptr;  // reads from it in its own time, in poll() and run()
};

struct read_queue_stats {
  std::uint64_t requests = 0;
  std::uint64_t in_flight_max = 0;    // most requests submitted and not completed
  std::uint64_t reads = 0;            // that were begun: fewer than requests if some were merged
  std::uint64_t bytes = 0;            // of requests that are done
  std::uint64_t queue_ns = 0;         // sum of the times from submit() to the beginning of the read
  std::uint64_t service_ns = 0;       // sum of the times from there to the end
  std::uint64_t bytes_in_flight = 0;  // being read now
  std::uint64_t wakes = 0;            // system calls that woke a thread
  unsigned threads = 0;               // that may read at a time now

  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t before_first_frame = 0;  // submitted before mark_first_frame(); all until then
  std::uint64_t merged = 0;              // requests read together with others
  std::uint64_t shared = 0;              // requests copied from a read in flight
  std::uint64_t queued[read_priority_count] = {};  // waiting now
  std::uint64_t gated = 0;                         // waiting for a barricade now
  std::uint64_t viewed = 0;                        // requests shown without a read
  std::uint64_t unpacked = 0;                      // requests that were unpacked
  std::uint64_t unpack_ns = 0;                     // sum of the times from the read's end to theirs
  std::uint64_t packed_bytes = 0;                  // being read, or waiting to be unpacked, now
  std::uint64_t packed_bytes_peak = 0;             // the most at any time
};

class read_queue {
 public:
  explicit read_queue(source_files& files, const read_queue_config& config = {}) noexcept;
  // Cancels what is queued, waits for what is in flight, joins the threads. No other call may be
  // under way, run() included.
  ~read_queue();
  read_queue(const read_queue&) = delete;
  read_queue& operator=(const read_queue&) = delete;

  // An error if threads or memory were refused. With no thread at all, submit() completes each
  // request as failed. Any thread.
  [[nodiscard]] result<void> status() const noexcept;

  // How it reads: not `uring` if the kernel, a sandbox or the build does not let it. Any thread.
  [[nodiscard]] read_backend backend() const noexcept;

  // Queues the requests. One that cannot be queued (memory was refused, nobody is there to unpack
  // it) completes as failed, as any other completes: by a thread of the queue, or inside poll() and
  // run(). Any thread, also one that runs a completion.
  // `after`: they are not queued before this is lowered. It must live until then, and be lowered
  // some time even if they are cancelled, or the queue ends, before.
  void submit(std::span<read_request> requests, barricade* after = nullptr) noexcept;
  // Reads at once on the calling thread if the bytes are in the page cache, instead of submit():
  // true if that has filled the destination. False: nothing was read, submit the request. Errors
  // of the file come out of submit(). Nothing is recorded: the caller's own zone may say so, with
  // request_flags (timeline.hpp). Any thread.
  [[nodiscard]] bool read_if_cached(const read_request& request) noexcept;
  // Reads at once if the bytes are in the page cache; otherwise submits the request and waits for
  // it, as wait() does. For whoever can do nothing without them: a job, a tool. Its `counter` is
  // the call's own to set. Any thread but the queue's.
  [[nodiscard]] result<void> read_now(read_request& request) noexcept;

  // Change a request that is still queued; false if it is not any more (or if memory was refused,
  // then it stays as it was). It must not have completed yet: only its owner knows. Any thread.
  bool set_priority(read_request& request, read_priority priority) noexcept;
  bool set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept;

  // Completes a request that is still queued as cancelled before it returns. False: it is in
  // flight, keeps its destination, and completes by itself. As above. Any thread.
  bool cancel(read_request& request) noexcept;
  // The same for every queued request whose (tag & mask) == value. Returns how many. Any thread.
  std::size_t cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept;
  // The same for every queued request of a source; its handle is closed as soon as no read uses it,
  // by a thread of the queue, because closing may take long: drain() waits for that. A queue
  // without threads of its own closes it here.
  // The id stays known to who gave it, and may be read again. Any thread.
  std::size_t close_source(source_id id) noexcept;
  // The source will be read soon: a thread of the queue opens it if it is not open. Any thread.
  void open_ahead(source_id id) noexcept;

  // The player sees something from now on: what was submitted before is counted apart. The first
  // call counts. Any thread.
  void mark_first_frame() noexcept;

  // From suspend() on no read begins until resume(); those in flight end. Any thread.
  void suspend() noexcept;
  void resume() noexcept;
  // Waits until nothing is gated, queued or in flight, and unpacks meanwhile; of a queue run by its
  // host it does all the work. Do not call it while suspended. Any thread but the queue's.
  void drain() noexcept;
  // Waits until the countdown has come to zero, doing the same work. Nobody but requests of this
  // queue may count it down behind the call. A job waits in this way for packed bytes of its own,
  // which otherwise might need the very worker that waits. Any thread but the queue's.
  void wait(countdown& until) noexcept;

  // For hosts that run the queue. run() serves it on the calling thread until stop(), several
  // threads at once if they like. poll() begins and ends up to `reads_max` reads and returns how
  // many requests have completed in it. With a simulated disk: one thread at a time.
  void run() noexcept;
  void stop() noexcept;
  std::size_t poll(std::size_t reads_max = 1) noexcept;

  // Any thread.
  [[nodiscard]] read_queue_stats stats() const noexcept;

 private:
  struct state;
  source_files& files_;
  read_queue_config config_;
  state* state_ = nullptr;
};

}  // namespace overture
