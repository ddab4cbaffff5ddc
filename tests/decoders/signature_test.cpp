// SPDX-License-Identifier: Zlib
#include "decoders/signature.hpp"

#include <gtest/gtest.h>

#include <string>

#include "overture/decoders/decoder.hpp"

namespace overture::signature_test {
namespace {

using namespace std::string_view_literals;

// The name of the decoder that accepts the file, or "none".
std::string picked(std::string_view path, std::string_view content) {
  for (const decoder* each : all_decoders()) {
    if (each->accepts(path, std::as_bytes(std::span(content)))) return each->name();
  }
  return "none";
}

constexpr auto png = "\x89PNG\r\n\x1A\n"sv;
constexpr auto jpeg = "\xFF\xD8\xFF\xE0"sv;
constexpr auto wave = "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0"sv;

TEST(choice_of_decoder, follows_the_content_whatever_the_name) {
  EXPECT_EQ(picked("a.png", jpeg), "jpeg");
  EXPECT_EQ(picked("a.tga", jpeg), "jpeg");
  EXPECT_EQ(picked("a.jpg", png), "png");
  EXPECT_EQ(picked("a.txt", png), "png");
  EXPECT_EQ(picked("skins/17", png), "png");
  EXPECT_EQ(picked("a.dat", wave), "wav");
  EXPECT_EQ(picked("a.bin", "DDS \x7C\0\0\0"sv), "dds");
  EXPECT_EQ(picked("head", "IDP3\x0F\0\0\0"sv), "md3");
}

TEST(choice_of_decoder, follows_the_name_where_the_content_says_nothing) {
  EXPECT_EQ(picked("a.png", "damaged\0"sv), "png");
  EXPECT_EQ(picked("a.PNG", {}), "png");
  EXPECT_EQ(picked("a.jpeg", "\0\0\0\0"sv), "jpeg");
  EXPECT_EQ(picked("a.tga", "\0\0\2\0"sv), "tga");
  EXPECT_EQ(picked("a.wav", "RIFF"sv), "wav");
  EXPECT_EQ(picked("a.bin", "\1\2\0\4"sv), "none");
}

TEST(choice_of_decoder, leaves_wave_containers_of_other_tools_alone) {
  EXPECT_EQ(picked("a.wem", "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\xFF\xFF"sv), "none");
  EXPECT_EQ(picked("a.wav", "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\xFF\xFF"sv), "wav");
}

}  // namespace
}  // namespace overture::signature_test
