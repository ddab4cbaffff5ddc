// SPDX-License-Identifier: Zlib
//
// fetcher: brings the bytes of one file into memory, for a store.
#pragma once

#include <cstdint>
#include <span>

#include "assets/lists.hpp"
#include "overture/assets/asset_store.hpp"
#include "overture/base/executor.hpp"

namespace overture::assets_detail {

// A file in memory, of which the fetcher knows more.
struct held_file {
  held_file* next = nullptr;         // for those who hold several
  atomic<std::uint32_t> holders{1};  // requests with this content
};

// One holder needs it no more. Returns it if that was the last one, for done_with(); else null.
[[nodiscard]] inline held_file* let_go(held_file* file) noexcept {
  const bool is_last =
      file != nullptr && file->holders.fetch_sub(1, std::memory_order_acq_rel) == 1;
  return is_last ? file : nullptr;
}

// Stays in place from begin() to fetched().
struct fetch_request {
  asset_path path;
  asset_priority priority = asset_priority::normal;
  std::uint64_t number = 0;            // the lowest of a priority goes first
  std::uint32_t subject = UINT32_MAX;  // for the timeline
  std::uint64_t bytes_max = 0;         // so much of its beginning is enough; 0: all of it is wanted
  void* owner = nullptr;
  // Set before fetched().
  result<void> outcome;
  bool was_refused = false;  // by may_read(): the outcome is an error
  std::span<const std::byte> content;
  std::uint64_t file_bytes = 0;  // of the whole file
  bool has_parts = false;        // less than all of it can be read; else the content is all
  // Set before fetched(): of the last step, which unpacks, and reads what is cached. The decoder
  // adds its own.
  std::uint64_t work_ns = 0;
  // The fetcher's.
  held_file* file = nullptr;
  task step;  // what comes next, while it is in a line
  std::uint64_t step_began_ns = 0;
  linked_list<fetch_request>* in = nullptr;
  fetch_request* before = nullptr;
  fetch_request* after = nullptr;
};

// Told when a request has ended.
class fetch_listener {
 public:
  // A request of this priority has a step that waits for a job: call take_step() in one, for this
  // one or another. Any thread. The request may have ended when this is called: another job may
  // have taken the step.
  virtual void step_waits(asset_priority priority) noexcept = 0;
  // Whether it may be read now, which takes so much memory. Called once at most, by a job, once the
  // file is open. If not, the request ends.
  [[nodiscard]] virtual bool may_read(fetch_request& opened, std::uint64_t bytes) noexcept = 0;
  // Its read waits for room in the ledger of the files, or has it now. Any thread, one at a time.
  virtual void read_waits(fetch_request& begun, bool waits) noexcept = 0;
  // Called once for each begin(), by a job.
  virtual void fetched(fetch_request& ended) noexcept = 0;

 protected:
  ~fetch_listener() = default;
};

class fetcher {
 public:
  virtual ~fetcher() = default;
  virtual void begin(fetch_request& wanted, fetch_listener& listener) noexcept = 0;
  // Between begin() and fetched(): what it still has to do comes before what is less urgent. If it
  // waits for a job, which may be of the old priority, it is true: call take_step() in another.
  // Never calls the listener.
  [[nodiscard]] virtual bool set_priority(fetch_request& begun, asset_priority to,
                                          std::uint64_t number) noexcept = 0;
  // Takes the most urgent step of these, of this priority at least, for do_step(); null if no such
  // step waits. Never calls the listener.
  [[nodiscard]] virtual fetch_request* take_step(priority_classes of_these,
                                                 asset_priority least) noexcept = 0;
  virtual void do_step(fetch_request& of) noexcept = 0;
  // Requests that wait for room in the ledger of the files end now, with errc::cancelled, and so do
  // those that come to wait for it. For the end of a store.
  virtual void give_up_waits() noexcept = 0;
  // Once all requests have ended: waits until each step_waits() has returned.
  virtual void wait_for_calls() noexcept = 0;
  // Reads some of what has begun if no thread might: if a host polls the read queue, it may be the
  // one that waits. False if other threads read.
  virtual bool help() noexcept = 0;
  // The content of a request is not needed any more: its `file`, which may be null. Call it once
  // for each fetched(), under no lock, when the last holder has let go. Any thread.
  virtual void done_with(held_file* file) noexcept = 0;
};

}  // namespace overture::assets_detail
