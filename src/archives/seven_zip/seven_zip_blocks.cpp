// SPDX-License-Identifier: Zlib
#include "archives/seven_zip/seven_zip_blocks.hpp"

#include <array>

namespace overture::archives_detail {

result<std::uint64_t> seven_zip_blocks::add(const seven_zip_header& header,
                                            const seven_zip_block& block,
                                            std::uint64_t at) noexcept {
  located_block added{.block = block.packed, .offset = at};
  if (block.step_count != 0) {
    added.first_step = static_cast<std::uint32_t>(steps_.size());
    added.first_range = static_cast<std::uint32_t>(ranges_.size());
    added.step_count = block.step_count;
    added.range_count = block.packed_count;
    added.last_step = block.last_step;
    for (const unpack_step& step : archives_detail::chain_of(header, block).steps) {
      if (!steps_.push_back(step)) return no_memory();
    }
    for (std::uint32_t i = 0; i < block.packed_count; ++i) {
      const std::uint64_t bytes = header.packed_bytes[block.first_packed + i];
      if (!ranges_.push_back({at, bytes})) return no_memory();
      at += bytes;
    }
  }
  // Indexed by the store's block numbers, so stored blocks are listed too.
  if (!packed_.push_back(added)) return no_memory();
  return block.step_count == 0 && block.packed.is_stored()
             ? add_stored(block.packed.bytes, added.offset)
             : add_block(block.packed.bytes);
}

result<void> seven_zip_blocks::unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                                      std::size_t& made) noexcept {
  const located_block& from = packed_[number];
  made = 0;
  // If reading must not wait, check first that the end is cached, or unpacking might be in vain.
  std::byte last{};
  if (how == reading::at_once && from.block.packed_bytes > 0) {
    result<void> there = read_archive(from.offset + from.block.packed_bytes - 1, {&last, 1}, how);
    if (!there) return there;
  }
  if (from.step_count != 0) return unpack_steps(from, to, how, made);
  range_source packed(*this, {from.offset, from.block.packed_bytes}, how);
  return unpack_lzma(from.block, packed, to, made, packed_.memory());
}

result<void> seven_zip_blocks::unpack_steps(const located_block& from, std::span<std::byte> to,
                                            reading how, std::size_t& made) noexcept {
  std::array<range_source, ranges_max> sources;
  std::array<byte_source*, ranges_max> streams{};
  for (std::size_t i = 0; i < from.range_count; ++i) {
    sources[i] = range_source(*this, ranges_[from.first_range + i], how);
    streams[i] = &sources[i];
  }
  const unpack_chain chain = chain_of(from);
  std::array<aes_key, unpack_steps_max> keys{};
  bool encrypted = false;
  for (std::size_t i = 0; i < chain.steps.size(); ++i) {
    if (chain.steps[i].kind != step_kind::aes) continue;
    encrypted = true;
    const result<aes_key> key = key_of(chain.steps[i].aes);
    if (!key) return tl::unexpected(key.error());
    keys[i] = *key;
  }
  result<void> done = archives_detail::unpack(chain, std::span(streams).first(from.range_count),
                                              keys, to, made, packed_.memory());
  if (!done && encrypted && done.error().code == errc::corrupt) {
    made = 0;
    return fail(errc::password, wrong_7z_password, {}, from.offset);
  }
  return done;
}

result<aes_key> seven_zip_blocks::key_of(const aes_parameters& wanted) noexcept {
  {
    const sync_detail::scoped_lock hold(key_lock_);
    if (has_key_ && key_from_.same_key(wanted)) return key_;
  }
  const result<aes_key> key =
      derive_key(wanted, {password_.data(), password_.size()}, packed_.memory());
  if (!key) return key;
  const sync_detail::scoped_lock hold(key_lock_);
  key_from_ = wanted;
  key_ = *key;
  has_key_ = true;
  return key;
}

}  // namespace overture::archives_detail
