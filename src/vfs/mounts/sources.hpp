// SPDX-License-Identifier: Zlib
//
// The table of source_ids: maps them to open files.
//
// Slots are in chunks that are not freed before the table, so a look-up needs no lock: it reads the
// slot and accepts it if the generation still matches. Releasing a slot advances its generation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/index_stack.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/base/os.hpp"
#include "overture/vfs/file_system.hpp"
#include "vfs/mounts/sizes.hpp"

namespace overture::vfs_detail {

// The mount and entry that a source belongs to.
struct source_owner {
  static constexpr std::uint32_t whole_archive = UINT32_MAX;
  static constexpr std::uint32_t written_bit = 1u << 31;
  mount_id mount;
  // Or the number of a loose file in its mount, or with written_bit of a written_name.
  std::uint32_t entry = whole_archive;
  operating_system* os = nullptr;  // that the handle belongs to
};

class source_table {
 public:
  explicit source_table(allocator& memory) noexcept : memory_(memory) {}
  ~source_table();
  source_table(const source_table&) = delete;
  source_table& operator=(const source_table&) = delete;

  // Errors: out_of_memory, limit. Any thread.
  [[nodiscard]] result<source_id> add(os_handle handle, source_owner owner) noexcept;
  // Ends an id and returns the handle, which the caller must close. Once per id. Any thread.
  os_handle remove(source_id id) noexcept;

  // False if the id is unknown, or not known any more. Any thread.
  [[nodiscard]] bool find(source_id id, os_handle& handle, source_owner& owner) const noexcept;

 private:
  struct slot {
    atomic<std::uint32_t> generation{0};
    atomic<std::uint32_t> link{base_detail::index_stack::none};
    atomic<std::int64_t> handle{0};
    atomic<std::uint32_t> mount{0};
    atomic<std::uint32_t> entry{0};
    atomic<operating_system*> os{nullptr};
  };
  static constexpr std::uint32_t chunk_slots = source_chunk_slots;
  static constexpr std::uint32_t chunks_max = source_chunks_max;

  [[nodiscard]] slot* slot_of(std::uint32_t index) const noexcept;
  result<std::uint32_t> take_slot() noexcept;
  auto links() noexcept {
    return [this](std::uint32_t index) -> atomic<std::uint32_t>& { return slot_of(index)->link; };
  }

  allocator& memory_;
  base_detail::index_stack free_;
  atomic<std::uint32_t> chunk_count_{0};
  atomic<slot*> chunks_[chunks_max] = {};
};

}  // namespace overture::vfs_detail
