// SPDX-License-Identifier: Zlib
//
// The handles that several parts of the C interface know.
#pragma once

#include "c/given_allocator.hpp"
#include "c/handle.hpp"
#include "overture/assets/asset_store.hpp"
#include "overture/c/assets.h"
#include "overture/c/jobs.h"
#include "overture/c/reads.h"
#include "overture/c/trace.h"
#include "overture/c/vfs.h"
#include "overture/decoders/decoder.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/trace/timeline.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::c {

// How many others use a handle, which is busy until they have ended.
class user_count {
 public:
  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void remove() noexcept { count_.fetch_sub(1, std::memory_order_release); }
  [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_acquire) != 0; }

 private:
  atomic<std::uint32_t> count_{0};
};

// Uses a handle while it lives. The first member of what uses it, so that it ends last.
template <class Handle>
class use_of {
 public:
  explicit use_of(Handle* used) noexcept : used_(used) {
    if (used_ != nullptr) used_->users.add();
  }
  ~use_of() {
    if (used_ != nullptr) used_->users.remove();
  }
  use_of(const use_of&) = delete;
  use_of& operator=(const use_of&) = delete;

  // Null if there is none.
  [[nodiscard]] Handle* get() const noexcept { return used_; }
  [[nodiscard]] Handle& operator*() const noexcept { return *used_; }
  [[nodiscard]] Handle* operator->() const noexcept { return used_; }

 private:
  Handle* used_;
};

// Ends a handle without users; busy if it has some.
template <class Handle>
overture_code end_unused(Handle* handle, const char* still_used, overture_error* error) noexcept {
  if (handle == nullptr) return fine(error);
  if (handle->users.any()) return failed(error, errc::busy, still_used);
  destroy(handle);
  return fine(error);
}

}  // namespace overture::c

struct overture_timeline {
  overture_timeline(const overture::timeline_config& config,
                    const overture::c::given_allocator& from) noexcept
      : memory(from), record(overture::c::with_memory(config, memory)) {}

  overture::c::given_allocator memory;
  overture::timeline record;
  overture::c::user_count users;
};

// What others know of a pool; src/c/jobs.cpp has the rest.
struct overture_pool {
  overture_pool(overture_timeline* records, const overture::c::given_allocator& from,
                overture::job_system& made) noexcept
      : timeline(records), memory(from), jobs(made) {}

  overture::c::use_of<overture_timeline> timeline;
  overture::c::given_allocator memory;
  overture::job_system& jobs;
  bool is_host = false;  // jobs is a system of the program
  overture::c::user_count users;
};

struct overture_files {
  overture_files(const overture::file_system_config& config,
                 overture::c::shared_buffers& shared) noexcept
      : buffers(shared), held_(shared), tree(overture::c::with_memory(config, shared.memory())) {}

  overture::c::shared_buffers& buffers;

 private:
  // The buffers have the allocator of the tree, so they go after it.
  class holding {
   public:
    explicit holding(overture::c::shared_buffers& of) noexcept : of_(of) { of_.hold(); }
    ~holding() { of_.drop(); }
    holding(const holding&) = delete;
    holding& operator=(const holding&) = delete;

   private:
    overture::c::shared_buffers& of_;
  };
  holding held_;

 public:
  overture::file_system tree;
  overture::c::user_count users;
  overture::c::user_count loads;  // which know files by their place in the frozen tree
};

// Files, the jobs that unpack them and the queue that reads them.
struct overture_reads {
  overture_reads(overture_files* from, overture_pool* with,
                 const overture::read_queue_config& config, overture_timeline* records,
                 const overture::c::given_allocator& given) noexcept
      : files(from),
        pool(with),
        timeline(records),
        memory(given),
        callbacks(with->jobs),
        queue(from->tree, overture::c::with_memory(config, memory)) {}

  overture::c::use_of<overture_files> files;
  overture::c::use_of<overture_pool> pool;
  overture::c::use_of<overture_timeline> timeline;
  overture::c::given_allocator memory;
  overture::job_group callbacks;  // calls of overture_read_done, waited for at the end
  overture::read_queue queue;
  overture::c::user_count users;
};

// What reports know of a store; src/c/store.cpp has the rest.
struct overture_store {
  overture_store(overture_reads* from, overture::asset_store& made) noexcept
      : reads(from), assets(made) {}

  overture::c::use_of<overture_reads> reads;
  unsigned types = 0;
  overture::asset_store& assets;
  overture::c::user_count users;  // handles of the program
};

struct overture_decoded {
  explicit overture_decoded(overture::decoded_asset made) noexcept : asset(std::move(made)) {}

  overture::decoded_asset asset;
};
