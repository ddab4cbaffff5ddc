#include "archives/block_store.hpp"

#include <algorithm>
#include <cstring>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

// Whether a second try would fail in the same way.
bool lasts(errc code) noexcept {
  return code == errc::corrupt || code == errc::unsupported || code == errc::limit ||
         code == errc::password;
}

}  // namespace

block_store::~block_store() {
  for (const std::uint32_t number : resident_) give_back(blocks_[number]);
}

std::uint64_t block_store::unpacked_count() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return unpacked_count_;
}

std::uint64_t block_store::kept_bytes() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return kept_bytes_;
}

result<std::uint64_t> block_store::add(kept_block added) noexcept {
  added.offset = size();
  if (blocks_.size() >= limits::archive_blocks_max) {
    return fail(errc::limit, limit_text::archive_blocks);
  }
  if (!fits(added.offset, 1, added.bytes, INT64_MAX)) {
    return fail(errc::limit, "the archive unpacks to 8 EiB or more");
  }
  if (!blocks_.push_back(added))
    return fail(errc::out_of_memory, "out of memory for the list of compressed blocks");
  return added.offset;
}

result<std::uint64_t> block_store::add_block(std::uint64_t bytes) noexcept {
  if (bytes > limits::block_bytes_max) {
    return fail(errc::limit, limit_text::block);
  }
  kept_block added;
  added.bytes = bytes;
  return add(added);
}

result<std::uint64_t> block_store::add_stored(std::uint64_t bytes,
                                              std::uint64_t archive_offset) noexcept {
  kept_block added;
  added.bytes = bytes;
  added.archive_offset = archive_offset;
  added.stored = true;
  return add(added);
}

result<void> block_store::read_packed(std::uint64_t offset, std::span<std::byte> to,
                                      reading how) noexcept {
  if (how == reading::may_wait) return read_fully(os_, file_.get(), offset, to);
  while (!to.empty()) {
    const result<std::size_t> read = os_.read_cached_at(file_.get(), offset, to);
    if (!read) return tl::unexpected(read.error());
    if (*read == 0) return fail(errc::truncated, "the archive is truncated", {}, offset);
    offset += *read;
    to = to.subspan(*read);
  }
  return {};
}

// --- Reading -------------------------------------------------------------------------------------

std::uint32_t block_store::block_at(std::uint64_t offset) const noexcept {
  const kept_block* const after =
      std::upper_bound(blocks_.begin(), blocks_.end(), offset,
                       [](std::uint64_t at, const kept_block& one) { return at < one.offset; });
  return static_cast<std::uint32_t>(after - blocks_.begin() - 1);
}

result<std::size_t> block_store::read(std::uint64_t offset, std::span<std::byte> to,
                                      reading how) noexcept {
  if (offset >= size() || to.empty()) return std::size_t{0};
  const std::uint32_t number = block_at(offset);
  kept_block& one = blocks_[number];
  const std::uint64_t inside = offset - one.offset;
  const std::size_t count = std::min<std::uint64_t>(to.size(), one.bytes - inside);
  if (one.stored) {
    return read_packed(one.archive_offset + inside, to.first(count), how).map([&] {
      return count;
    });
  }
  if (result<void> held = hold(number, how); !held) return tl::unexpected(held.error());
  const bool right = inside + count <= one.right;
  if (right) std::memcpy(to.data(), one.data + inside, count);
  const sync_detail::scoped_lock hold(lock_);
  --one.readers;
  if (right) return count;
  return tl::unexpected(one.flaw);
}

// Makes sure that the block is unpacked, and keeps it until the caller decrements `readers`.
result<void> block_store::hold(std::uint32_t number, reading how) noexcept {
  kept_block& one = blocks_[number];
  for (;;) {
    lock_.lock();
    if (!one.unpacking) {
      if (one.broken && one.right == 0) {
        const error flaw = one.flaw;
        lock_.unlock();
        return tl::unexpected(flaw);
      }
      one.used = true;
      ++one.readers;
      if (one.data) {
        lock_.unlock();
        return {};
      }
      one.unpacking = true;
      lock_.unlock();
      return unpack_held(number, how);
    }
    lock_.unlock();
    if (how == reading::at_once) return fail(errc::busy, "another thread is unpacking the block");
    unpacked_.await([&] {
      const sync_detail::scoped_lock look(lock_);
      return !one.unpacking;
    });
  }
}

// The caller has set `unpacking` and incremented `readers`.
result<void> block_store::unpack_held(std::uint32_t number, reading how) noexcept {
  kept_block& one = blocks_[number];
  result<void> done =
      fail(errc::out_of_memory, "out of memory for unpacking a block of the archive");
  std::size_t made = 0;
  std::byte* data = nullptr;
  lock_.lock();
  const bool room = make_room(one.bytes);
  lock_.unlock();
  if (room) data = static_cast<std::byte*>(memory().allocate(one.bytes, 64, memory_tag::vfs));
  if (data) {
    done = unpack(number, {data, one.bytes}, how, made);
    if (done) made = one.bytes;
  }
  {
    const sync_detail::scoped_lock hold(lock_);
    one.unpacking = false;
    one.broken = !done && lasts(done.error().code);
    if (one.broken) one.flaw = done.error();
    const bool keep = done || (one.broken && made > 0);
    one.right = keep ? made : 0;
    if (data) ++unpacked_count_;
    if (keep) {
      one.data = data;
      kept_bytes_ += one.bytes;
      (void)resident_.push_back(number);  // make_room() has reserved it
      done = {};
    } else {
      --one.readers;
    }
  }
  unpacked_.notify_all();
  if (!done) memory().deallocate(data, one.bytes, 64, memory_tag::vfs);
  return done;
}

// --- Memory --------------------------------------------------------------------------------------

// Evicts blocks until there is room for one of this size. False if out of memory.
bool block_store::make_room(std::uint64_t bytes) noexcept {
  // Reserve for all blocks at once, because other threads may be unpacking too. The list is small.
  if (!resident_.reserve(blocks_.size())) return false;
  for (std::size_t looked = 0; kept_bytes_ + bytes > limits::blocks_kept_bytes &&
                               looked < 2 * resident_.size() + 2 && !resident_.empty();
       ++looked) {
    if (hand_ >= resident_.size()) hand_ = 0;
    kept_block& one = blocks_[resident_[hand_]];
    if (one.readers > 0 || one.used) {
      one.used = false;
      ++hand_;
      continue;
    }
    kept_bytes_ -= one.bytes;
    give_back(one);
    resident_[hand_] = resident_.back();
    resident_.pop_back();
  }
  return true;
}

void block_store::give_back(kept_block& one) noexcept {
  memory().deallocate(one.data, one.bytes, 64, memory_tag::vfs);
  one.data = nullptr;
}

}  // namespace overture::archives_detail
