// SPDX-License-Identifier: Zlib
#include "archives/seven_zip/unpack_chain.hpp"

#include <algorithm>
#include <utility>

#include "archives/seven_zip/bcj2.hpp"
#include "archives/seven_zip/bzip2_source.hpp"
#include "archives/seven_zip/piece_source.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

tl::unexpected<error> no_memory_for_unpacking() {
  return fail(errc::out_of_memory, "out of memory for unpacking a block of the archive");
}

// Turns the bytes of each group around. What is left at the end stays as it is.
class swap_source final : public byte_source {
 public:
  swap_source(byte_source& from, std::size_t group, allocator& memory) noexcept
      : packed_(from, memory, chain_input_bytes), group_(group) {}

  result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override {
    made = 0;
    while (made < to.size()) {
      if (left_.empty()) {
        const result<std::span<std::byte>> more = packed_.next();
        if (!more) return tl::unexpected(more.error());
        if (more->empty()) return {};
        left_ = *more;
        for (std::size_t i = 0; i + group_ <= left_.size(); i += group_) {
          std::reverse(left_.begin() + static_cast<std::ptrdiff_t>(i),
                       left_.begin() + static_cast<std::ptrdiff_t>(i + group_));
        }
      }
      const std::size_t count = std::min(left_.size(), to.size() - made);
      std::copy_n(left_.begin(), count, to.begin() + static_cast<std::ptrdiff_t>(made));
      left_ = left_.subspan(count);
      made += count;
    }
    return {};
  }

 private:
  static_assert(chain_input_bytes % 4 == 0);
  source_buffer packed_;
  const std::size_t group_;
  std::span<std::byte> left_;
};

// The sources of a chain's steps, which end with it.
class chain_sources {
 public:
  chain_sources(const unpack_chain& chain, std::span<byte_source* const> streams,
                std::span<const aes_key> keys, allocator& memory) noexcept
      : chain_(chain), streams_(streams), keys_(keys), memory_(memory) {}
  ~chain_sources() {
    while (count_ > 0) {
      const made_source& one = made_[--count_];
      one.end(memory_, one.source);
    }
  }
  chain_sources(const chain_sources&) = delete;
  chain_sources& operator=(const chain_sources&) = delete;

  // The source of a step's bytes, with those that it reads from. Null: out of memory.
  [[nodiscard]] byte_source* make(std::uint8_t number) noexcept {
    const unpack_step& step = chain_.steps[number];
    std::array<byte_source*, unpack_step::inputs_max> from{};
    for (std::size_t i = 0; i < step.inputs; ++i) {
      from[i] =
          step.step[i] == unpack_step::no_step ? streams_[step.stream[i]] : make(step.step[i]);
      if (!from[i]) return nullptr;
    }
    switch (step.kind) {
      case step_kind::lzma:
        if (step.lzma.is_stored()) return from[0];
        return keep<lzma_source>(*from[0], step.lzma, memory_);
      case step_kind::bzip2:
        return keep<bzip2_source>(*from[0], memory_);
      case step_kind::deflate:
        return keep<piece_source>(*from[0], compression::deflate, memory_);
      case step_kind::zstd:
        return keep<piece_source>(*from[0], compression::zstd, memory_);
      case step_kind::swap2:
        return keep<swap_source>(*from[0], std::size_t{2}, memory_);
      case step_kind::swap4:
        return keep<swap_source>(*from[0], std::size_t{4}, memory_);
      case step_kind::bcj2:
        return keep<bcj2_source>(std::span<byte_source* const, 4>(from), step.lzma.bytes, memory_);
      case step_kind::aes:
        return keep<aes_source>(*from[0], keys_[number], step.aes, step.lzma.bytes, memory_);
    }
    return nullptr;
  }

 private:
  struct made_source {
    byte_source* source = nullptr;
    void (*end)(allocator&, byte_source*) noexcept = nullptr;
  };

  template <class Source, class... Args>
  byte_source* keep(Args&&... args) noexcept {
    auto* const made = make_object<Source>(memory_, memory_tag::vfs, std::forward<Args>(args)...);
    if (!made) return nullptr;
    made_[count_++] = {made, [](allocator& memory, byte_source* source) noexcept {
                         destroy_object(memory, memory_tag::vfs, static_cast<Source*>(source));
                       }};
    return made;
  }

  const unpack_chain& chain_;
  std::span<byte_source* const> streams_;
  std::span<const aes_key> keys_;
  allocator& memory_;
  std::array<made_source, unpack_steps_max> made_;
  std::size_t count_ = 0;
};

}  // namespace

bool is_tree(const unpack_chain& chain) noexcept {
  std::uint32_t reached = 0;  // steps, as bits
  std::array<std::uint8_t, unpack_steps_max> open{};
  std::size_t count = 0;
  open[count++] = chain.last;
  while (count > 0) {
    const std::uint8_t number = open[--count];
    if ((reached >> number & 1) != 0) return false;
    reached |= 1u << number;
    const unpack_step& step = chain.steps[number];
    for (std::size_t i = 0; i < step.inputs; ++i) {
      if (step.step[i] == unpack_step::no_step) continue;
      if (count == open.size()) return false;
      open[count++] = step.step[i];
    }
  }
  return reached == (1u << chain.steps.size()) - 1;
}

std::uint64_t chain_bytes(const unpack_chain& chain) noexcept {
  std::uint64_t all = 0;
  for (const unpack_step& step : chain.steps) {
    all += chain_input_bytes;
    switch (step.kind) {
      case step_kind::lzma:
        all += std::min<std::uint64_t>(step.lzma.dictionary_bytes, step.lzma.bytes);
        break;
      case step_kind::bzip2:
        all += bzip2_source::memory_max;
        break;
      case step_kind::zstd:
        all += io_detail::piece_unpacker::memory_max(compression::zstd);
        break;
      default:
        break;
    }
  }
  return all;
}

result<void> unpack(const unpack_chain& chain, std::span<byte_source* const> streams,
                    std::span<const aes_key> keys, std::span<std::byte> to, std::size_t& made,
                    allocator& memory) noexcept {
  made = 0;
  chain_sources sources(chain, streams, keys, memory);
  byte_source* const last = sources.make(chain.last);
  if (!last) return no_memory_for_unpacking();
  result<void> done = last->read(to, made);
  if (done && made < to.size()) {
    return fail(errc::corrupt, "the data unpacks to fewer bytes than stated");
  }
  return done;
}

}  // namespace overture::archives_detail
