// SPDX-License-Identifier: Zlib
#include "load/scratch.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "base/threads/thread_slot.hpp"
#include "base/vec.hpp"

namespace overture::load_detail {
using namespace base_detail;

namespace {

constexpr std::size_t buffer_bytes_max = std::size_t{8} << 20;
constexpr std::size_t buffer_bytes_min = std::size_t{64} << 10;

}  // namespace

scratch_shelf::~scratch_shelf() {
  for (atomic<scratch_space*>& kept : kept_) {
    destroy_object(memory_, memory_tag::load, kept.load(std::memory_order_relaxed));
  }
}

scratch_space* scratch_shelf::take() noexcept {
  scratch_space* const kept =
      kept_[thread_slot() % slots].exchange(nullptr, std::memory_order_acquire);
  return kept ? kept : make_object<scratch_space>(memory_, memory_tag::load);
}

void scratch_shelf::put_back(scratch_space* taken) noexcept {
  scratch_space* const other =
      kept_[thread_slot() % slots].exchange(taken, std::memory_order_acq_rel);
  destroy_object(memory_, memory_tag::load, other);
}

std::span<std::byte> loader_scratch::buffer(blob scratch_space::* kept,
                                            std::size_t bytes) noexcept {
  const std::uint64_t bytes_max = std::min<std::uint64_t>(buffer_bytes_max, bytes_max_);
  if (!space_ || bytes == 0 || bytes > bytes_max) return {};
  blob& block = space_->*kept;
  if (block.size() < bytes) {
    result<blob> larger = buffers_.take(std::bit_ceil(std::max(bytes, buffer_bytes_min)));
    if (!larger) return {};
    block = std::move(*larger);
  }
  return block.span().first(bytes);
}

void loader_scratch::give(std::span<const std::byte> content, blob& packed,
                          blob& unpacked) noexcept {
  if (!space_) return;
  const auto holds = [&](const blob& block) {
    const std::byte* const begin = block.span().data();
    return !block.empty() && std::less_equal<>()(begin, content.data()) &&
           std::less<>()(content.data(), begin + block.size());
  };
  if (holds(space_->packed)) packed = std::move(space_->packed);
  if (holds(space_->unpacked)) unpacked = std::move(space_->unpacked);
}

}  // namespace overture::load_detail
