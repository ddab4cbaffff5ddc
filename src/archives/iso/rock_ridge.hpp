// SPDX-License-Identifier: Zlib
//
// Rock Ridge: what POSIX systems add to the records of an ISO 9660 image.
//
//   The system use area, after a record's name, is a list of fields: char name[2], u8 bytes of the
//   field, u8 version, data.
//     SP  in the root's record of itself: 0xBE, 0xEF, u8 bytes to skip in all other areas
//     CE  the area goes on elsewhere: u32 sector, u32 offset in it, u32 bytes (all in both orders)
//     ST  the area ends
//     PX  u32 mode (both), ...
//     NM  u8 flags (1: the next NM goes on, 2: ".", 4: ".."), a part of the name
//     SL  u8 flags (1: the next SL goes on), then the link's target by elements: u8 flags (1: the
//         next one goes on, 2: ".", 4: "..", 8: "/"), u8 bytes, text
//     CL  u32 sector (both): the record stands for a folder that is stored there, because it is too
//         deep for ISO 9660
//     RE  the folder is such a one, and belongs elsewhere
//     ZF  the file is packed, see zisofs.hpp
//
// Sources: System Use Sharing Protocol (IEEE P1281), Rock Ridge Interchange Protocol (IEEE P1282,
// both draft 1.12).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "archives/iso/zisofs.hpp"
#include "archives/tables/plain_table.hpp"
#include "base/vec.hpp"

namespace overture::archives_detail {

enum class posix_kind : std::uint8_t { unknown, file, folder, link, other };

class rock_ridge {
 public:
  static constexpr std::size_t sector_bytes = 2048;

  explicit rock_ridge(allocator& memory) noexcept
      : name_(memory, memory_tag::vfs),
        target_(memory, memory_tag::vfs),
        area_(memory, memory_tag::vfs) {}

  // Whether the root's record of itself says that the image has Rock Ridge. `area` is its system
  // use area. Errors: those of read().
  result<bool> begin(plain_table& table, std::span<const std::byte> area) noexcept;
  // Reads the fields of a record, without using the table's window. False if they are broken.
  // Errors: corrupt if they overlap, out_of_memory, those of the disk.
  result<bool> read(plain_table& table, std::span<const std::byte> area) noexcept;

  // Of the record that was read last. Empty if it has no name of its own.
  [[nodiscard]] std::string_view name() const noexcept { return {name_.data(), name_.size()}; }
  [[nodiscard]] std::string_view target() const noexcept {
    return {target_.data(), target_.size()};
  }
  [[nodiscard]] posix_kind kind() const noexcept { return kind_; }
  // Whether its owner may run it.
  [[nodiscard]] bool is_executable() const noexcept { return is_executable_; }
  [[nodiscard]] bool is_relocated() const noexcept { return is_relocated_; }
  // The sector of the folder that the record stands for, or 0.
  [[nodiscard]] std::uint32_t child() const noexcept { return child_; }
  [[nodiscard]] const zisofs_field& packing() const noexcept { return packing_; }

 private:
  struct continuation {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
  };
  void forget() noexcept;
  result<void> read_fields(std::span<const std::byte> area, continuation& next) noexcept;
  [[nodiscard]] bool take(std::string_view field, std::span<const std::byte> data,
                          continuation& next) noexcept;
  [[nodiscard]] bool take_name(std::span<const std::byte> data) noexcept;
  [[nodiscard]] bool take_target(std::span<const std::byte> data) noexcept;
  [[nodiscard]] bool append(base_detail::vec<char>& text, std::string_view more) noexcept;

  std::size_t skipped_bytes_ = 0;
  std::uint64_t continued_bytes_ = 0;  // of all records
  base_detail::vec<char> name_;
  base_detail::vec<char> target_;
  base_detail::vec<char> area_;
  bool element_goes_on_ = false;  // of the target
  posix_kind kind_ = posix_kind::unknown;
  bool is_executable_ = false;
  bool is_relocated_ = false;
  std::uint32_t child_ = 0;
  zisofs_field packing_;
};

}  // namespace overture::archives_detail
