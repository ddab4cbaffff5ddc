// SPDX-License-Identifier: Zlib
#include "archives/seven_zip/seven_zip_header.hpp"

#include <algorithm>

#include "archives/seven_zip/seven_zip_coders.hpp"
#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "overture/base/limits.hpp"
#include "overture/io/unpack.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

enum property : std::uint64_t {
  property_end = 0x00,
  property_header = 0x01,
  property_archive = 0x02,
  property_additional_streams = 0x03,
  property_main_streams = 0x04,
  property_files = 0x05,
  property_pack = 0x06,
  property_unpack = 0x07,
  property_substreams = 0x08,
  property_size = 0x09,
  property_crc = 0x0A,
  property_folder = 0x0B,
  property_unpack_size = 0x0C,
  property_stream_count = 0x0D,
  property_empty_stream = 0x0E,
  property_empty_file = 0x0F,
  property_anti = 0x10,
  property_names = 0x11,
  property_modified = 0x14,
  property_attributes = 0x15,
  property_encoded_header = 0x17,
};

// A list of bits, the highest bit of each byte first.
class bit_list {
 public:
  explicit bit_list(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  [[nodiscard]] bool operator[](std::uint64_t i) const noexcept {
    return (std::to_integer<unsigned>(bytes_[i / 8]) >> (7 - i % 8) & 1) != 0;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

tl::unexpected<error> no_memory_for_header() {
  return fail(errc::out_of_memory, "out of memory for the archive's directory");
}

// Calls `set(i, crc32)` for those of `count` things that have a checksum.
template <class Set>
void read_digests(seven_zip_reader& in, std::uint64_t count, Set set) noexcept {
  const bool all = in.byte() != 0;
  const bit_list defined(all ? std::span<const std::byte>{} : in.take((count + 7) / 8));
  for (std::uint64_t i = 0; i < count && !in.bad(); ++i) {
    if (!all && !defined[i]) continue;
    const std::uint32_t crc = in.u32();
    if (!in.bad()) set(i, crc);
  }
}

class header_parser {
 public:
  header_parser(std::span<const std::byte> bytes, seven_zip_header& into) noexcept
      : in_(bytes),
        into_(into),
        packed_(into.packed_bytes),
        chains_(into.blocks.memory(), memory_tag::vfs) {}

  result<void> run() noexcept {
    const std::uint64_t kind = in_.number();
    into_.encoded = kind == property_encoded_header;
    result<void> done;
    if (into_.encoded) {
      done = read_streams();
      if (done && into_.blocks.size() != 1) return broken_seven_zip_header();
    } else {
      if (kind != property_header) return broken_seven_zip_header();
      done = read_parts();
    }
    if (done && in_.bad()) return broken_seven_zip_header();
    return done;
  }

 private:
  result<void> read_parts() noexcept;
  result<void> read_streams() noexcept;
  result<void> read_packed_sizes() noexcept;
  result<void> read_blocks() noexcept;
  result<void> read_block() noexcept;
  result<void> set_block_offsets() noexcept;
  result<void> read_substreams() noexcept;
  result<void> read_sizes_of_substreams(bool sizes) noexcept;
  result<void> read_files() noexcept;
  result<void> set_empty(std::span<const std::byte> empty_bits) noexcept;
  void set_flag_of_empty(std::span<const std::byte> bits, std::uint8_t flag, bool if_bit) noexcept;

  seven_zip_reader in_;
  seven_zip_header& into_;
  std::uint64_t packed_offset_ = 0;
  vec<std::uint64_t>& packed_;  // sizes of the packed streams
  vec<coder_shape> chains_;     // by block
};

result<void> header_parser::read_parts() noexcept {
  bool has_streams = false;
  bool has_files = false;
  for (std::uint64_t part = in_.number(); part != property_end; part = in_.number()) {
    if (in_.bad()) return broken_seven_zip_header();
    result<void> done;
    if (part == property_archive) {
      while (in_.number() != property_end && !in_.bad()) in_.skip_property();
    } else if (part == property_main_streams && !has_streams) {
      has_streams = true;
      done = read_streams();
    } else if (part == property_files && !has_files) {
      has_files = true;
      done = read_files();
    } else if (part == property_additional_streams) {
      return fail(errc::unsupported, "unsupported 7z header in external streams");
    } else {
      return broken_seven_zip_header();
    }
    if (!done) return done;
  }
  return {};
}

result<void> header_parser::read_streams() noexcept {
  bool has_substreams = false;
  for (std::uint64_t part = in_.number(); part != property_end; part = in_.number()) {
    if (in_.bad()) return broken_seven_zip_header();
    result<void> done = broken_seven_zip_header();
    if (part == property_pack && packed_.empty()) {
      done = read_packed_sizes();
    } else if (part == property_unpack && into_.blocks.empty()) {
      done = read_blocks().and_then([this] { return set_block_offsets(); });
    } else if (part == property_substreams && !has_substreams) {
      has_substreams = true;
      done = read_substreams();
    }
    if (!done) return done;
  }
  return has_substreams ? result<void>{} : read_sizes_of_substreams(false);
}

result<void> header_parser::read_packed_sizes() noexcept {
  packed_offset_ = in_.number();
  const std::uint64_t count = in_.count();
  for (std::uint64_t part = in_.number(); part != property_end; part = in_.number()) {
    if (in_.bad()) return broken_seven_zip_header();
    if (part == property_size && packed_.empty()) {
      for (std::uint64_t i = 0; i < count && !in_.bad(); ++i) {
        if (!packed_.push_back(in_.number())) return no_memory_for_header();
      }
    } else if (part == property_crc) {
      read_digests(in_, count, [](std::uint64_t, std::uint32_t) {});
    } else {
      return broken_seven_zip_header();
    }
  }
  return packed_.size() == count ? result<void>{} : broken_seven_zip_header();
}

result<void> header_parser::read_blocks() noexcept {
  if (in_.number() != property_folder) return broken_seven_zip_header();
  const std::uint64_t count = in_.count();
  if (in_.byte() != 0) {
    return fail(errc::unsupported, "unsupported 7z header in external streams");
  }
  if (count > limits::archive_blocks_max) {
    return fail(errc::limit, limit_text::archive_blocks);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (result<void> done = read_block(); !done) return done;
    if (in_.bad()) return broken_seven_zip_header();
  }
  if (in_.number() != property_unpack_size) return broken_seven_zip_header();
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::uint8_t output = 0; output < chains_[i].outputs; ++output) {
      const std::uint64_t bytes = in_.number();
      seven_zip_block& block = into_.blocks[i];
      if (output == chains_[i].last) block.packed.bytes = bytes;
      if (output < block.step_count) into_.steps[block.first_step + output].lzma.bytes = bytes;
    }
  }
  for (std::uint64_t part = in_.number(); part != property_end; part = in_.number()) {
    if (in_.bad() || part != property_crc) return broken_seven_zip_header();
    read_digests(in_, count, [this](std::uint64_t i, std::uint32_t crc) {
      into_.blocks[i].crc32 = crc;
      into_.blocks[i].has_crc = true;
    });
  }
  return {};
}

result<void> header_parser::read_block() noexcept {
  seven_zip_block block;
  const result<coder_shape> shape = read_seven_zip_coders(in_, block, into_.steps);
  if (!shape) return tl::unexpected(shape.error());
  return into_.blocks.push_back(block) && chains_.push_back(*shape) ? result<void>{}
                                                                    : no_memory_for_header();
}

// The packed streams of the blocks are adjacent.
result<void> header_parser::set_block_offsets() noexcept {
  std::uint64_t offset = packed_offset_;
  std::size_t stream = 0;
  for (std::size_t i = 0; i < into_.blocks.size(); ++i) {
    if (chains_[i].packed_streams > packed_.size() - stream) return broken_seven_zip_header();
    seven_zip_block& block = into_.blocks[i];
    block.packed_offset = offset;
    block.first_packed = static_cast<std::uint32_t>(stream);
    block.packed_count = chains_[i].packed_streams;
    for (std::uint8_t one = 0; one < block.packed_count; ++one) {
      if (packed_[stream] > UINT64_MAX - offset) return broken_seven_zip_header();
      offset += packed_[stream++];
    }
    block.packed.packed_bytes = offset - block.packed_offset;
  }
  return {};
}

result<void> header_parser::read_substreams() noexcept {
  std::uint64_t part = in_.number();
  if (part == property_stream_count) {
    std::uint64_t all = 0;
    for (seven_zip_block& block : into_.blocks) {
      const std::uint64_t streams = in_.number();
      // Each stream but a block's first has a size of at least one byte.
      if (streams > limits::entries_max - all || streams > in_.left() + 1) {
        return broken_seven_zip_header();
      }
      all += streams;
      block.streams = static_cast<std::uint32_t>(streams);
    }
    part = in_.number();
  }
  const bool has_sizes = part == property_size;
  if (result<void> done = read_sizes_of_substreams(has_sizes); !done) return done;
  if (has_sizes) part = in_.number();
  for (; part != property_end; part = in_.number()) {
    if (in_.bad() || part != property_crc) return broken_seven_zip_header();
    // Streams whose checksum is not that of the whole block.
    vec<std::uint32_t> unknown(into_.streams.memory(), memory_tag::vfs);
    for (std::uint32_t i = 0; i < into_.streams.size(); ++i) {
      if (!into_.streams[i].has_crc && !unknown.push_back(i)) return no_memory_for_header();
    }
    read_digests(in_, unknown.size(), [&](std::uint64_t i, std::uint32_t crc) {
      into_.streams[unknown[i]].crc32 = crc;
      into_.streams[unknown[i]].has_crc = true;
    });
  }
  return {};
}

// The last stream of a block has the rest of its bytes.
result<void> header_parser::read_sizes_of_substreams(bool sizes) noexcept {
  for (const seven_zip_block& block : into_.blocks) {
    if (block.streams > 1 && !sizes) return broken_seven_zip_header();
    std::uint64_t left = block.packed.bytes;
    for (std::uint32_t i = 0; i < block.streams; ++i) {
      const bool last = i + 1 == block.streams;
      seven_zip_stream stream;
      stream.bytes = last ? left : in_.number();
      if (in_.bad() || stream.bytes > left) return broken_seven_zip_header();
      left -= stream.bytes;
      if (block.streams == 1) {
        stream.crc32 = block.crc32;
        stream.has_crc = block.has_crc;
      }
      if (!into_.streams.push_back(stream)) return no_memory_for_header();
    }
  }
  return {};
}

result<void> header_parser::read_files() noexcept {
  into_.files = in_.count();
  if (into_.files > limits::entries_max) {
    return fail(errc::limit, limit_text::files);
  }
  if (!into_.no_stream.resize(into_.files)) return no_memory_for_header();
  for (std::uint64_t part = in_.number(); part != property_end; part = in_.number()) {
    seven_zip_reader field(in_.take(in_.number()));
    if (in_.bad()) return broken_seven_zip_header();
    switch (part) {
      case property_empty_stream: {
        result<void> done = set_empty(field.take((into_.files + 7) / 8));
        if (!done) return done;
        break;
      }
      case property_empty_file:
        set_flag_of_empty(field.take(field.left()), seven_zip_header::is_folder, false);
        break;
      case property_anti:
        set_flag_of_empty(field.take(field.left()), seven_zip_header::is_anti, true);
        break;
      case property_names:
        if (field.byte() != 0) return broken_seven_zip_header();
        into_.names = field.take(field.left());
        break;
      // Ignore attributes and times that only some files have: they say nothing we need.
      case property_modified:
        if (field.byte() != 0 && field.byte() == 0 && field.left() == into_.files * 8) {
          into_.modified = field.take(field.left());
        }
        break;
      case property_attributes:
        if (field.byte() != 0 && field.byte() == 0 && field.left() == into_.files * 4) {
          into_.attributes = field.take(field.left());
        }
        break;
      default:
        break;
    }
    if (field.bad()) return broken_seven_zip_header();
  }
  return {};
}

result<void> header_parser::set_empty(std::span<const std::byte> empty_bits) noexcept {
  if (empty_bits.size() != (into_.files + 7) / 8) return broken_seven_zip_header();
  const bit_list empty(empty_bits);
  for (std::uint64_t i = 0; i < into_.files; ++i) {
    // Counts as a folder unless the list of empty files says otherwise.
    if (empty[i]) into_.no_stream[i] = seven_zip_header::is_empty | seven_zip_header::is_folder;
  }
  return {};
}

// There is one bit for each file without a stream; missing bits count as 0.
void header_parser::set_flag_of_empty(std::span<const std::byte> bits, std::uint8_t flag,
                                      bool if_bit) noexcept {
  const bit_list list(bits);
  std::uint64_t at = 0;
  for (std::uint8_t& kind : into_.no_stream) {
    if ((kind & seven_zip_header::is_empty) == 0) continue;
    const bool bit = at / 8 < bits.size() && list[at];
    ++at;
    kind = static_cast<std::uint8_t>(bit == if_bit ? kind | flag : kind & ~flag);
  }
}

}  // namespace

result<seven_zip_start> read_seven_zip_start(std::span<const std::byte> front) noexcept {
  if (front.size() < seven_zip_start_bytes) {
    return fail(errc::corrupt, "the archive is truncated");
  }
  if (front[6] != std::byte{0}) {
    return fail(errc::unsupported, "unsupported version of the archive format");
  }
  if (crc32(front.subspan(12, 20)) != load_u32(front.data() + 8)) {
    return fail(errc::corrupt, "the archive's first header does not match its checksum");
  }
  return seven_zip_start{load_u64(front.data() + 12), load_u64(front.data() + 20),
                         load_u32(front.data() + 28)};
}

result<void> check_packed_header(std::uint64_t bytes, std::uint64_t packed_bytes) noexcept {
  if (bytes > limits::archive_directory_bytes_max) {
    return fail(errc::limit, limit_text::archive_directory);
  }
  if (bytes > limits::packed_directory_bytes_always &&
      bytes / limits::packed_directory_ratio_max > packed_bytes) {
    return fail(errc::limit, limit_text::packed_directory);
  }
  return {};
}

result<void> read_seven_zip_header(std::span<const std::byte> bytes,
                                   seven_zip_header& header) noexcept {
  return header_parser(bytes, header).run();
}

}  // namespace overture::archives_detail
