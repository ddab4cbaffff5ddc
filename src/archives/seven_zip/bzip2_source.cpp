// SPDX-License-Identifier: Zlib
#include "archives/seven_zip/bzip2_source.hpp"

#include <bzlib.h>

#include <algorithm>
#include <climits>

#include "archives/seven_zip/sized_memory.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t bzip2_input_bytes = 64u << 10;

void* allocate(void* memory, int count, int size) noexcept {
  return allocate_sized(memory, static_cast<std::size_t>(count), static_cast<std::size_t>(size));
}

}  // namespace

struct bzip2_source::decoder {
  explicit decoder(allocator& memory) noexcept {
    stream.bzalloc = allocate;
    stream.bzfree = deallocate_sized;
    stream.opaque = &memory;
  }
  ~decoder() { (void)BZ2_bzDecompressEnd(&stream); }
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;

  bz_stream stream{};
  bool ended = false;
};

bzip2_source::bzip2_source(byte_source& from, allocator& memory) noexcept
    : memory_(memory), packed_(from, memory, bzip2_input_bytes) {}

bzip2_source::~bzip2_source() {
  destroy_object(memory_, memory_tag::vfs, decoder_);
}

result<void> bzip2_source::read(std::span<std::byte> to, std::size_t& made) noexcept {
  const auto no_memory = [] {
    return fail(errc::out_of_memory, "out of memory for unpacking BZip2");
  };
  made = 0;
  if (!decoder_) {
    decoder_ = make_object<decoder>(memory_, memory_tag::vfs, memory_);
    if (!decoder_ || BZ2_bzDecompressInit(&decoder_->stream, 0, 0) != BZ_OK) return no_memory();
  }
  bz_stream& stream = decoder_->stream;
  while (made < to.size() && !decoder_->ended) {
    if (stream.avail_in == 0) {
      const result<std::span<std::byte>> more = packed_.next();
      if (!more) return tl::unexpected(more.error());
      if (more->empty()) return fail(errc::corrupt, "the compressed data is truncated");
      stream.next_in = reinterpret_cast<char*>(more->data());
      stream.avail_in = static_cast<unsigned>(more->size());
    }
    const auto room = static_cast<unsigned>(std::min<std::size_t>(to.size() - made, UINT_MAX));
    stream.next_out = reinterpret_cast<char*>(to.data() + made);
    stream.avail_out = room;
    const int outcome = BZ2_bzDecompress(&stream);
    made += room - stream.avail_out;
    decoder_->ended = outcome == BZ_STREAM_END;
    if (outcome == BZ_MEM_ERROR) return no_memory();
    if (outcome != BZ_OK && outcome != BZ_STREAM_END) {
      return fail(errc::corrupt, "the compressed data is damaged");
    }
  }
  return {};
}

}  // namespace overture::archives_detail
