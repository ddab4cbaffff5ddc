// SPDX-License-Identifier: Zlib
//
// Writes a start pack into a file that is open and empty.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/vec.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/os.hpp"
#include "start_pack/format.hpp"

struct libdeflate_compressor;

namespace overture::start_pack {

class pack_writer {
 public:
  pack_writer(operating_system& os, os_handle file, allocator& memory) noexcept;
  ~pack_writer();
  pack_writer(const pack_writer&) = delete;
  pack_writer& operator=(const pack_writer&) = delete;

  // Adds an entry after the others. It is packed if that halves it. Errors: limit (too large),
  // those of writing, out_of_memory.
  [[nodiscard]] result<void> add(std::string_view path, std::string_view name, const identity& real,
                                 std::span<const std::byte> bytes) noexcept;
  // Writes the index and the header: before that, the file is no pack.
  [[nodiscard]] result<void> finish(std::string_view program) noexcept;

  [[nodiscard]] std::uint32_t entry_count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t data_bytes() const noexcept { return end_ - header_bytes; }

 private:
  [[nodiscard]] std::span<const std::byte> packed(std::span<const std::byte> bytes) noexcept;

  operating_system& os_;
  os_handle file_;
  base_detail::vec<std::byte> records_;
  base_detail::vec<std::byte> texts_;
  base_detail::vec<std::byte> room_;
  libdeflate_compressor* compressor_ = nullptr;
  std::uint64_t end_ = header_bytes;
  std::uint32_t count_ = 0;
};

}  // namespace overture::start_pack
