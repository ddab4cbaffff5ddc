// The timeline: what every thread did, when, and what it waited for.
//
//   timeline record;
//   record.attach_thread("main");                 // from now on this thread records
//   { zone decode{"decode", {.subject = 17, .bytes = 4096}}; ... }
//   count("bytes in flight", 123456);
//   record.detach_thread();
//   write_chrome_json(record, sink);              // Perfetto, chrome://tracing, Tracy's importer
//
// Each attached thread owns a ring of fixed-size records and a small table of totals. Recording
// takes no lock, allocates nothing and writes no line that another thread writes; on a thread that
// is not attached it costs one thread-local load. When a ring is full the oldest records go (and
// are counted); totals stay exact. Attaching allocates the ring; if that fails the thread simply
// does not record.
//
// Names are literals of few different values (a stage, a reason); what differs from file to file
// belongs into the subject, a number the host gives a meaning to.
//
// Reading (lanes(), export) is for the time after recording: threads that still record must be
// quiet or detached. A timeline must outlive its attached threads or their detach_thread().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/allocator.hpp"
#include "overture/error.hpp"
#include "overture/function_ref.hpp"
#include "overture/thread.hpp"

namespace overture {

inline constexpr std::uint32_t no_subject = UINT32_MAX;

enum class event_kind : std::uint8_t {
  zone,     // work of this thread from begin to end
  wait,     // this thread was blocked from begin to end; the name is the reason
  request,  // something in flight from begin to end, on no thread (a read since it was queued)
  counter,  // `value` holds from begin on
  instant,  // a moment
};

struct trace_event {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  const char* name = "";
  std::uint64_t value = 0;  // bytes of a zone or request, value of a counter
  std::uint32_t subject = no_subject;
  event_kind kind = event_kind::zone;
};

// The sum of all events of one kind and name on one thread, lost ones included.
struct trace_total {
  const char* name = "";
  event_kind kind = event_kind::zone;
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
  std::uint64_t value = 0;  // sum of the values
};

struct timeline_config {
  allocator* memory = nullptr;                 // null = default_allocator()
  std::uint32_t events_per_thread = 1u << 16;  // 48 bytes each; rounded up to a power of two;
                                               // 0 = totals only
};

// One thread's records, read after the fact.
class timeline_lane {
 public:
  [[nodiscard]] const char* name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t attached_ns() const noexcept { return attached_ns_; }
  [[nodiscard]] std::uint64_t detached_ns() const noexcept { return detached_ns_; }  // 0 = still on
  [[nodiscard]] std::uint64_t events_lost() const noexcept;
  // CPU time that the thread used while it was attached, 0 where unknown.
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept { return cpu_ns_; }
  // Oldest first, in the order of their ends.
  void for_each_event(function_ref<void(const trace_event&)> visit) const;
  [[nodiscard]] std::span<const trace_total> totals() const noexcept;

 private:
  friend class timeline;
  friend struct timeline_recorder;
  static constexpr std::size_t totals_max = 48;

  char name_[24] = {};
  std::uint64_t attached_ns_ = 0;
  std::uint64_t detached_ns_ = 0;
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t written_ = 0;
  std::uint32_t capacity_ = 0;
  trace_event* events_ = nullptr;
  std::uint32_t totals_used_ = 0;
  trace_total totals_[totals_max];
};

class timeline {
 public:
  explicit timeline(const timeline_config& config = {}) noexcept;
  ~timeline();
  timeline(const timeline&) = delete;
  timeline& operator=(const timeline&) = delete;

  // Makes the calling thread record into a lane of its own, its waits included (this installs a
  // wait observer). A thread records into one timeline at a time. Error: out_of_memory, busy (the
  // thread is attached already). Any thread.
  result<void> attach_thread(const char* name) noexcept;
  // Ends that. The lane stays until the timeline ends. The attached thread.
  void detach_thread() noexcept;

  // The zero of exported times: when the timeline was made.
  [[nodiscard]] std::uint64_t start_ns() const noexcept { return start_ns_; }
  [[nodiscard]] std::size_t lane_count() const noexcept;
  [[nodiscard]] const timeline_lane& lane(std::size_t index) const noexcept;

 private:
  struct state;
  allocator& memory_;
  std::uint32_t events_per_thread_;
  std::uint64_t start_ns_;
  state* state_ = nullptr;
};

// Records into the calling thread's lane, or does nothing.
void record(const trace_event& event) noexcept;
void count(const char* name, std::uint64_t value) noexcept;
void mark(const char* name, std::uint32_t subject = no_subject) noexcept;

struct zone_options {
  std::uint32_t subject = no_subject;
  std::uint64_t bytes = 0;
};

// Work of this thread for as long as the object lives.
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
  // Writes the name of a subject and returns its length (0 = no name).
  function_ref<std::size_t(std::uint32_t subject, std::span<char> text)>* subject_name = nullptr;
};

// Writes the Chrome trace event format: {"traceEvents":[...]}, one lane ("tid") for each thread,
// requests packed into lanes of their own (tid 1000 and up) where they never overlap, counters,
// numbers for every pid and tid, times in microseconds with three decimals, the array closed.
// Errors: those of the sink, out_of_memory. The thread that reads the timeline.
[[nodiscard]] result<void> write_chrome_json(const timeline& record, text_sink& sink,
                                             const chrome_json_options& options = {});

}  // namespace overture
