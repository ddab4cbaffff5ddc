// The state of a load_scope: a record for every file, an item for every file in flight, and the
// counters that decide admission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/index_stack.hpp"
#include "base/vec.hpp"
#include "load/cancellable_reads.hpp"
#include "load/read_times.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/executor.hpp"
#include "overture/io/unpack.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::load_detail {

struct load_state;

// The result of one file.
struct file_record {
  enum class outcome : std::uint8_t {
    pending,
    loaded,
    failed,
    cancelled,
    skipped,
    same,  // file_system::same_file() has another number, which is loaded instead
  };

  outcome state = outcome::pending;
  load_stage failed_in = load_stage::resolve;
  std::uint32_t crc32 = 0;
  std::uint64_t listed_bytes = 0;  // by the mount's directory; 0 for loose files
  std::uint64_t bytes = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t decoded_bytes = 0;
  const char* decoder = nullptr;
  std::uint64_t stage_ns[load_stage_count] = {};
  std::uint64_t queued_ns = 0;
  std::uint64_t device_ns = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t cached_bytes = 0;
  error failure;  // or the warning of a file that has one
  bool has_warning = false;
};

// A thread's reusable memory: a decompressor, and buffers for small files, which all pass through
// the same warm blocks. Too expensive to make for every loader, so each thread slot keeps one.
struct scratch_space {
  unpacker decompressor;
  blob packed;
  blob unpacked;
};

// A file in flight.
struct load_item {
  load_state* load = nullptr;
  atomic<std::uint32_t> link{
      base_detail::index_stack::none};  // the next item of the stack it is in
  std::uint32_t index = 0;              // in load_state::items
  entry_index entry = 0;
  bool resolved = false;
  bool needs_all = false;            // a decoder accepts it, so it cannot be checked in pieces
  bool is_unpacked = false;          // its decode was deferred
  bool ticket = false;               // the ledger's: it is past the limit
  std::uint64_t reserved_bytes = 0;  // of the ledger's room, for the file
  std::uint64_t asset_bytes = 0;     // likewise, for a large asset
  std::uint64_t asset_wanted = 0;    // what its decoder was refused before

  opened_file file;
  blob packed;                         // what was read, unless it is in the loader's scratch
  blob unpacked;                       // likewise; also empty for stored files
  std::span<const std::byte> content;  // the unpacked file
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

 private:
  load_state& load_;
  atomic<std::uint64_t> made_{0};
  atomic<std::uint64_t> refused_at_{UINT64_MAX};
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
        room(*this),
        block_room(*this),
        records(from, memory_tag::load),
        order(from, memory_tag::load),
        arrivals(*this),
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
  load_room room;
  load_room block_room;  // listens to block_ledger if it is another

  base_detail::vec<file_record> records;  // by entry_index
  base_detail::vec<entry_index> order;    // the order in which files begin
  load_item* items = nullptr;
  std::uint32_t item_count = 0;
  static constexpr std::size_t scratch_slots = 64;
  atomic<scratch_space*> scratch[scratch_slots] = {};  // by thread slot

  atomic<bool> started{false};
  std::uint64_t listed_bytes = 0;   // of all files
  std::uint32_t reads_at_once = 1;  // by the read queue
  std::uint64_t begin_ns = 0;
  atomic<std::uint64_t> end_ns{0};

  // Admission.
  alignas(64) atomic<std::uint32_t> next_entry{0};
  item_stack free_items;
  item_stack awaiting_decode;  // unpacked, waiting for room for the asset
  item_stack awaiting_file;    // resolved, waiting for room for the file
  item_stack awaiting_block;   // resolved, waiting for room in block_ledger if it is another
  item_stack finalizable;      // decoded, waiting for a one-thread sink
  atomic<std::uint32_t> active_loaders{0};  // at most one per thread of the job system
  atomic<std::uint32_t> reads_outstanding{0};
  atomic<std::uint32_t> reads_arrived{0};  // whose jobs have not begun
  read_arrivals arrivals;
  cancellable_reads cancelling;

  read_times disk_times;

  // Progress.
  alignas(64) atomic<std::uint64_t> files_done{0};
  atomic<std::uint64_t> bytes_done{0};
  atomic<std::uint64_t> listed_done{0};

  // Every job of the load, plus one count for each read in flight and each item that waits for
  // room: the load is over when the group is empty. Last, because its destructor waits.
  job_group group;

  [[nodiscard]] auto item_links() noexcept {
    return [this](std::uint32_t index) -> atomic<std::uint32_t>& { return items[index].link; };
  }
  [[nodiscard]] std::uint32_t file_count() const noexcept {
    return static_cast<std::uint32_t>(order.size());
  }
  [[nodiscard]] std::uint32_t entry_count() const noexcept {
    return static_cast<std::uint32_t>(records.size());
  }
};

}  // namespace overture::load_detail
