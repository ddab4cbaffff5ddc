// SPDX-License-Identifier: Zlib
//
// ROFS, the archives of Resident Evil 3 (rofs1.dat and its siblings): packed and scrambled.
//
//   signature[21], name of the outer folder, NUL, u32 offset of the table / 8, u32 bytes of the
//   table, name of the inner folder, NUL: all files are in one folder, two levels deep
//   table: u32 files, then for each: u32 offset / 8, u32 packed bytes, name, NUL
//   file: u16 offset of the data in it, u16 blocks, u32 bytes, ident[8] scrambled with its last
//   byte, u32 key[blocks], u32 packed bytes[blocks], the blocks
//
// Each block unpacks to 32 KiB, the last one to less, and is scrambled with its own key. If the
// ident is "Hi_Comp", the blocks are packed (LZSS, see rofs_block.hpp).
#include <algorithm>

#include "archives/tables/plain_table.hpp"
#include "archives/tables/rofs_block.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::string_view rofs_mark{"\3\0\0\0\1\0\0\0\4\0\0\0\0\1\1\0\0\4\0\0\0", 21};
constexpr std::size_t rofs_header_bytes = 16;
constexpr std::size_t rofs_record_bytes = 8;  // without the name
constexpr std::string_view packed_ident = "Hi_Comp";

class rofs_blocks final : public block_store {
 public:
  rofs_blocks(allocator& memory, operating_system& os, const owned_handle& file) noexcept
      : block_store(memory, os, file), packed_(memory, memory_tag::vfs) {}

  result<std::uint64_t> add(const rofs_block& block, std::uint64_t bytes) noexcept {
    if (!packed_.push_back(block))
      return fail(errc::out_of_memory, "out of memory for the list of compressed blocks");
    return add_block(bytes);
  }

 private:
  result<void> unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                      std::size_t& made) noexcept override {
    made = 0;
    const rofs_block& block = packed_[number];
    vec<std::byte> packed(packed_.memory(), memory_tag::vfs);
    if (!packed.resize_for_overwrite(block.packed_bytes)) {
      return fail(errc::out_of_memory, "out of memory for unpacking a block of the archive");
    }
    const std::span<std::byte> room(packed.data(), packed.size());
    if (result<void> read = read_packed(block.offset, room, how); !read) return read;
    return unpack_rofs_block(block, room, to);
  }

  vec<rofs_block> packed_;  // by block number
};

class rofs_list {
 public:
  rofs_list(const archive_input& input, archive& into) noexcept
      : input_(input),
        into_(into),
        table_(input, into),
        blocks_(into.names.memory(), memory_tag::vfs) {}

  result<bool> run() noexcept {
    if (!read_folder()) return fail(errc::corrupt, "the archive's directory is damaged");
    store_ = into_.store.make<rofs_blocks>(memory(), input_.os, into_.handle);
    if (!store_) return fail(errc::out_of_memory, "out of memory for the list of files");
    return table_.finish(read_table());
  }

 private:
  [[nodiscard]] allocator& memory() const noexcept { return into_.names.memory(); }
  bool read_folder() noexcept;
  bool append(std::string_view part) noexcept;
  result<void> read_table() noexcept;
  result<void> take(std::uint64_t at, std::string_view path) noexcept;
  result<entry_flaw> read_blocks(std::uint64_t at, std::uint32_t bytes) noexcept;

  const archive_input& input_;
  archive& into_;
  plain_table table_;
  rofs_blocks* store_ = nullptr;
  std::uint64_t table_at_ = 0;
  path_buffer path_;
  std::size_t folder_bytes_ = 0;  // of the path, including the '/' after it
  vec<rofs_block> blocks_;        // of one file
};

bool rofs_list::append(std::string_view part) noexcept {
  if (part.empty() || part.size() + 1 > path_.size() - folder_bytes_) return false;
  std::copy(part.begin(), part.end(), path_.data() + folder_bytes_);
  folder_bytes_ += part.size();
  path_[folder_bytes_++] = '/';
  return true;
}

bool rofs_list::read_folder() noexcept {
  std::span<const std::byte> left = input_.front.subspan(rofs_mark.size());
  const std::string_view first = text_of(left.data(), left.size());
  if (left.size() - first.size() < 1 + 8) return false;
  left = left.subspan(first.size() + 1);
  table_at_ = std::uint64_t{load_u32(left.data())} * 8;
  left = left.subspan(8);
  return append(first) && append(text_of(left.data(), left.size()));
}

result<void> rofs_list::read_table() noexcept {
  const result<const std::byte*> count = table_.read(table_at_, 4);
  if (!count) return tl::unexpected(count.error());
  const std::uint32_t files = load_u32(*count);
  std::uint64_t at = table_at_ + 4;
  for (std::uint32_t i = 0; i < files; ++i) {
    if (table_.file_bytes() - at <= rofs_record_bytes) return table_outside(at);
    const std::size_t most = std::min<std::uint64_t>(
        table_.file_bytes() - at, rofs_record_bytes + limits::path_element_bytes_max);
    const result<const std::byte*> record = table_.read(at, most);
    if (!record) return tl::unexpected(record.error());
    const std::string_view name = text_of(*record + rofs_record_bytes, most - rofs_record_bytes);
    const std::uint64_t file = std::uint64_t{load_u32(*record)} * 8;
    if (name.size() == most - rofs_record_bytes)
      return fail(errc::corrupt, "a name is not terminated", {}, at);
    at += rofs_record_bytes + name.size() + 1;
    if (name.size() > path_.size() - folder_bytes_) return table_outside(at);
    std::copy(name.begin(), name.end(), path_.data() + folder_bytes_);
    result<void> taken = take(file, {path_.data(), folder_bytes_ + name.size()});
    if (!taken) return taken;
  }
  return {};
}

result<void> rofs_list::take(std::uint64_t at, std::string_view path) noexcept {
  archive_entry entry;
  entry.offset = at;
  entry.flaw = entry_flaw::outside;
  if (fits(at, 1, rofs_header_bytes, table_.file_bytes())) {
    const result<const std::byte*> header = table_.read(at, rofs_header_bytes);
    if (!header) return tl::unexpected(header.error());
    const std::uint32_t bytes = load_u32(*header + 4);
    const result<entry_flaw> flaw = read_blocks(at, bytes);
    if (!flaw) return tl::unexpected(flaw.error());
    entry.flaw = *flaw;
    entry.bytes = bytes;
    entry.packed_bytes = bytes;
  }
  if (entry.flaw == entry_flaw::none) {
    std::uint64_t left = entry.bytes;
    for (const rofs_block& block : blocks_) {
      const std::uint64_t part = std::min<std::uint64_t>(left, rofs_block_bytes);
      const result<std::uint64_t> offset = store_->add(block, part);
      if (!offset) return tl::unexpected(offset.error());
      if (left == entry.bytes) entry.offset = *offset;
      left -= part;
    }
  }
  return table_.add_entry(path, entry);
}

// Fills the list of the file's blocks. Leaves it empty if the file is broken.
result<entry_flaw> rofs_list::read_blocks(std::uint64_t at, std::uint32_t bytes) noexcept {
  blocks_.clear();
  const result<const std::byte*> header = table_.read(at, rofs_header_bytes);
  if (!header) return tl::unexpected(header.error());
  std::uint64_t data = at + load_u16(*header);
  const std::size_t count = load_u16(*header + 2);
  char ident[7];
  for (std::size_t i = 0; i < sizeof ident; ++i) {
    ident[i] = std::to_integer<char>((*header)[8 + i] ^ (*header)[15]);
  }
  const bool packed = std::string_view(ident, sizeof ident) == packed_ident;
  const std::uint64_t needed = (std::uint64_t{bytes} + rofs_block_bytes - 1) / rofs_block_bytes;
  if (count < needed) return entry_flaw::sizes;
  if (!fits(at + rofs_header_bytes, count, 8, table_.file_bytes())) return entry_flaw::outside;
  const result<const std::byte*> keys = table_.read(at + rofs_header_bytes, count * 8);
  if (!keys) return tl::unexpected(keys.error());
  std::uint64_t left = bytes;
  for (std::size_t i = 0; i < needed; ++i) {
    rofs_block block;
    block.offset = data;
    block.key = load_u32(*keys + i * 4);
    block.packed_bytes = load_u32(*keys + (count + i) * 4);
    block.packed = packed;
    data += block.packed_bytes;
    if (!fits(block.offset, 1, block.packed_bytes, table_.file_bytes())) return entry_flaw::outside;
    const std::uint64_t part = std::min<std::uint64_t>(left, rofs_block_bytes);
    left -= part;
    const std::uint64_t most =
        std::uint64_t{block.packed_bytes} * (packed ? rofs_ratio_max : std::uint64_t{1});
    if (part > most) return entry_flaw::ratio;
    // No honest block is packed to more than this.
    if (block.packed_bytes > 2 * rofs_block_bytes) return entry_flaw::sizes;
    if (!blocks_.push_back(block))
      return fail(errc::out_of_memory, "out of memory for the list of compressed blocks");
  }
  return entry_flaw::none;
}

result<bool> list_rofs(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with(rofs_mark)) return false;
  return rofs_list(input, into).run();
}

result<opened_entry> open_rofs(const archive& from, const archive_entry& entry,
                               operating_system& os) noexcept {
  result<opened_entry> opened = open_plain(from, entry, os);
  if (opened && entry.bytes > 0) opened->handle = from.store.get()->open_all();
  return opened;
}

}  // namespace

const archive_format rofs_format{
    .id = mount_format::rofs,
    .name = "rofs",
    .files = "Resident Evil 3",
    .extensions = "dat",
    .list = list_rofs,
    .open = open_rofs,
};

}  // namespace overture::archives_detail
