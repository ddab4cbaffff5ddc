// The state of a load_scope: a record for every file, an item for every file in flight, and the
// counters that decide admission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/index_stack.hpp"
#include "base/vec.hpp"
#include "load/cancellable_reads.hpp"
#include "overture/base/blob.hpp"
#include "overture/io/unpack.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::load_detail {

struct load_state;

// The result of one file.
struct file_record {
  enum class outcome : std::uint8_t { pending, loaded, failed, cancelled };

  outcome state = outcome::pending;
  load_stage failed_in = load_stage::resolve;
  std::uint32_t crc32 = 0;
  std::uint64_t bytes = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t decoded_bytes = 0;
  const char* decoder = nullptr;
  std::uint64_t stage_ns[load_stage_count] = {};
  std::uint64_t queued_ns = 0;
  error failure;
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
  bool is_unpacked = false;          // its decode was deferred
  bool large_decode = false;         // counted in load_state::large_decodes
  std::uint64_t reserved_bytes = 0;  // in the budget

  opened_file file;
  blob packed;                         // what was read, unless it is in the loader's scratch
  blob unpacked;                       // likewise; also empty for stored files
  std::span<const std::byte> content;  // the unpacked file
  decoded_asset asset;
  read_request request;
};

struct load_state {
  load_state(file_system& tree, read_queue& queue, job_system& system,
             const load_options& requested, allocator& from) noexcept
      : files(tree),
        reads(queue),
        jobs(system),
        options(requested),
        memory(from),
        own_buffers({.memory = &from, .kept_bytes_max = requested.budget_bytes / 4}),
        buffers(requested.buffers ? *requested.buffers : own_buffers),
        records(from, memory_tag::load),
        order(from, memory_tag::load),
        group(system) {}

  file_system& files;
  read_queue& reads;
  job_system& jobs;
  load_options options;
  allocator& memory;
  buffer_pool own_buffers;
  buffer_pool& buffers;

  base_detail::vec<file_record> records;  // by entry_index
  base_detail::vec<entry_index> order;    // the order in which files begin
  load_item* items = nullptr;
  std::uint32_t item_count = 0;
  static constexpr std::size_t scratch_slots = 64;
  atomic<scratch_space*> scratch[scratch_slots] = {};  // by thread slot

  bool started = false;
  std::uint64_t begin_ns = 0;
  atomic<std::uint64_t> end_ns{0};

  // Admission.
  alignas(64) atomic<std::uint32_t> next_entry{0};
  base_detail::index_stack free_items;
  base_detail::index_stack stalled_items;    // resolved, waiting for the budget
  base_detail::index_stack awaiting_decode;  // unpacked, waiting for the budget
  base_detail::index_stack finalizable;      // decoded, waiting for a one-thread sink
  atomic<std::uint32_t> stalled_count{0};
  atomic<std::uint32_t> awaiting_decode_count{0};
  atomic<std::uint32_t> large_decodes{0};  // admitted and not yet retired
  atomic<std::uint32_t> free_count{0};
  atomic<std::uint32_t> active_loaders{0};  // at most one per thread of the job system
  atomic<std::uint64_t> in_flight_bytes{0};
  atomic<std::uint64_t> in_flight_bytes_max{0};
  atomic<std::uint32_t> reads_outstanding{0};
  atomic<std::uint32_t> finalizable_count{0};
  cancellable_reads cancelling;

  // Progress.
  alignas(64) atomic<std::uint64_t> files_done{0};
  atomic<std::uint64_t> bytes_done{0};

  // Every job of the load, plus one count per read in flight: the load is over when the group is
  // empty. Last, because its destructor waits.
  job_group group;

  void update_in_flight_peak(std::uint64_t bytes) noexcept {
    std::uint64_t most = in_flight_bytes_max.load(std::memory_order_relaxed);
    while (bytes > most &&
           !in_flight_bytes_max.compare_exchange_weak(most, bytes, std::memory_order_relaxed)) {
    }
  }
  [[nodiscard]] auto item_links() noexcept {
    return [this](std::uint32_t index) -> atomic<std::uint32_t>& { return items[index].link; };
  }
  [[nodiscard]] std::uint32_t entry_count() const noexcept {
    return static_cast<std::uint32_t>(records.size());
  }
};

}  // namespace overture::load_detail
