// What a load_scope keeps: a record for every file, and an item for every file in flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/index_stack.hpp"
#include "base/vec.hpp"
#include "overture/base/blob.hpp"
#include "overture/io/unpack.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/trace/timeline.hpp"

namespace overture {

struct load_state;

// What stays of a file when it is done.
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

// What a lane works with. Too much to be made for every lane, and of one thread at a time: each
// thread finds what it used last in the place of its slot.
struct workspace {
  unpacker tables;
  blob packed;  // room for small files, which go through the same warm block one after the other
  blob unpacked;
};

// A file on its way through the pipeline.
struct load_item {
  load_state* load = nullptr;
  atomic<std::uint32_t> link{index_stack::none};  // in the stack of free or stalled items
  std::uint32_t index = 0;                        // of this item
  entry_index entry = 0;
  bool resolved = false;
  bool unpacked_before = false;      // waited for room to decode
  bool large_decode = false;         // counts in load_state::large_decodes
  std::uint64_t reserved_bytes = 0;  // of the budget

  opened_file file;
  blob packed;                         // what was read, unless it went to the lane's workspace
  blob unpacked;                       // likewise; empty too if the file is stored as it is
  std::span<const std::byte> content;  // the file
  decoded_asset asset;
  read_request request;
};

struct load_state {
  load_state(file_system& tree, read_queue& queue, job_system& system, const load_options& wishes,
             allocator& from) noexcept
      : files(tree),
        reads(queue),
        jobs(system),
        options(wishes),
        memory(from),
        own_buffers({.memory = &from, .kept_bytes_max = wishes.budget_bytes / 4}),
        buffers(wishes.buffers ? *wishes.buffers : own_buffers),
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

  vec<file_record> records;  // by entry_index
  vec<entry_index> order;    // in which files begin
  load_item* items = nullptr;
  std::uint32_t item_count = 0;
  static constexpr std::size_t workspaces_kept = 64;
  atomic<workspace*> workspaces[workspaces_kept] = {};  // by thread slot

  bool started = false;
  std::uint64_t begin_ns = 0;
  atomic<std::uint64_t> end_ns{0};

  // Admission.
  alignas(64) atomic<std::uint32_t> next_entry{0};
  index_stack free_items;
  index_stack stalled_items;  // resolved, waiting for room in the budget
  index_stack undecoded;      // unpacked, waiting for room in the budget
  index_stack finalizable;    // decoded, waiting for the host's one thread
  atomic<std::uint32_t> stalled_count{0};
  atomic<std::uint32_t> undecoded_count{0};
  atomic<std::uint32_t> large_decodes{0};  // files that were admitted to it and are not done
  atomic<std::uint32_t> free_count{0};
  atomic<std::uint32_t> lanes{0};  // threads that begin files at the moment
  atomic<std::uint64_t> in_flight_bytes{0};
  atomic<std::uint64_t> in_flight_bytes_max{0};
  atomic<std::uint32_t> reads_outstanding{0};
  atomic<std::uint32_t> finalizable_count{0};
  atomic<bool> cancelled{false};

  // Progress.
  alignas(64) atomic<std::uint64_t> files_done{0};
  atomic<std::uint64_t> bytes_done{0};

  // Every job of the load, and one count for every read in flight, so that the group is empty
  // only when nothing can happen any more. Last: it waits when it ends.
  job_group group;

  void note_in_flight(std::uint64_t bytes) noexcept {
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

}  // namespace overture
