// Loading: every file of a frozen tree through one straight pipeline, on every core.
//
//   load_scope menu{files, reads, jobs};
//   if (auto started = menu.start(); !started) return report(started.error());
//   while (!menu.wait_for(16ms)) draw_bar(menu.progress().fraction);
//   menu.for_each_file([](const loaded_file& file) { ... });
//
// The stages, which are also the names in the timeline and in reports:
//   resolve   find the file in the tree, open it
//   read      its bytes, at once if they are in the page cache, through the read queue otherwise
//   unpack    decompress and verify the checksum
//   decode    make an image of a PNG, check that text is text, ...; files that no decoder accepts
//             are checksummed
//   finalize  hand it to the host (asset_sink), on any worker or on one thread if it says so
//
// One file that fails never stops the others. Memory is bounded: while budget_bytes are in flight
// no further file is begun, so that the peak is the budget and one file of any size. What decoders
// make counts too: a file of which much more is made than the others leave room for waits,
// unpacked, until there is room; one of them may always go on. wait_for() and pump() lend the
// calling thread to the load, and to nothing else.
//
// A scope that ends cancels what is left, waits for what is running, and calls nothing back then.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/decoders/decoder.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

class timeline;

enum class load_stage : std::uint8_t { resolve, read, unpack, decode, finalize };
inline constexpr std::size_t load_stage_count = 5;
// The stage's name, as in the timeline.
[[nodiscard]] const char* to_string(load_stage stage) noexcept;

// Why a worker has nothing to do during a load; the reasons of its waits in the timeline.
namespace idle_reasons {
inline constexpr const char* read = "read outstanding";
inline constexpr const char* budget = "budget full";
inline constexpr const char* main_thread = "main thread";
inline constexpr const char* nothing_left = "nothing left";
}  // namespace idle_reasons

// Takes loaded files over: the host's end of the pipeline.
class asset_sink {
 public:
  virtual ~asset_sink() = default;
  // One file is ready. `asset` may be moved from; its kind is none if no decoder accepted the file
  // or decoding is off. `bytes` (the file itself) end with the call. Called once for each file
  // that loaded, on any thread of the job system, several at once; or, with one_thread(), only
  // inside wait_for() and pump(). An error counts as the file's.
  virtual result<void> finalize(entry_index entry, decoded_asset& asset,
                                std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual bool one_thread() const noexcept { return false; }
};

struct load_options {
  bool decode = true;                                         // false: stop at the checksum
  std::span<const decoder* const> decoders = all_decoders();  // the first that accepts wins
  std::uint64_t budget_bytes = 256u << 20;                    // bytes of files in flight
  unsigned files_in_flight_max = 256;                         // and how many files
  asset_sink* sink = nullptr;                                 // null: results are dropped
  buffer_pool* buffers = nullptr;                             // null: the scope has its own
  allocator* memory = nullptr;                                // null = default_allocator()
};

struct load_progress {
  std::uint64_t files_done = 0;
  std::uint64_t files_total = 0;
  std::uint64_t bytes_done = 0;  // unpacked
  double fraction = 0;           // 0 to 1, never goes back
};

// What became of one file.
struct loaded_file {
  entry_index entry = 0;
  const error* failure = nullptr;  // null: it loaded, or was cancelled
  bool cancelled = false;          // never begun, or given up, because of cancel()
  load_stage failed_in = load_stage::resolve;
  std::uint64_t bytes = 0;         // unpacked
  std::uint64_t packed_bytes = 0;  // as stored
  std::uint64_t decoded_bytes = 0;
  std::uint32_t crc32 = 0;
  const char* decoder = nullptr;                  // its name, null if none accepted
  std::uint64_t stage_ns[load_stage_count] = {};  // work in each stage
  std::uint64_t queued_ns = 0;                    // how long the read waited for its turn
};

struct stage_summary {
  std::uint64_t files = 0;
  std::uint64_t ns = 0;     // work of all threads
  std::uint64_t bytes = 0;  // that came out of the stage
};

struct load_summary {
  std::uint64_t files = 0;  // that loaded
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;  // neither, because of cancel()
  std::uint64_t bytes = 0;      // of those that loaded, unpacked
  std::uint64_t packed_bytes = 0;
  std::uint64_t decoded_bytes = 0;
  std::uint64_t ns = 0;    // from start() to the last file
  std::uint64_t hash = 0;  // the same for the same files in any order: the sum of
                           // hash(path, bytes, crc32) of all that loaded
  std::uint64_t in_flight_bytes_max = 0;
  stage_summary stages[load_stage_count];
};

class load_scope {
 public:
  // All must outlive the scope; `files` must stay frozen.
  load_scope(file_system& files, read_queue& reads, job_system& jobs,
             const load_options& options = {}) noexcept;
  ~load_scope();
  load_scope(const load_scope&) = delete;
  load_scope& operator=(const load_scope&) = delete;

  // Begins to load every file of the tree. Once. Errors: invalid (not frozen, started before),
  // out_of_memory.
  result<void> start() noexcept;
  [[nodiscard]] bool done() const noexcept;
  // Helps until everything is done (true) or the time is up (false), with at least one piece of
  // work, which takes about a millisecond or one file. One thread at a time; with a sink of one
  // thread, that thread.
  bool wait_for(std::chrono::nanoseconds duration) noexcept;
  // Finalizes what waits for this thread until the time is up, at least one file. Returns how
  // many. Same thread as wait_for(). The first call is the first frame for the statistics of the
  // read queue (read_queue::mark_first_frame()).
  std::size_t pump(std::chrono::nanoseconds budget) noexcept;
  // Begins nothing more; what is queued ends as cancelled. wait_for() then returns soon. Any
  // thread, also a signal handler's helper.
  void cancel() noexcept;
  // Any thread.
  [[nodiscard]] load_progress progress() const noexcept;

  // When done() only.
  [[nodiscard]] load_summary summary() const noexcept;
  // In the order of the tree.
  void for_each_file(function_ref<void(const loaded_file&)> visit) const;

 private:
  struct state;
  state* state_ = nullptr;
};

// Where the threads' time went, from a timeline that recorded the load.
struct time_share {
  const char* name = "";  // a stage, a reason to wait, or "other"
  bool waiting = false;
  std::uint64_t ns = 0;
};

// The first line of a report: which stage or reason took the largest share of the workers' time.
struct load_verdict {
  static constexpr std::size_t shares_max = 16;
  const char* name = "";        // "read-bound", "decode-bound", "waiting for reads", ...
  std::uint64_t worker_ns = 0;  // wall time of all workers together
  std::size_t share_count = 0;
  time_share shares[shares_max];  // largest first; they add up to worker_ns
};

// For a timeline that recorded one load, which took from begin_ns to end_ns (clock of now_ns()).
// The workers are the lanes called "main" and those whose names begin with `worker_prefix`. From
// their totals, so it stays exact when a ring has wrapped. The threads must be quiet.
[[nodiscard]] load_verdict judge(const timeline& record, std::uint64_t begin_ns,
                                 std::uint64_t end_ns,
                                 std::string_view worker_prefix = "worker") noexcept;

}  // namespace overture
