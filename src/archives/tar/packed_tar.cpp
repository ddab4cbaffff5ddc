// SPDX-License-Identifier: Zlib
#include "archives/tar/packed_tar.hpp"

#include <lzma.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "archives/seven_zip/bzip2_source.hpp"
#include "archives/seven_zip/piece_source.hpp"
#include "archives/seven_zip/sized_memory.hpp"
#include "base/little_endian.hpp"
#include "overture/io/unpack.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t tar_input_bytes = 64u << 10;
constexpr std::uint64_t xz_memory_max = 96u << 20;  // 65 MiB for the strongest preset
constexpr std::size_t gzip_trailer_bytes = 8;
constexpr const char* packed_data_truncated = "the compressed data is truncated";

tl::unexpected<error> no_memory_for_tar() {
  return fail(errc::out_of_memory, "out of memory for unpacking the archive");
}

template <class Source>
void end_source(allocator& memory, byte_source* source) noexcept {
  destroy_object(memory, memory_tag::vfs, static_cast<Source*>(source));
}

}  // namespace

tar_packing packing_of(std::span<const std::byte> front) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(front.data()), front.size());
  if (text.starts_with("\x1F\x8B\x08")) return tar_packing::gzip;
  if (text.starts_with(std::string_view("\xFD"
                                        "7zXZ\0",
                                        6)))
    return tar_packing::xz;
  if (text.starts_with("\x28\xB5\x2F\xFD")) return tar_packing::zstd;
  if (text.starts_with("BZh")) return tar_packing::bzip2;
  return tar_packing::none;
}

// --- The stream ----------------------------------------------------------------------------------

// Streams of xz that follow each other are one.
class tar_stream::xz_source final : public byte_source {
 public:
  xz_source(byte_source& from, allocator& memory) noexcept
      : packed_(from, memory, tar_input_bytes),
        allocate_{allocate_sized, deallocate_sized, &memory} {
    stream_.allocator = &allocate_;
  }
  ~xz_source() override { lzma_end(&stream_); }
  result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override;

 private:
  source_buffer packed_;
  lzma_allocator allocate_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool begun_ = false;
  bool all_read_ = false;
  bool ended_ = false;
};

result<void> tar_stream::xz_source::read(std::span<std::byte> to, std::size_t& made) noexcept {
  made = 0;
  if (!std::exchange(begun_, true) &&
      lzma_stream_decoder(&stream_, xz_memory_max, LZMA_CONCATENATED) != LZMA_OK) {
    return no_memory_for_tar();
  }
  while (made < to.size() && !ended_) {
    if (stream_.avail_in == 0 && !all_read_) {
      const result<std::span<std::byte>> more = packed_.next();
      if (!more) return tl::unexpected(more.error());
      all_read_ = more->empty();
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(more->data());
      stream_.avail_in = more->size();
    }
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to.data() + made);
    stream_.avail_out = to.size() - made;
    const lzma_ret outcome = lzma_code(&stream_, all_read_ ? LZMA_FINISH : LZMA_RUN);
    made = to.size() - stream_.avail_out;
    ended_ = outcome == LZMA_STREAM_END;
    if (outcome == LZMA_OK || ended_) continue;
    if (outcome == LZMA_MEM_ERROR) return no_memory_for_tar();
    if (outcome == LZMA_MEMLIMIT_ERROR) {
      return fail(errc::unsupported, "the xz window is larger than 64 MiB; unpack it first");
    }
    if (outcome == LZMA_BUF_ERROR) return fail(errc::corrupt, packed_data_truncated);
    return fail(errc::corrupt, "the compressed data is damaged");
  }
  return {};
}

result<void> tar_stream::packed_source::read(std::span<std::byte> to, std::size_t& made) noexcept {
  made = 0;
  const std::size_t count = std::min<std::uint64_t>(to.size(), bytes_ - at_);
  if (result<void> done = read_(at_, to.first(count)); !done) return done;
  at_ += count;
  made = count;
  return {};
}

tar_stream::tar_stream(allocator& memory, tar_packing packing, std::uint64_t packed_bytes,
                       archive_reader read) noexcept
    : memory_(memory), packing_(packing), packed_(packed_bytes, read) {}

tar_stream::~tar_stream() {
  if (unpacked_) end_(memory_, unpacked_);
}

// Source: RFC 1952.
result<void> tar_stream::skip_gzip_header() noexcept {
  std::byte fixed[10];
  std::size_t made = 0;
  const auto take = [&](std::span<std::byte> to) -> result<void> {
    if (result<void> done = packed_.read(to, made); !done) return done;
    if (made < to.size()) return fail(errc::corrupt, packed_data_truncated);
    return {};
  };
  if (result<void> done = take(fixed); !done) return done;
  const std::uint32_t flags = load_u8(fixed + 3);
  if ((flags & 4) != 0) {  // more fields
    std::byte size[2];
    if (result<void> done = take(size); !done) return done;
    for (std::uint32_t left = load_u16(size); left > 0; --left) {
      if (result<void> done = take({size, 1}); !done) return done;
    }
  }
  for (const std::uint32_t text : {8u, 16u}) {  // a name, a comment
    std::byte each{1};
    while ((flags & text) != 0 && each != std::byte{}) {
      if (result<void> done = take({&each, 1}); !done) return done;
    }
  }
  if ((flags & 2) == 0) return {};
  std::byte checksum[2];
  return take(checksum);
}

result<void> tar_stream::begin() noexcept {
  const auto use = [this]<class Source>(Source* made) noexcept -> result<void> {
    if (!made) return no_memory_for_tar();
    unpacked_ = made;
    end_ = end_source<Source>;
    return {};
  };
  switch (packing_) {
    case tar_packing::gzip:
      if (result<void> skipped = skip_gzip_header(); !skipped) return skipped;
      return use(make_object<piece_source>(memory_, memory_tag::vfs, packed_, compression::deflate,
                                           memory_));
    case tar_packing::zstd:
      return use(
          make_object<piece_source>(memory_, memory_tag::vfs, packed_, compression::zstd, memory_));
    case tar_packing::xz:
      return use(make_object<xz_source>(memory_, memory_tag::vfs, packed_, memory_));
    case tar_packing::bzip2:
      return use(make_object<bzip2_source>(memory_, memory_tag::vfs, packed_, memory_));
    case tar_packing::none:
      break;
  }
  return fail(errc::unsupported, "not a packed archive");
}

result<void> tar_stream::read(std::span<std::byte> to, std::size_t& made) noexcept {
  made = 0;
  if (!unpacked_) {
    if (result<void> begun = begin(); !begun) return begun;
  }
  return unpacked_->read(to, made);
}

std::uint64_t tar_stream::memory_max(tar_packing packing) noexcept {
  switch (packing) {
    case tar_packing::xz:
      return tar_input_bytes + xz_memory_max;
    case tar_packing::zstd:
      return chain_input_bytes + io_detail::piece_unpacker::memory_max(compression::zstd);
    case tar_packing::bzip2:
      return chain_input_bytes + bzip2_source::memory_max;
    default:
      return chain_input_bytes + io_detail::piece_unpacker::memory_max(compression::deflate);
  }
}

// --- The block -----------------------------------------------------------------------------------

std::uint64_t packed_tar::working_bytes(std::uint32_t) const noexcept {
  return tar_stream::memory_max(packing_);
}

result<void> packed_tar::unpack(std::uint32_t, std::span<std::byte> to, reading how,
                                std::size_t& made) noexcept {
  made = 0;
  // If reading must not wait, check first that the end is cached, or unpacking might be in vain.
  std::byte last{};
  if (how == reading::at_once) {
    if (result<void> there = read_packed(packed_bytes_ - 1, {&last, 1}, how); !there) return there;
  }
  const auto read = [&](std::uint64_t offset, std::span<std::byte> part) {
    return read_packed(offset, part, how);
  };
  tar_stream stream(memory_, packing_, packed_bytes_, read);
  if (result<void> done = stream.read(to, made); !done) return done;
  if (made < to.size()) return fail(errc::corrupt, packed_data_truncated);
  if (packing_ != tar_packing::gzip) return {};
  result<void> right = check_gzip(to, how);
  if (!right) made = 0;  // any byte may be the wrong one
  return right;
}

// The file ends with the CRC-32 and the size of what is packed, unless more follows.
result<void> packed_tar::check_gzip(std::span<const std::byte> content, reading how) noexcept {
  if (packed_bytes_ < gzip_trailer_bytes) return {};
  std::byte trailer[gzip_trailer_bytes];
  result<void> read = read_packed(packed_bytes_ - gzip_trailer_bytes, trailer, how);
  if (!read) return read;
  const bool is_trailer = load_u32(trailer + 4) == static_cast<std::uint32_t>(content.size());
  if (!is_trailer || load_u32(trailer) == crc32(content)) return {};
  return fail(errc::corrupt, "the content does not match its checksum");
}

}  // namespace overture::archives_detail
