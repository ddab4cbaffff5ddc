// SPDX-License-Identifier: Zlib
//
// 7z archives: blocks of LZMA, LZMA2, BZip2, DEFLATE, zstd or stored, with the filters for machine
// code and for sounds (delta), encrypted or not.
//
//   start:  signature, version, CRC-32, u64 offset of the header, u64 its bytes, u32 its CRC-32
//   the packed blocks, the header, which may itself be packed (see seven_zip_header.hpp)
//
// Files are packed together in blocks, and a block is unpacked once for all its files: see
// block_store.hpp. Files with another method (PPMd, say) are in the tree and fail when they are
// opened. Links are skipped.
#include <algorithm>

#include "archives/archive_builder.hpp"
#include "archives/bomb.hpp"
#include "archives/names/skip_reason.hpp"
#include "archives/names/unix_mode.hpp"
#include "archives/names/utf16.hpp"
#include "archives/seven_zip/seven_zip_blocks.hpp"
#include "archives/seven_zip/seven_zip_header.hpp"
#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "overture/io/unpack.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

// How often a header may be packed: it may unpack to a header that is packed, too.
constexpr int headers_max = 4;

constexpr std::uint32_t attribute_unix = 0x8000;  // the upper half holds a Unix mode

class seven_zip_list {
 public:
  seven_zip_list(const archive_input& input, archive& into) noexcept
      : input_(input),
        into_(into),
        builder_(into, input.prefix, input.names),
        bytes_(into.names.memory(), memory_tag::vfs),
        header_(into.names.memory()),
        listed_(into.names.memory(), memory_tag::vfs) {}

  result<bool> run() noexcept {
    path_index index(memory());
    const result<void> done = read_header()
                                  .and_then([this] { return add_blocks(); })
                                  .and_then([this] { return add_files(); })
                                  .and_then([&] { return builder_.index_last_of_each(index); })
                                  .and_then([&] { return builder_.take_back_folders(index); });
    if (!done) return tl::unexpected(done.error());
    builder_.finish();
    return true;
  }

 private:
  struct listed_block {
    std::uint64_t offset = 0;  // in the store
    entry_flaw flaw = entry_flaw::none;
  };
  [[nodiscard]] allocator& memory() const noexcept { return into_.names.memory(); }
  static tl::unexpected<error> no_memory() {
    return fail(errc::out_of_memory, "out of memory for the archive's directory");
  }
  // The offset of packed bytes in the file. False if they are not all in it.
  [[nodiscard]] bool locate(std::uint64_t offset, std::uint64_t bytes,
                            std::uint64_t& at) const noexcept {
    const std::uint64_t file = input_.status.size;
    if (file < seven_zip_start_bytes || !fits(offset, 1, bytes, file - seven_zip_start_bytes)) {
      return false;
    }
    at = offset + seven_zip_start_bytes;
    return true;
  }
  result<void> read_header() noexcept;
  result<void> unpack_header() noexcept;
  [[nodiscard]] entry_flaw flaw_of(const seven_zip_block& block) const noexcept;
  [[nodiscard]] entry_flaw flaw_of_steps(const seven_zip_block& block) const noexcept;
  [[nodiscard]] bool is_bomb_of(const seven_zip_block& block) const noexcept;
  [[nodiscard]] bool is_encrypted(const seven_zip_block& block) const noexcept;
  result<void> add_blocks() noexcept;
  result<void> add_files() noexcept;
  [[nodiscard]] const char* why_skipped(std::uint64_t file) const noexcept;
  [[nodiscard]] entry_origin origin_of(std::uint64_t file) const noexcept;
  std::span<const std::byte> next_name() noexcept;

  const archive_input& input_;
  archive& into_;
  archive_builder builder_;
  vec<std::byte> bytes_;  // of the header
  seven_zip_header header_;
  seven_zip_blocks* store_ = nullptr;
  vec<listed_block> listed_;
};

result<void> seven_zip_list::read_header() noexcept {
  const result<seven_zip_start> start = read_seven_zip_start(input_.front);
  if (!start) return tl::unexpected(start.error());
  if (start->header_bytes == 0) return {};  // an empty archive
  if (start->header_bytes > limits::archive_directory_bytes_max) {
    return fail(errc::limit, limit_text::archive_directory);
  }
  std::uint64_t at = 0;
  if (!locate(start->header_offset, start->header_bytes, at)) {
    return fail(errc::corrupt,
                "the archive's directory is outside the archive, which is probably truncated");
  }
  if (!bytes_.resize_for_overwrite(start->header_bytes)) return no_memory();
  const std::span<std::byte> room(bytes_.data(), bytes_.size());
  if (result<void> read = read_fully(input_.os, into_.handle.get(), at, room); !read) return read;
  if (crc32(room) != start->header_crc32) {
    return fail(errc::corrupt, "the archive's directory does not match its checksum", {}, at);
  }
  for (int i = 0; i < headers_max; ++i) {
    header_ = seven_zip_header(memory());
    result<void> done = read_seven_zip_header(bytes_.span(), header_);
    if (!done || !header_.encoded) return done;
    if (done = unpack_header(); !done) return done;
  }
  return fail(errc::corrupt, "the archive's directory is compressed too many times");
}

result<void> seven_zip_list::unpack_header() noexcept {
  const seven_zip_block block = header_.blocks[0];
  std::uint64_t at = 0;
  if (!locate(block.packed_offset, block.packed.packed_bytes, at)) {
    return fail(errc::corrupt,
                "the archive's directory is outside the archive, which is probably truncated");
  }
  const entry_flaw flaw = flaw_of(block);
  if (flaw != entry_flaw::none) return tl::unexpected(error_of(flaw));
  result<void> done = check_packed_header(block.packed.bytes, block.packed.packed_bytes);
  if (!done) return done;
  // The block, its dictionary, and the copy.
  const result<ledger_room> room_taken =
      ledger_room::take(*input_.ledger, 3 * block.packed.bytes, memory_tag::vfs);
  if (!room_taken) return tl::unexpected(room_taken.error());
  vec<std::byte> unpacked(memory(), memory_tag::vfs);
  if (!unpacked.resize_for_overwrite(block.packed.bytes)) return no_memory();
  const std::span<std::byte> room(unpacked.data(), unpacked.size());
  seven_zip_blocks alone(memory(), input_.os, into_.handle);
  done = alone.set_password(input_.password)
             .and_then([&] { return alone.add(header_, block, at); })
             .and_then([&](std::uint64_t offset) {
               return read_fully(alone, os_handle{1}, offset, room);
             });
  if (!done) return done;
  if (block.has_crc && crc32(room) != block.crc32) {
    if (is_encrypted(block)) return fail(errc::password, wrong_7z_password, {}, at);
    return fail(errc::corrupt, "the archive's directory does not match its checksum", {}, at);
  }
  bytes_ = std::move(unpacked);
  return {};
}

entry_flaw seven_zip_list::flaw_of(const seven_zip_block& block) const noexcept {
  std::uint64_t at = 0;
  if (!locate(block.packed_offset, block.packed.packed_bytes, at)) return entry_flaw::outside;
  switch (block.flaw) {
    case seven_zip_flaw::none:
      break;
    case seven_zip_flaw::method:
      return entry_flaw::method_in_7z;
    case seven_zip_flaw::ppmd:
      return entry_flaw::ppmd_in_7z;
    case seven_zip_flaw::deflate64:
      return entry_flaw::deflate64_in_7z;
    case seven_zip_flaw::brotli:
      return entry_flaw::brotli_in_7z;
    case seven_zip_flaw::lz4:
      return entry_flaw::lz4_in_7z;
    case seven_zip_flaw::encryption:
      return entry_flaw::encryption_of_7z;
  }
  const packed_block& packed = block.packed;
  if (block.step_count != 0) return flaw_of_steps(block);
  if (packed.method == block_method::copy && packed.bytes != packed.packed_bytes) {
    return entry_flaw::stored_size;
  }
  if (packed.is_stored()) return entry_flaw::none;
  if (packed.bytes / limits::lzma_ratio_max > packed.packed_bytes) return entry_flaw::ratio;
  return packed.bytes > limits::block_bytes_max ? entry_flaw::block_too_large : entry_flaw::none;
}

bool seven_zip_list::is_encrypted(const seven_zip_block& block) const noexcept {
  const std::span<const unpack_step> steps = chain_of(header_, block).steps;
  return std::any_of(steps.begin(), steps.end(),
                     [](const unpack_step& step) { return step.kind == step_kind::aes; });
}

entry_flaw seven_zip_list::flaw_of_steps(const seven_zip_block& block) const noexcept {
  if (is_encrypted(block) && input_.password.empty()) return entry_flaw::encrypted;
  bool any_ratio = false;
  for (const unpack_step& step : chain_of(header_, block).steps) {
    if (step.lzma.bytes > limits::block_bytes_max) return entry_flaw::block_too_large;
    any_ratio = any_ratio || step.kind == step_kind::bzip2;
  }
  const std::uint64_t ratio_max = any_ratio ? limits::bzip2_ratio_max : limits::zstd_ratio_max;
  return block.packed.bytes / ratio_max > block.packed.packed_bytes ? entry_flaw::ratio
                                                                    : entry_flaw::none;
}

// What comes between the steps of a chain is in memory too.
bool seven_zip_list::is_bomb_of(const seven_zip_block& block) const noexcept {
  std::uint64_t most = block.packed.bytes;
  for (const unpack_step& step : chain_of(header_, block).steps) {
    most = std::max(most, step.lzma.bytes);
  }
  return is_bomb(most, block.packed.packed_bytes);
}

result<void> seven_zip_list::add_blocks() noexcept {
  if (header_.blocks.empty()) return {};
  store_ = into_.store.make<seven_zip_blocks>(memory(), input_.os, into_.handle);
  if (!store_) return no_memory();
  if (result<void> kept = store_->set_password(input_.password); !kept) return kept;
  for (const seven_zip_block& block : header_.blocks) {
    listed_block listed;
    listed.flaw = flaw_of(block);
    if (listed.flaw == entry_flaw::none && !input_.allow_bombs && is_bomb_of(block)) {
      listed.flaw = entry_flaw::bomb;
    }
    if (listed.flaw == entry_flaw::none && block.packed.bytes > 0) {
      std::uint64_t at = 0;
      (void)locate(block.packed_offset, block.packed.packed_bytes, at);
      const result<std::uint64_t> offset = store_->add(header_, block, at);
      if (!offset) return tl::unexpected(offset.error());
      listed.offset = *offset;
    }
    if (!listed_.push_back(listed)) return no_memory();
  }
  return {};
}

std::span<const std::byte> seven_zip_list::next_name() noexcept {
  std::size_t end = 0;
  while (end + 1 < header_.names.size() && load_u16(header_.names.data() + end) != 0) end += 2;
  const std::span<const std::byte> name = header_.names.first(end);
  header_.names = header_.names.subspan(std::min(end + 2, header_.names.size()));
  return name;
}

const char* seven_zip_list::why_skipped(std::uint64_t file) const noexcept {
  if ((header_.no_stream[file] & seven_zip_header::is_anti) != 0) {
    return skip_reason::anti_item;
  }
  if (header_.attributes.empty()) return nullptr;
  const std::uint32_t attributes = load_u32(header_.attributes.data() + file * 4);
  const bool link =
      (attributes & attribute_unix) != 0 && (attributes >> 16 & unix_kind_mask) == unix_link;
  return link ? skip_reason::link_in_7z : nullptr;
}

entry_origin seven_zip_list::origin_of(std::uint64_t file) const noexcept {
  entry_origin origin;
  if (!header_.modified.empty()) {
    origin.modified_s = seconds_of_ntfs(load_u64(header_.modified.data() + file * 8));
  }
  if (!header_.attributes.empty()) {
    const std::uint32_t attributes = load_u32(header_.attributes.data() + file * 4);
    origin.executable =
        (attributes & attribute_unix) != 0 && (attributes >> 16 & unix_owner_runs) != 0;
  }
  return origin;
}

result<void> seven_zip_list::add_files() noexcept {
  std::size_t stream = 0;
  std::size_t block = 0;
  std::uint32_t in_block = 0;  // streams of the block that are assigned to a file
  std::uint64_t offset = 0;    // in the block
  for (std::uint64_t file = 0; file < header_.files; ++file) {
    archive_entry entry;
    entry.origin = origin_of(file);
    bool checked = true;
    const std::uint8_t kind = header_.no_stream[file];
    if ((kind & seven_zip_header::is_empty) == 0) {
      while (block < listed_.size() && in_block == header_.blocks[block].streams) {
        ++block;
        in_block = 0;
        offset = 0;
      }
      if (block == listed_.size() || stream == header_.streams.size()) {
        return fail(errc::corrupt, "the archive lists more files than it has data for");
      }
      const seven_zip_stream& data = header_.streams[stream++];
      entry.offset = listed_[block].offset + offset;
      entry.flaw = listed_[block].flaw;
      entry.packed_bytes = data.bytes;
      entry.bytes = data.bytes;
      entry.crc32 = data.crc32;
      checked = data.has_crc || data.bytes == 0;
      if (data.bytes == 0) entry.crc32 = 0;
      if (data.bytes > limits::entry_bytes_max && entry.flaw == entry_flaw::none) {
        entry.flaw = entry_flaw::too_large;
      }
      offset += data.bytes;
      ++in_block;
    }
    const std::span<const std::byte> name = next_name();
    if ((kind & seven_zip_header::is_folder) != 0) continue;
    path_buffer room;
    std::size_t length = 0;
    const bool readable = utf8_of_utf16(name, byte_order::little, room, length);
    const char* const skipped = readable ? why_skipped(file) : skip_reason::not_utf16;
    if (skipped) {
      result<void> done = builder_.skip({room.data(), length}, skipped);
      if (!done) return done;
      continue;
    }
    const result<bool> added = builder_.add({room.data(), length}, entry);
    if (!added) return tl::unexpected(added.error());
    if (*added && !checked && entry.flaw == entry_flaw::none) {
      if (result<void> done = store_->add_unchecked(entry.offset); !done) return done;
    }
  }
  return {};
}

result<bool> list_seven_zip(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with(seven_zip_mark)) return false;
  return seven_zip_list(input, into).run();
}

result<opened_entry> open_seven_zip(const archive& from, const archive_entry& entry,
                                    operating_system&) noexcept {
  if (entry.flaw != entry_flaw::none) {
    error why = error_of(entry.flaw);
    why.offset = entry.offset;
    return tl::unexpected(why);
  }
  opened_entry opened;
  opened.place.offset = entry.offset;
  opened.place.read_bytes = entry.bytes;
  opened.place.packed_bytes = entry.bytes;
  opened.place.bytes = entry.bytes;
  opened.place.crc32 = entry.crc32;
  opened.place.has_crc = true;
  if (entry.bytes == 0) return opened;
  auto& blocks = static_cast<seven_zip_blocks&>(*from.store.get());
  opened.place.has_crc = blocks.is_checked(entry.offset);
  opened.handle = blocks.open_all();
  return opened;
}

}  // namespace

const archive_format seven_zip_format{
    .id = mount_format::seven_zip,
    .name = "7z",
    .files = "7z",
    .libraries = "liblzma, libbz2, libdeflate, libzstd, libcrypto",
    .extensions = "7z",
    .list = list_seven_zip,
    .open = open_seven_zip,
};

}  // namespace overture::archives_detail
