// SPDX-License-Identifier: Zlib
#include "archives/zip/zip_decrypter.hpp"

#include <algorithm>

#include "archives/zip/zip_directory.hpp"
#include "overture/io/unpack.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

// The password is checked with one byte. If that fails, or what follows cannot be unpacked, it is
// the password or the file.
constexpr const char* wrong_password = "wrong password, or the file is damaged";

}  // namespace

result<void> zip_decrypter::add(const archive_entry& entry, std::uint8_t check) noexcept {
  const result<std::uint64_t> offset = add_block(entry.bytes);
  if (!offset) return tl::unexpected(offset.error());
  if (!entries_.push_back({entry.offset, entry.packed_bytes, *offset, entry.method, check})) {
    return fail(errc::out_of_memory, "out of memory for the list of encrypted files");
  }
  return {};
}

bool zip_decrypter::find(const archive_entry& entry, std::uint64_t& offset) const noexcept {
  const encrypted* const found = std::lower_bound(
      entries_.begin(), entries_.end(), entry.offset,
      [](const encrypted& one, std::uint64_t header) { return one.header < header; });
  if (found == entries_.end() || found->header != entry.offset) return false;
  offset = found->offset;
  return true;
}

result<void> zip_decrypter::unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                                   std::size_t& made) noexcept {
  made = 0;
  const encrypted& entry = entries_[number];
  std::byte header_room[zip_local_header_bytes];
  zip_local_header header;
  if (result<void> read = read_packed(entry.header, header_room, how); !read) return read;
  if (!read_zip_local_header(header_room, header)) {
    return fail(errc::corrupt, "the file has no local header", {}, entry.header);
  }
  vec<std::byte> packed(entries_.memory(), memory_tag::vfs);
  if (!packed.resize_for_overwrite(entry.packed_bytes)) {
    return fail(errc::out_of_memory, "out of memory for decrypting the file", {},
                entry.packed_bytes);
  }
  const std::span<std::byte> all(packed.data(), packed.size());
  result<void> read = read_packed(entry.header + header.header_bytes, all, how);
  if (!read) return read;
  zip_cipher cipher = key_;
  cipher.decrypt(all);
  if (all[zip_encryption_header_bytes - 1] != std::byte{entry.check}) {
    return fail(errc::password, wrong_password, {}, entry.header);
  }
  unpacker tables;
  result<void> done = tables.unpack(entry.method, all.subspan(zip_encryption_header_bytes), to);
  if (!done && done.error().code == errc::corrupt) done.error().reason = wrong_password;
  return done;
}

}  // namespace overture::archives_detail
