// SPDX-License-Identifier: Zlib
#include "decoders/ogg.hpp"

#include <gtest/gtest.h>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"

namespace overture::ogg_test {
namespace {

using namespace decoders_detail;

using namespace test;

// A page with `packet` whose header claims `claimed` bytes.
bytes page(const std::string& packet, std::size_t claimed) {
  return byte_writer{}.text("OggS").u8(0).text("", 21).u8(1).u8(claimed).text(packet).content;
}
bytes page(const std::string& packet) {
  return page(packet, packet.size());
}

TEST(ogg, recognises_the_codec_by_the_first_packet) {
  EXPECT_EQ(codec_of_ogg(page("\x01vorbis....")), ogg_codec::vorbis);
  EXPECT_EQ(codec_of_ogg(page("OpusHead....")), ogg_codec::opus);
  EXPECT_EQ(codec_of_ogg(page("Speex   ")), ogg_codec::other);
  EXPECT_EQ(codec_of_ogg(page("")), ogg_codec::other);
  EXPECT_EQ(codec_of_ogg(byte_writer{}.text("RIFF").content), ogg_codec::none);
  EXPECT_EQ(codec_of_ogg({}), ogg_codec::none);
}

TEST(ogg, does_not_recognise_a_cut_header) {
  const bytes whole = page("OpusHead");
  for (std::size_t size = 0; size < 28; ++size) {
    const bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(codec_of_ogg(cut), ogg_codec::none) << size;
  }
}

TEST(ogg, detects_an_end_inside_a_page) {
  EXPECT_FALSE(is_cut_inside_page(page("12345678")));
  EXPECT_TRUE(is_cut_inside_page(page("12345678", 9)));
  bytes two = page("12345678");
  const bytes second = page("abc", 4);
  two.insert(two.end(), second.begin(), second.end());
  EXPECT_TRUE(is_cut_inside_page(two));
  two.push_back(std::byte{'d'});
  EXPECT_FALSE(is_cut_inside_page(two));
  two.push_back(std::byte{0});
  EXPECT_FALSE(is_cut_inside_page(two)) << "bytes after the last page";
  EXPECT_FALSE(is_cut_inside_page({}));
  EXPECT_TRUE(is_cut_inside_page(byte_writer{}.text("OggS").u8(0).content));
}

TEST(ogg, finds_a_page_that_does_not_match_its_checksum) {
  const std::string packet = "12345678";
  const bytes good = byte_writer{}
                         .text("OggS")
                         .text("", 18)
                         .u32(0x1C1C0FF5)
                         .u8(1)
                         .u8(packet.size())
                         .text(packet)
                         .content;
  EXPECT_FALSE(has_damaged_page(good));
  for (std::size_t i = 0; i < good.size(); ++i) {
    bytes damaged = good;
    damaged[i] ^= std::byte{4};
    EXPECT_EQ(has_damaged_page(damaged), i >= 4) << i;
  }
  bytes two = byte_writer{}.text("a tag").content;
  for (int i = 0; i < 2; ++i) two.insert(two.end(), good.begin(), good.end());
  two.push_back(std::byte{0});
  EXPECT_FALSE(has_damaged_page(two)) << "bytes around pages";
  const bytes other = page(packet);
  two.insert(two.end(), other.begin(), other.end());
  EXPECT_TRUE(has_damaged_page(two));
  EXPECT_FALSE(has_damaged_page({}));
  EXPECT_TRUE(has_damaged_page(byte_writer{}.text("OggS").u8(0).content));
}

TEST(ogg, ends_the_first_link_where_other_streams_begin) {
  const auto pages = [](const std::string& flags) {
    bytes all;
    for (const char each : flags) {
      bytes one = page("12345678");
      one[5] = static_cast<std::byte>(each == 'b' ? 2 : 0);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  };
  const std::size_t bytes_of_page = pages("b").size();
  EXPECT_EQ(bytes_of_first_link(pages("b")), bytes_of_page);
  EXPECT_EQ(bytes_of_first_link(pages("b..")), 3 * bytes_of_page);
  EXPECT_EQ(bytes_of_first_link(pages("b..b.")), 3 * bytes_of_page);
  EXPECT_EQ(bytes_of_first_link(pages("bb..")), 4 * bytes_of_page) << "two streams at a time";
  EXPECT_EQ(bytes_of_first_link(pages("bb.bb.")), 3 * bytes_of_page);
  EXPECT_EQ(bytes_of_first_link(pages(".b")), bytes_of_page);
  bytes tagged = pages("b.b.");
  tagged.insert(tagged.begin(), 10, std::byte{'x'});
  EXPECT_EQ(bytes_of_first_link(tagged), 10 + 2 * bytes_of_page);
  EXPECT_EQ(bytes_of_first_link({}), 0u);
}

TEST(ogg, takes_the_position_from_the_last_page) {
  const auto at = [](std::uint64_t position) {
    byte_writer page;
    page.text("OggS").u8(0).u8(0);
    for (unsigned i = 0; i < 8; ++i) page.u8(position >> 8 * i & 0xff);
    return page.text("", 12).u8(1).u8(1).text("x").content;
  };
  bytes two = at(7);
  EXPECT_EQ(position_of_last_page(two), 7u);
  const bytes second = at(0x0102030405060708);
  two.insert(two.end(), second.begin(), second.end());
  EXPECT_EQ(position_of_last_page(two), 0x0102030405060708u);
  EXPECT_EQ(position_of_last_page(at(~std::uint64_t{0})), 0u) << "no packet ends in it";
  EXPECT_EQ(position_of_last_page({}), 0u);
  EXPECT_EQ(position_of_last_page(byte_writer{}.text("OggS").u8(0).content), 0u);
}

// The name of the decoder that accepts the file, or "none".
std::string picked(std::string_view path, const bytes& file) {
  for (const decoder* each : all_decoders()) {
    if (each->accepts(path, file)) return each->name();
  }
  return "none";
}

TEST(ogg, leaves_the_choice_of_decoder_to_the_content) {
  EXPECT_EQ(picked("a.ogg", page("\x01vorbis")), "vorbis");
  EXPECT_EQ(picked("a.OGA", page("\x01vorbis")), "vorbis");
  EXPECT_EQ(picked("a.ogg", page("OpusHead")), "opus");
  EXPECT_EQ(picked("a.opus", {}), "opus");
  EXPECT_EQ(picked("a.ogg", page("Speex   ")), "none");
  EXPECT_EQ(picked("a.dat", page("\x01vorbis")), "vorbis");
  EXPECT_EQ(picked("a.ogg", {}), "vorbis") << "it complains of what is no Ogg file";
  EXPECT_EQ(picked("a.ogv", page("\x80theora")), "none");
}

}  // namespace
}  // namespace overture::ogg_test
