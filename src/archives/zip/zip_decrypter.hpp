// SPDX-License-Identifier: Zlib
//
// The encrypted entries of a ZIP archive: each is a block that is decrypted and unpacked once.
#pragma once

#include "archives/block_store.hpp"
#include "archives/zip/zip.hpp"
#include "archives/zip/zip_cipher.hpp"

namespace overture::archives_detail {

class zip_decrypter final : public block_store {
 public:
  zip_decrypter(allocator& memory, operating_system& os, const owned_handle& file,
                std::string_view password) noexcept
      : block_store(memory, os, file), key_(password), entries_(memory, memory_tag::vfs) {}

  // Call in ascending order of offsets. `check` is the expected last byte of the decrypted
  // encryption header.
  [[nodiscard]] result<void> add(const archive_entry& entry, std::uint8_t check) noexcept;
  // An entry's offset in the store. False if it was not added.
  [[nodiscard]] bool find(const archive_entry& entry, std::uint64_t& offset) const noexcept;

 private:
  struct encrypted {
    std::uint64_t header = 0;  // in the archive
    std::uint64_t packed_bytes = 0;
    std::uint64_t offset = 0;  // in the store
    compression method = compression::none;
    std::uint8_t check = 0;
  };

  result<void> unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                      std::size_t& made) noexcept override;
  [[nodiscard]] const char* packed_as() const noexcept override { return "the file is encrypted"; }
  [[nodiscard]] std::uint64_t working_bytes(std::uint32_t number) const noexcept override {
    return entries_[number].packed_bytes;
  }

  zip_cipher key_;
  base_detail::vec<encrypted> entries_;  // by block number
};

}  // namespace overture::archives_detail
