// SPDX-License-Identifier: Zlib
//
// load_scope: loads the files of a frozen tree, all or some, on all cores, within a memory budget.
//
//   file_system files;
//   if (auto mounted = files.mount("base.pk3"); !mounted) return report("base.pk3", mounted);
//   if (auto frozen = files.freeze(); !frozen) return report(frozen.error());
//
//   thread_pool jobs = thread_pool::for_this_machine();
//   read_queue reads{files};
//   load_scope menu{files, reads, jobs, {.sink = &my_assets}};
//   if (auto started = menu.start(); !started) return report(started.error());
//   while (!menu.done()) {
//     menu.pump(4ms);                             // or wait_for(16ms): decodes on this thread too
//     draw_bar(menu.progress().fraction);
//   }
//   menu.for_each_file([&](const loaded_file& file) { if (file.failure) log(files, file); });
//
// Check what mount() returns: an empty tree loads 0 files without an error.
//
// A load of some files, and what comes first:
//
//   const asset_path level[] = {"maps/e1m1.bsp"_path, "music/theme.ogg"_path};
//   load_scope one{files, reads, jobs, {.choice = level}};              // in this order
//
//   const std::string_view patterns[] = {"maps/e1m2*", "textures/**"};
//   load_scope two{files, reads, jobs, {.only = patterns, .priority = load_priority::low}};
//   two.start([](const entry_info& file) {                              // priorities, or leave out
//     return file.path.starts_with("maps/") ? load_priority::high : load_priority::normal;
//   });
//   ...
//   two.set_priority(load_priority::high);    // the player comes near
//   two.raise(portrait);                      // this file now, before all others
//   two.cancel(music);                        // not this one after all
//   if (two.state_of(portrait) == file_state::ready) ...
//
// Each file passes five stages, which are also the names in the timeline and in reports:
//   resolve   look the file up in the tree; open it if it is a loose file
//   read      fetch its bytes: at once from the page cache, or else through the read queue
//   unpack    decompress it and verify its checksum; for the first file of a solid block that is
//             read, also to unpack the block, on whatever thread
//   decode    turn it into an asset; files that no decoder accepts are only checksummed
//   finalize  hand it to the host's asset_sink, on any worker or on one chosen thread
//
// A file that fails keeps its error and the stage; the others load on. A file with a flaw that
// costs no content loads, with a warning. A file with two paths is loaded, counted and hashed once,
// see file_system::same_file().
//
// Memory: a memory_ledger bounds the files in flight, so the peak is the budget plus one file. A
// file takes room before it is read, and again before it is decoded; if there is none it waits,
// without a thread. Assets that the sink keeps no longer count.
//
// Cost: start() allocates one record per file; after that, memory is recycled from file to file.
//
// Limits: a load loads each of its files once. Files above limits::entry_bytes_max fail with
// errc::limit. Several loads may share a pool, a read queue and a ledger.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/decoders/decoder.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

class load_record;
class memory_ledger;
class timeline;
struct trace_total;

enum class load_stage : std::uint8_t { resolve, read, unpack, decode, finalize };
inline constexpr std::size_t load_stage_count = 5;
// The name, as in the timeline. Any thread.
[[nodiscard]] OVERTURE_API const char* to_string(load_stage stage) noexcept;

// How urgent a load is, or a file in it. It decides which files begin first, in which order the
// read queue reads, and the priority of jobs.
enum class load_priority : std::uint8_t {
  none,  // of a file: not part of the load
  low,   // in the background: yields to everything else
  normal,
  high,
};

// Where a file is. Those from `ready` on are final.
enum class file_state : std::uint8_t {
  none,     // not part of the load
  queued,   // has not begun
  reading,  // also waits for room to do so
  unpacking,
  decoding,    // also waits for room to do so
  finalizing,  // also waits for the thread of a one-thread sink
  ready,
  failed,
  cancelled,
  skipped,  // because of load_options::exclude
};
// The name of the enumerator. Any thread.
[[nodiscard]] OVERTURE_API const char* to_string(file_state state) noexcept;

// The entry of a path that is not in the tree.
inline constexpr entry_index no_entry = UINT32_MAX;

// Which files a load has: all of the tree, or a list, which begins in the order it has. The list is
// only referred to, and must stay. What is in it twice is loaded once; what is not in the tree
// fails, and the others load.
class load_choice {
 public:
  load_choice() = default;  // the whole tree
  template <class List>
    requires std::convertible_to<const List&, std::span<const entry_index>>
  // NOLINTNEXTLINE(google-explicit-constructor): a list is a choice
  load_choice(const List& entries) noexcept
      : is_list_(true), entries_(std::span<const entry_index>(entries)) {}
  template <class List>
    requires std::convertible_to<const List&, std::span<const asset_path>>
  // NOLINTNEXTLINE(google-explicit-constructor): a list is a choice
  load_choice(const List& paths) noexcept
      : is_list_(true), paths_(std::span<const asset_path>(paths)) {}

  [[nodiscard]] bool is_whole_tree() const noexcept { return !is_list_; }
  [[nodiscard]] std::span<const entry_index> entries() const noexcept { return entries_; }
  [[nodiscard]] std::span<const asset_path> paths() const noexcept { return paths_; }

 private:
  bool is_list_ = false;
  std::span<const entry_index> entries_;
  std::span<const asset_path> paths_;
};

// Why a worker is idle during a load: the reasons of its waits in the timeline. A wait is divided
// among the reasons that held while it lasted.
namespace idle_reasons {
inline constexpr const char* read = "read outstanding";
// All reads outstanding are of files in solid blocks, which other threads read and unpack. Also the
// reason of a thread of the read queue that waits for such a block itself.
inline constexpr const char* solid_block = wait_reasons::solid_block;
inline constexpr const char* budget = "budget full";
inline constexpr const char* main_thread = "main thread";    // files wait for one_thread()
inline constexpr const char* nothing_left = "nothing left";  // others work on the last files
// Files are left that take longer than the main thread has: give its wait_for() more time.
inline constexpr const char* for_workers = "files for workers";
// There is work, and the thread does not run yet: it takes a while to wake up, or other programs
// use the processors.
inline constexpr const char* to_run = "not running yet";
}  // namespace idle_reasons

// Receives the loaded files: the host's end of the pipeline.
class asset_sink {
 public:
  virtual ~asset_sink() = default;
  // Takes one loaded file. Move `asset` out to keep it; its kind is none if no decoder accepted
  // the file or decoding is off. `bytes`, the file's content, is valid during the call only. An
  // error, or an exception, makes the file fail in finalize.
  // Threads: any thread of the job system, several at once; with one_thread(), only the thread in
  // wait_for() or pump().
  virtual result<void> finalize(entry_index entry, decoded_asset& asset,
                                std::span<const std::byte> bytes) = 0;
  // True: finalize() runs only inside wait_for() and pump(), one file at a time. Must always
  // return the same value.
  [[nodiscard]] virtual bool one_thread() const noexcept { return false; }
};

struct load_options {
  load_choice choice = {};  // the whole tree
  // Only files that match one of these, unless there are none: see matches_glob().
  std::span<const std::string_view> only = {};
  load_priority priority = load_priority::normal;             // of all its jobs and reads; not none
  bool decode = true;                                         // false: stop after the checksum
  std::span<const decoder* const> decoders = all_decoders();  // the first to accept a file wins
  std::uint64_t budget_bytes = 256u << 20;                    // for files in flight
  memory_ledger* ledger = nullptr;  // instead of budget_bytes: a bound shared with others
  unsigned files_in_flight_max = 256;
  bool strict = false;  // a file with a warning fails in decode instead
  // Files that match one of these are skipped: see matches_glob().
  std::span<const std::string_view> exclude = {};
  // How long one file may take in all stages, without waiting for room, in the queue or for another
  // file's read to unpack its solid block; 0: as long as it needs. A file that takes longer fails
  // with errc::limit before its next stage, or its next piece: with this set and no sink, files of
  // 4 MiB and more that no decoder accepts are read and unpacked in pieces. A stage that has begun
  // otherwise ends: see docs/guide/command.md.
  std::chrono::nanoseconds file_time_max{0};
  asset_sink* sink = nullptr;  // null: assets are discarded
  // Of an earlier load, see load_record.hpp: its files come first, in its order, and the progress
  // goes by their costs. Needed by start() alone.
  const load_record* recorded = nullptr;
  buffer_pool* buffers = nullptr;  // null: the scope makes its own
  allocator* memory = nullptr;     // null: default_allocator()
};

struct load_progress {
  std::uint64_t files_done = 0;  // whatever their outcome
  std::uint64_t files_total = 0;
  std::uint64_t bytes_done = 0;  // unpacked
  // 0 to 1; never decreases. By the sizes of the files where the mounts know them before they are
  // opened, as archives do, and by the number of the others.
  double fraction = 0;

  // What files wait for now, see explain().
  std::uint32_t awaiting_reads = 0;   // the disk
  std::uint32_t awaiting_memory = 0;  // room in the ledger
  std::uint32_t awaiting_pump = 0;    // pump() or wait_for(), for a one-thread sink
  bool cancelled = false;
};
// Writes what a load waits for to `text`, such as "7 files wait for pump() on the main thread": cut
// to fit, NUL-terminated unless `text` is empty. Returns its length without the NUL, 0 if nothing
// waits. Any thread.
OVERTURE_API std::size_t explain(const load_progress& now, std::span<char> text) noexcept;

// The outcome of one file.
struct loaded_file {
  entry_index entry = 0;           // no_entry if the path is not in the tree
  std::string_view path;           // as in the tree, or in the choice; valid as long as they are
  const error* failure = nullptr;  // null if the file loaded or was cancelled
  const error* warning = nullptr;  // null if its decoder found no flaw
  bool cancelled = false;          // not loaded because of cancel()
  bool skipped = false;            // because of load_options::exclude
  std::uint64_t began_ns = 0;      // since start(); 0 if it has not begun
  load_stage failed_in = load_stage::resolve;  // if `failure` is set
  std::uint64_t bytes = 0;                     // unpacked
  std::uint64_t packed_bytes = 0;              // as stored
  compression method = compression::none;      // none for files in solid blocks, too
  std::uint64_t decoded_bytes = 0;             // 0 if no decoder accepted it, or only recognised
  std::uint32_t crc32 = 0;                     // of the unpacked bytes
  const char* decoder = nullptr;               // its name; null if none accepted the file
  std::uint32_t width = 0;                     // of an image or a texture, in pixels
  std::uint32_t height = 0;
  std::uint32_t sample_rate = 0;  // of a sound, in frames per second
  std::uint64_t sound_frames = 0;
  std::uint64_t stage_ns[load_stage_count] = {};  // work in each stage, summed over threads
  std::uint64_t queued_ns = 0;                    // that its reads waited in the queue
  // That its reads took from there, without unpacking a solid block or waiting for one.
  std::uint64_t device_ns = 0;
  // What was read through the queue, and what was in the page cache. Of files in a solid block the
  // one for which the block was unpacked has all of its packed bytes, and the others have none.
  std::uint64_t disk_bytes = 0;
  std::uint64_t cached_bytes = 0;
  std::uint64_t block_unpack_ns = 0;  // of the unpack stage: a solid block was unpacked for it
  std::uint64_t block_wait_ns = 0;    // its reads waited for another file's to unpack the block
};

struct stage_summary {
  std::uint64_t files = 0;  // that passed the stage
  std::uint64_t ns = 0;     // work in it, summed over threads: at most their number times the wall
  std::uint64_t bytes = 0;  // that came out of it
};

// What was read, by all files, whatever their outcome. A file's bytes count as read from the disk
// if the page cache did not have all of them, or if its file system cannot say so at once.
struct read_summary {
  std::uint64_t disk_bytes = 0;
  std::uint64_t cached_bytes = 0;  // at once from the page cache
  // Sums over reads from the disk, many of which overlap: in the queue, and from there to the end.
  std::uint64_t queue_ns = 0;
  std::uint64_t device_ns = 0;
  // How long a read from the disk took, without the queue: half of them no longer than the first,
  // 99 % no longer than the second. To an eighth; 0 if there were none.
  std::uint64_t median_ns = 0;
  std::uint64_t p99_ns = 0;
  // A sum, not in device_ns: until another file's read had unpacked the solid block of both.
  std::uint64_t block_wait_ns = 0;
};

struct load_summary {
  std::uint64_t files = 0;  // loaded
  std::uint64_t failed = 0;
  std::uint64_t warnings = 0;  // of those that loaded, how many have one
  std::uint64_t skipped = 0;   // because of load_options::exclude
  std::uint64_t cancelled = 0;
  std::uint64_t bytes = 0;         // unpacked; like the next two, of the files that loaded
  std::uint64_t packed_bytes = 0;  // as stored
  std::uint64_t decoded_bytes = 0;
  std::uint64_t ns = 0;    // wall time from start() to the last file
  std::uint64_t hash = 0;  // over path, size and CRC-32 of every loaded file; independent of order
  std::uint64_t in_flight_bytes_max = 0;  // the ledger's peak, which budget_bytes bounds
  // The peaks of each module's share in the ledger, by memory_tag: load (files), decode (assets),
  // vfs (solid blocks, if the file system has the same ledger).
  std::uint64_t in_flight_by_module[memory_tag_count] = {};
  stage_summary stages[load_stage_count];
  read_summary reads;
};

// One load. Destroy it before the job system, the read queue and the tree it uses.
class OVERTURE_API load_scope {
 public:
  // Does no work yet. All arguments (and the options' pointers) must outlive the scope; `files`
  // must stay frozen.
  load_scope(file_system& files, read_queue& reads, job_system& jobs,
             const load_options& options = {}) noexcept;
  // Cancels what is left and waits for what is running; nothing is called back afterwards.
  ~load_scope();
  load_scope(const load_scope&) = delete;
  load_scope& operator=(const load_scope&) = delete;

  // Starts loading and returns. Call it once.
  // Errors: invalid (tree not frozen, started before, priority none, or a negative time),
  // unsupported (the job system or the queue is of another version of Overture), out_of_memory.
  result<void> start() noexcept;
  // The same for those files of the choice for which `choose` does not return none. It is called
  // here, once for each; files of higher priority begin first. Error: threw (it has).
  result<void> start(function_ref<load_priority(const entry_info& file)> choose) noexcept;
  // True once every file has loaded, failed or been cancelled. Also true before start(). Any
  // thread.
  [[nodiscard]] bool done() const noexcept;
  // Works on this load (and nothing else) until it is done (returns true) or `duration` has passed
  // (returns false). It checks the clock between pieces of work of about a millisecond. Files that
  // are known to take longer than the time left are for the workers; if there are none (a
  // concurrency() of 1) it does them, and overruns. The sink may take as long as it likes. One
  // thread at a time; with a one-thread sink, always the same thread.
  bool wait_for(std::chrono::nanoseconds duration) noexcept;
  // Only finalizes files that wait for this thread, at least one if there is any, until `budget`
  // has passed; returns how many. For a frame that cannot spare more. Without workers it also reads
  // and decodes, at least a piece, so that calling it is enough. Same thread as wait_for(). The
  // first call marks the first frame in the read queue's statistics.
  std::size_t pump(std::chrono::nanoseconds budget) noexcept;
  // Begins no more files, cancels queued reads and files that wait; a file that a thread works on
  // ends with its stage. Then call wait_for(), which soon returns true. Before start(): that begins
  // no file. Any thread, but not a signal handler.
  void cancel() noexcept;

  // The rest is about a load that was started: any thread, but not while start() runs.

  // The same for one file. Does nothing if it has ended or is not part of the load.
  void cancel(entry_index entry) noexcept;
  // The file begins next, before others that were raised earlier, and is read before those of lower
  // priority. Does nothing as above.
  void raise(entry_index entry) noexcept;
  // For the jobs and reads to come, and the reads that are queued. A job that is queued keeps its
  // priority. `priority`: not none.
  void set_priority(load_priority priority) noexcept;
  [[nodiscard]] file_state state_of(entry_index entry) const noexcept;
  // A snapshot. Any thread.
  [[nodiscard]] load_progress progress() const noexcept;

  // The two below: only once done(), any thread.
  [[nodiscard]] load_summary summary() const noexcept;
  // Visits every file, in tree order, or in the order of the list. Error: threw (the visitor; it
  // ends there).
  result<void> for_each_file(function_ref<void(const loaded_file&)> visit) const noexcept;

 private:
  struct state;
  result<void> start_with(function_ref<load_priority(const entry_info&)>* choose) noexcept;

  state* state_ = nullptr;
};

// A part of the workers' time.
struct time_share {
  const char* name = "";  // a stage, a reason to wait, or "other"
  bool waiting = false;
  std::uint64_t ns = 0;
};

// What the load was bound by: the first line of a report.
struct load_verdict {
  static constexpr std::size_t shares_max = 16;
  const char* name = "";        // "read-bound", "decode-bound", "waiting for reads", ...
  std::uint64_t worker_ns = 0;  // wall time of the load times the number of workers
  std::size_t share_count = 0;
  time_share shares[shares_max];  // largest first; they add up to worker_ns
};

// Says what a load was bound by, from a timeline that recorded nothing else. The load ran from
// `begin_ns` to `end_ns` (clock of now_ns()). Workers are the threads named "main" or with a name
// that starts with `worker_prefix`. Exact even if the timeline has dropped old events, because it
// uses the timeline's totals. Call it when the recording threads are idle or gone.
[[nodiscard]] OVERTURE_API load_verdict judge(const timeline& record, std::uint64_t begin_ns,
                                              std::uint64_t end_ns,
                                              std::string_view worker_prefix = "worker") noexcept;

// What one thread did in all, as timeline_track has it.
struct thread_totals {
  std::string_view name;
  std::span<const trace_total> totals;
};
// The same for a load whose timeline is gone, from the totals that were kept of it. The load took
// `wall_ns`; the verdict's names point into the totals. Any thread.
[[nodiscard]] OVERTURE_API load_verdict judge(std::span<const thread_totals> threads,
                                              std::uint64_t wall_ns,
                                              std::string_view worker_prefix = "worker") noexcept;

}  // namespace overture
