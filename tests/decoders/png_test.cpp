// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>
#include <spng.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "decoders/rows.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"
#include "support/failing_allocator.hpp"

namespace overture::png_test {
namespace {

using namespace decoders_detail;

using bytes = std::vector<std::byte>;

// An image of the given pixels, written by libspng.
bytes make_png(std::uint32_t width, std::uint32_t height, std::uint8_t color_type,
               const std::vector<unsigned char>& pixels, std::uint8_t bits = 8,
               bool interlaced = false) {
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context(spng_ctx_new(SPNG_CTX_ENCODER),
                                                               spng_ctx_free);
  spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{
      width, height, bits, color_type, 0, 0, interlaced ? std::uint8_t{1} : std::uint8_t{0}};
  spng_set_ihdr(context.get(), &header);
  EXPECT_EQ(spng_encode_image(context.get(), pixels.data(), pixels.size(), SPNG_FMT_PNG,
                              SPNG_ENCODE_FINALIZE),
            0);
  std::size_t size = 0;
  int failed = 0;
  void* const encoded = spng_get_png_buffer(context.get(), &size, &failed);
  bytes png(size);
  std::memcpy(png.data(), encoded, size);
  std::free(encoded);  // NOLINT(cppcoreguidelines-no-malloc): libspng gives it away so
  return png;
}

std::vector<unsigned char> noise(std::size_t count) {
  std::vector<unsigned char> pixels(count);
  unsigned state = 1;
  for (unsigned char& p : pixels)
    p = static_cast<unsigned char>((state = state * 1103515245 + 12345) >> 16);
  return pixels;
}

result<decoded_asset> decode(const bytes& png) {
  return png_decoder().decode(png, default_allocator());
}

TEST(png_decoder, accepts_its_extension_in_any_case) {
  EXPECT_TRUE(png_decoder().accepts("gfx/Title.PNG", {}));
  EXPECT_FALSE(png_decoder().accepts("gfx/title.jpg", {}));
  EXPECT_FALSE(png_decoder().accepts("png", {}));
}

TEST(png_decoder, decodes_the_exact_pixels) {
  const std::vector<unsigned char> pixels = noise(33 * 17 * 4);
  const result<decoded_asset> image =
      decode(make_png(33, 17, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, pixels));
  ASSERT_TRUE(image) << image.error().reason;
  EXPECT_EQ(image->kind(), asset_kind::image);
  EXPECT_EQ(image->width, 33u);
  EXPECT_EQ(image->height, 17u);
  ASSERT_EQ(image->bytes().size(), pixels.size());
  EXPECT_EQ(std::memcmp(image->bytes().data(), pixels.data(), pixels.size()), 0);
}

TEST(png_decoder, turns_greyscale_into_opaque_rgba) {
  const std::vector<unsigned char> pixels = {0, 128, 255, 7};
  const result<decoded_asset> image = decode(make_png(2, 2, SPNG_COLOR_TYPE_GRAYSCALE, pixels));
  ASSERT_TRUE(image);
  const auto* const out = reinterpret_cast<const unsigned char*>(image->bytes().data());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(out[i * 4 + 0], pixels[i]);
    EXPECT_EQ(out[i * 4 + 2], pixels[i]);
    EXPECT_EQ(out[i * 4 + 3], 255);
  }
}

TEST(png_decoder, decodes_row_by_row_what_it_decodes_at_once) {
  for (const bool interlaced : {false, true}) {
    const bytes file =
        make_png(33, 37, SPNG_COLOR_TYPE_TRUECOLOR, noise(33 * 37 * 3), 8, interlaced);
    test::expect_same_rows(png_decoder(), file);
    test::expect_same_cuts(png_decoder(), file);
    test::expect_refused_rows(png_decoder(), file);
  }
}

TEST(png_decoder, reports_a_file_cut_anywhere) {
  const bytes whole = make_png(40, 40, SPNG_COLOR_TYPE_TRUECOLOR, noise(40 * 40 * 3));
  // The last 12 bytes are the end chunk, on which no pixel depends.
  for (std::size_t size = 0; size + 12 < whole.size(); size += 1 + size / 50) {
    const result<decoded_asset> image =
        decode(bytes(whole.begin(), whole.begin() + static_cast<long>(size)));
    ASSERT_FALSE(image) << size;
    EXPECT_EQ(image.error().code, errc::corrupt) << size;
  }
}

TEST(png_decoder, warns_of_a_file_that_is_cut_after_its_last_pixel) {
  const bytes whole = make_png(8, 8, SPNG_COLOR_TYPE_TRUECOLOR, noise(8 * 8 * 3));
  EXPECT_EQ(decode(whole)->warning, nullptr);
  for (std::size_t cut = 1; cut <= 16; ++cut) {  // into the checksum of the pixels, too
    const result<decoded_asset> image =
        decode(bytes(whole.begin(), whole.end() - static_cast<long>(cut)));
    if (cut > 12 && !image) continue;
    ASSERT_TRUE(image) << cut;
    EXPECT_STREQ(image->warning, "the PNG file ends before its end chunk (IEND)") << cut;
    EXPECT_EQ(image->warning_offset, whole.size() - cut);
  }
}

TEST(png_decoder, calls_an_empty_file_truncated) {
  EXPECT_STREQ(decode(bytes()).error().reason, "the PNG file is truncated");
}

TEST(png_decoder, survives_every_flipped_bit) {
  const bytes whole = make_png(8, 8, SPNG_COLOR_TYPE_TRUECOLOR, noise(8 * 8 * 3));
  for (std::size_t i = 0; i < whole.size() * 8; ++i) {
    bytes damaged = whole;
    damaged[i / 8] ^= static_cast<std::byte>(1u << i % 8);
    const result<decoded_asset> image = decode(damaged);
    if (image) {
      EXPECT_EQ(image->bytes().size(), std::size_t{4} * image->width * image->height);
    }
  }
}

std::string big(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xFF);
  return text;
}
void put(bytes& png, std::size_t at, std::uint32_t value) {
  std::memcpy(png.data() + at, big(value).data(), 4);
}

// The checksum of a chunk's kind and data, bit by bit.
std::uint32_t checksum(std::string_view text) {
  std::uint32_t crc = ~0u;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}
std::string chunk(const std::string& kind, const std::string& data, std::uint32_t flip = 0) {
  return big(static_cast<std::uint32_t>(data.size())) + kind + data +
         big(checksum(kind + data) ^ flip);
}
bytes as_bytes(const std::string& text) {
  const auto* const from = reinterpret_cast<const std::byte*>(text.data());
  return {from, from + text.size()};
}

bytes with_size(bytes png, std::uint32_t width, std::uint32_t height) {
  put(png, 16, width);
  put(png, 20, height);
  put(png, 29, checksum({reinterpret_cast<const char*>(png.data()) + 12, 17}));
  return png;
}

TEST(png_decoder, rejects_an_implausible_size_without_allocating) {
  const bytes small = make_png(4, 4, SPNG_COLOR_TYPE_TRUECOLOR, noise(4 * 4 * 3));
  ASSERT_TRUE(decode(with_size(small, 4, 4)));
  tracking_allocator memory;
  const result<decoded_asset> lie = png_decoder().decode(with_size(small, 16'000, 16'000), memory);
  ASSERT_FALSE(lie);
  EXPECT_EQ(lie.error().code, errc::corrupt);
  EXPECT_EQ(memory.total().peak_bytes, 0u);
}

TEST(png_decoder, rejects_images_above_the_limit) {
  const bytes small = make_png(4, 4, SPNG_COLOR_TYPE_TRUECOLOR, noise(4 * 4 * 3));
  const result<decoded_asset> image = decode(with_size(small, limits::image_side_max + 1, 1));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, errc::limit);
}

TEST(png_decoder, rejects_a_large_image_out_of_proportion_to_its_file) {
  // One bit a pixel, all white: 4,000 pixels for each byte of the file.
  const bytes white = make_png(16'384, 1040, SPNG_COLOR_TYPE_GRAYSCALE,
                               std::vector<unsigned char>(16'384 / 8 * 1040, 255), 1);
  ASSERT_LT(white.size(), 16'384u * 1040 / 1100);
  tracking_allocator memory;
  const result<decoded_asset> image = png_decoder().decode(white, memory);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, errc::limit);
  EXPECT_EQ(memory.total().peak_bytes, 0u);
}

TEST(png_decoder, states_the_memory_it_needs_from_the_header_alone) {
  const bytes small = make_png(40, 30, SPNG_COLOR_TYPE_TRUECOLOR, noise(40 * 30 * 3));
  EXPECT_GE(png_decoder().memory_needed(small), 40u * 30 * 4);
  EXPECT_LE(png_decoder().memory_needed(small), 40u * 30 * 4 + 40 * 64);
  EXPECT_GE(png_decoder().memory_needed(with_size(small, 20'000, 10'000)), 800'000'000u);
  // A compressed colour profile can unpack to a thousand times its size.
  bytes profile = small;
  const std::string_view chunk("\0\1\0\0iCCP", 8);
  const bytes front = bytes(profile.begin(), profile.begin() + 33);
  profile = front;
  for (const char each : chunk) profile.push_back(static_cast<std::byte>(each));
  profile.resize(profile.size() + (1u << 16) + 4);
  profile.insert(profile.end(), small.begin() + 33, small.end());
  EXPECT_GE(png_decoder().memory_needed(profile), 64u << 20);
  for (std::size_t size = 0; size < small.size(); ++size) {
    (void)png_decoder().memory_needed(std::span(small).first(size));
  }
}

TEST(png_decoder, reports_refused_memory) {
  failing_allocator memory(0);
  const result<decoded_asset> image =
      png_decoder().decode(make_png(4, 4, SPNG_COLOR_TYPE_GRAYSCALE, noise(16)), memory);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, errc::out_of_memory);
}

// --- What can change a pixel ---------------------------------------------------------------------

const std::string signature("\x89PNG\r\n\x1A\n", 8);
const std::string end = chunk("IEND", "");

// Two pixels of one row.
std::string header_of(int color_type) {
  return signature + chunk("IHDR", big(2) + big(1) + '\x08' + static_cast<char>(color_type) +
                                       std::string(3, 0));
}
// Unpacked: a zlib stream of one stored block.
std::string row_of(const std::string& row, bool with_sum = true, std::uint32_t flip = 0) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  const std::string text = '\0' + row;
  for (const char c : text) b += a += static_cast<unsigned char>(c);
  const char size = static_cast<char>(text.size());
  return chunk("IDAT",
               std::string("\x78\x01\x01") + size + '\0' + static_cast<char>(~size) + '\xFF' +
                   text + (with_sum ? big(b << 16 | a) : ""),
               flip);
}
const std::string palette = chunk("PLTE", "\1\2\3\4\5\6");
const std::string two_of_palette = row_of(std::string("\0\1", 2));

// The alpha of both pixels and the warning, or the error.
std::string outcome_of(const std::string& png) {
  const result<decoded_asset> image = decode(as_bytes(png));
  if (!image) return std::string(to_string(image.error().code)) + ": " + image.error().reason;
  const auto* const out = reinterpret_cast<const unsigned char*>(image->bytes().data());
  return std::to_string(out[3]) + " " + std::to_string(out[7]) +
         (image->warning ? std::string(": ") + image->warning : "");
}

constexpr const char* damaged = "corrupt: a chunk of the PNG file does not match its checksum";
constexpr const char* unused =
    "255 255: a transparency chunk (tRNS) of the PNG file is not used: it has the wrong length or "
    "place";

TEST(png_decoder, has_the_transparency_of_palettes_greys_and_colours) {
  EXPECT_EQ(outcome_of(header_of(3) + palette + chunk("tRNS", "\x0A\x14") + two_of_palette + end),
            "10 20");
  EXPECT_EQ(outcome_of(header_of(3) + palette + chunk("tRNS", "\x0A") + two_of_palette + end),
            "10 255");
  EXPECT_EQ(outcome_of(header_of(0) + chunk("tRNS", std::string("\0\1", 2)) +
                       row_of(std::string("\0\1", 2)) + end),
            "255 0");
  EXPECT_EQ(outcome_of(header_of(2) + chunk("tRNS", std::string("\0\1\0\2\0\3", 6)) +
                       row_of(std::string("\1\2\3\1\2\4", 6)) + end),
            "0 255");
}

TEST(png_decoder, refuses_a_damaged_transparency) {
  EXPECT_EQ(
      outcome_of(header_of(3) + palette + chunk("tRNS", "\x0A\x14", 1) + two_of_palette + end),
      damaged);
  EXPECT_EQ(outcome_of(header_of(0) + chunk("tRNS", std::string("\0\1", 2), 1) +
                       row_of(std::string("\0\1", 2)) + end),
            damaged);
  EXPECT_EQ(outcome_of(header_of(2) + chunk("tRNS", std::string("\0\1\0\2\0\3", 6), 1) +
                       row_of(std::string("\1\2\3\1\2\4", 6)) + end),
            damaged);
}

TEST(png_decoder, warns_of_a_transparency_that_is_not_used) {
  const std::string two = std::string("\0\1", 2);
  EXPECT_EQ(outcome_of(header_of(3) + palette + chunk("tRNS", "123") + two_of_palette + end),
            unused);
  EXPECT_EQ(outcome_of(header_of(3) + palette + chunk("tRNS", "") + two_of_palette + end), unused);
  EXPECT_EQ(outcome_of(header_of(3) + chunk("tRNS", "12") + palette + two_of_palette + end),
            unused);
  EXPECT_EQ(outcome_of(header_of(3) + palette + two_of_palette + chunk("tRNS", "12") + end),
            unused);
  EXPECT_EQ(outcome_of(header_of(0) + chunk("tRNS", "1") + row_of(two) + end), unused);
  EXPECT_EQ(outcome_of(header_of(2) + chunk("tRNS", two) + row_of("123456") + end), unused);
  EXPECT_EQ(outcome_of(header_of(6) + chunk("tRNS", two) +
                       row_of("123\xFF"
                              "567\xFF") +
                       end),
            unused);
  EXPECT_EQ(outcome_of(header_of(0) + chunk("tRNS", two) + chunk("tRNS", two) + row_of("12") + end),
            unused);
}

TEST(png_decoder, refuses_pixels_of_a_wrong_checksum_also_without_one_of_their_own) {
  EXPECT_EQ(outcome_of(header_of(0) + row_of("12", false) + end), "255 255");
  EXPECT_EQ(outcome_of(header_of(0) + row_of("12", false, 1) + end), damaged);
  EXPECT_EQ(outcome_of(header_of(0) + row_of("12", true, 1) + end), damaged);
}

TEST(png_decoder, accepts_damage_that_changes_no_pixel) {
  EXPECT_EQ(
      outcome_of(header_of(0) + chunk("tEXt", "a", 1) + row_of("12") + chunk("tIME", "x", 1) + end),
      "255 255");
}

TEST(png_decoder, names_what_xcode_makes_of_a_png) {
  const std::string header = header_of(6);
  EXPECT_EQ(
      outcome_of(signature + chunk("CgBI", std::string("\x50\0\x20\6", 4)) +
                 header.substr(signature.size()) +
                 row_of("123\xFF"
                        "567\xFF") +
                 end),
      "unsupported: changed by Xcode for iOS (CgBI), which only Apple's systems read; take the "
      "original PNG, or change it back with 'pngcrush -revert-iphone-optimizations'");
}

}  // namespace
}  // namespace overture::png_test
