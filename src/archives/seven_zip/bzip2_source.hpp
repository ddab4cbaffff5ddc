// SPDX-License-Identifier: Zlib
//
// What BZip2 makes of packed bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "archives/seven_zip/byte_source.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"

namespace overture::archives_detail {

class bzip2_source final : public byte_source {
 public:
  static constexpr std::uint64_t memory_max = 4u << 20;

  bzip2_source(byte_source& from, allocator& memory) noexcept;
  ~bzip2_source() override;
  // Errors: corrupt, out_of_memory, those of the source.
  result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override;

 private:
  struct decoder;

  allocator& memory_;
  source_buffer packed_;
  decoder* decoder_ = nullptr;
};

}  // namespace overture::archives_detail
