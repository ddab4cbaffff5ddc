// SPDX-License-Identifier: Zlib
//
// The timeline: what every thread did, when, and what it waited for.
//
//   timeline record;
//   record.attach_thread("main");                 // this thread records from now on
//   { zone decode{"decode", {.subject = 17, .bytes = 4096}}; ... }
//   count("in_flight_bytes", 123456);             // name counters of bytes ..._bytes: viewers know
//   record.detach_thread();
//   write_chrome_json(record, sink);              // for Perfetto, chrome://tracing, Tracy
//
// Each attached thread records to its own track: a ring of fixed-size events and a small table of
// totals. Recording takes no lock, allocates nothing and writes to no cache line that another
// thread writes. An event costs little more than reading the clock; on a thread that is not
// attached it costs one thread-local load. When the ring is full, the oldest events are overwritten
// and counted as lost; totals stay exact. Attaching allocates the ring; if that fails, the thread
// does not record.
//
// Names are string literals with few different values (a stage, a reason): only the pointer is
// stored, so the text must outlive the timeline. What differs from file to file goes into the
// subject, a number whose meaning the host defines.
//
// Read a timeline (track(), export) after recording: attached threads must be idle or detached, and
// their writes visible to the reader (joined, say). A timeline must outlive the attachment of its
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

namespace overture {

namespace trace_detail {
class track_recorder;
}

inline constexpr std::uint32_t no_subject = UINT32_MAX;

enum class event_kind : std::uint8_t {
  zone,     // this thread worked from begin to end
  wait,     // this thread was blocked from begin to end; the name is the reason
  request,  // in flight from begin to end, on no thread (a read, from when it was queued)
  counter,  // the counter has this value from begin on
  instant,  // a point in time
  // Details of the request that this thread recorded just before: it was served from begin to end.
  // The name is its priority, the value its offset, the subject the number of its source.
  service,
  // This thread woke those that slept where `value` says; waits have the same value. Recorded by
  // the wait observer: for_each_wake() matches them.
  wake,
  // The subject waited for room in a budget from begin to end, on no thread. The value is 1 + the
  // subject that gave up its room then, 0 if that is not known.
  room,
  // A detail of the request that this thread recorded just before, whose bytes came out of a solid
  // block: a part of its service that was no reading, with its duration. The name is "unpack" (the
  // value: how many packed bytes were read for it) or "solid block" (another thread unpacked).
  part,
  // The subject waited from begin to end, on no thread, for what the name says. The value is 1 +
  // the subject whose end let it go on, or 0: nothing did, or it is not known. for_each_release()
  // finds the zones that it joins.
  delay,
};

inline constexpr std::size_t event_kind_count = 10;

// The outcome of a request (trace_event::flags).
struct request_flags {
  static constexpr std::uint16_t merged = 1;  // read together with its neighbours
  static constexpr std::uint16_t shared = 2;  // copied from another read in flight
  static constexpr std::uint16_t viewed = 4;  // served as a view of mapped memory, without a read
  static constexpr std::uint16_t cached = 8;  // served from the page cache
  static constexpr std::uint16_t sync = 16;   // read synchronously, by the thread that needed it
  static constexpr std::uint16_t cancelled = 32;
  static constexpr std::uint16_t failed = 64;
  static constexpr std::uint16_t late = 128;  // missed its deadline
  static constexpr std::uint16_t block =
      256;  // of a zone: it unpacks a solid block for the subject
};

// The colour of a zone, a hint: chrome://tracing and Perfetto's legacy view follow it.
enum class zone_colour : std::uint8_t { by_name, grey, red, orange, yellow, green, blue };

struct trace_event {
  std::uint64_t begin_ns = 0;  // on the clock of now_ns()
  std::uint64_t end_ns = 0;
  const char* name = "";
  // Bytes of a zone or request, value of a counter or instant; of a wait the place where it slept,
  // which only wakes compare, or 0.
  std::uint64_t value = 0;
  std::uint32_t subject = no_subject;
  event_kind kind = event_kind::zone;
  zone_colour colour = zone_colour::by_name;
  // request_flags, of services and of zones that read synchronously or unpack a block.
  std::uint16_t flags = 0;
};
static_assert(sizeof(trace_event) == 40);

// The sum of all events of one kind and name on one thread, including lost ones. Names are compared
// by address: the same text in two shared libraries may give two totals.
struct trace_total {
  const char* name = "";
  event_kind kind = event_kind::zone;
  std::uint64_t count = 0;
  std::uint64_t ns = 0;     // sum of the durations
  std::uint64_t value = 0;  // sum of the values
  // Of zones and waits, with timeline_config::cpu_times: the CPU time that the thread used from the
  // end of the zone or wait before to the end of this one. A zone so has what is its own, without
  // the zones inside it.
  std::uint64_t cpu_ns = 0;
};

struct timeline_config {
  allocator* memory = nullptr;  // null = default_allocator()
  // 40 bytes each, rounded up to a power of two; 0 = totals only.
  std::uint32_t events_per_thread = 1u << 16;
  // Sums the CPU time of zones and waits by name. It costs 0.1 to 0.3 us at the end of each, and
  // tells work from time in which other programs had the processor.
  bool cpu_times = false;
};

// What one thread recorded. Read it after recording, see above.
class OVERTURE_API timeline_track {
 public:
  // The name given to attach_thread(), truncated to 23 bytes.
  [[nodiscard]] const char* name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t attached_ns() const noexcept { return attached_ns_; }
  [[nodiscard]] std::uint64_t detached_ns() const noexcept {
    return detached_ns_;
  }  // 0 = still attached
  // The number of events overwritten by newer ones.
  [[nodiscard]] std::uint64_t events_lost() const noexcept;
  // CPU time that the thread used while attached; 0 if unknown, or until it detaches.
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept { return cpu_ns_; }
  // Visits the events in the order in which they were recorded: zones and waits by their ends.
  // References stay valid while the timeline lives and the thread does not record. Error: threw
  // (the visitor; it ends there).
  result<void> for_each_event(function_ref<void(const trace_event&)> visit) const noexcept;
  // In order of first appearance. Beyond limits::timeline_totals_max, further names are summed by
  // kind under the name "other".
  [[nodiscard]] std::span<const trace_total> totals() const noexcept;

 private:
  friend class trace_detail::track_recorder;
  timeline_track() = default;

  char name_[24] = {};
  std::uint64_t attached_ns_ = 0;
  std::uint64_t detached_ns_ = 0;
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t capacity_ = 0;  // a power of two, or 0
  trace_event* events_ = nullptr;
  const trace_total* totals_ = nullptr;
  std::size_t totals_used_ = 0;
};

class OVERTURE_API timeline {
 public:
  explicit timeline(const timeline_config& config = {}) noexcept;
  // Detaches the calling thread; all others must be detached already.
  ~timeline();
  timeline(const timeline&) = delete;
  timeline& operator=(const timeline&) = delete;

  // Makes the calling thread record to a track of its own. Records its waits too: installs a
  // wait_observer, which forwards to the previous one. A thread records to one timeline at a time.
  // Errors: out_of_memory, busy (the thread is already attached), limit (events_per_thread exceeds
  // limits::timeline_events_max). Any thread.
  result<void> attach_thread(const char* name) noexcept;
  // Detaches the calling thread; does nothing if it is not attached to this timeline. Its track
  // stays until the timeline is destroyed. Any thread.
  void detach_thread() noexcept;

  // When the timeline was created, on the clock of now_ns(): the zero of exported times.
  [[nodiscard]] std::uint64_t start_ns() const noexcept { return start_ns_; }
  // One track for each attach_thread(), in order. track() requires `index` < track_count() and
  // takes time proportional to the number of tracks attached later. Any thread.
  [[nodiscard]] std::size_t track_count() const noexcept;
  [[nodiscard]] const timeline_track& track(std::size_t index) const noexcept;
  [[nodiscard]] allocator& memory() const noexcept { return memory_; }

 private:
  allocator& memory_;
  std::uint32_t events_per_thread_;
  bool cpu_times_;
  std::uint64_t start_ns_;
  atomic<trace_detail::track_recorder*> newest_{nullptr};
};

// Records an event on the calling thread's track; does nothing if it is not attached. Any thread.
OVERTURE_API void record(const trace_event& event) noexcept;
// True if record() would record, to avoid reading clocks in vain. Any thread.
[[nodiscard]] OVERTURE_API bool is_recording() noexcept;
// Records that a counter has this value from now on. Any thread.
OVERTURE_API void count(const char* name, std::uint64_t value) noexcept;
// Records a point in time. Any thread.
OVERTURE_API void mark(const char* name, std::uint32_t subject = no_subject) noexcept;

struct zone_options {
  std::uint32_t subject = no_subject;
  std::uint64_t bytes = 0;
  zone_colour colour = zone_colour::by_name;
};

// Records work of this thread, from construction to destruction, which must be on the same thread.
// Not recorded if the thread was attached or detached in between.
class OVERTURE_API zone {
 public:
  explicit zone(const char* name, const zone_options& options = {}) noexcept;
  ~zone() { end(); }
  zone(const zone&) = delete;
  zone& operator=(const zone&) = delete;

  void set_bytes(std::uint64_t bytes) noexcept { event_.value = bytes; }
  void end() noexcept;  // ends the zone before the end of its scope

 private:
  trace_event event_;
};

// A wait that another thread ended.
struct wake_flow {
  std::size_t from_track = 0;  // of the thread that woke
  std::uint64_t from_ns = 0;
  // The request that it had just finished: that is how a wait for a read ends. Null if none.
  const trace_event* request = nullptr;
  std::size_t to_track = 0;  // of the thread that waited
  std::uint64_t to_ns = 0;   // the end of its wait
};
// Visits the waits of which the timeline knows who ended them, by to_track and to_ns: the last
// thread that woke others where and while the waiting thread slept. No thread wakes one that spun,
// or whose time ran out. A wake that was lost, or whose thread is not attached, is not found; then
// the wait is not visited.
//
// Takes memory from the timeline's allocator: up to 80 bytes for each wait and each wake. Errors:
// out_of_memory; threw (the visitor; it ends there). Threads: as for reading the timeline.
OVERTURE_API result<void> for_each_wake(const timeline& record,
                                        function_ref<void(const wake_flow&)> visit) noexcept;

// A delay that another subject ended.
struct release_flow {
  const trace_event* delay = nullptr;
  std::size_t from_track = 0;
  std::uint64_t from_ns = 0;  // the end of the last zone of that subject before
  std::size_t to_track = 0;
  std::uint64_t to_ns = 0;  // the begin of the next zone of the delayed subject
};
// Visits the delays of which the timeline has both zones. Takes memory from the timeline's
// allocator: up to 80 bytes for each zone that has a subject. Errors: out_of_memory; threw (the
// visitor; it ends there). Threads: as for reading the timeline.
OVERTURE_API result<void> for_each_release(const timeline& record,
                                           function_ref<void(const release_flow&)> visit) noexcept;

// Receives exported text, in pieces.
class text_sink {
 public:
  virtual ~text_sink() = default;
  [[nodiscard]] virtual result<void> write(std::string_view text) = 0;
};

struct chrome_json_options {
  const char* process_name = "overture";
  // Writes the name of a subject to `text`, which has limits::path_bytes_max bytes, and returns its
  // length (0 = no name: exports the number).
  function_ref<std::size_t(std::uint32_t subject, std::span<char> text)>* subject_name = nullptr;
  // Writes the name of the mount that a subject was read from in the same way (0 = omitted).
  function_ref<std::size_t(std::uint32_t subject, std::span<char> text)>* subject_layer = nullptr;
};

// Writes the Chrome trace event format, for Perfetto, chrome://tracing and Tracy's importer:
// {"traceEvents":[...],...}. Times are in microseconds with three decimals, every pid and tid is a
// number, and the array is closed.
//   - Each thread is one track ("tid" 1 and up). Beside its name stand "cpu_us", its CPU time, and
//     "events_lost", unless they are 0.
//   - Requests get tracks of their own ("read 0" and so on, tid 1000 and up), as few as possible
//     without overlap. A request with a service has as arguments its layer, source, offset,
//     priority, time in the queue, the thread that finished it and its outcome; out of a solid
//     block also "packed_bytes", "unpack_us" and "block_wait_us".
//   - What waits for room does so on tracks of its own ("room 0" and so on), and has as argument
//     "held_by", the subject that had the room.
//   - So does what waits on no thread for anything else ("wait 0" and so on), with "ended_by", the
//     subject whose end let it go on, and a flow named "need" from there to what it does next.
//   - Counters belong to the process.
//   - A wait that another thread ended has a flow: from the call that woke it, or from the read it
//     waited for, to what the woken thread does next.
//
// Viewers require the zones and waits of one track to nest. Scopes always do; an event that
// outlasts the one it began in is cut at that one's end. Ill-formed UTF-8 becomes U+FFFD; beside
// such a name stands the subject's "number".
//
// Sorting takes memory from the timeline's allocator: up to 80 bytes for each event of the longest
// track, or for all requests, all counters, or all waits and wakes if they are more. Text is
// formatted without allocation. Errors: those of the sink, after which nothing more is written;
// threw (the sink, or a function that names subjects); out_of_memory. Threads: as for reading the
// timeline.
[[nodiscard]] OVERTURE_API result<void> write_chrome_json(const timeline& record, text_sink& sink,
                                                          const chrome_json_options& options = {});

}  // namespace overture
