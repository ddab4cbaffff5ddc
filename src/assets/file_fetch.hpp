// file_fetcher: reads the files of a tree for a store. Reads that have ended are used again.
#pragma once

#include "assets/fetch.hpp"
#include "base/thread_annotations.hpp"
#include "overture/base/blob.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/vfs/file_system.hpp"
#include "sync/mutex.hpp"

namespace overture::assets_detail {

class file_fetcher final : public fetcher {
 public:
  file_fetcher(file_system& files, read_queue& reads, job_system& jobs, allocator& memory) noexcept
      : files_(files), reads_(reads), jobs_(jobs), memory_(memory), buffers_({.memory = &memory}) {}
  ~file_fetcher() override;

  void begin(fetch_request& wanted, job_group& group, fetch_listener& listener) noexcept override;
  void done_with(file_in_memory* file) noexcept override;

 private:
  struct free_place {  // in the first bytes of a place
    free_place* next;
  };

  [[nodiscard]] void* take_place() noexcept;

  file_system& files_;
  read_queue& reads_;
  job_system& jobs_;
  allocator& memory_;
  buffer_pool buffers_;
  sync_detail::mutex lock_;
  free_place* free_places_ GUARDED_BY(lock_) = nullptr;
};

}  // namespace overture::assets_detail
