// How a read gets its file, and the room for its bytes.
#include <utility>

#include "io/read_core.hpp"

namespace overture::io_detail {

// The operation is among those in flight, which says what it reads.
result<open_source> read_core::open_file(read_operation& op, bool may_wait) noexcept {
  if (op.ahead.os) {
    op.owns_file.store(true, std::memory_order_relaxed);
    op.is_pinned = false;
    ++op.tally.files.opens;
    return std::exchange(op.ahead, {});
  }
  if (is_known_) {
    // A view is of a file that stays.
    const bool may_own = op.may_own_file && op.members()[0]->into != read_into::view;
    if (may_own) op.owns_file.store(true, std::memory_order_relaxed);
    const result<open_source> seen = files_.look(op.source(), may_own ? op.turn : 0);
    if (may_own && !(seen && seen->is_own)) op.owns_file.store(false, std::memory_order_relaxed);
    if (seen) {
      op.is_pinned = false;
      ++(seen->is_own ? op.tally.files.opens : op.tally.files.hits);
      return seen;
    }
    if (seen.error().code != errc::busy) return seen;
  }
  op.is_pinned = true;
  return files_.pin(op.source(), may_wait);
}

read_core::opening read_core::open_by_path(read_operation& op, const char*& path) noexcept {
  if (!is_known_ || op.overflows() || op.members()[0]->into == read_into::view) {
    return opening::busy;
  }
  path = files_.path_to_open(op.source(), op.turn);
  if (!path) return opening::busy;
  op.is_pinned = false;
  ++op.tally.files.opens;
  const result<void> ready = make_room(op);
  if (ready) return opening::open;
  finish(op, ready);
  return opening::ended;
}

read_core::opening read_core::open_after_all(read_operation& op, bool may_wait) noexcept {
  const result<open_source> opened = open_file(op, may_wait);
  if (!opened && !may_wait && opened.error().code == errc::busy) return opening::busy;
  if (opened) {
    op.file = *opened;
    return opening::open;
  }
  finish(op, tl::unexpected<error>(opened.error()));
  return opening::ended;
}

read_core::opening read_core::open(read_operation& op, bool may_wait) noexcept {
  if (op.overflows()) {
    finish(op, fail(errc::truncated, "no file is as long as that"));
    return opening::ended;
  }
  if (const opening how = open_after_all(op, may_wait); how != opening::open) return how;
  if (show(op)) return opening::ended;
  if (const result<void> ready = make_room(op); !ready) {
    finish(op, ready);
    return opening::ended;
  }
  return opening::open;
}

// A view needs no read.
bool read_core::show(read_operation& op) noexcept {
  read_request& request = *op.members()[0];
  if (request.into != read_into::view || request.method != compression::none) return false;
  const result<std::span<const std::byte>> seen =
      files_.view(request.source, request.offset, request.bytes);
  if (!seen) return false;
  request.content = *seen;
  request.viewed = true;
  ++op.tally.viewed;
  finish(op, {});
  return true;
}

// As late as this, so that what waits in the queue has no memory yet. The first refusal is the
// operation's; members that have room are read all the same, each by itself.
result<void> read_core::make_room(read_operation& op) noexcept {
  result<void> all;
  for (std::size_t i = 0; i < op.members().size(); ++i) {
    read_request& member = *op.members()[i];
    if (member.method == compression::none) {
      const result<void> taken = take_destination(member);
      if (taken) op.set_room(i, member.destination);
      if (!taken) all = taken;
      continue;
    }
    packed_item* const item = packed_item::make(*pool_, member.packed_bytes);
    if (!item) {
      all = fail(errc::out_of_memory, "no memory for the bytes of a read");
      continue;
    }
    op.packed[i] = item;
    op.set_room(i, item->room());
  }
  return all;
}

result<void> read_core::take_destination(read_request& request) noexcept {
  if (request.into == read_into::destination) return {};
  result<blob> taken = pool_->take(request.bytes);
  if (!taken) return tl::unexpected<error>(taken.error());
  request.buffer = std::move(*taken);
  request.destination = request.buffer.span();
  return {};
}

}  // namespace overture::io_detail
