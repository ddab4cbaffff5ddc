// SPDX-License-Identifier: Zlib
#include "io/queue/file_access.hpp"

#include <utility>

namespace overture::io_detail {

result<void> file_access::open(read_operation& op, bool may_wait) noexcept {
  op.is_pinned = false;
  if (op.ahead.os) {
    op.owns_file.store(true, std::memory_order_relaxed);
    ++op.tally.files.opens;
    op.file = std::exchange(op.ahead, {});
    return {};
  }
  if (is_known_) {
    // A view is of a file that stays.
    const bool may_own = op.may_own_file && op.members()[0]->into != read_into::view;
    if (may_own) op.owns_file.store(true, std::memory_order_relaxed);
    const result<open_source> seen = files_.borrow(op.source(), may_own ? op.read_number : 0);
    if (may_own && !(seen && seen->is_own)) op.owns_file.store(false, std::memory_order_relaxed);
    if (seen) {
      ++(seen->is_own ? op.tally.files.opens : op.tally.files.hits);
      op.file = *seen;
      return {};
    }
    if (seen.error().code != errc::busy) return tl::unexpected<error>(seen.error());
  }
  op.is_pinned = true;
  const result<open_source> pinned = files_.pin(op.source(), may_wait);
  if (!pinned) return tl::unexpected<error>(pinned.error());
  op.file = *pinned;
  return {};
}

const char* file_access::path_to_open(read_operation& op) noexcept {
  if (!is_known_ || op.members()[0]->into == read_into::view) return nullptr;
  const char* const path = files_.path_to_open(op.source(), op.read_number);
  if (!path) return nullptr;
  op.is_pinned = false;
  ++op.tally.files.opens;
  return path;
}

bool file_access::open_ahead(read_operation& op) noexcept {
  const result<open_source> opened = files_.borrow(op.source(), op.read_number);
  if (!opened || !opened->is_own) return false;
  op.ahead = *opened;
  op.ahead.os->fetch_ahead(op.ahead.handle, op.offset(), op.bytes());
  return true;
}

bool file_access::close_ahead(read_operation& op) noexcept {
  const open_source unused = std::exchange(op.ahead, {});
  if (!unused.os) return false;
  unused.os->close(unused.handle);
  return true;
}

open_source file_access::release(read_operation& op) noexcept {
  if (op.file.os && op.is_pinned) files_.unpin(op.source());
  return std::exchange(op.file, {});
}

void file_access::close(read_operation& op, const open_source& used) noexcept {
  if (!used.is_own) return;
  used.os->close(used.handle);
  op.owns_file.store(false, std::memory_order_relaxed);
}

}  // namespace overture::io_detail
