// SPDX-License-Identifier: Zlib
//
// One file, asynchronously: read_file() gives its bytes, decode_file() the asset in it.
//
//   buffer_pool buffers;
//   shared_future<blob> map = read_file(files, "maps/rome.txt"_path, buffers, reads, jobs);
//   ...
//   const result<blob>& bytes = map.get();             // or: co_await map, map.then(...)
//   if (!bytes) return report(files, bytes.error());   // file_system::explain() names the path
//   result<blob> mine = map.take();                    // moves it out of the only handle
//
//   read_cancellation level_two;                       // for any number of reads
//   auto wall = decode_file(files, "gfx/wall.png"_path, buffers, reads, jobs,
//                           {.priority = load_priority::low, .cancel = &level_two});
//   level_two.cancel(reads);
//
// Loose files, packed ones and those in solid archives are read alike, and their checksums
// verified. The tree need not be frozen. For many files at once use a load_scope.
//
// A job opens the file and takes what is in the page cache; anything else the read queue reads, and
// a second job unpacks and decodes it. What a file needs meanwhile takes room from the ledger of
// the file system; without room the read waits, but holds no thread. Once the future is ready, its
// value no longer counts.
//
// Errors come through the future: those of file_system::read_all() but `limit` for lack of room;
// cancelled; of decode_file() also those of the decoder, and unsupported if no decoder accepts the
// file.
//
// Cost: two allocations for each file, and its buffers. Threads: any.
//
// Lifetime: `files`, `reads`, `jobs`, `buffers` and what the options point to must stay until the
// future is ready, and the pool of a blob as long as that. A job system that ends first runs what
// is queued, but a future whose read has not ended is never ready: wait for it.
#pragma once

#include <cstdint>
#include <span>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/path.hpp"
#include "overture/decoders/decoder.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/sync/future.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

namespace load_detail {
class file_read;
}  // namespace load_detail

// Cancels the reads that carry it. Must outlive them.
class alignas(64) read_cancellation {
 public:
  // Reads that are queued end at once, others before their next step: their futures have the error
  // `cancelled`. `reads`: the queue that they were begun with. Any thread.
  OVERTURE_API void cancel(read_queue& reads) noexcept;
  [[nodiscard]] bool is_cancelled() const noexcept {
    return cancelled_.load(std::memory_order_seq_cst) != 0;
  }

 private:
  friend class load_detail::file_read;
  [[nodiscard]] std::uint64_t tag() const noexcept;
  void submit(read_queue& reads, read_request& request) noexcept;

  atomic<std::uint32_t> cancelled_{0};
};

struct read_file_options {
  load_priority priority = load_priority::normal;  // of its jobs and reads
  read_cancellation* cancel = nullptr;
  std::uint64_t deadline_ns = 0;  // of the read, see read_request
  allocator* memory = nullptr;    // null = default_allocator()
};

[[nodiscard]] OVERTURE_API shared_future<blob> read_file(
    file_system& files, const asset_path& path, buffer_pool& buffers, read_queue& reads,
    job_system& jobs, const read_file_options& options = {}) noexcept;

struct decode_file_options {
  load_priority priority = load_priority::normal;
  read_cancellation* cancel = nullptr;
  std::uint64_t deadline_ns = 0;
  allocator* memory = nullptr;                                // of the asset too
  std::span<const decoder* const> decoders = all_decoders();  // the first to accept the file wins
};

[[nodiscard]] OVERTURE_API shared_future<decoded_asset> decode_file(
    file_system& files, const asset_path& path, buffer_pool& buffers, read_queue& reads,
    job_system& jobs, const decode_file_options& options = {}) noexcept;

}  // namespace overture
