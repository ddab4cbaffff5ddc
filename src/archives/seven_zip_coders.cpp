#include "archives/seven_zip_coders.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

// No archiver chains more. Keeps a small header from taking much memory.
constexpr std::uint64_t coders_max = 4;
constexpr std::uint64_t coder_streams_max = 8;

struct coder {
  std::uint64_t id = 0;
  std::span<const std::byte> properties;
  std::uint64_t inputs = 1;
  std::uint64_t outputs = 1;
};

constexpr std::uint64_t coder_copy = 0x00;
constexpr std::uint64_t coder_delta = 0x03;
constexpr std::uint64_t coder_lzma = 0x030101;
constexpr std::uint64_t coder_lzma2 = 0x21;
constexpr std::uint64_t coder_aes = 0x06F10701;
constexpr std::uint64_t coder_ppmd = 0x030401;
constexpr std::uint64_t coder_bzip2 = 0x040202;
constexpr std::uint64_t coder_bcj2 = 0x0303011B;

seven_zip_flaw flaw_of(const coder& unread) noexcept {
  switch (unread.id) {
    case coder_aes:
      return seven_zip_flaw::encrypted;
    case coder_ppmd:
      return seven_zip_flaw::ppmd;
    case coder_bzip2:
      return seven_zip_flaw::bzip2;
    case coder_bcj2:
      return seven_zip_flaw::bcj2;
    default:
      return seven_zip_flaw::none;
  }
}

// False if the filter is unknown or its properties are invalid.
bool set_filter(const coder& from, packed_block& into) noexcept {
  if (from.id == coder_delta) {
    if (from.properties.size() != 1) return false;
    into.filter = block_filter::delta;
    into.delta_bytes =
        static_cast<std::uint16_t>(std::to_integer<unsigned>(from.properties[0]) + 1);
    return true;
  }
  if (!from.properties.empty()) return false;
  constexpr struct {
    std::uint64_t id;
    block_filter filter;
  } known[] = {
      {0x03030103, block_filter::x86},       {0x04, block_filter::x86},
      {0x03030205, block_filter::powerpc},   {0x05, block_filter::powerpc},
      {0x03030401, block_filter::ia64},      {0x06, block_filter::ia64},
      {0x03030501, block_filter::arm},       {0x07, block_filter::arm},
      {0x03030701, block_filter::arm_thumb}, {0x08, block_filter::arm_thumb},
      {0x03030805, block_filter::sparc},     {0x09, block_filter::sparc},
      {0x0A, block_filter::arm64},
  };
  for (const auto& one : known) {
    if (one.id == from.id) {
      into.filter = one.filter;
      return true;
    }
  }
  return false;
}

// False if the properties are invalid for the method.
bool set_method(const coder& from, packed_block& into) noexcept {
  const auto property = [&](std::size_t i) {
    return std::to_integer<std::uint8_t>(from.properties[i]);
  };
  if (from.id == coder_copy) {
    into.method = block_method::copy;
    return true;
  }
  if (from.id == coder_lzma2) {
    if (from.properties.size() != 1 || property(0) > 40) return false;
    const std::uint8_t size = property(0);
    into.method = block_method::lzma2;
    into.dictionary_bytes = size == 40 ? UINT32_MAX : (2u | (size & 1u)) << (size / 2 + 11);
    into.literal_context_bits = 3;
    into.position_bits = 2;
    return true;
  }
  if (from.id != coder_lzma || from.properties.size() != 5 || property(0) >= 9 * 5 * 5)
    return false;
  into.method = block_method::lzma;
  into.literal_context_bits = property(0) % 9;
  into.literal_position_bits = property(0) / 9 % 5;
  into.position_bits = property(0) / 45;
  into.dictionary_bytes = load_u32(from.properties.data() + 1);
  return true;
}

// The source of each coder's input: another coder's output, or packed data.
struct coder_chain {
  coder coders[coders_max];
  std::uint64_t count = 0;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::uint64_t packed_streams = 0;
  std::uint64_t last = 0;   // the block's output
  std::uint64_t bound = 0;  // the input of the last bond
  bool simple = true;       // every coder has one input and one output
};

result<coder_chain> read_coders(seven_zip_reader& in) noexcept {
  coder_chain chain;
  chain.count = in.number();
  if (chain.count == 0 || chain.count > coders_max) return broken_seven_zip_header();
  for (std::uint64_t i = 0; i < chain.count; ++i) {
    coder& one = chain.coders[i];
    const std::uint8_t flags = in.byte();
    const std::span<const std::byte> id = in.take(flags & 0x0F);
    if (id.size() > 8 || (flags & 0xC0) != 0) return broken_seven_zip_header();
    for (const std::byte part : id) one.id = one.id << 8 | std::to_integer<std::uint64_t>(part);
    if ((flags & 0x10) != 0) {
      one.inputs = in.number();
      one.outputs = in.number();
      if (one.inputs > coder_streams_max || one.outputs > coder_streams_max)
        return broken_seven_zip_header();
      chain.simple = chain.simple && one.inputs == 1 && one.outputs == 1;
    }
    if ((flags & 0x20) != 0) one.properties = in.take(in.number());
    chain.inputs += one.inputs;
    chain.outputs += one.outputs;
  }
  if (chain.outputs == 0 || chain.inputs < chain.outputs - 1) return broken_seven_zip_header();
  return chain;
}

// Reads which output feeds which input. The output that feeds none is the block's.
result<void> read_bonds(seven_zip_reader& in, coder_chain& chain) noexcept {
  const std::uint64_t bonds = chain.outputs - 1;
  std::uint64_t bound = 0;  // outputs, as bits
  static_assert(coders_max * coder_streams_max <= 64);
  for (std::uint64_t i = 0; i < bonds; ++i) {
    const std::uint64_t input = in.number();
    const std::uint64_t output = in.number();
    if (input >= chain.inputs || output >= chain.outputs) return broken_seven_zip_header();
    chain.bound = input;
    if ((bound >> output & 1) != 0) return broken_seven_zip_header();
    bound |= std::uint64_t{1} << output;
  }
  while ((bound >> chain.last & 1) != 0) ++chain.last;
  chain.packed_streams = chain.inputs - bonds;
  if (chain.packed_streams == 0) return broken_seven_zip_header();
  if (chain.packed_streams > 1) {
    for (std::uint64_t i = 0; i < chain.packed_streams; ++i) (void)in.number();
  }
  return {};
}

seven_zip_flaw apply(const coder_chain& chain, packed_block& into) noexcept {
  for (std::uint64_t i = 0; i < chain.count; ++i) {
    const seven_zip_flaw flaw = flaw_of(chain.coders[i]);
    if (flaw != seven_zip_flaw::none) return flaw;
  }
  if (!chain.simple || chain.packed_streams != 1 || chain.count > 2) return seven_zip_flaw::method;
  // With two coders, the one with the block's output must be fed by the other.
  if (chain.count == 2 && chain.bound != chain.last) return seven_zip_flaw::method;
  const coder& packer = chain.coders[chain.count == 1 ? 0 : 1 - chain.last];
  if (!set_method(packer, into)) return seven_zip_flaw::method;
  if (chain.count == 1) return seven_zip_flaw::none;
  const coder& filter = chain.coders[chain.last];
  return set_filter(filter, into) ? seven_zip_flaw::none : seven_zip_flaw::method;
}

}  // namespace

result<coder_shape> read_seven_zip_coders(seven_zip_reader& in, seven_zip_block& block) noexcept {
  result<coder_chain> chain = read_coders(in);
  if (!chain) return tl::unexpected(chain.error());
  if (result<void> bonds = read_bonds(in, *chain); !bonds) return tl::unexpected(bonds.error());
  block.flaw = apply(*chain, block.packed);
  return coder_shape{static_cast<std::uint8_t>(chain->outputs),
                     static_cast<std::uint8_t>(chain->packed_streams),
                     static_cast<std::uint8_t>(chain->last)};
}

}  // namespace overture::archives_detail
