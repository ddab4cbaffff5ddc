// The encrypted entries of a ZIP archive, as blocks that are decrypted and unpacked once.
#pragma once

#include "archives/block_store.hpp"
#include "archives/zip.hpp"
#include "archives/zip_cipher.hpp"

namespace overture::vfs {

class zip_decrypter final : public block_store {
 public:
  zip_decrypter(allocator& memory, operating_system& os, const owned_handle& file,
                std::string_view password) noexcept
      : block_store(memory, os, file), key_(password), entries_(memory, memory_tag::vfs) {}

  // In the order of their places. `check` is the last byte in front of the data, decrypted.
  [[nodiscard]] result<void> add(const archive_entry& entry, std::uint8_t check) noexcept;
  // Where in the store an entry begins; false if it was not added.
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

  zip_cipher key_;
  vec<encrypted> entries_;  // by number of their block
};

}  // namespace overture::vfs
