// SPDX-License-Identifier: Zlib
//
// The state of a load_scope: a record for every file, an item for every file in flight, and the
// counters that decide admission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/fixed_array.hpp"
#include "base/index_stack.hpp"
#include "base/vec.hpp"
#include "load/cancellable_reads.hpp"
#include "load/file_room.hpp"
#include "load/piece_time.hpp"
#include "load/priority.hpp"
#include "load/read_times.hpp"
#include "load/scratch.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/executor.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::load_detail {

struct load_state;

// A file of the load: where it is, and its result. Files are numbered in the order of the tree, or
// of the list that was chosen.
struct file_record {
  file_wishes wishes;
  atomic<std::uint32_t> link{base_detail::index_stack::none};  // in load_state::front
  entry_index entry = no_entry;
  atomic<std::uint8_t> state{static_cast<std::uint8_t>(file_state::queued)};
  atomic<std::uint8_t> priority{static_cast<std::uint8_t>(load_priority::normal)};
  load_stage failed_in = load_stage::resolve;
  compression method = compression::none;
  std::uint32_t crc32 = 0;
  // By the mount's directory, 0 for loose files; or what a record says that the file costs.
  std::uint64_t listed_bytes = 0;
  std::uint64_t began_ns = 0;  // since the begin of the load
  std::uint32_t sort_key = 0;  // of its read
  std::uint64_t bytes = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t decoded_bytes = 0;
  const char* decoder = nullptr;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t sample_rate = 0;
  std::uint64_t sound_frames = 0;
  std::uint64_t stage_ns[load_stage_count] = {};
  std::uint64_t queued_ns = 0;
  std::uint64_t device_ns = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t cached_bytes = 0;
  std::uint64_t block_unpack_ns = 0;
  std::uint64_t block_wait_ns = 0;
  error failure;  // or the warning of a file that has one
  bool has_warning = false;

  // `none`: a file with two numbers, of which the other is loaded; or left out of the load.
  [[nodiscard]] file_state now() const noexcept {
    return static_cast<file_state>(state.load(std::memory_order_relaxed));
  }
  void set(file_state next) noexcept {
    state.store(static_cast<std::uint8_t>(next), std::memory_order_relaxed);
  }
  // Takes the file from the queue, if no other has: to begin or to cancel it.
  [[nodiscard]] bool claim(file_state next) noexcept {
    auto queued = static_cast<std::uint8_t>(file_state::queued);
    return state.compare_exchange_strong(queued, static_cast<std::uint8_t>(next),
                                         std::memory_order_acq_rel);
  }
};

// A file in flight.
struct load_item {
  load_state* load = nullptr;
  atomic<std::uint32_t> link{
      base_detail::index_stack::none};  // the next item of the stack it is in
  std::uint32_t index = 0;              // in load_state::items
  std::uint32_t number = 0;             // of its file, in load_state::records
  entry_index entry = 0;
  std::uint8_t stage = 0;            // the next, in the list of pipeline.cpp
  lacking lacks = lacking::nothing;  // while it waits
  bool in_pieces = false;            // not read as a whole
  bool needs_all = false;            // a decoder accepts it, so it cannot be checked in pieces
  bool ticket = false;               // the ledger's: it is past the limit
  bool reads_block = false;          // its read in the queue is of a solid block
  std::uint64_t expected_ns = 0;     // of its next stage, if it is left to the workers
  std::uint64_t reserved_bytes = 0;  // of the ledger's room, for the file
  std::uint64_t asset_bytes = 0;     // likewise, for a large asset
  std::uint64_t asset_wanted = 0;    // what its decoder was refused before
  std::uint64_t refused_ns = 0;      // when it began to wait for room

  opened_file file;
  blob packed;                         // what was read, unless it is in the loader's scratch
  blob unpacked;                       // likewise; also empty for stored files
  std::span<const std::byte> content;  // what the last stage has made of it, packed or not
  decoded_asset asset;
  read_request request;
};

// Starts a loader when there is room again.
class load_room final : public room_listener {
 public:
  explicit load_room(load_state& load) noexcept : load_(load) {}
  void room_made() noexcept override;

  // How often room was made. Look before you ask for room.
  [[nodiscard]] std::uint64_t made() const noexcept {
    return made_.load(std::memory_order_seq_cst);
  }
  // An item was refused that had looked at `made` before.
  void refuse(std::uint64_t made) noexcept { refused_at_.store(made, std::memory_order_seq_cst); }
  // False if no room was made since an item was refused.
  [[nodiscard]] bool may_suffice() const noexcept {
    return made() != refused_at_.load(std::memory_order_seq_cst);
  }
  // For the timeline: which file of this load gave up its room last; no_entry: it was another's.
  [[nodiscard]] entry_index made_by() const noexcept {
    return made_by_.load(std::memory_order_relaxed);
  }

 private:
  load_state& load_;
  atomic<std::uint64_t> made_{0};
  atomic<std::uint64_t> refused_at_{UINT64_MAX};
  atomic<entry_index> made_by_{no_entry};
};

// Where the read queue hands its completions over. They run as jobs of the load.
class read_arrivals final : public executor {
 public:
  explicit read_arrivals(load_state& load) noexcept : load_(load) {}
  void execute(task work) noexcept override;

 private:
  load_state& load_;
};

// Items, and how many they are.
struct item_stack {
  base_detail::index_stack items;
  atomic<std::uint32_t> count{0};

  [[nodiscard]] std::uint32_t size() const noexcept {
    return count.load(std::memory_order_seq_cst);
  }
};

// Where items wait for room.
struct waiting_line {
  load_room& room;
  item_stack items{};
};

struct load_state {
  load_state(file_system& tree, read_queue& queue, job_system& system,
             const load_options& requested, allocator& from) noexcept
      : files(tree),
        reads(queue),
        jobs(system),
        options(requested),
        memory(from),
        own_buffers(
            {.memory = &from,
             .kept_bytes_max =
                 (requested.ledger ? requested.ledger->limit() : requested.budget_bytes) / 4}),
        buffers(requested.buffers ? *requested.buffers : own_buffers),
        own_ledger(requested.budget_bytes),
        ledger(requested.ledger ? *requested.ledger : own_ledger),
        block_ledger(tree.ledger() ? *tree.ledger() : own_ledger),
        scratch(from),
        room(*this),
        block_room(*this),
        records(from, memory_tag::load),
        order(from, memory_tag::load),
        by_entry(from, memory_tag::load),
        arrivals(*this),
        left_jobs(system),
        group(system) {}

  file_system& files;
  read_queue& reads;
  job_system& jobs;
  load_options options;
  allocator& memory;
  buffer_pool own_buffers;
  buffer_pool& buffers;
  memory_ledger own_ledger;
  memory_ledger& ledger;
  memory_ledger& block_ledger;  // the file system's, for solid blocks; may be the same
  scratch_shelf scratch;
  load_room room;
  load_room block_room;  // listens to block_ledger if it is another

  base_detail::fixed_array<file_record> records;  // by number
  base_detail::vec<std::uint32_t> order;          // the numbers, as the files begin
  bool is_whole_tree = false;                     // an entry is its file's number
  base_detail::vec<std::uint32_t> by_entry;       // otherwise: the numbers, sorted by entry
  load_item* items = nullptr;
  std::uint32_t item_count = 0;

  atomic<bool> started{false};
  std::uint64_t listed_bytes = 0;   // of all files
  std::uint32_t reads_at_once = 1;  // by the read queue
  std::uint64_t begin_ns = 0;
  atomic<std::uint64_t> end_ns{0};

  // Admission.
  alignas(detail::line_bytes) atomic<std::uint32_t> next_in_order{0};
  item_stack front;  // of files, not items: those that begin before all in the order
  item_stack free_items;
  // By what an item lacks. Room for blocks is only waited for if block_ledger is another.
  static constexpr std::size_t line_count = static_cast<std::size_t>(lacking::nothing);
  waiting_line lines[line_count] = {{room}, {room}, {block_room}};
  atomic<entry_index> giving{no_entry};     // whose room is given back now, for the timeline
  item_stack finalizable;                   // decoded, waiting for a one-thread sink
  item_stack left;                          // by the thread that lends itself, to the workers
  atomic<std::uint32_t> active_loaders{0};  // at most one per thread of the job system
  // How many, and in the upper half how many of them are of solid blocks.
  atomic<std::uint64_t> reads_outstanding{0};
  atomic<std::uint32_t> reads_arrived{0};  // whose jobs have not begun
  read_arrivals arrivals;
  cancellable_reads cancelling;

  read_times disk_times;
  decode_times decoding;

  atomic<std::uint8_t> priority{static_cast<std::uint8_t>(options.priority)};
  // The thread that lends itself while there are workers, and how long.
  atomic<std::uint32_t> lent_slot{no_slot};
  atomic<std::uint64_t> lent_until_ns{0};
  static constexpr std::uint32_t no_slot = UINT32_MAX;
  atomic<std::uint64_t> left_ns_max{0};  // of what that thread has left

  // Progress.
  alignas(detail::line_bytes) atomic<std::uint64_t> files_done{0};
  atomic<std::uint64_t> bytes_done{0};
  atomic<std::uint64_t> listed_done{0};

  // For workers only: a thread that waits for `group` runs none of these. Each looks for an item in
  // `left`, which counts in `group`.
  job_group left_jobs;
  // Every job of the load, plus one count for each read in flight and each item that waits for
  // room: the load is over when the group is empty. Last, because its destructor waits.
  job_group group;

  [[nodiscard]] auto item_links() noexcept {
    return [this](std::uint32_t index) -> atomic<std::uint32_t>& { return items[index].link; };
  }
  [[nodiscard]] auto file_links() noexcept {
    return [this](std::uint32_t file) -> atomic<std::uint32_t>& { return records[file].link; };
  }
  void push(item_stack& to, load_item& item) noexcept {
    to.items.push(item.index, item_links());
    to.count.fetch_add(1, std::memory_order_seq_cst);
  }
  // Null if it is empty.
  [[nodiscard]] load_item* pop(item_stack& from) noexcept {
    const std::uint32_t index = from.items.pop(item_links());
    if (index == base_detail::index_stack::none) return nullptr;
    from.count.fetch_sub(1, std::memory_order_seq_cst);
    return &items[index];
  }
  [[nodiscard]] static std::uint64_t one_read(const load_item& item) noexcept {
    return (item.reads_block ? std::uint64_t{1} << 32 : 0) + 1;
  }
  // How many wait for room.
  [[nodiscard]] std::uint32_t waiting() const noexcept {
    std::uint32_t count = 0;
    for (const waiting_line& line : lines) count += line.items.size();
    return count;
  }
  [[nodiscard]] file_record& record_of(const load_item& item) noexcept {
    return records[item.number];
  }
  [[nodiscard]] std::uint32_t file_count() const noexcept {
    return static_cast<std::uint32_t>(order.size());
  }
  [[nodiscard]] load_priority priority_now() const noexcept {
    return static_cast<load_priority>(priority.load(std::memory_order_relaxed));
  }
  [[nodiscard]] load_priority priority_of(std::uint32_t file) const noexcept {
    return static_cast<load_priority>(records[file].priority.load(std::memory_order_relaxed));
  }
  [[nodiscard]] std::string_view path_of(std::uint32_t file) const noexcept {
    const entry_index entry = records[file].entry;
    return entry != no_entry ? files.entry(entry).path : chosen_path(file).text;
  }
  // Empty if the file was not chosen by its path.
  [[nodiscard]] asset_path chosen_path(std::uint32_t file) const noexcept {
    const std::span<const asset_path> chosen = options.choice.paths();
    return file < chosen.size() ? chosen[file] : asset_path{};
  }
  [[nodiscard]] bool is_in_block(const file_record& file) const noexcept {
    return file.entry != no_entry && files.block_of(file.entry).bytes != 0;
  }
  [[nodiscard]] bool is_cancelled(std::uint32_t file) const noexcept {
    return cancelling.cancelled() || records[file].wishes.cancelled();
  }
};

}  // namespace overture::load_detail
