// SPDX-License-Identifier: Zlib
//
// How a block store tells the reader on its own thread what it did for the read: an operating
// system's read_at() has no room for that in its answer.
#pragma once

#include "overture/io/read_queue.hpp"

namespace overture::io_detail {

// What the calling thread's work on blocks is added to; null: no reader asks.
[[nodiscard]] block_work* block_work_here() noexcept;

// While it lives, `into` gets what the block stores do on this thread. Scopes nest: only the
// innermost gets it.
class block_work_scope {
 public:
  explicit block_work_scope(block_work& into) noexcept;
  ~block_work_scope();
  block_work_scope(const block_work_scope&) = delete;
  block_work_scope& operator=(const block_work_scope&) = delete;

 private:
  block_work* before_;
};

}  // namespace overture::io_detail
