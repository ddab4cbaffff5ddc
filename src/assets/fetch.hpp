// fetcher: brings the bytes of one file into memory, for a store.
#pragma once

#include "overture/assets/asset_store.hpp"
#include "overture/base/blob.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture::assets_detail {

// Stays in place from begin() to fetched().
struct fetch_request {
  asset_path path;
  asset_priority priority = asset_priority::normal;
  void* owner = nullptr;
  // Set before fetched().
  result<void> outcome;
  blob content;
};

// Told when a request has ended.
class fetch_listener {
 public:
  // Called once for each begin(), by any thread, even within begin().
  virtual void fetched(fetch_request& ended) noexcept = 0;

 protected:
  ~fetch_listener() = default;
};

class fetcher {
 public:
  virtual ~fetcher() = default;
  // Works in jobs of `group`.
  virtual void begin(fetch_request& wanted, job_group& group,
                     fetch_listener& listener) noexcept = 0;
};

}  // namespace overture::assets_detail
