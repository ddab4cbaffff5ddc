// SPDX-License-Identifier: Zlib
//
// file_fetcher: reads the files of a tree for a store. Reads that have ended are used again.
//
// A job does not belong to one file: each takes the most urgent step of any. A pool runs what its
// jobs submit newest first, so the steps of a file would have to wait until all files that came
// later are loaded.
#pragma once

#include "assets/fetch.hpp"
#include "base/threads/thread_annotations.hpp"
#include "overture/base/blob.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/vfs/file_system.hpp"
#include "sync/mutex.hpp"

namespace overture::assets_detail {

class file_fetcher final : public fetcher {
 public:
  // Keeps up to `kept_bytes_max` of the memory of files for the next ones.
  file_fetcher(file_system& files, read_queue& reads, job_system& jobs, allocator& memory,
               std::size_t kept_bytes_max) noexcept
      : files_(files),
        reads_(reads),
        jobs_(jobs),
        memory_(memory),
        buffers_({.memory = &memory, .kept_bytes_max = kept_bytes_max}) {}
  ~file_fetcher() override;

  void begin(fetch_request& wanted, fetch_listener& listener) noexcept override;
  [[nodiscard]] bool set_priority(fetch_request& begun, asset_priority to,
                                  std::uint64_t number) noexcept override;
  [[nodiscard]] fetch_request* take_step(priority_classes of_these,
                                         asset_priority least) noexcept override;
  void do_step(fetch_request& of) noexcept override;
  void give_up_waits() noexcept override;
  void wait_for_calls() noexcept override;
  bool help() noexcept override;
  void done_with(held_file* file) noexcept override;

 private:
  friend class file_in_memory;

  struct free_place {  // in the first bytes of a place
    free_place* next;
  };

  [[nodiscard]] bool gives_up() const noexcept { return gives_up_.load(std::memory_order_seq_cst); }
  [[nodiscard]] void* take_place() noexcept;
  [[nodiscard]] load_priority priority_of(const fetch_request& begun) noexcept;
  // Puts the step in a line and tells the listener.
  void add_step(fetch_request& of, task step, fetch_listener& listener) noexcept;

  file_system& files_;
  read_queue& reads_;
  job_system& jobs_;
  allocator& memory_;
  buffer_pool buffers_;
  sync_detail::mutex lock_;
  free_place* free_places_ GUARDED_BY(lock_) = nullptr;
  priority_lines<fetch_request> steps_ GUARDED_BY(lock_);
  atomic<bool> gives_up_{false};
  atomic<unsigned> waiting_steps_{0};  // in those lines: jobs need no lock to see that none waits
  atomic<unsigned> calls_{0};          // of step_waits(), whose threads may be slow to return
};

}  // namespace overture::assets_detail
