// SPDX-License-Identifier: Zlib
#include "archives/seven_zip/lzma_chain.hpp"

#include <lzma.h>

#include <algorithm>

#include "archives/seven_zip/sized_memory.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t lzma_input_bytes = 64u << 10;
// LZMA2 allows uncompressed chunks: a control byte, then the size minus one, high byte first.
constexpr std::size_t piece_front_bytes = 3;
constexpr std::byte piece_mark{0x01};
constexpr std::byte end_mark{0x00};
static_assert(lzma_input_bytes - 1 <= 0xFFFF);

lzma_vli id_of(block_filter filter) noexcept {
  switch (filter) {
    case block_filter::x86:
      return LZMA_FILTER_X86;
    case block_filter::powerpc:
      return LZMA_FILTER_POWERPC;
    case block_filter::ia64:
      return LZMA_FILTER_IA64;
    case block_filter::arm:
      return LZMA_FILTER_ARM;
    case block_filter::arm_thumb:
      return LZMA_FILTER_ARMTHUMB;
    case block_filter::sparc:
      return LZMA_FILTER_SPARC;
    case block_filter::arm64:
      return LZMA_FILTER_ARM64;
    case block_filter::delta:
      return LZMA_FILTER_DELTA;
    case block_filter::none:
      break;
  }
  return LZMA_VLI_UNKNOWN;
}

error error_of(lzma_ret outcome) noexcept {
  const auto make = [](errc code, const char* reason) { return error{code, 0, reason, {}, 0}; };
  switch (outcome) {
    case LZMA_MEM_ERROR:
      return make(errc::out_of_memory, "out of memory for unpacking LZMA");
    case LZMA_OPTIONS_ERROR:
      return make(errc::unsupported, "unsupported variant of LZMA");
    case LZMA_BUF_ERROR:
      return make(errc::corrupt, "the compressed data is truncated");
    default:
      return make(errc::corrupt, "the compressed data is damaged");
  }
}

}  // namespace

struct lzma_source::decoder {
  explicit decoder(allocator& from) noexcept : memory{allocate_sized, deallocate_sized, &from} {
    stream.allocator = &memory;
  }
  ~decoder() { lzma_end(&stream); }
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;

  [[nodiscard]] lzma_ret begin(const packed_block& block) noexcept {
    lzma_options_lzma options{};
    const std::uint64_t useful = std::max<std::uint64_t>(block.bytes, LZMA_DICT_SIZE_MIN);
    const bool copied = block.method == block_method::copy;
    options.dict_size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(copied ? lzma_input_bytes : block.dictionary_bytes, useful));
    options.lc = block.literal_context_bits;
    options.lp = block.literal_position_bits;
    options.pb = block.position_bits;
    // Some archives have an end marker, most do not.
    options.ext_flags = LZMA_LZMA1EXT_ALLOW_EOPM;
    lzma_set_ext_size(options, block.bytes);
    lzma_filter filters[3];
    std::size_t count = 0;
    lzma_options_delta delta{};
    delta.type = LZMA_DELTA_TYPE_BYTE;
    delta.dist = block.delta_bytes;
    const bool is_delta = block.filter == block_filter::delta;
    if (block.filter != block_filter::none) {
      filters[count++] = {id_of(block.filter), is_delta ? &delta : nullptr};
    }
    const bool first = block.method == block_method::lzma;
    filters[count++] = {first ? LZMA_FILTER_LZMA1EXT : LZMA_FILTER_LZMA2, &options};
    filters[count] = {LZMA_VLI_UNKNOWN, nullptr};
    return lzma_raw_decoder(&stream, filters);
  }

  lzma_allocator memory;
  lzma_stream stream = LZMA_STREAM_INIT;
};

lzma_source::lzma_source(byte_source& from, const packed_block& block, allocator& memory) noexcept
    : memory_(memory), block_(block), packed_(from, memory, lzma_input_bytes, piece_front_bytes) {}

lzma_source::~lzma_source() {
  destroy_object(memory_, memory_tag::vfs, decoder_);
}

// liblzma cannot run a filter without LZMA, so data that is only filtered is passed to it as
// uncompressed LZMA2 chunks.
result<void> lzma_source::feed() noexcept {
  const result<std::span<std::byte>> data = packed_.next();
  if (!data) return tl::unexpected(data.error());
  lzma_stream& stream = decoder_->stream;
  ended_ = data->empty();
  stream.next_in = reinterpret_cast<const std::uint8_t*>(data->data());
  stream.avail_in = data->size();
  if (block_.method != block_method::copy) return {};
  if (ended_) {
    stream.next_in = reinterpret_cast<const std::uint8_t*>(&end_mark);
    stream.avail_in = 1;
    return {};
  }
  std::byte* const front = data->data() - piece_front_bytes;
  front[0] = piece_mark;
  front[1] = static_cast<std::byte>((data->size() - 1) >> 8);
  front[2] = static_cast<std::byte>(data->size() - 1);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(front);
  stream.avail_in += piece_front_bytes;
  return {};
}

result<void> lzma_source::read(std::span<std::byte> to, std::size_t& made) noexcept {
  made = 0;
  if (!decoder_) {
    decoder_ = make_object<decoder>(memory_, memory_tag::vfs, memory_);
    if (!decoder_) return fail(errc::out_of_memory, "out of memory for unpacking LZMA");
    const lzma_ret begun = decoder_->begin(block_);
    if (begun != LZMA_OK) return tl::unexpected(error_of(begun));
  }
  lzma_stream& stream = decoder_->stream;
  stream.next_out = reinterpret_cast<std::uint8_t*>(to.data());
  stream.avail_out = to.size();
  lzma_ret outcome = LZMA_OK;
  while (outcome == LZMA_OK && stream.avail_out > 0) {
    if (stream.avail_in == 0 && !ended_) {
      if (result<void> fed = feed(); !fed) return fed;
    }
    outcome = lzma_code(&stream, ended_ ? LZMA_FINISH : LZMA_RUN);
    made = to.size() - stream.avail_out;
  }
  if (outcome == LZMA_OK || outcome == LZMA_STREAM_END) return {};
  return tl::unexpected(error_of(outcome));
}

result<void> unpack_lzma(const packed_block& block, byte_source& from, std::span<std::byte> to,
                         std::size_t& made, allocator& memory) noexcept {
  lzma_source lzma(from, block, memory);
  result<void> done = lzma.read(to, made);
  if (done && made < to.size()) return tl::unexpected(error_of(LZMA_BUF_ERROR));
  return done;
}

}  // namespace overture::archives_detail
