// SPDX-License-Identifier: Zlib
#include "io/unpack/inflate_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "overture/io/unpack.hpp"

namespace overture::io_detail {
using namespace base_detail;

namespace {

// Without input zlib may still give bytes, and stops at the end of a block without giving any.
constexpr int stalls_max = 2;

constexpr std::size_t header_bytes = 16;  // in front of zlib's blocks: their size

voidpf allocate(voidpf opaque, uInt count, uInt size) {
  const std::size_t bytes = std::size_t{count} * size + header_bytes;
  void* const block =
      static_cast<allocator*>(opaque)->allocate(bytes, header_bytes, memory_tag::io);
  if (!block) return nullptr;
  std::memcpy(block, &bytes, sizeof bytes);
  return static_cast<std::byte*>(block) + header_bytes;
}

void deallocate(voidpf opaque, voidpf block) {
  std::byte* const begin = static_cast<std::byte*>(block) - header_bytes;
  std::size_t bytes = 0;
  std::memcpy(&bytes, begin, sizeof bytes);
  static_cast<allocator*>(opaque)->deallocate(begin, bytes, header_bytes, memory_tag::io);
}

tl::unexpected<error> broken() {
  return fail(errc::corrupt, "the compressed data is damaged");
}

tl::unexpected<error> no_memory_for_inflate() {
  return fail(errc::out_of_memory, "out of memory for unpacking DEFLATE");
}

}  // namespace

struct inflate_stream::tables {
  z_stream zlib{};
  std::byte input[input_bytes];
  std::byte skipped[window_bytes_max];
};

inflate_stream::inflate_stream(allocator& memory, std::uint64_t packed_bytes, std::uint64_t bytes,
                               unsigned points_max) noexcept
    : memory_(memory),
      packed_bytes_(packed_bytes),
      bytes_(bytes),
      interval_(points_max == 0
                    ? UINT64_MAX
                    : std::max(interval_min, bytes / (std::uint64_t{points_max} + 1) + 1)),
      points_(memory, memory_tag::io) {}

inflate_stream::~inflate_stream() {
  for (const restart_point& point : points_) {
    memory_.deallocate(point.window, window_bytes_max, 1, memory_tag::io);
  }
  if (!tables_) return;
  (void)inflateEnd(&tables_->zlib);
  destroy_object(memory_, memory_tag::io, tables_);
}

result<void> inflate_stream::begin() noexcept {
  tables_ = make_object<tables>(memory_, memory_tag::io);
  if (!tables_) return no_memory_for_inflate();
  tables_->zlib.zalloc = allocate;
  tables_->zlib.zfree = deallocate;
  tables_->zlib.opaque = &memory_;
  if (inflateInit2(&tables_->zlib, -MAX_WBITS) == Z_OK) return {};
  destroy_object(memory_, memory_tag::io, tables_);
  tables_ = nullptr;
  return no_memory_for_inflate();
}

result<void> inflate_stream::read(std::uint64_t offset, std::span<std::byte> to,
                                  fetch packed) noexcept {
  result<void> done = go_to(offset, packed);
  if (done) done = produce(to, packed);
  if (done && at_ == bytes_ && !ended_) done = check_end(packed);
  broken_ = !done;
  return done;
}

result<void> inflate_stream::go_to(std::uint64_t offset, fetch packed) noexcept {
  const restart_point* const near = last_point_before(offset);
  const bool ahead = near && near->out > at_;
  if (broken_ || offset < at_ || ahead) {
    if (result<void> done = restart(near, packed); !done) return done;
  }
  while (at_ < offset) {
    const std::uint64_t part = std::min<std::uint64_t>(offset - at_, window_bytes_max);
    if (result<void> done = produce({tables_->skipped, part}, packed); !done) return done;
  }
  return {};
}

const inflate_stream::restart_point* inflate_stream::last_point_before(
    std::uint64_t offset) const noexcept {
  const restart_point* const behind =
      std::upper_bound(points_.begin(), points_.end(), offset,
                       [](std::uint64_t at, const restart_point& point) { return at < point.out; });
  return behind == points_.begin() ? nullptr : behind - 1;
}

result<void> inflate_stream::restart(const restart_point* from, fetch packed) noexcept {
  z_stream& zlib = tables_->zlib;
  zlib.avail_in = 0;
  ended_ = false;
  if (inflateReset(&zlib) != Z_OK) return broken();
  fetched_ = from ? from->in : 0;
  at_ = from ? from->out : 0;
  if (!from) return {};
  if (from->bits != 0) {
    std::byte shared{};
    if (result<void> got = packed(from->in - 1, {&shared, 1}); !got) return got;
    const int value = std::to_integer<int>(shared) >> (8 - from->bits);
    if (inflatePrime(&zlib, static_cast<int>(from->bits), value) != Z_OK) return broken();
  }
  const auto* const window = reinterpret_cast<const Bytef*>(from->window);
  if (inflateSetDictionary(&zlib, window, from->window_bytes) != Z_OK) return broken();
  return {};
}

result<void> inflate_stream::refill(fetch packed) noexcept {
  const std::uint64_t count = std::min<std::uint64_t>(packed_bytes_ - fetched_, input_bytes);
  if (count == 0) return {};
  if (result<void> got = packed(fetched_, {tables_->input, count}); !got) return got;
  fetched_ += count;
  tables_->zlib.next_in = reinterpret_cast<Bytef*>(tables_->input);
  tables_->zlib.avail_in = static_cast<uInt>(count);
  return {};
}

result<void> inflate_stream::produce(std::span<std::byte> to, fetch packed) noexcept {
  z_stream& zlib = tables_->zlib;
  int stalls = 0;
  while (!to.empty()) {
    if (ended_ || stalls > stalls_max) {
      return fail(errc::corrupt, "the data unpacks to fewer bytes than stated");
    }
    if (zlib.avail_in == 0) {
      if (result<void> got = refill(packed); !got) return got;
    }
    const auto room = static_cast<uInt>(std::min<std::size_t>(to.size(), 1u << 30));
    zlib.next_out = reinterpret_cast<Bytef*>(to.data());
    zlib.avail_out = room;
    const int outcome = inflate(&zlib, Z_BLOCK);
    const std::size_t made = room - zlib.avail_out;
    account(to.first(made));
    to = to.subspan(made);
    if (outcome == Z_STREAM_END) {
      ended_ = true;
    } else if (outcome == Z_MEM_ERROR) {
      return no_memory_for_inflate();
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      return broken();
    }
    const bool starved = zlib.avail_in == 0 && fetched_ == packed_bytes_;
    stalls = starved && made == 0 ? stalls + 1 : 0;
    note_point();
  }
  return {};
}

// All bytes are unpacked: the stream must end here too.
result<void> inflate_stream::check_end(fetch packed) noexcept {
  z_stream& zlib = tables_->zlib;
  std::byte surplus{};
  while (!ended_) {
    if (zlib.avail_in == 0 && fetched_ < packed_bytes_) {
      if (result<void> got = refill(packed); !got) return got;
    }
    zlib.next_out = reinterpret_cast<Bytef*>(&surplus);
    zlib.avail_out = 1;
    const int outcome = inflate(&zlib, Z_NO_FLUSH);
    if (zlib.avail_out == 0) {
      return fail(errc::corrupt, "the data unpacks to more bytes than stated");
    }
    if (outcome == Z_STREAM_END) {
      ended_ = true;
    } else if (outcome == Z_MEM_ERROR) {
      return no_memory_for_inflate();
    } else if (outcome != Z_OK || (zlib.avail_in == 0 && fetched_ == packed_bytes_)) {
      return broken();
    }
  }
  return {};
}

void inflate_stream::account(std::span<const std::byte> made) noexcept {
  unpacked_ += made.size();
  const std::uint64_t end = at_ + made.size();
  if (end > seen_) {
    crc32_ = overture::crc32(made.subspan(seen_ - at_), crc32_);
    seen_ = end;
  }
  at_ = end;
}

void inflate_stream::note_point() noexcept {
  const z_stream& zlib = tables_->zlib;
  const bool block_begins = (zlib.data_type & 128) != 0 && (zlib.data_type & 64) == 0;
  const std::uint64_t last = points_.empty() ? 0 : points_.back().out;
  if (!block_begins || at_ <= last || at_ - last < interval_) return;
  void* const window = memory_.allocate(window_bytes_max, 1, memory_tag::io);
  if (!window) return;  // going back takes longer, no more
  restart_point point{at_, fetched_ - zlib.avail_in, static_cast<unsigned>(zlib.data_type & 7),
                      static_cast<std::byte*>(window), 0};
  uInt held = 0;
  const bool known =
      inflateGetDictionary(&tables_->zlib, static_cast<Bytef*>(window), &held) == Z_OK;
  point.window_bytes = held;
  if (known && points_.push_back(point)) return;
  memory_.deallocate(window, window_bytes_max, 1, memory_tag::io);
}

}  // namespace overture::io_detail
