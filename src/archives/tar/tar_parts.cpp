// SPDX-License-Identifier: Zlib
#include "archives/tar/tar_parts.hpp"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <string_view>
#include <utility>

#include "archives/seven_zip/sized_memory.hpp"
#include "base/little_endian.hpp"
#include "overture/io/unpack.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::uint64_t xz_memory_max = 96u << 20;  // 65 MiB for the strongest preset
constexpr int zstd_window_log_max = 27;

tl::unexpected<error> part_is_damaged() noexcept {
  return fail(errc::corrupt, "the compressed data is damaged");
}

unsigned at_most_unsigned(std::size_t bytes) noexcept {
  return static_cast<unsigned>(std::min<std::size_t>(bytes, UINT_MAX));
}

}  // namespace

tl::unexpected<error> no_memory_for_tar() noexcept {
  return fail(errc::out_of_memory, "out of memory for unpacking the archive");
}

tl::unexpected<error> tar_is_truncated() noexcept {
  return fail(errc::corrupt, "the compressed data is truncated");
}

tar_packing packing_of(std::span<const std::byte> front) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(front.data()), front.size());
  constexpr std::string_view xz("\xFD\x37zXZ\0", 6);
  if (text.starts_with("\x1F\x8B\x08")) return tar_packing::gzip;
  if (text.starts_with(xz)) return tar_packing::xz;
  if (text.starts_with("\x28\xB5\x2F\xFD")) return tar_packing::zstd;
  // Frames to be skipped; pzstd writes one in front of each other one.
  const bool skippable = text.size() >= 4 && (load_u32(front.data()) & ~0xFu) == 0x184D2A50;
  if (skippable) return tar_packing::zstd;
  if (text.starts_with("BZh") && text.size() > 3 && text[3] >= '1' && text[3] <= '9') {
    return tar_packing::bzip2;
  }
  return tar_packing::none;
}

// --- The input -----------------------------------------------------------------------------------

result<std::span<const std::byte>> packed_input::peek(std::size_t wanted) noexcept {
  const std::size_t left = end_ - begin_;
  if (left < wanted && at_ < bytes_) {
    if (room_.empty() && !room_.resize_for_overwrite(room_bytes)) return no_memory_for_tar();
    std::memmove(room_.data(), room_.data() + begin_, left);
    begin_ = 0;
    end_ = left;
    const std::size_t count = std::min<std::uint64_t>(room_bytes - left, bytes_ - at_);
    if (result<void> done = read_(at_, {room_.data() + left, count}); !done) {
      return tl::unexpected(done.error());
    }
    at_ += count;
    end_ += count;
  }
  return std::span<const std::byte>(room_.data() + begin_, end_ - begin_);
}

result<void> packed_input::take(std::span<std::byte> to) noexcept {
  const result<std::span<const std::byte>> next = peek(to.size());
  if (!next) return tl::unexpected(next.error());
  if (next->size() < to.size()) return tar_is_truncated();
  std::copy_n(next->begin(), to.size(), to.begin());
  use(to.size());
  return {};
}

// --- gzip ----------------------------------------------------------------------------------------

namespace {

// Source: RFC 1952.
class gzip_parts final : public part_decoder {
 public:
  gzip_parts(allocator& memory, checksums wanted) noexcept
      : verifies_(wanted == checksums::verified) {
    stream_.zalloc = [](void* from, unsigned count, unsigned size) {
      return allocate_sized(from, count, size);
    };
    stream_.zfree = deallocate_sized;
    stream_.opaque = &memory;
  }
  ~gzip_parts() override {
    if (begun_) (void)inflateEnd(&stream_);
  }
  result<void> begin(packed_input& from) noexcept override;
  result<bool> unpack(packed_input& from, std::span<std::byte> to,
                      std::size_t& made) noexcept override;

 private:
  static result<void> skip_header(packed_input& from) noexcept;
  result<bool> end(packed_input& from) noexcept;

  const bool verifies_;
  z_stream stream_{};
  bool begun_ = false;
  bool is_at_trailer_ = false;
  std::uint32_t bytes_ = 0;
  std::uint32_t crc32_ = 0;
};

result<void> gzip_parts::skip_header(packed_input& from) noexcept {
  std::byte fixed[10];
  if (result<void> done = from.take(fixed); !done) return done;
  const std::uint32_t flags = load_u8(fixed + 3);
  if ((flags & 4) != 0) {  // more fields
    std::byte size[2];
    if (result<void> done = from.take(size); !done) return done;
    for (std::uint32_t left = load_u16(size); left > 0; --left) {
      if (result<void> done = from.take({size, 1}); !done) return done;
    }
  }
  for (const std::uint32_t text : {8u, 16u}) {  // a name, a comment
    std::byte each{1};
    while ((flags & text) != 0 && each != std::byte{}) {
      if (result<void> done = from.take({&each, 1}); !done) return done;
    }
  }
  if ((flags & 2) == 0) return {};
  std::byte checksum[2];
  return from.take(checksum);
}

result<void> gzip_parts::begin(packed_input& from) noexcept {
  if (result<void> done = skip_header(from); !done) return done;
  if (begun_) {
    (void)inflateReset(&stream_);
  } else {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) return no_memory_for_tar();
    begun_ = true;
  }
  is_at_trailer_ = false;
  bytes_ = 0;
  crc32_ = 0;
  return {};
}

result<bool> gzip_parts::unpack(packed_input& from, std::span<std::byte> to,
                                std::size_t& made) noexcept {
  made = 0;
  while (!is_at_trailer_) {
    const result<std::span<const std::byte>> packed = from.peek(1);
    if (!packed) return tl::unexpected(packed.error());
    const std::span<std::byte> room = to.subspan(made, at_most_unsigned(to.size() - made));
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed->data()));
    stream_.avail_in = static_cast<unsigned>(packed->size());
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<unsigned>(room.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    const std::size_t count = room.size() - stream_.avail_out;
    const bool stands_still = count == 0 && stream_.avail_in == packed->size();
    from.use(packed->size() - stream_.avail_in);
    if (verifies_) crc32_ = crc32(room.first(count), crc32_);
    bytes_ += static_cast<std::uint32_t>(count);
    made += count;
    is_at_trailer_ = code == Z_STREAM_END;
    if (code == Z_MEM_ERROR) return no_memory_for_tar();
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return part_is_damaged();
    if (is_at_trailer_) break;
    if (stands_still && made == to.size()) return false;
    if (stands_still && packed->empty()) return tar_is_truncated();
  }
  return end(from);
}

result<bool> gzip_parts::end(packed_input& from) noexcept {
  std::byte trailer[8];
  if (result<void> done = from.take(trailer); !done) return tl::unexpected(done.error());
  const bool right = load_u32(trailer) == crc32_ && load_u32(trailer + 4) == bytes_;
  if (right || !verifies_) return true;
  return fail(errc::corrupt, "the content does not match its checksum");
}

// --- xz ------------------------------------------------------------------------------------------

class xz_parts final : public part_decoder {
 public:
  explicit xz_parts(allocator& memory) noexcept
      : allocate_{allocate_sized, deallocate_sized, &memory} {
    stream_.allocator = &allocate_;
  }
  ~xz_parts() override { lzma_end(&stream_); }
  result<void> begin(packed_input&) noexcept override {
    if (lzma_stream_decoder(&stream_, xz_memory_max, 0) != LZMA_OK) return no_memory_for_tar();
    return {};
  }
  result<bool> unpack(packed_input& from, std::span<std::byte> to,
                      std::size_t& made) noexcept override;

 private:
  lzma_allocator allocate_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

result<bool> xz_parts::unpack(packed_input& from, std::span<std::byte> to,
                              std::size_t& made) noexcept {
  made = 0;
  for (;;) {
    const result<std::span<const std::byte>> packed = from.peek(1);
    if (!packed) return tl::unexpected(packed.error());
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed->data());
    stream_.avail_in = packed->size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to.data() + made);
    stream_.avail_out = to.size() - made;
    const lzma_ret code = lzma_code(&stream_, packed->empty() ? LZMA_FINISH : LZMA_RUN);
    const bool stands_still =
        stream_.avail_out == to.size() - made && stream_.avail_in == packed->size();
    from.use(packed->size() - stream_.avail_in);
    made = to.size() - stream_.avail_out;
    if (code == LZMA_STREAM_END) return true;
    if (code == LZMA_MEM_ERROR) return no_memory_for_tar();
    if (code == LZMA_MEMLIMIT_ERROR) {
      return fail(errc::unsupported, "the xz window is larger than 64 MiB; unpack it first");
    }
    if (code != LZMA_OK && code != LZMA_BUF_ERROR) return part_is_damaged();
    if (stands_still && made == to.size()) return false;
    if (stands_still && packed->empty()) return tar_is_truncated();
  }
}

// --- zstd ----------------------------------------------------------------------------------------

class zstd_parts final : public part_decoder {
 public:
  zstd_parts() noexcept : context_(ZSTD_createDCtx()) {
    if (context_) {
      (void)ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, zstd_window_log_max);
    }
  }
  ~zstd_parts() override { (void)ZSTD_freeDCtx(context_); }
  result<void> begin(packed_input&) noexcept override {
    if (!context_) return no_memory_for_tar();
    (void)ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
    return {};
  }
  result<bool> unpack(packed_input& from, std::span<std::byte> to,
                      std::size_t& made) noexcept override;

 private:
  ZSTD_DCtx* const context_;
};

result<bool> zstd_parts::unpack(packed_input& from, std::span<std::byte> to,
                                std::size_t& made) noexcept {
  made = 0;
  for (;;) {
    const result<std::span<const std::byte>> packed = from.peek(1);
    if (!packed) return tl::unexpected(packed.error());
    ZSTD_inBuffer in{packed->data(), packed->size(), 0};
    ZSTD_outBuffer out{to.data(), to.size(), made};
    const std::size_t wanted = ZSTD_decompressStream(context_, &out, &in);
    const bool stands_still = in.pos == 0 && out.pos == made;
    from.use(in.pos);
    made = out.pos;
    if (ZSTD_isError(wanted) != 0) {
      switch (ZSTD_getErrorCode(wanted)) {
        case ZSTD_error_frameParameter_windowTooLarge:
          return fail(errc::unsupported, "the zstd window is larger than 128 MiB");
        case ZSTD_error_memory_allocation:
          return no_memory_for_tar();
        default:
          return part_is_damaged();
      }
    }
    if (wanted == 0) return true;
    if (stands_still && made == to.size()) return false;
    if (stands_still && packed->empty()) return tar_is_truncated();
  }
}

// --- BZip2 ---------------------------------------------------------------------------------------

class bzip2_parts final : public part_decoder {
 public:
  explicit bzip2_parts(allocator& memory) noexcept {
    stream_.bzalloc = [](void* from, int count, int size) {
      return allocate_sized(from, static_cast<std::size_t>(count), static_cast<std::size_t>(size));
    };
    stream_.bzfree = deallocate_sized;
    stream_.opaque = &memory;
  }
  ~bzip2_parts() override { (void)BZ2_bzDecompressEnd(&stream_); }
  result<void> begin(packed_input&) noexcept override {
    (void)BZ2_bzDecompressEnd(&stream_);
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) return no_memory_for_tar();
    return {};
  }
  result<bool> unpack(packed_input& from, std::span<std::byte> to,
                      std::size_t& made) noexcept override;

 private:
  bz_stream stream_{};
};

result<bool> bzip2_parts::unpack(packed_input& from, std::span<std::byte> to,
                                 std::size_t& made) noexcept {
  made = 0;
  for (;;) {
    const result<std::span<const std::byte>> packed = from.peek(1);
    if (!packed) return tl::unexpected(packed.error());
    const std::span<std::byte> room = to.subspan(made, at_most_unsigned(to.size() - made));
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(packed->data()));
    stream_.avail_in = static_cast<unsigned>(packed->size());
    stream_.next_out = reinterpret_cast<char*>(room.data());
    stream_.avail_out = static_cast<unsigned>(room.size());
    const int code = BZ2_bzDecompress(&stream_);
    const std::size_t count = room.size() - stream_.avail_out;
    const bool stands_still = count == 0 && stream_.avail_in == packed->size();
    from.use(packed->size() - stream_.avail_in);
    made += count;
    if (code == BZ_STREAM_END) return true;
    if (code == BZ_MEM_ERROR) return no_memory_for_tar();
    if (code != BZ_OK) return part_is_damaged();
    if (stands_still && made == to.size()) return false;
    if (stands_still && packed->empty()) return tar_is_truncated();
  }
}

template <class Decoder, class... Args>
owned_part_decoder make_decoder(allocator& memory, Args&&... args) noexcept {
  constexpr auto end = [](allocator& from, part_decoder* decoder) noexcept {
    destroy_object(from, memory_tag::vfs, static_cast<Decoder*>(decoder));
  };
  return {memory, make_object<Decoder>(memory, memory_tag::vfs, std::forward<Args>(args)...), end};
}

}  // namespace

owned_part_decoder make_part_decoder(allocator& memory, tar_packing packing,
                                     checksums of_gzip) noexcept {
  switch (packing) {
    case tar_packing::gzip:
      return make_decoder<gzip_parts>(memory, memory, of_gzip);
    case tar_packing::xz:
      return make_decoder<xz_parts>(memory, memory);
    case tar_packing::zstd:
      return make_decoder<zstd_parts>(memory);
    case tar_packing::bzip2:
      return make_decoder<bzip2_parts>(memory, memory);
    case tar_packing::none:
      break;
  }
  return {};
}

std::uint64_t part_memory_max(tar_packing packing) noexcept {
  switch (packing) {
    case tar_packing::xz:
      return xz_memory_max;
    case tar_packing::zstd:
      return (std::uint64_t{1} << zstd_window_log_max) + (1u << 20);
    case tar_packing::bzip2:
      return 4u << 20;
    default:
      return 64u << 10;
  }
}

}  // namespace overture::archives_detail
