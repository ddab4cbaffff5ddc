// SPDX-License-Identifier: Zlib
#include "load/load_order.hpp"

#include <algorithm>
#include <tuple>

namespace overture::load_detail {
using namespace base_detail;

namespace {

struct placed_file {
  ordered_file file;
  std::uint32_t turn = 0;      // of its block
  std::uint32_t position = 0;  // in the block
};

bool has_block(const ordered_file& file) noexcept {
  return file.block.bytes != 0;
}

auto block_key(const ordered_file& file) noexcept {
  return std::tuple(file.block.mount.value, file.block.offset);
}

std::uint64_t bytes_of_blocks(const vec<placed_file>& by_block) noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < by_block.size(); ++i) {
    if (by_block[i].position == 0) bytes += by_block[i].file.block.bytes;
  }
  return bytes;
}

// Files of one block next to each other and numbered, the largest block at the front.
void arrange_by_block(vec<placed_file>& files) noexcept {
  std::sort(files.begin(), files.end(), [](const placed_file& a, const placed_file& b) {
    if (a.file.block.bytes != b.file.block.bytes) return a.file.block.bytes > b.file.block.bytes;
    return std::tuple(block_key(a.file), a.file.number) <
           std::tuple(block_key(b.file), b.file.number);
  });
  for (std::size_t i = 1; i < files.size(); ++i) {
    const bool same = block_key(files[i].file) == block_key(files[i - 1].file);
    files[i].position = same ? files[i - 1].position + 1 : 0;
  }
}

// Gives each block its turn, then arranges by turns.
void arrange_by_turn(vec<placed_file>& files, const load_means& means) noexcept {
  std::uint32_t turn = 0;
  std::uint64_t bytes = 0;
  unsigned blocks = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].position == 0) {
      const std::uint64_t more = files[i].file.block.bytes;
      if (blocks == means.threads || (blocks != 0 && bytes + more > means.room_bytes)) {
        ++turn;
        bytes = 0;
        blocks = 0;
      }
      bytes += more;
      ++blocks;
    }
    files[i].turn = turn;
  }
  std::sort(files.begin(), files.end(), [](const placed_file& a, const placed_file& b) {
    return std::tuple(a.turn, a.position, block_key(a.file)) <
           std::tuple(b.turn, b.position, block_key(b.file));
  });
}

}  // namespace

bool order_files(std::span<const ordered_file> files, const load_means& means, allocator& memory,
                 vec<std::uint32_t>& order) noexcept {
  vec<placed_file> in_blocks(memory, memory_tag::load);
  for (const ordered_file& file : files) {
    if (has_block(file) && !in_blocks.push_back({file})) return false;
  }
  arrange_by_block(in_blocks);
  const bool in_turns = bytes_of_blocks(in_blocks) > means.room_bytes;

  const std::size_t before = order.size();
  if (!order.resize(before + files.size())) return false;
  std::uint32_t* const first = order.begin() + before;
  vec<ordered_file> large(memory, memory_tag::load);
  std::size_t small = 0;
  for (const ordered_file& file : files) {
    if (in_turns && has_block(file)) continue;
    if (file.bytes < large_bytes_min) {
      first[small++] = file.number;
    } else if (!large.push_back(file)) {
      return false;
    }
  }
  std::sort(large.begin(), large.end(),
            [](const ordered_file& a, const ordered_file& b) { return a.bytes > b.bytes; });
  std::move_backward(first, first + small, order.end());
  std::uint32_t* next = first;
  if (in_turns) {
    arrange_by_turn(in_blocks, means);
    for (const placed_file& each : in_blocks) *next++ = each.file.number;
  }
  for (const ordered_file& each : large) *next++ = each.number;
  return true;
}

}  // namespace overture::load_detail
