#include "archives/lzma_chain.hpp"

#include <lzma.h>

#include <algorithm>
#include <cstring>

#include "base/vec.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t input_bytes = 64u << 10;
// LZMA2 allows uncompressed chunks: a control byte, then the size minus one, high byte first.
constexpr std::size_t piece_front_bytes = 3;
constexpr std::byte piece_mark{0x01};
constexpr std::byte end_mark{0x00};
static_assert(input_bytes - 1 <= 0xFFFF);
constexpr std::size_t front_bytes =
    alignof(std::max_align_t);  // where an allocation stores its size

// liblzma frees memory without passing its size.
void* allocate(void* memory, std::size_t count, std::size_t size) noexcept {
  if (size != 0 && count > (SIZE_MAX - front_bytes) / size) return nullptr;
  const std::size_t bytes = count * size + front_bytes;
  auto* const from = static_cast<allocator*>(memory);
  auto* const whole = static_cast<std::byte*>(from->allocate(bytes, front_bytes, memory_tag::vfs));
  if (!whole) return nullptr;
  std::memcpy(whole, &bytes, sizeof bytes);
  return whole + front_bytes;
}

void deallocate(void* memory, void* piece) noexcept {
  if (!piece) return;
  auto* const whole = static_cast<std::byte*>(piece) - front_bytes;
  std::size_t bytes = 0;
  std::memcpy(&bytes, whole, sizeof bytes);
  static_cast<allocator*>(memory)->deallocate(whole, bytes, front_bytes, memory_tag::vfs);
}

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

class decoder {
 public:
  explicit decoder(allocator& memory) noexcept : memory_{allocate, deallocate, &memory} {
    stream_.allocator = &memory_;
  }
  ~decoder() { lzma_end(&stream_); }
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;

  [[nodiscard]] lzma_ret begin(const packed_block& block) noexcept {
    lzma_options_lzma options{};
    const std::uint64_t useful = std::max<std::uint64_t>(block.bytes, LZMA_DICT_SIZE_MIN);
    const bool copied = block.method == block_method::copy;
    options.dict_size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(copied ? input_bytes : block.dictionary_bytes, useful));
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
    return lzma_raw_decoder(&stream_, filters);
  }
  lzma_stream& stream() noexcept { return stream_; }

 private:
  lzma_allocator memory_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

// Reads the next packed bytes into `room`. False at their end. liblzma cannot run a filter without
// LZMA, so data that is only filtered is passed to it as uncompressed LZMA2 chunks.
result<bool> feed(lzma_stream& stream, const packed_block& block, packed_reader read,
                  std::span<std::byte> room) noexcept {
  const std::span<std::byte> data = room.subspan(piece_front_bytes);
  const result<std::size_t> count = read(data);
  if (!count) return tl::unexpected(count.error());
  const bool any = *count != 0;
  const bool framed = block.method == block_method::copy;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(framed ? room.data() : data.data());
  stream.avail_in = *count;
  if (!framed) return any;
  room[0] = any ? piece_mark : end_mark;
  stream.avail_in += any ? piece_front_bytes : 1;
  if (!any) return false;
  room[1] = static_cast<std::byte>((*count - 1) >> 8);
  room[2] = static_cast<std::byte>(*count - 1);
  return true;
}

}  // namespace

result<void> unpack_lzma(const packed_block& block, packed_reader read, std::span<std::byte> to,
                         std::size_t& made, allocator& memory) noexcept {
  made = 0;
  vec<std::byte> input(memory, memory_tag::vfs);
  if (!input.resize_for_overwrite(piece_front_bytes + input_bytes)) {
    return fail(errc::out_of_memory, "out of memory for reading compressed data");
  }
  decoder lzma(memory);
  lzma_ret outcome = lzma.begin(block);
  lzma_stream& stream = lzma.stream();
  stream.next_out = reinterpret_cast<std::uint8_t*>(to.data());
  stream.avail_out = to.size();
  bool ended = false;
  while (outcome == LZMA_OK && stream.avail_out > 0) {
    if (stream.avail_in == 0 && !ended) {
      const result<bool> more = feed(stream, block, read, {input.data(), input.size()});
      if (!more) return tl::unexpected(more.error());
      ended = !*more;
    }
    outcome = lzma_code(&stream, ended ? LZMA_FINISH : LZMA_RUN);
    made = to.size() - stream.avail_out;
  }
  if (made == to.size()) return {};
  return tl::unexpected(error_of(outcome == LZMA_STREAM_END ? LZMA_BUF_ERROR : outcome));
}

}  // namespace overture::archives_detail
