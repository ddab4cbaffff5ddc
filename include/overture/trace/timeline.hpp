// The timeline: what every thread did, when, and what it waited for.
//
//   timeline record;
//   record.attach_thread("main");                 // from now on this thread records
//   { zone decode{"decode", {.subject = 17, .bytes = 4096}}; ... }
//   count("in_flight_bytes", 123456);             // counters of bytes end in _bytes: viewers know
//   record.detach_thread();
//   write_chrome_json(record, sink);              // Perfetto, chrome://tracing, Tracy's importer
//
// Each attached thread owns a ring of fixed-size records and a small table of totals. Recording
// takes no lock, allocates nothing and writes no line that another thread writes; an event costs
// little more than reading the clock, and on a thread that is not attached one thread-local load.
// When a ring is full the oldest records go (and are counted); totals stay exact. Attaching
// allocates the ring; if that fails the thread simply does not record.
//
// Names are literals of few different values (a stage, a reason): only the pointer is kept, so the
// text must outlive the timeline. What differs from file to file belongs into the subject, a
// number that the host gives a meaning to.
//
// Reading (lane(), export) is for the time after recording: threads that still record must be
// quiet or detached, and what they wrote must be visible to the reader (they were joined, say).
// A timeline must outlive its attached threads or their detach_thread().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

namespace overture {

inline constexpr std::uint32_t no_subject = UINT32_MAX;

enum class event_kind : std::uint8_t {
  zone,     // work of this thread from begin to end
  wait,     // this thread was blocked from begin to end; the name is the reason
  request,  // something in flight from begin to end, on no thread (a read since it was queued)
  counter,  // `value` holds from begin on
  instant,  // a moment
  // More of the request that the thread recorded just before: it was served from begin to end. The
  // name is its priority, the value its offset, the subject the number of its source.
  service,
};

inline constexpr std::size_t event_kind_count = 6;

// What became of a request (trace_event::flags).
struct request_flags {
  static constexpr std::uint16_t merged = 1;  // read together with its neighbours
  static constexpr std::uint16_t shared = 2;  // copied from a read that was in flight
  static constexpr std::uint16_t viewed = 4;  // shown where it lay, not read
  static constexpr std::uint16_t cached = 8;  // came out of the page cache
  static constexpr std::uint16_t sync = 16;   // read by the thread that needed it
  static constexpr std::uint16_t cancelled = 32;
  static constexpr std::uint16_t failed = 64;
  static constexpr std::uint16_t late = 128;  // behind its deadline
};

// How a zone is drawn: a wish, which chrome://tracing and Perfetto's older view follow.
enum class zone_colour : std::uint8_t { by_name, grey, red, orange, yellow, green, blue };

struct trace_event {
  std::uint64_t begin_ns = 0;  // on the clock of now_ns()
  std::uint64_t end_ns = 0;
  const char* name = "";
  std::uint64_t value = 0;  // bytes of a zone or request, value of a counter
  std::uint32_t subject = no_subject;
  event_kind kind = event_kind::zone;
  zone_colour colour = zone_colour::by_name;
  std::uint16_t flags = 0;  // request_flags: of a service, or of a zone that read by itself
};
static_assert(sizeof(trace_event) == 40);

// The sum of all events of one kind and name on one thread, lost ones included. Names are told
// apart by their address: the same text in two shared libraries may give two totals.
struct trace_total {
  const char* name = "";
  event_kind kind = event_kind::zone;
  std::uint64_t count = 0;
  std::uint64_t ns = 0;     // sum of the durations
  std::uint64_t value = 0;  // sum of the values
};

struct timeline_config {
  allocator* memory = nullptr;  // null = default_allocator()
  // 40 bytes each, rounded up to a power of two; 0 = totals only.
  std::uint32_t events_per_thread = 1u << 16;
};

// One thread's records, read after the fact.
class timeline_lane {
 public:
  // As given to attach_thread(), cut to 23 bytes.
  [[nodiscard]] const char* name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t attached_ns() const noexcept { return attached_ns_; }
  [[nodiscard]] std::uint64_t detached_ns() const noexcept { return detached_ns_; }  // 0 = still on
  // Events that newer ones have overwritten.
  [[nodiscard]] std::uint64_t events_lost() const noexcept;
  // CPU time that the thread used while it was attached; 0 where unknown and until it detaches.
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept { return cpu_ns_; }
  // Oldest first, in the order in which they were recorded: zones and waits by their ends. The
  // events stay where they are for as long as the timeline lives and the thread does not record.
  void for_each_event(function_ref<void(const trace_event&)> visit) const;
  // In the order in which the names first appeared. When there are more than a lane has room for
  // (limits::timeline_totals_max), further ones are summed by kind under the name "other".
  [[nodiscard]] std::span<const trace_total> totals() const noexcept {
    return {totals_, totals_used_};
  }

 private:
  friend class timeline_recorder;
  timeline_lane() = default;

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

class timeline_recorder;  // a lane while it is being written

class timeline {
 public:
  explicit timeline(const timeline_config& config = {}) noexcept;
  // Detaches the calling thread if it records here. Others must have done so.
  ~timeline();
  timeline(const timeline&) = delete;
  timeline& operator=(const timeline&) = delete;

  // Makes the calling thread record into a lane of its own, its waits included: this installs a
  // wait observer, which passes on to the one that was there. A thread records into one timeline
  // at a time. Errors: out_of_memory, busy (the thread is attached already), limit (more than
  // limits::timeline_events_max events for each thread). Any thread.
  result<void> attach_thread(const char* name) noexcept;
  // Ends that; nothing happens on a thread that is not attached here. The lane stays until the
  // timeline ends. The attached thread.
  void detach_thread() noexcept;

  // The zero of exported times: when the timeline was made.
  [[nodiscard]] std::uint64_t start_ns() const noexcept { return start_ns_; }
  // One lane for each attach_thread(), in their order. Takes time in proportion to the lanes
  // attached after it. `index` < lane_count(). Any thread.
  [[nodiscard]] std::size_t lane_count() const noexcept;
  [[nodiscard]] const timeline_lane& lane(std::size_t index) const noexcept;
  [[nodiscard]] allocator& memory() const noexcept { return memory_; }

 private:
  allocator& memory_;
  std::uint32_t events_per_thread_;
  std::uint64_t start_ns_;
  atomic<timeline_recorder*> newest_{nullptr};
};

// Records into the calling thread's lane, or does nothing. Any thread.
void record(const trace_event& event) noexcept;
// Whether that would record: for whoever has to look at clocks first. Any thread.
[[nodiscard]] bool is_recording() noexcept;
// From now on the counter has this value. Any thread.
void count(const char* name, std::uint64_t value) noexcept;
// A moment. Any thread.
void mark(const char* name, std::uint32_t subject = no_subject) noexcept;

struct zone_options {
  std::uint32_t subject = no_subject;
  std::uint64_t bytes = 0;
  zone_colour colour = zone_colour::by_name;
};

// Work of this thread for as long as the object lives; it ends on the thread that began it. A zone
// during which the thread was attached or detached is not recorded.
class zone {
 public:
  explicit zone(const char* name, const zone_options& options = {}) noexcept;
  ~zone() { end(); }
  zone(const zone&) = delete;
  zone& operator=(const zone&) = delete;

  void set_bytes(std::uint64_t bytes) noexcept { event_.value = bytes; }
  void end() noexcept;  // now, instead of at the end of the scope

 private:
  trace_event event_;
};

// Where exported text goes.
class text_sink {
 public:
  virtual ~text_sink() = default;
  [[nodiscard]] virtual result<void> write(std::string_view text) = 0;
};

struct chrome_json_options {
  const char* process_name = "overture";
  // Writes the name of a subject and returns its length (0 = no name: the number is shown). There
  // is room for limits::path_bytes_max bytes.
  function_ref<std::size_t(std::uint32_t subject, std::span<char> text)>* subject_name = nullptr;
  // The same for what a subject that was read lies in: its mount (0 = nothing is shown).
  function_ref<std::size_t(std::uint32_t subject, std::span<char> text)>* subject_layer = nullptr;
};

// Writes the Chrome trace event format, which Perfetto, chrome://tracing and Tracy's importer read:
// {"traceEvents":[...],...} with one lane ("tid" 1 and up) for each thread, requests packed into
// lanes of their own ("read 0" and so on, tid 1000 and up) where they never overlap (with a service
// recorded behind them: layer, source, offset, priority, the time in the queue, the thread that
// ended them and what became of them as arguments), counters, numbers for every pid and tid, times
// in microseconds with three decimals, the array closed.
//
// Viewers need the zones and waits of one lane to nest. Scopes do; an event that outlasts the one
// in which it began is cut at that one's end. Bytes that are no UTF-8 become U+FFFD.
//
// Sorting takes memory from the timeline's allocator: up to 80 bytes for each event of the longest
// lane, or for all requests or counters if they are more. Text is formatted in place. Errors: those
// of the sink, out_of_memory; nothing is written after the first. The thread that reads the
// timeline.
[[nodiscard]] result<void> write_chrome_json(const timeline& record, text_sink& sink,
                                             const chrome_json_options& options = {});

}  // namespace overture
