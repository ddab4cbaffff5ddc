// SPDX-License-Identifier: Zlib
//
// gzip (RFC 1952) as a layer over one file, through libdeflate: the asset is that of the file
// inside, or its bytes if no decoder reads them.
#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

using bytes_of_file = std::span<const std::byte>;

constexpr std::uint64_t decompressor_bytes = 64u << 10;
constexpr const char* bytes_after = "bytes that are not gzip follow the gzip data";

struct free_decompressor {
  void operator()(libdeflate_decompressor* each) const noexcept {
    libdeflate_free_decompressor(each);
  }
};
using decompressor = std::unique_ptr<libdeflate_decompressor, free_decompressor>;

std::uint64_t size_max(bytes_of_file file) noexcept {
  return std::min(file.size() * limits::deflate_ratio_max, limits::entry_bytes_max);
}

// The file ends with the size of its last member, which nearly always is the only one.
std::uint64_t stated_size(bytes_of_file file) noexcept {
  return file.size() < 4
             ? 0
             : std::min<std::uint64_t>(load_u32(&file[file.size() - 4]), size_max(file));
}

bool begins_member(bytes_of_file rest) noexcept {
  return rest.size() >= 2 && load_u16(rest.data()) == 0x8B1F;
}

struct members {
  bool fit = false;              // into the room; the rest is valid only if they do
  std::uint64_t bytes = 0;       // unpacked
  std::size_t packed_bytes = 0;  // up to the end of the last member
};

// Unpacks all members, one after the other, and verifies their checksums and sizes.
result<members> unpack_members(libdeflate_decompressor& by, bytes_of_file file,
                               std::span<std::byte> room) noexcept {
  members all{.fit = true};
  do {
    const bytes_of_file rest = file.subspan(all.packed_bytes);
    std::byte* const to = room.data() + all.bytes;
    std::size_t packed = 0;
    std::size_t unpacked = 0;
    switch (libdeflate_gzip_decompress_ex(&by, rest.data(), rest.size(), to,
                                          room.size() - all.bytes, &packed, &unpacked)) {
      case LIBDEFLATE_SUCCESS:
        break;
      case LIBDEFLATE_INSUFFICIENT_SPACE:
        return members{};
      default:
        return fail(errc::corrupt, "damaged or truncated gzip data", {}, all.packed_bytes);
    }
    all.packed_bytes += packed;
    all.bytes += unpacked;
  } while (begins_member(file.subspan(all.packed_bytes)));
  return all;
}

// Unpacks the file into an asset of exactly its size: guesses it until that is right.
result<decoded_asset> unpack(bytes_of_file file, allocator& memory) noexcept {
  const decompressor by(libdeflate_alloc_decompressor());
  if (!by) return fail(errc::out_of_memory, "out of memory for the decompressor");
  std::uint64_t size = stated_size(file);
  for (;;) {
    result<decoded_asset> made =
        decoded_asset::make(asset_kind::binary, static_cast<std::size_t>(size), memory);
    if (!made) return made;
    const result<members> all = unpack_members(*by, file, made->bytes());
    if (!all) return tl::unexpected<error>(all.error());
    if (all->fit && all->bytes == size) {
      const bytes_of_file rest = file.subspan(all->packed_bytes);
      if (std::any_of(rest.begin(), rest.end(),
                      [](std::byte each) { return each != std::byte{}; })) {
        made->warning = bytes_after;
        made->warning_offset = all->packed_bytes;
      }
      return made;
    }
    if (!all->fit && size == size_max(file)) {
      return fail(errc::limit, limit_text::file_in_one_piece);
    }
    const std::uint64_t larger = std::max<std::uint64_t>(2 * size, 4 * file.size());
    size = all->fit ? all->bytes : std::min(larger, size_max(file));
  }
}

// Has `memory` set the room aside that the decoder inside will need.
result<void> reserve(std::uint64_t bytes, allocator& memory) noexcept {
  const result<decoded_asset> room =
      decoded_asset::make(asset_kind::none, static_cast<std::size_t>(bytes), memory);
  return room ? result<void>{} : tl::unexpected<error>(room.error());
}

class gzip final : public decoder {
 public:
  const char* name() const noexcept override { return "gzip"; }

  bool accepts(std::string_view path, bytes_of_file bytes) const noexcept override {
    return is_file_of(file_format::gzip, path, bytes);
  }

  result<decoded_asset> decode(bytes_of_file bytes, allocator& memory,
                               parallel_runner& workers) const noexcept override {
    if (!accepts({}, bytes)) return fail(errc::corrupt, "not a gzip file");
    result<decoded_asset> content = unpack(bytes, memory);
    if (!content) return content;
    const decoder* const inside = decoder_inside(content->bytes());
    if (!inside) return content;
    const result<void> room = reserve(inside->memory_needed(content->bytes()), memory);
    if (!room) return tl::unexpected<error>(room.error());
    result<decoded_asset> asset = inside->decode(content->bytes(), memory, workers);
    if (!asset) {
      if (asset.error().code == errc::out_of_memory) return asset;
      // The place is one in the unpacked file.
      return fail(asset.error().code, asset.error().reason);
    }
    const bool is_decoded = asset->kind() != asset_kind::none;
    decoded_asset& outcome = is_decoded ? *asset : *content;
    if (content->warning) {
      outcome.warning = content->warning;
      outcome.warning_offset = content->warning_offset;
    } else {
      outcome.warning = asset->warning;
      outcome.warning_offset = 0;
    }
    return is_decoded ? std::move(asset) : std::move(content);
  }

  std::uint64_t memory_needed(bytes_of_file bytes) const noexcept override {
    return decompressor_bytes + stated_size(bytes);
  }

 private:
  // Its name is unknown. A layer inside a layer stays as it is.
  const decoder* decoder_inside(bytes_of_file content) const noexcept {
    for (const decoder* const each : all_decoders()) {
      if (each != this && each->accepts({}, content)) return each;
    }
    return nullptr;
  }
};

}  // namespace

const decoder& gzip_decoder() noexcept {
  static const gzip instance;
  return instance;
}

}  // namespace overture::decoders_detail
