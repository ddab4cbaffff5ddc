// SPDX-License-Identifier: Zlib
#include "decoders/vorbis_headers.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

// --- Pages ---

namespace {

constexpr std::size_t identification_bytes = 30;
constexpr std::size_t channels_at = 11;
constexpr std::size_t block_sizes_at = 28;

bool is_identification(const ogg_page_view& page) noexcept {
  static constexpr std::string_view magic("\x01vorbis");
  return !page.lacing.empty() && load_u8(page.lacing.data()) == identification_bytes &&
         std::string_view(reinterpret_cast<const char*>(page.body.data()), magic.size()) == magic;
}

}  // namespace

bool vorbis_pages::begins_stream() const noexcept {
  if (!page_.begins || !is_identification(page_)) return false;
  return !has_stream_ || (headers_ended() && page_.serial != serial_);
}

std::span<const std::byte> vorbis_pages::identification() const noexcept {
  return begun_here_ ? page_.body.first(identification_bytes) : std::span<const std::byte>{};
}

// False if a page is missing: libvorbis would refuse the headers too.
bool vorbis_pages::follow_headers() noexcept {
  setup_ = {};
  header_bytes_ = 0;
  if (headers_ended()) return true;
  if (page_.number != number_ || page_.continues != inside_packet_) return false;
  if (page_.begins != begun_here_) return false;
  ++number_;
  std::size_t setup_begin = 0;
  for (const std::byte lacing : page_.lacing) {
    if (headers_ended()) break;
    if (headers_ended_ < header_count - 1) setup_begin = header_bytes_ + load_u8(&lacing);
    header_bytes_ += load_u8(&lacing);
    inside_packet_ = lacing == std::byte{255};
    if (!inside_packet_) ++headers_ended_;
  }
  setup_ = page_.body.subspan(setup_begin, header_bytes_ - setup_begin);
  return true;
}

bool vorbis_pages::next() noexcept {
  while (walk_.next(page_)) {
    begun_here_ = begins_stream();
    if (begun_here_) {
      has_stream_ = true;
      serial_ = page_.serial;
      number_ = page_.number;
      headers_ended_ = 0;
      inside_packet_ = false;
    }
    if (has_stream_ && page_.serial == serial_) return follow_headers();
  }
  return false;
}

// --- The setup header ---

namespace {

// Reads the setup header's bits, lowest first, from as many pages as it covers.
class setup_bits {
 public:
  explicit setup_bits(vorbis_pages& pages) noexcept : pages_(pages), part_(pages.setup()) {}

  // `count` is 0 to 32. 0 after the end.
  std::uint32_t read(unsigned count) noexcept {
    while (held_ < count && fill()) {
    }
    if (held_ < count) {
      ended_ = true;
      held_ = 0;
      word_ = 0;
      return 0;
    }
    const std::uint64_t value = word_ & ((std::uint64_t{1} << count) - 1);
    word_ >>= count;
    held_ -= count;
    return static_cast<std::uint32_t>(value);
  }
  // `count` fields of `width` bits.
  void skip(std::uint64_t count, std::uint64_t width = 1) noexcept {
    count *= width;
    for (; count > 32 && !ended_; count -= 32) (void)read(32);
    (void)read(static_cast<unsigned>(std::min<std::uint64_t>(count, 32)));
  }
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] std::uint64_t header_bytes() const noexcept { return header_bytes_; }

 private:
  bool fill() noexcept {
    while (part_.empty()) {
      if (pages_.headers_ended() || !pages_.next()) return false;
      part_ = pages_.setup();
      header_bytes_ += pages_.header_bytes();
    }
    word_ |= std::uint64_t{load_u8(part_.data())} << held_;
    part_ = part_.subspan(1);
    held_ += 8;
    return true;
  }

  vorbis_pages& pages_;
  std::span<const std::byte> part_;
  std::uint64_t word_ = 0;
  unsigned held_ = 0;  // bits in word_
  bool ended_ = false;
  std::uint64_t header_bytes_ = 0;  // of the pages after the first
};

struct codebook_size {
  std::uint32_t entries;
  std::uint32_t dimensions;
};

unsigned bits_of(std::uint32_t value) noexcept {
  return static_cast<unsigned>(std::bit_width(value));
}

// The largest root with root^dimensions <= entries.
std::uint32_t root_of(codebook_size book) noexcept {
  std::uint32_t root = 1;
  for (; root < book.entries; ++root) {
    std::uint64_t power = 1;
    for (std::uint32_t i = 0; i < book.dimensions && power <= book.entries; ++i) power *= root + 1;
    if (power > book.entries) break;
  }
  return root;
}

void skip_code_lengths(setup_bits& bits, codebook_size book) noexcept {
  if (bits.read(1) != 0) {  // ordered by length
    bits.skip(5);
    for (std::uint32_t at = 0; at < book.entries && !bits.ended();) {
      at += bits.read(bits_of(book.entries - at));
    }
    return;
  }
  const bool sparse = bits.read(1) != 0;
  if (!sparse) return bits.skip(book.entries, 5);
  for (std::uint32_t at = 0; at < book.entries && !bits.ended(); ++at) {
    if (bits.read(1) != 0) bits.skip(5);
  }
}

// Everything below is an upper bound for libvorbis 1.3 with 64-bit pointers.
class setup_reader {
 public:
  explicit setup_reader(vorbis_pages& pages) noexcept : bits_(pages) {}

  // Stops at the end of the header, and where libvorbis refuses it.
  result<std::uint64_t> memory() noexcept {
    bits_.skip(7, 8);  // 5, "vorbis"
    if (result<void> books = read_codebooks(); !books) return tl::unexpected<error>(books.error());
    bits_.skip(bits_.read(6) + 1, 16);  // unused
    skip_floors();
    read_residues();
    if (bytes_ > limits::vorbis_tables_bytes_max) {
      return fail(errc::limit, limit_text::vorbis_tables);
    }
    return bytes_ + 12 * bits_.header_bytes();
  }

 private:
  result<void> read_codebooks() noexcept {
    book_count_ = bits_.read(8) + 1;
    for (std::uint32_t i = 0; i < book_count_ && !bits_.ended(); ++i) {
      if (bits_.read(24) != 0x564342) {
        book_count_ = i;
        break;
      }
      const std::uint32_t dimensions = bits_.read(16);
      books_[i] = {bits_.read(24), dimensions};
      if (bits_of(books_[i].entries) + bits_of(dimensions) > 24) {
        book_count_ = i;
        break;
      }
      if (books_[i].entries > limits::vorbis_codebook_entries_max) {
        return fail(errc::limit, limit_text::vorbis_codebook);
      }
      read_codebook(books_[i]);
      if (bytes_ > limits::vorbis_tables_bytes_max) {
        return fail(errc::limit, limit_text::vorbis_tables);
      }
    }
    return {};
  }

  void read_codebook(codebook_size book) noexcept {
    static constexpr std::uint64_t book_bytes = 4096;
    static constexpr std::uint64_t entry_bytes = 32;
    bytes_ += book_bytes + book.entries * entry_bytes;
    skip_code_lengths(bits_, book);
    const std::uint32_t mapping = bits_.read(4);
    if (mapping != 1 && mapping != 2) return;
    bits_.skip(64);
    const std::uint32_t value_bits = bits_.read(4) + 1;
    bits_.skip(1);
    const std::uint64_t values = std::uint64_t{book.entries} * book.dimensions;
    std::uint64_t stored = values;
    if (mapping == 1) stored = book.dimensions == 0 ? 0 : root_of(book);
    bytes_ += values * sizeof(float) + stored * sizeof(long);
    bits_.skip(stored, value_bits);
  }

  void skip_floors() noexcept {
    const std::uint32_t count = bits_.read(6) + 1;
    for (std::uint32_t i = 0; i < count && !bits_.ended(); ++i) {
      static constexpr std::uint64_t floor_bytes = 72u << 10;  // two maps of the largest block
      bytes_ += floor_bytes;
      if (bits_.read(16) == 0) {
        bits_.skip(8 + 16 + 16 + 6 + 8);
        bits_.skip(bits_.read(4) + 1, 8);
      } else {
        skip_floor_of_lines();
      }
    }
  }

  void skip_floor_of_lines() noexcept {
    const std::uint32_t partitions = bits_.read(5);
    std::uint32_t class_of[32] = {};
    std::uint32_t class_count = 0;
    for (std::uint32_t i = 0; i < partitions; ++i) {
      class_of[i] = bits_.read(4);
      class_count = std::max(class_count, class_of[i] + 1);
    }
    std::uint32_t points[16] = {};
    for (std::uint32_t i = 0; i < class_count; ++i) {
      points[i] = bits_.read(3) + 1;
      const std::uint32_t sub_bits = bits_.read(2);
      if (sub_bits != 0) bits_.skip(8);
      bits_.skip(std::uint64_t{1} << sub_bits, 8);
    }
    bits_.skip(2);
    const std::uint32_t range_bits = bits_.read(4);
    for (std::uint32_t i = 0; i < partitions; ++i) bits_.skip(points[class_of[i]], range_bits);
  }

  void read_residues() noexcept {
    const std::uint32_t count = bits_.read(6) + 1;
    for (std::uint32_t i = 0; i < count && !bits_.ended(); ++i) {
      bits_.skip(16 + 24 + 24 + 24);
      const std::uint32_t partitions = bits_.read(6) + 1;
      const std::uint32_t group_book = bits_.read(8);
      std::uint32_t books = 0;
      for (std::uint32_t part = 0; part < partitions; ++part) {
        std::uint32_t cascade = bits_.read(3);
        if (bits_.read(1) != 0) cascade |= bits_.read(5) << 3;
        books += static_cast<std::uint32_t>(std::popcount(cascade));
      }
      bits_.skip(books, 8);
      if (group_book < book_count_) add_residue(partitions, books_[group_book]);
    }
  }

  // A table of partitions^dimensions rows.
  void add_residue(std::uint32_t partitions, codebook_size book) noexcept {
    static constexpr std::uint64_t residue_bytes = 16u << 10;
    static constexpr std::uint64_t row_bytes = 48;
    bytes_ += residue_bytes;
    std::uint64_t rows = 1;
    for (std::uint32_t i = 0; i < book.dimensions && partitions != 1; ++i) {
      rows *= partitions;
      if (rows > book.entries) return;
    }
    bytes_ += rows * (row_bytes + book.dimensions * sizeof(int));
  }

  setup_bits bits_;
  codebook_size books_[256] = {};
  std::uint32_t book_count_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

result<std::uint64_t> vorbis_memory(std::span<const std::byte> file,
                                    page_checksums checksums) noexcept {
  // The library's buffers of pages, its modes and mappings; packets are copied, and comments one by
  // one.
  static constexpr std::uint64_t fixed_bytes = 768u << 10;
  static constexpr std::uint64_t header_copies = 12;
  std::uint64_t most = 0;
  std::uint64_t stream = 0;
  bool has_read_setup = false;
  vorbis_pages pages(file, checksums);
  while (pages.next()) {
    if (const std::span<const std::byte> begin = pages.identification(); !begin.empty()) {
      const std::uint32_t channels = load_u8(&begin[channels_at]);
      if (channels > limits::sound_channels_max) {
        return fail(errc::limit, limit_text::sound_channels);
      }
      const std::uint64_t block = std::uint64_t{1} << (load_u8(&begin[block_sizes_at]) >> 4);
      stream = fixed_bytes + (channels + 4) * block * 16;
      has_read_setup = false;
    }
    stream += header_copies * pages.header_bytes();
    if (!pages.setup().empty() && !has_read_setup) {
      has_read_setup = true;
      const result<std::uint64_t> tables = setup_reader(pages).memory();
      if (!tables) return tables;
      stream += *tables;
    }
    most = std::max(most, stream);
  }
  if (pages.gave_up()) return fail(errc::corrupt, "damaged Ogg pages");
  return most + 2 * file.size();
}

std::uint32_t vorbis_channels(std::span<const std::byte> file) noexcept {
  vorbis_pages pages(file);
  if (!pages.next() || pages.identification().empty()) return 0;
  return load_u8(&pages.identification()[channels_at]);
}

}  // namespace overture::decoders_detail
