// fetcher: brings the bytes of one file into memory, for a store.
#pragma once

#include <span>

#include "overture/assets/asset_store.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture::assets_detail {

class file_in_memory;

// Stays in place from begin() to fetched().
struct fetch_request {
  asset_path path;
  asset_priority priority = asset_priority::normal;
  void* owner = nullptr;
  // Set before fetched().
  result<void> outcome;
  std::span<const std::byte> content;
  file_in_memory* file = nullptr;  // the fetcher's
};

// Told when a request has ended.
class fetch_listener {
 public:
  // Called once for each begin(), by a job.
  virtual void fetched(fetch_request& ended) noexcept = 0;

 protected:
  ~fetch_listener() = default;
};

class fetcher {
 public:
  virtual ~fetcher() = default;
  // Works in jobs of `group`, which has a job pending meanwhile.
  virtual void begin(fetch_request& wanted, job_group& group,
                     fetch_listener& listener) noexcept = 0;
  // The content of a request is not needed any more: its `file`, which may be null. Call it once
  // for each fetched(), under no lock. Any thread.
  virtual void done_with(file_in_memory* file) noexcept = 0;
};

}  // namespace overture::assets_detail
