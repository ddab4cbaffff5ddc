// SPDX-License-Identifier: Zlib
#include "start_pack/pack_reader.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "overture/io/unpack.hpp"

namespace overture::start_pack {
using namespace base_detail;
using sync_detail::scoped_lock;

result<pack_reader*> pack_reader::open(operating_system& os, os_handle file,
                                       thread_factory& threads, allocator& memory,
                                       const reader_config& config) noexcept {
  result<pack_index> index = pack_index::read(os, file, memory);
  if (!index) {
    os.close(file);
    return tl::unexpected(index.error());
  }
  void* const place = memory.allocate(sizeof(pack_reader), alignof(pack_reader), memory_tag::vfs);
  if (!place) {
    os.close(file);
    return fail(errc::out_of_memory, "out of memory for the start pack");
  }
  auto* const made = new (place) pack_reader(os, file, memory, std::move(*index), config);
  result<void> begun;
  {
    const scoped_lock hold(made->lock_);
    if (!made->items_.resize(made->index_.entries().size())) {
      begun = fail(errc::out_of_memory, "out of memory for the start pack");
    }
  }
  if (begun) {
    const result<thread_handle> thread = threads.start({.name = "start pack"}, run, made);
    if (thread) {
      made->threads_ = &threads;
      made->thread_ = *thread;
    } else {
      begun = tl::unexpected(thread.error());
    }
  }
  if (!begun) {
    made->close();
    return tl::unexpected(begun.error());
  }
  return made;
}

void pack_reader::close() noexcept {
  {
    const scoped_lock hold(lock_);
    ends_ = true;
  }
  changed_.notify_all();
  if (threads_) threads_->join(thread_);
  allocator& memory = memory_;
  this->~pack_reader();
  memory.deallocate(this, sizeof(pack_reader), alignof(pack_reader), memory_tag::vfs);
}

pack_reader::~pack_reader() {
  os_.close(file_);
}

void pack_reader::run(void* self) noexcept {
  auto& mine = *static_cast<pack_reader*>(self);
  mine.read_all();
  mine.linger();
}

void pack_reader::read_all() noexcept {
  constexpr std::uint64_t fetch_bytes = std::uint64_t{4} << 20;
  std::uint64_t fetched = 0;
  const std::span<const entry> entries = index_.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!make_room(i)) return;
    {
      const scoped_lock hold(lock_);
      if (items_[i].state != progress::waiting) continue;
      items_[i].state = progress::reading;
    }
    const entry& one = entries[i];
    if (one.offset + one.packed_bytes > fetched) {
      fetched = one.offset + std::max(one.packed_bytes, fetch_bytes);
      os_.fetch_ahead(file_, one.offset, fetched - one.offset);
    }
    result<blob> content = read(one);
    {
      const scoped_lock hold(lock_);
      item& done = items_[i];
      done.state = content ? progress::ready : progress::failed;
      if (content) {
        held_bytes_ += content->size();
        done.content = std::move(*content);
      }
    }
    changed_.notify_all();
  }
}

// The game may come late for what it wants; what it does not want does not stay for ever.
void pack_reader::linger() noexcept {
  const std::uint64_t until_ns = now_ns() + config_.linger_ns;
  const auto ends = [this] {
    const scoped_lock hold(lock_);
    return ends_;
  };
  while (!ends() && now_ns() < until_ns) {
    const event_count::key_type key = changed_.prepare_wait();
    if (ends()) {
      changed_.cancel_wait();
      break;
    }
    const std::uint64_t now = now_ns();
    (void)changed_.wait_for(key, std::chrono::nanoseconds(until_ns > now ? until_ns - now : 0));
  }
  const scoped_lock hold(lock_);
  drop(dropped_to_, items_.size());
}

// Waits until entry `number` may be held too. False: the reader ends.
bool pack_reader::make_room(std::size_t number) noexcept {
  const std::uint64_t bytes = index_.entries()[number].bytes;
  bool ends = false;
  const auto done = [&] {
    const scoped_lock hold(lock_);
    next_ = number;
    ends = ends_;
    return ends || items_[number].state != progress::waiting || try_make_room(bytes);
  };
  changed_.await(done);
  return !ends;
}

bool pack_reader::try_make_room(std::uint64_t bytes) noexcept {
  const std::size_t end = std::min(last_taken_, next_);
  while (held_bytes_ != 0 && held_bytes_ + bytes > config_.ahead_bytes_max) {
    if (dropped_to_ >= end) return false;
    drop(dropped_to_, dropped_to_ + 1);
  }
  return true;
}

// Those that are ready are read from the pack again if the game wants them after all.
void pack_reader::drop(std::size_t begin, std::size_t end) noexcept {
  for (std::size_t i = begin; i < end; ++i) {
    if (items_[i].state != progress::ready) continue;
    held_bytes_ -= items_[i].content.size();
    items_[i].content.reset();
    items_[i].state = progress::taken;
  }
  dropped_to_ = std::max(dropped_to_, end);
}

// Whether the thread reaches the entry soon.
bool pack_reader::is_near(std::size_t number) const noexcept {
  if (number < next_ || ends_) return false;
  const std::span<const entry> entries = index_.entries();
  return entries[number].offset - entries[next_].offset <= config_.wait_bytes_max;
}

result<blob> pack_reader::take(std::string_view path, std::string_view name,
                               const identity& real) noexcept {
  const std::size_t number = index_.find(path, name);
  if (number == pack_index::none) return fail(errc::not_found, "not in the start pack");
  const entry& one = index_.entries()[number];
  if (one.real != real) return fail(errc::not_found, "changed since the start pack was made");
  enum class answer : std::uint8_t { wait, has_content, read_here, failed };
  result<blob> content;
  const auto ask = [&] {
    const scoped_lock hold(lock_);
    item& asked = items_[number];
    last_taken_ = std::max(last_taken_, number);
    switch (asked.state) {
      case progress::ready:
        held_bytes_ -= asked.content.size();
        content = std::move(asked.content);
        asked.state = progress::taken;
        return answer::has_content;
      case progress::failed:
        return answer::failed;
      case progress::reading:
        return answer::wait;
      case progress::waiting:
        if (is_near(number)) return answer::wait;
        asked.state = progress::taken;
        return answer::read_here;
      case progress::taken:
        break;
    }
    return answer::read_here;
  };
  answer got = ask();
  changed_.notify_all();  // there may be more room
  if (got == answer::wait) {
    changed_.await([&] {
      got = ask();
      return got != answer::wait;
    });
    changed_.notify_all();
  }
  if (got == answer::failed) return fail(errc::corrupt, "the start pack is damaged");
  return got == answer::read_here ? read(one) : std::move(content);
}

result<blob> pack_reader::read(const entry& one) noexcept {
  result<blob> packed = pool_.take(static_cast<std::size_t>(one.packed_bytes));
  if (!packed) return packed;
  if (result<void> done = read_fully(os_, file_, one.offset, packed->span()); !done) {
    return tl::unexpected(done.error());
  }
  if (crc32(packed->span()) != one.crc32) {
    return fail(errc::corrupt, "the start pack is damaged", {}, one.offset);
  }
  if (one.packing == method::stored) return packed;
  result<blob> content = pool_.take(static_cast<std::size_t>(one.bytes));
  if (!content) return content;
  unpacker unpack;
  const result<void> done = unpack.unpack(compression::deflate, packed->span(), content->span());
  if (!done) return tl::unexpected(done.error());
  return content;
}

}  // namespace overture::start_pack
