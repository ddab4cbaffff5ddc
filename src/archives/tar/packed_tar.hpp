// SPDX-License-Identifier: Zlib
//
// Tar archives that are packed as a whole: by gzip, xz, zstd or BZip2.
//
// There is no way to the middle of one, so all of it is one block of a block_store, which is
// unpacked when a file of it is first read; listing it unpacks it too, and keeps nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "archives/block_store.hpp"
#include "archives/tar/tar_parts.hpp"

namespace overture::archives_detail {

// What is packed, from the beginning to the end. Errors: corrupt, unsupported, out_of_memory, those
// of the reader.
class tar_stream {
 public:
  // `read` is used until the end.
  tar_stream(allocator& memory, tar_packing packing, checksums of_gzip, std::uint64_t packed_bytes,
             archive_reader read) noexcept
      : memory_(memory), packing_(packing), of_gzip_(of_gzip), input_(memory, packed_bytes, read) {}

  // Fills `to`; less only at the end, or on an error. `made`: how many bytes, on an error too.
  result<void> read(std::span<std::byte> to, std::size_t& made) noexcept;
  // How many bytes the parts have made that are complete.
  [[nodiscard]] std::uint64_t bytes_of_whole_parts() const noexcept { return of_whole_parts_; }
  // At the end: whether something else than parts and zeros follows.
  [[nodiscard]] bool has_rest() const noexcept { return has_rest_; }

  // The most memory that unpacking takes.
  [[nodiscard]] static std::uint64_t memory_max(tar_packing packing) noexcept {
    return packed_input::room_bytes + part_memory_max(packing);
  }

 private:
  // False if there is none.
  [[nodiscard]] result<bool> begin_part() noexcept;

  allocator& memory_;
  const tar_packing packing_;
  const checksums of_gzip_;
  packed_input input_;
  owned_part_decoder decoder_;
  bool in_part_ = false;
  bool ended_ = false;
  bool has_rest_ = false;
  std::uint64_t bytes_ = 0;
  std::uint64_t of_whole_parts_ = 0;
};

// All of an archive as one block.
class packed_tar final : public block_store {
 public:
  packed_tar(allocator& memory, operating_system& os, const owned_handle& file, tar_packing packing,
             std::uint64_t packed_bytes) noexcept
      : block_store(memory, os, file),
        memory_(memory),
        packing_(packing),
        packed_bytes_(packed_bytes) {}

  // Once, when it is listed. Errors: limit, out_of_memory.
  [[nodiscard]] result<std::uint64_t> add_all(std::uint64_t bytes) noexcept {
    return add_block(bytes);
  }

 private:
  result<void> unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                      std::size_t& made) noexcept override;
  [[nodiscard]] const char* packed_as() const noexcept override {
    return "the tar is packed as a whole";
  }
  [[nodiscard]] std::uint64_t working_bytes(std::uint32_t number) const noexcept override;

  allocator& memory_;
  const tar_packing packing_;
  const std::uint64_t packed_bytes_;
};

}  // namespace overture::archives_detail
