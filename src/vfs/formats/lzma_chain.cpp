#include "vfs/formats/lzma_chain.hpp"

#include <lzma.h>

#include <algorithm>
#include <cstring>

#include "base/vec.hpp"

namespace overture::vfs {
namespace {

constexpr std::size_t input_bytes = 64u << 10;
constexpr std::size_t front_bytes = alignof(std::max_align_t);  // where a piece keeps its size

// liblzma gives memory back without its size.
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
    case block_filter::none:
      break;
  }
  return LZMA_VLI_UNKNOWN;
}

error error_of(lzma_ret outcome) noexcept {
  const auto make = [](errc code, const char* reason) { return error{code, 0, reason, {}, 0}; };
  switch (outcome) {
    case LZMA_MEM_ERROR:
      return make(errc::out_of_memory, "no memory to unpack LZMA");
    case LZMA_OPTIONS_ERROR:
      return make(errc::unsupported, "a variant of LZMA that is not known");
    case LZMA_BUF_ERROR:
      return make(errc::corrupt, "the packed data makes fewer bytes than announced");
    default:
      return make(errc::corrupt, "the packed data is broken");
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
    options.dict_size =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(block.dictionary_bytes, useful));
    options.lc = block.literal_context_bits;
    options.lp = block.literal_position_bits;
    options.pb = block.position_bits;
    // Some archives mark the end of the data, most do not.
    options.ext_flags = LZMA_LZMA1EXT_ALLOW_EOPM;
    lzma_set_ext_size(options, block.bytes);
    lzma_filter filters[3];
    std::size_t count = 0;
    if (block.filter != block_filter::none) filters[count++] = {id_of(block.filter), nullptr};
    const bool second = block.method == block_method::lzma2;
    filters[count++] = {second ? LZMA_FILTER_LZMA2 : LZMA_FILTER_LZMA1EXT, &options};
    filters[count] = {LZMA_VLI_UNKNOWN, nullptr};
    return lzma_raw_decoder(&stream_, filters);
  }
  lzma_stream& stream() noexcept { return stream_; }

 private:
  lzma_allocator memory_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

result<void> unpack_lzma(const packed_block& block, packed_reader read, std::span<std::byte> to,
                         std::size_t& made, allocator& memory) noexcept {
  made = 0;
  vec<std::byte> input(memory, memory_tag::vfs);
  if (!input.resize_for_overwrite(input_bytes)) {
    return fail(errc::out_of_memory, "no memory to read packed data");
  }
  decoder lzma(memory);
  lzma_ret outcome = lzma.begin(block);
  lzma_stream& stream = lzma.stream();
  stream.next_out = reinterpret_cast<std::uint8_t*>(to.data());
  stream.avail_out = to.size();
  bool ended = false;
  while (outcome == LZMA_OK && stream.avail_out > 0) {
    if (stream.avail_in == 0 && !ended) {
      const result<std::size_t> count = read({input.data(), input.size()});
      if (!count) return tl::unexpected(count.error());
      ended = *count == 0;
      stream.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
      stream.avail_in = *count;
    }
    outcome = lzma_code(&stream, ended ? LZMA_FINISH : LZMA_RUN);
    made = to.size() - stream.avail_out;
  }
  if (made == to.size()) return {};
  return tl::unexpected(error_of(outcome == LZMA_STREAM_END ? LZMA_BUF_ERROR : outcome));
}

}  // namespace overture::vfs
