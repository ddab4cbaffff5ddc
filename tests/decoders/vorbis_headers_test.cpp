// SPDX-License-Identifier: Zlib
#include "decoders/vorbis_headers.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "decoders/ogg.hpp"
#include "decoders/sound_buffer.hpp"
#include "decoders/table.hpp"
#include "decoders/vorbis_writer.hpp"
#include "overture/base/limits.hpp"

namespace overture::vorbis_headers_test {
namespace {

using namespace decoders_detail;

using namespace test;

// --- Crafted headers ---

using packet_bits = std::function<void(oggpack_buffer&)>;

void put(oggpack_buffer& bits, std::uint64_t value, int count) {
  oggpack_write(&bits, static_cast<unsigned long>(value), count);
}
void put_text(oggpack_buffer& bits, const char* text) {
  for (; *text; ++text) put(bits, static_cast<unsigned char>(*text), 8);
}

std::vector<unsigned char> packet_of(const packet_bits& write) {
  oggpack_buffer bits;
  oggpack_writeinit(&bits);
  write(bits);
  const unsigned char* const made = oggpack_get_buffer(&bits);
  std::vector<unsigned char> packet(made, made + oggpack_bytes(&bits));
  oggpack_writeclear(&bits);
  return packet;
}

struct book {
  unsigned long entries;
  unsigned long dimensions = 1;
  bool valued = false;
};

// Codes of one length for all entries, a power of two: a few bytes, whatever their number.
void put_book(oggpack_buffer& bits, const book& of) {
  put(bits, 0x564342, 24);
  put(bits, of.dimensions, 16);
  put(bits, of.entries, 24);
  put(bits, 1, 1);
  const int length = static_cast<int>(std::bit_width(of.entries)) - 1;
  put(bits, static_cast<unsigned long>(length - 1), 5);
  put(bits, of.entries, length + 1);
  put(bits, of.valued ? 1 : 0, 4);
  if (!of.valued) return;
  put(bits, 0, 32);
  put(bits, 0, 32);
  put(bits, 0, 4);
  put(bits, 0, 1);
  const auto power = [&](unsigned long root) {
    unsigned long product = 1;
    for (unsigned long i = 0; i < of.dimensions && product <= of.entries; ++i) product *= root;
    return product;
  };
  unsigned long root = 1;
  while (power(root + 1) <= of.entries) ++root;
  for (unsigned long i = 0; i < root; ++i) put(bits, 0, 1);
}

struct crafted {
  std::vector<book> books;
  int channels = 1;
  unsigned residues = 1;
  unsigned residue_partitions = 1;
  unsigned residue_book = 0;
  std::size_t comment_bytes = 0;
};

std::vector<std::vector<unsigned char>> headers_of(const crafted& wish) {
  const auto identification = packet_of([&](oggpack_buffer& bits) {
    put_text(bits, "\x01vorbis");
    put(bits, 0, 32);
    put(bits, static_cast<unsigned long>(wish.channels), 8);
    put(bits, 44100, 32);
    for (int i = 0; i < 3; ++i) put(bits, 0, 32);
    put(bits, 8, 4);
    put(bits, 11, 4);
    put(bits, 1, 8);
  });
  const auto comment = packet_of([&](oggpack_buffer& bits) {
    put_text(bits, "\x03vorbis");
    put(bits, wish.comment_bytes, 32);
    for (std::size_t i = 0; i < wish.comment_bytes; ++i) put(bits, 'x', 8);
    put(bits, 0, 32);
    put(bits, 1, 8);
  });
  const auto setup = packet_of([&](oggpack_buffer& bits) {
    put_text(bits, "\x05vorbis");
    put(bits, wish.books.size() - 1, 8);
    for (const book& each : wish.books) put_book(bits, each);
    put(bits, 0, 6);  // times
    put(bits, 0, 16);
    put(bits, 0, 6);  // floors
    put(bits, 1, 16);
    put(bits, 0, 5);
    put(bits, 0, 2);
    put(bits, 8, 4);
    put(bits, wish.residues - 1, 6);
    for (unsigned i = 0; i < wish.residues; ++i) {
      put(bits, 0, 16);
      put(bits, 0, 24);
      put(bits, 0, 24);
      put(bits, 0, 24);
      put(bits, wish.residue_partitions - 1, 6);
      put(bits, wish.residue_book, 8);
      for (unsigned part = 0; part < wish.residue_partitions; ++part) put(bits, 0, 4);
    }
    put(bits, 0, 6);  // mappings
    put(bits, 0, 16);
    put(bits, 0, 1 + 1 + 2);
    put(bits, 0, 24);
    put(bits, 0, 6);  // modes
    put(bits, 0, 1 + 16);
    put(bits, 0, 16 + 8);
    put(bits, 1, 1);
  });
  return {identification, comment, setup};
}

// The first packet on a page of its own.
bytes paged(std::vector<std::vector<unsigned char>> packets, int serial = 1) {
  ogg_stream_state stream;
  ogg_stream_init(&stream, serial);
  bytes file;
  const auto flush = [&] {
    ogg_page page;
    while (ogg_stream_flush(&stream, &page) != 0) {
      for (const auto& [data, size] :
           {std::pair(page.header, page.header_len), std::pair(page.body, page.body_len)}) {
        const auto* const first = reinterpret_cast<const std::byte*>(data);
        file.insert(file.end(), first, first + size);
      }
    }
  };
  for (std::size_t i = 0; i < packets.size(); ++i) {
    ogg_packet packet{
        packets[i].data(),          static_cast<long>(packets[i].size()), i == 0 ? 1 : 0, 0, 0,
        static_cast<ogg_int64_t>(i)};
    ogg_stream_packetin(&stream, &packet);
    if (i == 0) flush();
  }
  flush();
  ogg_stream_clear(&stream);
  return file;
}

bytes crafted_file(const crafted& wish, int serial = 1) {
  return paged(headers_of(wish), serial);
}

std::string outcome_of(const bytes& file) {
  const result<std::uint64_t> needed = vorbis_memory(file);
  const result<decoded_asset> made = vorbis_decoder().decode(file, default_allocator());
  if (!needed) {
    EXPECT_EQ(vorbis_decoder().memory_needed(file), 0u);
    EXPECT_TRUE(outcome(made) == to_string(needed.error().code) || has_damaged_page(file))
        << outcome(made);
    EXPECT_FALSE(made);
    return to_string(needed.error().code);
  }
  return outcome(made);
}

// --- Tests ---

TEST(vorbis_headers, crafted_headers_are_valid_for_libvorbis) {
  EXPECT_EQ(outcome_of(crafted_file({.books = {{64}}})), "ok");
  EXPECT_EQ(outcome_of(crafted_file({.books = {{64, 2, true}, {16384, 1, true}, {4096}}})), "ok");
  EXPECT_EQ(outcome_of(crafted_file({.books = {{4096, 12}}, .residue_partitions = 2})), "ok");
}

TEST(vorbis_headers, refuses_a_codebook_of_many_entries_from_a_few_bytes) {
  const bytes file = crafted_file({.books = {{1u << 20}}});
  EXPECT_LT(file.size(), 300u);
  EXPECT_EQ(outcome_of(file), "limit");
}

TEST(vorbis_headers, refuses_many_large_codebooks) {
  const std::vector<book> books(200, book{16384, 255, true});
  const bytes file = crafted_file({.books = books});
  EXPECT_LT(file.size(), 10'000u);
  EXPECT_EQ(outcome_of(file), "limit");
}

TEST(vorbis_headers, refuses_many_tables_of_one_codebook) {
  const bytes file = crafted_file(
      {.books = {{16384, 14}}, .residues = 64, .residue_partitions = 2, .residue_book = 0});
  EXPECT_EQ(outcome_of(file), "limit");
}

TEST(vorbis_headers, refuses_what_a_later_link_of_a_chain_claims) {
  bytes file = make_vorbis({.channels = 1, .frames = 3000});
  const bytes second = crafted_file({.books = {{1u << 20}}}, 2);
  file.insert(file.end(), second.begin(), second.end());
  EXPECT_EQ(outcome_of(file), "limit");
}

TEST(vorbis_headers, finds_codebooks_on_any_page) {
  const crafted wish{.books = {{64}, {1u << 20}}, .comment_bytes = 200'000};
  EXPECT_EQ(outcome_of(crafted_file(wish)), "limit");
  std::vector<book> books(256, book{2, 1, true});
  books.back().entries = 1u << 20;
  std::vector<std::vector<unsigned char>> headers = headers_of({.books = books});
  const bytes file = paged(headers);
  EXPECT_EQ(outcome_of(file), "limit");
}

// Pages inside a damaged page, and pages of other streams, are where a reader of its own could
// differ from libogg.
TEST(vorbis_headers, shows_libvorbis_only_the_pages_that_were_checked) {
  const bytes plain = crafted_file({.books = {{64}}});
  const bytes large = crafted_file({.books = {{1u << 20}}});
  bytes hidden = large;
  hidden.insert(hidden.begin(), plain.begin(), plain.begin() + 27);  // a header without its page
  EXPECT_EQ(outcome_of(hidden), "limit");

  // The second stream has the identification, and the pages of the first the rest.
  bytes two = paged({headers_of({.books = {{64}}})[0]}, 2);
  two.insert(two.end(), large.begin(), large.end());
  EXPECT_EQ(outcome_of(two), "corrupt");
  // A first packet that libvorbis does not take for the identification.
  std::vector<std::vector<unsigned char>> late = headers_of({.books = {{1u << 20}}});
  late.insert(late.begin(), {1, 'v', 'o', 'r', 'b', 'i', 's'});
  EXPECT_EQ(outcome_of(paged(late)), "corrupt");
}

TEST(vorbis_headers, gives_up_after_many_damaged_pages) {
  bytes file = make_vorbis({.channels = 1, .frames = 3000});
  for (int i = 0; i < 100; ++i) {
    const bytes bad = byte_writer{}.text("OggS").u8(0).text("", 21).u8(1).u8(1).u8(7).content;
    file.insert(file.end(), bad.begin(), bad.end());
  }
  EXPECT_EQ(outcome_of(file), "corrupt");
}

TEST(vorbis_headers, honest_files_need_little_more_than_their_samples) {
  for (const int channels : {1, 2}) {
    const bytes file = make_vorbis({.channels = channels, .frames = 100'000});
    const std::uint64_t samples = std::uint64_t{100'000} * static_cast<unsigned>(channels) * 2;
    const std::uint64_t needed = vorbis_decoder().memory_needed(file);
    EXPECT_GT(needed, samples);
    EXPECT_LT(needed, samples + (5u << 20)) << channels;
  }
}

TEST(vorbis_headers, survive_cuts_and_flipped_bits) {
  const bytes file = make_vorbis({.channels = 1, .frames = 500});
  for (std::size_t size = 0; size < file.size(); size += 7) {
    (void)vorbis_decoder().memory_needed(std::span(file).first(size));
  }
  const std::vector<std::vector<unsigned char>> headers = headers_of({.books = {{64, 2, true}}});
  for (std::size_t bit = 0; bit < headers[2].size() * 8; ++bit) {
    std::vector<std::vector<unsigned char>> damaged = headers;
    damaged[2][bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
    (void)outcome_of(paged(damaged));
  }
}

TEST(sound_buffer, limits_a_sound_out_of_proportion_to_its_file) {
  EXPECT_EQ(sound_bytes_max(1), limits::sound_bytes_always);
  EXPECT_EQ(sound_bytes_max(100'000), 100'000 * limits::sound_bytes_per_byte_max);
  EXPECT_EQ(sound_bytes_max(1u << 30), limits::sound_bytes_max);
  EXPECT_EQ(sound_bytes_likely(100, 4, 1000), 400u);
  EXPECT_EQ(sound_bytes_likely(~std::uint64_t{0}, 4, 1000), 128'000u);
  EXPECT_EQ(sound_bytes_likely(100, 0, 1000), 0u);
  sound_buffer sound(1, default_allocator());
  const result<decoded_asset> made =
      sound.fill(0, 1, 44100,
                 [](std::span<std::int16_t> room) -> result<std::uint64_t> { return room.size(); });
  EXPECT_EQ(outcome(made), "limit");
}

}  // namespace
}  // namespace overture::vorbis_headers_test
