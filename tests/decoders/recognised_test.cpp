// SPDX-License-Identifier: Zlib
//
// Formats that are recognised but not decoded.
#include <gtest/gtest.h>

#include <string>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"

namespace overture::recognised_test {
namespace {

using namespace decoders_detail;

using namespace test;

struct sample {
  file_format format;
  const char* name;  // of the decoder
  const char* path;
  bytes file;
};

void put_big(byte_writer& file, std::uint32_t value) {
  file.u8(value >> 24).u8(value >> 16).u8(value >> 8).u8(value);
}

bytes ktx2(std::uint64_t offset, std::uint64_t size) {
  byte_writer file;
  file.text("\xABKTX 20\xBB\r\n\x1A\n").text("", 28).u32(1).text("", 36);
  return file.u32(offset).u32(0).u32(size).u32(0).u32(size).u32(0).text("", 16).content;
}

bytes font(const std::string& magic, std::uint32_t offset, std::uint32_t size) {
  byte_writer file;
  file.text(magic, 4).u8(0).u8(1).text("", 6).text("glyf").u32(0);
  put_big(file, offset);
  put_big(file, size);
  return file.text("", 8).content;
}

bytes woff(std::uint32_t size) {
  byte_writer file;
  file.text("wOFF").u32(0);
  put_big(file, size);
  return file.text("", 32).content;
}

// One text, "a", and its translation.
bytes catalogue(std::uint32_t length) {
  byte_writer file;
  file.u32(0x950412DE).u32(0).u32(1).u32(28).u32(36).u32(0).u32(0);
  return file.u32(1).u32(44).u32(length).u32(46).text("a").u8(0).text("bc").u8(0).content;
}

bytes midi(std::size_t track_bytes) {
  const std::string header("MThd\0\0\0\6\0\1\0\1\1\x80", 14);
  return byte_writer{}.text(header).text("MTrk", track_bytes).content;
}

std::vector<sample> samples() {
  const std::string true_type("\0\1\0\0", 4);
  return {
      {file_format::ktx2, "ktx2", "a.bin", ktx2(104, 16)},
      {file_format::glb, "glb", "a.bin",
       byte_writer{}.text("glTF").u32(2).u32(20).u32(0).u32(0).content},
      {file_format::iqm, "iqm", "a.bin",
       byte_writer{}.text("INTERQUAKEMODEL", 16).u32(2).u32(28).u32(0).content},
      {file_format::md5, "md5", "a.md5mesh", byte_writer{}.text("MD5Version 10\n").content},
      {file_format::obj, "obj", "cube.OBJ",
       byte_writer{}
           .text("# Gl\xFC"
                 "ck\nv 0 0 1\n")
           .content},
      {file_format::font, "font", "a.bin", font(true_type, 28, 8)},
      {file_format::font, "font", "a.bin", font("OTTO", 28, 8)},
      {file_format::font, "font", "a.bin", woff(44)},
      {file_format::catalogue, "gettext", "de.mo", catalogue(2)},
      {file_format::module, "module", "a.bin",
       byte_writer{}.text("Extended Module: ").text("", 400).content},
      {file_format::module, "module", "a.bin", byte_writer{}.text("IMPM").text("", 200).content},
      {file_format::module, "module", "a.bin",
       byte_writer{}.text("", 44).text("SCRM").text("", 60).content},
      {file_format::module, "module", "a.bin",
       byte_writer{}.text("song", 1080).text("M.K.").text("", 1024).content},
      {file_format::midi, "midi", "splash.wav", midi(8)},
      {file_format::qt_data, "qt", "a.rcc",
       byte_writer{}.text(std::string("qres\0\0\0\1\0\0\0\x14\0\0\0\x14\0\0\0\x14", 20)).content},
  };
}

TEST(recogniser, takes_a_file_by_its_content_and_leaves_its_bytes_to_the_host) {
  for (const sample& each : samples()) {
    const decoder& by = recogniser_of(each.format);
    EXPECT_STREQ(by.name(), each.name);
    EXPECT_TRUE(by.accepts(each.path, each.file)) << each.name;
    const result<decoded_asset> made = decode_exactly(by, each.file, each.file.size());
    ASSERT_TRUE(made) << each.name << made.error().reason;
    EXPECT_EQ(made->kind(), asset_kind::none);
    EXPECT_TRUE(made->bytes().empty());
    EXPECT_EQ(made->warning, nullptr);
    for (const decoder* other : all_decoders()) {
      if (other == &by || std::string_view(other->name()) == "text") continue;
      EXPECT_FALSE(other->accepts(each.path, each.file)) << each.name << " " << other->name();
    }
  }
}

TEST(recogniser, survives_cut_files_and_flipped_bits) {
  for (const sample& each : samples()) {
    const decoder& by = recogniser_of(each.format);
    for (std::size_t size = 0; size < each.file.size(); ++size) {
      const bytes cut(each.file.begin(), each.file.begin() + static_cast<std::ptrdiff_t>(size));
      (void)by.accepts(each.path, cut);
      (void)decode_exactly(by, each.file, size);
    }
    decode_flipped(by, each.file, 1000);
  }
}

TEST(recogniser, reports_a_file_that_is_shorter_than_its_header_says) {
  const auto outcome_of = [](file_format format, const bytes& file) {
    return outcome(recogniser_of(format).decode(file, default_allocator()));
  };
  EXPECT_EQ(outcome_of(file_format::ktx2, ktx2(104, 17)), "corrupt");
  EXPECT_EQ(outcome_of(file_format::ktx2, ktx2(UINT32_MAX, UINT32_MAX)), "corrupt");
  EXPECT_EQ(outcome_of(file_format::glb, byte_writer{}.text("glTF").u32(2).u32(13).content),
            "corrupt");
  EXPECT_EQ(outcome_of(file_format::iqm,
                       byte_writer{}.text("INTERQUAKEMODEL", 16).u32(2).u32(29).u32(0).content),
            "corrupt");
  EXPECT_EQ(outcome_of(file_format::font, woff(45)), "corrupt");
  EXPECT_EQ(outcome_of(file_format::catalogue, catalogue(4)), "corrupt");
  EXPECT_EQ(outcome_of(file_format::module, byte_writer{}.text("IMPM").text("", 187).content),
            "corrupt");
  EXPECT_EQ(outcome_of(file_format::midi, midi(7)), "corrupt");
}

TEST(recogniser, warns_of_a_table_outside_the_font) {
  const result<decoded_asset> made =
      recogniser_of(file_format::font).decode(font("OTTO", 28, 9), default_allocator());
  ASSERT_TRUE(made);
  EXPECT_STREQ(made->warning, "a table of the font lies outside the file");
}

TEST(apple_double_recogniser, takes_what_macos_keeps_beside_files) {
  const decoder& by = apple_double_recogniser();
  const bytes file = byte_writer{}.text(std::string("\0\5\x16\7\0\2\0\0", 8)).text("", 74).content;
  const bytes cut(file.begin(), file.begin() + 5);
  const bytes gif = byte_writer{}.text("GIF89a").content;
  for (const char* path : {"a/._wall.png", "__MACOSX/b.wav", "mod/__MACOSX/x/._c.ogg", "._d"}) {
    EXPECT_TRUE(by.accepts(path, file)) << path;
    EXPECT_TRUE(by.accepts(path, cut)) << path;
    EXPECT_FALSE(by.accepts(path, gif)) << path;
    EXPECT_FALSE(png_decoder().accepts(path, file)) << path;
  }
  EXPECT_TRUE(by.accepts("renamed", file));
  EXPECT_FALSE(by.accepts("wall._.png", cut));
  EXPECT_FALSE(by.accepts("MACOSX/wall.png", cut));
  EXPECT_EQ(all_decoders()[0], &by) << "others would take it for a damaged file of theirs";
  const result<decoded_asset> made = by.decode(file, default_allocator());
  ASSERT_TRUE(made);
  EXPECT_EQ(made->kind(), asset_kind::none);
  EXPECT_EQ(made->warning, nullptr);
}

TEST(recogniser, leaves_what_only_looks_alike) {
  const decoder& obj = recogniser_of(file_format::obj);
  EXPECT_FALSE(obj.accepts("compiled.obj", byte_writer{}.u16(0x14C).u16(0).content));
  EXPECT_FALSE(obj.accepts("a.txt", byte_writer{}.text("v 0 0 0").content));
  const decoder& fonts = recogniser_of(file_format::font);
  EXPECT_FALSE(fonts.accepts("a.ttf", byte_writer{}.u32(0x100).text("", 40).content));
  EXPECT_FALSE(
      fonts.accepts("a.txt", byte_writer{}.text("true, and false: thirty characters").content));
}

}  // namespace
}  // namespace overture::recognised_test
