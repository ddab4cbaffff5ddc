// SPDX-License-Identifier: Zlib
#include "archives/tar/packed_tar.hpp"

#include <algorithm>

namespace overture::archives_detail {

// --- The stream ----------------------------------------------------------------------------------

result<bool> tar_stream::begin_part() noexcept {
  const bool is_first = decoder_.get() == nullptr;
  result<std::span<const std::byte>> next = input_.peek(part_front_bytes);
  // Tools fill the last part up with zeros.
  while (!is_first && next && !next->empty() && next->front() == std::byte{}) {
    const auto zeros = std::find_if(next->begin(), next->end(),
                                    [](std::byte each) { return each != std::byte{}; });
    input_.use(static_cast<std::size_t>(zeros - next->begin()));
    next = input_.peek(part_front_bytes);
  }
  if (!next) return tl::unexpected(next.error());
  if (is_first) {
    decoder_ = make_part_decoder(memory_, packing_, of_gzip_);
    if (!decoder_.get()) return no_memory_for_tar();
  } else if (packing_of(*next) != packing_) {
    has_rest_ = !next->empty();
    return false;
  }
  return decoder_.get()->begin(input_).map([] { return true; });
}

result<void> tar_stream::read(std::span<std::byte> to, std::size_t& made) noexcept {
  made = 0;
  while (!ended_) {
    if (!in_part_) {
      const result<bool> begun = begin_part();
      if (!begun) return tl::unexpected(begun.error());
      in_part_ = *begun;
      ended_ = !in_part_;
      continue;
    }
    std::size_t count = 0;
    const result<bool> ends = decoder_.get()->unpack(input_, to.subspan(made), count);
    made += count;
    bytes_ += count;
    if (!ends) return tl::unexpected(ends.error());
    if (!*ends) return {};  // `to` is full
    in_part_ = false;
    of_whole_parts_ = bytes_;
  }
  return {};
}

// --- The block -----------------------------------------------------------------------------------

std::uint64_t packed_tar::working_bytes(std::uint32_t) const noexcept {
  return tar_stream::memory_max(packing_);
}

result<void> packed_tar::unpack(std::uint32_t, std::span<std::byte> to, reading how,
                                std::size_t& made) noexcept {
  made = 0;
  // If reading must not wait, check first that the end is cached, or unpacking might be in vain.
  std::byte last{};
  if (how == reading::at_once) {
    if (result<void> there = read_archive(packed_bytes_ - 1, {&last, 1}, how); !there) return there;
  }
  const auto read = [&](std::uint64_t offset, std::span<std::byte> part) {
    return read_packed(offset, part, how);
  };
  tar_stream stream(memory_, packing_, checksums::verified, packed_bytes_, read);
  result<void> done = stream.read(to, made);
  if (done && made < to.size()) return tar_is_truncated();
  // The checksum comes behind the last byte.
  std::size_t more = 0;
  if (done) done = stream.read({&last, 1}, more);
  // Of a member that does not match its checksum any byte may be the wrong one.
  if (!done && packing_ == tar_packing::gzip) {
    made = static_cast<std::size_t>(std::min<std::uint64_t>(made, stream.bytes_of_whole_parts()));
  }
  return done;
}

}  // namespace overture::archives_detail
