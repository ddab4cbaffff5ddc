// file_fetcher: reads the files of a tree for a store.
#pragma once

#include "assets/fetch.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::assets_detail {

class file_fetcher final : public fetcher {
 public:
  file_fetcher(file_system& files, read_queue& reads, job_system& jobs, allocator& memory) noexcept
      : files_(files), reads_(reads), jobs_(jobs), buffers_({.memory = &memory}) {}

  void begin(fetch_request& wanted, job_group& group, fetch_listener& listener) noexcept override;

 private:
  file_system& files_;
  read_queue& reads_;
  job_system& jobs_;
  buffer_pool buffers_;
};

}  // namespace overture::assets_detail
