// SPDX-License-Identifier: Zlib
#include "archives/seven_zip/seven_zip_coders.hpp"

#include <algorithm>
#include <iterator>

namespace overture::archives_detail {
using namespace base_detail;

namespace {

// No archiver chains more. Keeps a small header from taking much memory.
constexpr std::uint64_t coders_max = unpack_steps_max;
constexpr std::uint64_t coder_streams_max = 6;

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
constexpr std::uint64_t coder_deflate = 0x040108;
constexpr std::uint64_t coder_deflate64 = 0x040109;
constexpr std::uint64_t coder_bzip2 = 0x040202;
constexpr std::uint64_t coder_zstd = 0x04F71101;
constexpr std::uint64_t coder_brotli = 0x04F71102;
constexpr std::uint64_t coder_lz4 = 0x04F71104;
constexpr std::uint64_t coder_swap2 = 0x020302;
constexpr std::uint64_t coder_swap4 = 0x020304;
constexpr std::uint64_t coder_bcj2 = 0x0303011B;

seven_zip_flaw flaw_of(const coder& unread) noexcept {
  switch (unread.id) {
    case coder_ppmd:
      return seven_zip_flaw::ppmd;
    case coder_deflate64:
      return seven_zip_flaw::deflate64;
    case coder_brotli:
      return seven_zip_flaw::brotli;
    case coder_lz4:
      return seven_zip_flaw::lz4;
    case coder_aes:
      return has_aes() ? seven_zip_flaw::none : seven_zip_flaw::encryption;
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
  // By input: the output or the packed stream that feeds it.
  static constexpr std::uint8_t none = UINT8_MAX;
  std::uint8_t output[coders_max * coder_streams_max];
  std::uint8_t stream[coders_max * coder_streams_max];
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
  std::fill(std::begin(chain.output), std::end(chain.output), coder_chain::none);
  std::fill(std::begin(chain.stream), std::end(chain.stream), coder_chain::none);
  const std::uint64_t bonds = chain.outputs - 1;
  std::uint64_t bound = 0;  // outputs, as bits
  static_assert(coders_max * coder_streams_max <= 64);
  for (std::uint64_t i = 0; i < bonds; ++i) {
    const std::uint64_t input = in.number();
    const std::uint64_t output = in.number();
    if (input >= chain.inputs || output >= chain.outputs) return broken_seven_zip_header();
    chain.bound = input;
    if ((bound >> output & 1) != 0) return broken_seven_zip_header();
    if (chain.output[input] != coder_chain::none) return broken_seven_zip_header();
    bound |= std::uint64_t{1} << output;
    chain.output[input] = static_cast<std::uint8_t>(output);
  }
  while ((bound >> chain.last & 1) != 0) ++chain.last;
  chain.packed_streams = chain.inputs - bonds;
  if (chain.packed_streams == 0) return broken_seven_zip_header();
  for (std::uint64_t i = 0; i < chain.packed_streams; ++i) {
    std::uint64_t input = 0;
    if (chain.packed_streams > 1) {
      input = in.number();
    } else {
      while (chain.output[input] != coder_chain::none) ++input;
    }
    if (input >= chain.inputs || chain.output[input] != coder_chain::none ||
        chain.stream[input] != coder_chain::none) {
      return broken_seven_zip_header();
    }
    chain.stream[input] = static_cast<std::uint8_t>(i);
  }
  return {};
}

// False if the coder cannot be a step, or its properties are invalid.
bool set_kind(const coder& from, unpack_step& into) noexcept {
  constexpr struct {
    std::uint64_t id;
    step_kind kind;
  } known[] = {{coder_bzip2, step_kind::bzip2}, {coder_deflate, step_kind::deflate},
               {coder_zstd, step_kind::zstd},   {coder_swap2, step_kind::swap2},
               {coder_swap4, step_kind::swap4}, {coder_bcj2, step_kind::bcj2},
               {coder_aes, step_kind::aes}};
  if (from.outputs != 1 || from.inputs != (from.id == coder_bcj2 ? 4u : 1u)) return false;
  into.inputs = static_cast<std::uint8_t>(from.inputs);
  for (const auto& one : known) {
    if (one.id != from.id) continue;
    into.kind = one.kind;
    return one.kind != step_kind::aes || read_aes_parameters(from.properties, into.aes);
  }
  into.kind = step_kind::lzma;
  return set_method(from, into.lzma) || set_filter(from, into.lzma);
}

bool set_steps(const coder_chain& chain, std::span<unpack_step> into) noexcept {
  std::uint64_t input = 0;
  for (std::uint64_t i = 0; i < chain.count; ++i) {
    if (!set_kind(chain.coders[i], into[i])) return false;
    for (std::size_t k = 0; k < into[i].inputs; ++k, ++input) {
      into[i].step[k] = chain.output[input];
      into[i].stream[k] = chain.stream[input];
    }
  }
  static_assert(coder_chain::none == unpack_step::no_step);
  return is_tree({into, static_cast<std::uint8_t>(chain.last)});
}

// LZMA, LZMA2 or stored, with a filter or without.
bool set_packed(const coder_chain& chain, packed_block& into) noexcept {
  if (!chain.simple || chain.packed_streams != 1 || chain.count > 2) return false;
  // With two coders, the one with the block's output must be fed by the other.
  if (chain.count == 2 && chain.bound != chain.last) return false;
  const coder& packer = chain.coders[chain.count == 1 ? 0 : 1 - chain.last];
  if (!set_method(packer, into)) return false;
  return chain.count == 1 || set_filter(chain.coders[chain.last], into);
}

result<void> apply(const coder_chain& chain, seven_zip_block& block,
                   vec<unpack_step>& steps) noexcept {
  for (std::uint64_t i = 0; i < chain.count; ++i) {
    block.flaw = flaw_of(chain.coders[i]);
    if (block.flaw != seven_zip_flaw::none) return {};
  }
  if (set_packed(chain, block.packed)) return {};
  block.packed = {};
  const std::size_t first = steps.size();
  if (!steps.resize(first + chain.count)) {
    return fail(errc::out_of_memory, "out of memory for the archive's directory");
  }
  if (!set_steps(chain, {steps.data() + first, chain.count})) {
    block.flaw = seven_zip_flaw::method;
    return {};
  }
  block.first_step = static_cast<std::uint32_t>(first);
  block.step_count = static_cast<std::uint8_t>(chain.count);
  block.last_step = static_cast<std::uint8_t>(chain.last);
  return {};
}

}  // namespace

bool read_aes_parameters(std::span<const std::byte> properties, aes_parameters& into) noexcept {
  const auto property = [&](std::size_t i) { return std::to_integer<unsigned>(properties[i]); };
  if (properties.empty()) return false;
  into = {};
  into.rounds_log = static_cast<std::uint8_t>(property(0) & 0x3F);
  const bool known = into.rounds_log <= aes_parameters::rounds_log_max ||
                     into.rounds_log == aes_parameters::no_rounds;
  if ((property(0) & 0xC0) == 0) return known && properties.size() == 1;
  if (properties.size() < 2) return false;
  const std::size_t salt = (property(0) >> 7) + (property(1) >> 4);
  const std::size_t start = (property(0) >> 6 & 1) + (property(1) & 0x0F);
  if (properties.size() != 2 + salt + start) return false;
  into.salt_bytes = static_cast<std::uint8_t>(salt);
  std::copy_n(properties.begin() + 2, salt, into.salt.begin());
  std::copy_n(properties.begin() + 2 + static_cast<std::ptrdiff_t>(salt), start,
              into.start.begin());
  return known;
}

result<coder_shape> read_seven_zip_coders(seven_zip_reader& in, seven_zip_block& block,
                                          vec<unpack_step>& steps) noexcept {
  result<coder_chain> chain = read_coders(in);
  if (!chain) return tl::unexpected(chain.error());
  if (result<void> bonds = read_bonds(in, *chain); !bonds) return tl::unexpected(bonds.error());
  if (result<void> done = apply(*chain, block, steps); !done) return tl::unexpected(done.error());
  return coder_shape{static_cast<std::uint8_t>(chain->outputs),
                     static_cast<std::uint8_t>(chain->packed_streams),
                     static_cast<std::uint8_t>(chain->last)};
}

}  // namespace overture::archives_detail
