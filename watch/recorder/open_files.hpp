// SPDX-License-Identifier: Zlib
//
// What the descriptors of the process are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture::watch {

enum class descriptor_kind : std::uint8_t { unknown, file, folder, socket, event };

struct descriptor {
  atomic<std::uint32_t> name{0};
  atomic<descriptor_kind> kind{descriptor_kind::unknown};
  atomic<std::uint64_t> place{0};    // where it reads next; entries that were listed of a folder
  atomic<std::uint64_t> list_ns{0};  // that a folder's listing took so far
};

// Those of higher numbers share the last one, which stays unknown.
inline constexpr std::size_t descriptors_max = 16384;
[[nodiscard]] descriptor& descriptor_of(int file) noexcept;
void note_descriptor(int file, std::uint32_t name, descriptor_kind kind) noexcept;
// 0 if it is no file, or an unknown one.
[[nodiscard]] std::uint32_t name_of_file(int file) noexcept;
// Whether there is one of that name.
[[nodiscard]] bool is_open(std::uint32_t name) noexcept;
// Of a process before a fork, which had other numbers for names.
void forget_descriptors() noexcept;
void forget_descriptor(int file) noexcept;

// What stands for an eventfd where others have an address: no memory is there.
[[nodiscard]] inline const void* event_address(int file) noexcept {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(static_cast<unsigned>(file)));
}

}  // namespace overture::watch
