// SPDX-License-Identifier: Zlib
//
// Tar archives that are packed as a whole: by gzip, xz, zstd or BZip2.
//
// There is no way to the middle of one, so all of it is one block of a block_store, which is
// unpacked when a file of it is first read; listing it unpacks it too, and keeps nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "archives/block_store.hpp"
#include "archives/seven_zip/byte_source.hpp"
#include "base/vec.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::archives_detail {

enum class tar_packing : std::uint8_t { none, gzip, xz, zstd, bzip2 };

// By the first bytes of the file.
[[nodiscard]] tar_packing packing_of(std::span<const std::byte> front) noexcept;

// Reads all of `to` from the archive.
using archive_reader = function_ref<result<void>(std::uint64_t offset, std::span<std::byte> to)>;

// What is packed, from the beginning to the end. Errors: corrupt, unsupported, out_of_memory, those
// of the reader.
class tar_stream final : public byte_source {
 public:
  // `read` is used until the end.
  tar_stream(allocator& memory, tar_packing packing, std::uint64_t packed_bytes,
             archive_reader read) noexcept;
  ~tar_stream() override;
  result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override;

  // The most memory that unpacking takes.
  [[nodiscard]] static std::uint64_t memory_max(tar_packing packing) noexcept;

 private:
  class packed_source final : public byte_source {
   public:
    packed_source(std::uint64_t bytes, archive_reader read) noexcept : bytes_(bytes), read_(read) {}
    result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override;

   private:
    std::uint64_t bytes_;
    std::uint64_t at_ = 0;
    archive_reader read_;
  };
  class xz_source;

  result<void> begin() noexcept;
  [[nodiscard]] result<void> skip_gzip_header() noexcept;

  allocator& memory_;
  const tar_packing packing_;
  packed_source packed_;
  byte_source* unpacked_ = nullptr;
  void (*end_)(allocator&, byte_source*) noexcept = nullptr;
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
  [[nodiscard]] std::uint64_t working_bytes(std::uint32_t number) const noexcept override;
  [[nodiscard]] result<void> check_gzip(std::span<const std::byte> content, reading how) noexcept;

  allocator& memory_;
  const tar_packing packing_;
  const std::uint64_t packed_bytes_;
};

}  // namespace overture::archives_detail
