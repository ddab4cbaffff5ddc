// SPDX-License-Identifier: Zlib
#include "files/open_file.hpp"

#include <algorithm>
#include <utility>

#include "errors.hpp"

namespace physfs {
namespace {

constexpr std::size_t first_fill = 4u << 10;
constexpr std::size_t last_fill = 64u << 10;
constexpr std::size_t kept_buffer_max = 16u << 10;
constexpr int records_looked_at_max = 32;

overture::atomic<open_file*> records{nullptr};
overture::atomic<std::uint32_t> generation{1};  // of the records; ends with close_all()
overture::atomic<std::uint32_t> written_files{0};

// The record of the file that the thread closed last.
struct spare_record {
  open_file* record = nullptr;
  std::uint32_t generation = 0;
};
thread_local constinit spare_record spare;

}  // namespace

content* open_content(const reading& mounts, const clean_name& name, mount*& from) noexcept {
  if (mounts.empty()) set_error(PHYSFS_ERR_NOT_FOUND);
  asked_mounts asked(mounts, name);
  while (mount* const each = asked.next()) {
    joined_name room;
    std::string_view rest;
    if (each->locate(name, room, rest) != mount::relation::inside) {
      set_error(name.view().empty() ? PHYSFS_ERR_NOT_A_FILE : PHYSFS_ERR_NOT_FOUND);
      continue;
    }
    if (content* const opened = each->contents->open(rest)) {
      from = each;
      return opened;
    }
  }
  return nullptr;
}

open_file* open_file::claim() noexcept {
  const spare_record last = spare;
  if (last.record && last.generation == generation.load(std::memory_order_relaxed) &&
      !last.record->taken_.exchange(true)) {
    return last.record;
  }
  int looked_at = 0;
  for (open_file* each = records.load(); each && looked_at < records_looked_at_max;
       each = each->next_, ++looked_at) {
    if (!each->taken_.load(std::memory_order_relaxed) && !each->taken_.exchange(true)) return each;
  }
  auto* const made = make<open_file>();
  if (!made) return nullptr;
  made->next_ = records.load();
  while (!records.compare_exchange_weak(made->next_, made)) {
  }
  has_records_.store(true);
  return made;
}

PHYSFS_File* open_file::begin(content* contents, bool writes, std::uint64_t position) noexcept {
  contents_ = contents;
  writes_ = writes;
  unsynced_ = false;
  from_ = nullptr;
  next_fill_ = writes ? 0 : first_fill;
  empty_at(position);
  handle_.opaque = this;
  return &handle_;
}

PHYSFS_File* open_file::to_read(content* contents, mount& from) noexcept {
  open_file* const file = claim();
  if (!file) {
    destroy(contents);
    return nullptr;
  }
  PHYSFS_File* const handle = file->begin(contents, false, 0);
  from.users.fetch_add(mount::one_file);
  file->from_ = &from;
  return handle;
}

PHYSFS_File* open_file::to_write(content* contents, std::uint64_t position, mount* from) noexcept {
  open_file* const file = claim();
  if (!file) {
    destroy(contents);
    return nullptr;
  }
  written_files.fetch_add(1);
  PHYSFS_File* const handle = file->begin(contents, true, position);
  if (from) from->users.fetch_add(mount::one_file);
  file->from_ = from;
  return handle;
}

void open_file::end() noexcept {
  handle_.opaque = nullptr;
  destroy(std::exchange(contents_, nullptr));
  if (from_) std::exchange(from_, nullptr)->release(mount::one_file);
  if (writes_) written_files.fetch_sub(1);
  if (capacity_ > kept_buffer_max) {
    deallocate(std::exchange(buffer_, nullptr));
    capacity_ = 0;
  }
  empty_at(0);
  writes_ = false;
  spare = {this, generation.load(std::memory_order_relaxed)};
  taken_.store(false);
}

bool open_file::close() noexcept {
  if (writes_ && !flush()) return false;
  if (unsynced_ && !contents_->sync()) return false;
  end();
  return true;
}

bool open_file::close_all() noexcept {
  for (open_file* each = records.load(); each; each = each->next_) {
    if (each->handle_.opaque && !each->close()) return false;
  }
  generation.fetch_add(1);
  has_records_.store(false);
  for (open_file* each = records.exchange(nullptr); each;) {
    destroy(std::exchange(each, each->next_));
  }
  return true;
}

bool open_file::any_written() noexcept {
  return written_files.load() != 0;
}

bool open_file::reserve(std::size_t bytes) noexcept {
  if (bytes <= capacity_) return true;
  auto* const larger = static_cast<std::byte*>(allocate(bytes));
  if (!larger) return false;
  deallocate(buffer_);
  buffer_ = larger;
  capacity_ = bytes;
  return true;
}

// Reads into the empty buffer. False, with an error, if that fails.
bool open_file::fill() noexcept {
  if (!reserve(next_fill_)) return false;
  const std::int64_t got = contents_->read(start_, buffer_, next_fill_);
  if (got < 0) return false;
  filled_ = static_cast<std::size_t>(got);
  next_fill_ = std::min(2 * next_fill_, last_fill);
  return true;
}

std::int64_t open_file::read_more(void* to, std::uint64_t bytes) noexcept {
  if (writes_) {
    set_error(PHYSFS_ERR_OPEN_FOR_WRITING);
    return -1;
  }
  auto* const bytes_to = static_cast<std::byte*>(to);
  std::uint64_t done = std::min<std::uint64_t>(bytes, filled_ - at_);
  if (done > 0) std::memcpy(bytes_to, buffer_ + at_, done);
  empty_at(start_ + at_ + done);
  while (done < bytes) {
    const std::uint64_t left = bytes - done;
    const std::int64_t expected = contents_->expected_length();
    const bool is_rest = expected >= 0 && start_ + left >= static_cast<std::uint64_t>(expected);
    if (left >= next_fill_ || is_rest) {
      const std::int64_t got = contents_->read(start_, bytes_to + done, left);
      if (got < 0) return done > 0 ? static_cast<std::int64_t>(done) : -1;
      empty_at(start_ + static_cast<std::uint64_t>(got));
      return static_cast<std::int64_t>(done) + got;
    }
    if (!fill()) return done > 0 ? static_cast<std::int64_t>(done) : -1;
    if (filled_ == 0) break;
    at_ = std::min<std::uint64_t>(left, filled_);
    std::memcpy(bytes_to + done, buffer_, at_);
    done += at_;
    if (at_ == filled_) empty_at(start_ + at_);
  }
  return static_cast<std::int64_t>(done);
}

std::int64_t open_file::write(const void* from, std::uint64_t bytes) noexcept {
  if (!writes_) {
    set_error(PHYSFS_ERR_OPEN_FOR_READING);
    return -1;
  }
  if (bytes < next_fill_ - filled_) {
    std::memcpy(buffer_ + filled_, from, bytes);
    filled_ += bytes;
    return static_cast<std::int64_t>(bytes);
  }
  if (!flush()) return -1;
  const std::int64_t put = contents_->write(start_, from, bytes);
  if (put > 0) {
    start_ += static_cast<std::uint64_t>(put);
    unsynced_ = true;
  }
  return put;
}

bool open_file::flush() noexcept {
  if (!writes_ || filled_ == 0) return true;
  const std::int64_t put = contents_->write(start_, buffer_, filled_);
  if (put != static_cast<std::int64_t>(filled_)) return false;
  empty_at(start_ + filled_);
  unsynced_ = true;
  return true;
}

bool open_file::seek(std::uint64_t position) noexcept {
  if (writes_) {
    if (!flush()) return false;
  } else if (position >= start_ && position - start_ <= filled_) {
    at_ = position - start_;
    return true;
  }
  if (!contents_->may_seek(position)) return false;
  empty_at(position);
  if (!writes_) next_fill_ = first_fill;
  return true;
}

bool open_file::at_end() noexcept {
  if (writes_ || at_ < filled_) return false;
  const std::int64_t expected = contents_->expected_length();
  if (expected >= 0 && tell() < static_cast<std::uint64_t>(expected)) return false;
  const std::int64_t now = contents_->length();
  return now >= 0 && tell() >= static_cast<std::uint64_t>(now);
}

bool open_file::set_buffer(std::uint64_t bytes) noexcept {
  if (!writes_) {
    next_fill_ = std::clamp<std::uint64_t>(bytes, first_fill, last_fill);
    return true;
  }
  if (!flush()) return false;
  if (bytes > SIZE_MAX || !reserve(bytes)) return false;
  next_fill_ = bytes;
  return true;
}

}  // namespace physfs
