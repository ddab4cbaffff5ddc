// SPDX-License-Identifier: Zlib
//
// The blocks of a 7z archive, each unpacked once for all its files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "archives/block_store.hpp"
#include "archives/seven_zip/seven_zip_header.hpp"
#include "archives/seven_zip/unpack_chain.hpp"
#include "base/vec.hpp"
#include "sync/mutex.hpp"

namespace overture::archives_detail {

inline constexpr const char* wrong_7z_password = "wrong password, or the archive is damaged";

class seven_zip_blocks final : public block_store {
 public:
  seven_zip_blocks(allocator& memory, operating_system& os, const owned_handle& file) noexcept
      : block_store(memory, os, file),
        packed_(memory, memory_tag::vfs),
        steps_(memory, memory_tag::vfs),
        ranges_(memory, memory_tag::vfs),
        password_(memory, memory_tag::vfs),
        unchecked_(memory, memory_tag::vfs) {}

  // For encrypted blocks.
  result<void> set_password(std::string_view password) noexcept {
    for (const char c : password) {
      if (!password_.push_back(c)) return no_memory();
    }
    return {};
  }
  // Returns the block's offset in the store. `at`: of its packed streams in the archive.
  result<std::uint64_t> add(const seven_zip_header& header, const seven_zip_block& block,
                            std::uint64_t at) noexcept;
  // Notes a file without a checksum. Call in ascending order of offsets.
  result<void> add_unchecked(std::uint64_t offset) noexcept {
    return unchecked_.push_back(offset) ? result<void>{} : no_memory();
  }
  [[nodiscard]] bool is_checked(std::uint64_t offset) const noexcept {
    return !std::binary_search(unchecked_.begin(), unchecked_.end(), offset);
  }

 private:
  struct located_block {
    packed_block block;  // if it has no steps
    std::uint64_t offset = 0;
    std::uint32_t first_step = 0;
    std::uint32_t first_range = 0;
    std::uint8_t step_count = 0;
    std::uint8_t range_count = 0;
    std::uint8_t last_step = 0;
  };
  // A packed stream.
  class range_source final : public byte_source {
   public:
    range_source() = default;
    range_source(seven_zip_blocks& store, packed_range range, reading how) noexcept
        : store_(&store), range_(range), how_(how) {}
    range_source& operator=(range_source&& other) noexcept {
      store_ = other.store_;
      range_ = other.range_;
      how_ = other.how_;
      return *this;
    }
    result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override {
      made = 0;
      const std::size_t count = std::min<std::uint64_t>(to.size(), range_.bytes);
      result<void> done = store_->read_packed(range_.offset, to.first(count), how_);
      if (!done) return done;
      range_.offset += count;
      range_.bytes -= count;
      made = count;
      return {};
    }

   private:
    seven_zip_blocks* store_ = nullptr;
    packed_range range_;
    reading how_ = reading::may_wait;
  };
  static constexpr std::size_t ranges_max = unpack_steps_max * unpack_step::inputs_max;

  static tl::unexpected<error> no_memory() {
    return fail(errc::out_of_memory, "out of memory for the list of compressed blocks");
  }
  [[nodiscard]] unpack_chain chain_of(const located_block& block) const noexcept {
    return {steps_.span().subspan(block.first_step, block.step_count), block.last_step};
  }
  result<void> unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                      std::size_t& made) noexcept override;
  result<void> unpack_steps(const located_block& from, std::span<std::byte> to, reading how,
                            std::size_t& made) noexcept;
  result<aes_key> key_of(const aes_parameters& wanted) noexcept;
  // The dictionaries.
  [[nodiscard]] std::uint64_t working_bytes(std::uint32_t number) const noexcept override {
    const located_block& from = packed_[number];
    if (from.step_count != 0) return chain_bytes(chain_of(from));
    return std::min<std::uint64_t>(from.block.dictionary_bytes, from.block.bytes);
  }

  base_detail::vec<located_block> packed_;  // by block number
  base_detail::vec<unpack_step> steps_;
  base_detail::vec<packed_range> ranges_;
  base_detail::vec<char> password_;
  base_detail::vec<std::uint64_t> unchecked_;
  // The last key: all blocks of an archive have the same, as a rule.
  sync_detail::mutex key_lock_;
  aes_parameters key_from_ GUARDED_BY(key_lock_);
  aes_key key_ GUARDED_BY(key_lock_){};
  bool has_key_ GUARDED_BY(key_lock_) = false;
};

}  // namespace overture::archives_detail
