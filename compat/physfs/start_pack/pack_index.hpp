// SPDX-License-Identifier: Zlib
//
// What is in a start pack. Everything that a pack says is checked when it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/vec.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/os.hpp"
#include "start_pack/format.hpp"

namespace overture::start_pack {

class pack_index {
 public:
  // Errors: corrupt, limit, those of reading, out_of_memory.
  [[nodiscard]] static result<pack_index> read(operating_system& os, os_handle file,
                                               allocator& memory) noexcept;

  // In the order of the data. The texts live as long as the index.
  [[nodiscard]] std::span<const entry> entries() const noexcept { return entries_.span(); }
  // The program that the pack was made for.
  [[nodiscard]] std::string_view program() const noexcept { return program_; }
  // The number of an entry, or none; the first one if several have the name.
  [[nodiscard]] std::size_t find(std::string_view path, std::string_view name) const noexcept;
  static constexpr std::size_t none = SIZE_MAX;

 private:
  explicit pack_index(allocator& memory) noexcept
      : bytes_(memory, memory_tag::vfs),
        entries_(memory, memory_tag::vfs),
        by_name_(memory, memory_tag::vfs) {}
  [[nodiscard]] result<void> parse(std::uint64_t data_end, std::uint32_t count,
                                   std::uint32_t program_bytes) noexcept;
  [[nodiscard]] bool sort_by_name() noexcept;

  base_detail::vec<std::byte> bytes_;
  base_detail::vec<entry> entries_;
  // The numbers of the entries. Sorted and not hashed, as a pack could have a million equal hashes.
  base_detail::vec<std::uint32_t> by_name_;
  std::string_view program_;
};

}  // namespace overture::start_pack
