// SPDX-License-Identifier: Zlib
//
// How requests end: what is counted and recorded of them, and how their submitters are told.
//
// Any thread; the queue's lock must not be held, because completions run other people's code.
#pragma once

#include <cstdint>

#include "io/schedule/read_bundle.hpp"
#include "io/schedule/read_operation.hpp"
#include "overture/base/blob.hpp"

namespace overture::io_detail {

class request_completion {
 public:
  // Completions without an executor run inside end() if `runs_here`, and not at all otherwise.
  request_completion(buffer_pool& pool, bool runs_here) noexcept
      : pool_(pool), runs_here_(runs_here) {}

  // Adds a request that ends now to the tally.
  static void count(read_tally& sum, const read_request& request,
                    std::uint64_t finished_ns) noexcept;
  // The request belongs to its submitter again, and may be gone after this. Countdowns go to
  // `counts` if it is given.
  void end(read_tally& sum, read_request& request, std::uint64_t finished_ns,
           held_counts* counts = nullptr) const noexcept;
  // Count and end all of a list. Outcomes that are errors stay but for their position.
  [[nodiscard]] read_tally refuse(read_request* list, std::uint64_t now_ns) const noexcept;
  [[nodiscard]] read_tally cancel(read_request* list, std::uint64_t now_ns) const noexcept;

  // Gives the request a buffer unless it has the caller's destination. Error: out_of_memory.
  [[nodiscard]] result<void> take_destination(read_request& request) const noexcept;
  // What a follower gets of the request that asked for the same bytes and has them, or an error.
  void copy(read_request& follower, const read_request& twin) const noexcept;

 private:
  buffer_pool& pool_;
  const bool runs_here_;
};

}  // namespace overture::io_detail
