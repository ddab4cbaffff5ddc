// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <string>

#include "decoders/table.hpp"
#include "support/failing_allocator.hpp"

namespace overture::text_test {
namespace {

using namespace decoders_detail;

result<decoded_asset> decode(std::string_view text) {
  return text_decoder().decode(std::as_bytes(std::span(text)), default_allocator());
}

std::string content(const decoded_asset& asset) {
  return {reinterpret_cast<const char*>(asset.bytes().data()), asset.bytes().size()};
}

bool accepts(std::string_view path, std::string_view content) {
  return text_decoder().accepts(path, std::as_bytes(std::span(content)));
}

TEST(text_decoder, accepts_its_extensions_in_any_case) {
  EXPECT_TRUE(accepts("scripts/map.TXT", {}));
  EXPECT_FALSE(accepts("a.png", {}));
  EXPECT_FALSE(accepts("locale/pt_BR.po", "\xFC\xE9")) << "names its encoding inside";
}

TEST(text_decoder, accepts_utf8_whatever_its_name) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(accepts("README",
                      "Viel Gl\xC3\xBC"
                      "ck"));
  EXPECT_TRUE(accepts("locale/pt_BR.po", "msgid \"\""));
  EXPECT_FALSE(accepts("README",
                       "Viel Gl\xFC"
                       "ck"))
      << "Latin-1";
  EXPECT_FALSE(accepts("a.bin", "text\0"sv));
  EXPECT_FALSE(accepts("a.bin", std::string(5000, 'a') + "\xFF" + std::string(10, 'a')));
  EXPECT_FALSE(accepts("a.bin", {}));
  EXPECT_TRUE(accepts("a.bin", "cut in a character \xE2\x82")) << "a piece of a large file";
  EXPECT_FALSE(accepts("a.bin", "\xE2\x82")) << "nothing but that";
}

TEST(text_decoder, accepts_no_binary_file_for_its_name) {
  using namespace std::string_view_literals;
  EXPECT_FALSE(accepts("mesh.stl", "\0\0\x80\x3F"sv));
  EXPECT_TRUE(accepts("mesh.stl", "solid cube"));
  EXPECT_TRUE(accepts("latin1.txt",
                      "Gl\xFC"
                      "ck"))
      << "a warning";
  EXPECT_TRUE(accepts("utf16.txt", "\xFF\xFEh\0"sv));
}

TEST(utf8_decoder, refuses_anything_else) {
  const auto decoded = [](std::string_view text) {
    return utf8_decoder().decode(std::as_bytes(std::span(text)), default_allocator());
  };
  EXPECT_TRUE(utf8_decoder().accepts("a.json", {}));
  EXPECT_TRUE(utf8_decoder().accepts("a.TOML", {}));
  EXPECT_FALSE(utf8_decoder().accepts("a.txt", {}));
  EXPECT_EQ(decoded("{}\n")->lines, 1u);
  const result<decoded_asset> latin1 = decoded("{\"\xFC\"}");
  ASSERT_FALSE(latin1);
  EXPECT_EQ(latin1.error().code, errc::corrupt);
  EXPECT_EQ(latin1.error().offset, 2u);
}

TEST(text_decoder, leaves_xml_in_another_encoding_alone) {
  using namespace std::string_view_literals;
  const auto is_ours = [](std::string_view text) {
    return accepts("a.xml", std::string(text) + "\xFC");
  };
  EXPECT_TRUE(is_ours("<a/>"));
  EXPECT_TRUE(is_ours("<"));
  EXPECT_TRUE(is_ours("\xEF\xBB\xBF<a/>"));
  EXPECT_TRUE(is_ours("<?xml version=\"1.0\"?><a encoding=\"latin1\"/>"));
  EXPECT_TRUE(is_ours("<?xml version='1.0' encoding='utf-8'?>"));
  EXPECT_TRUE(is_ours("<?xml version=\"1.0\" encoding"));
  EXPECT_FALSE(is_ours("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"));
  EXPECT_FALSE(is_ours("\xFF\xFE<\0"sv)) << "UTF-16";
  EXPECT_FALSE(is_ours("\xFF\xFE\0\0<\0\0\0"sv)) << "UTF-32";
  EXPECT_FALSE(is_ours("\0<\0?"sv)) << "UTF-16 without a mark";
  EXPECT_TRUE(accepts("a.xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>")) << "ASCII";
}

TEST(text_decoder, keeps_the_text_and_counts_its_lines) {
  const result<decoded_asset> made = decode("eins\nzwei \xC3\xBC\ndrei");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->kind(), asset_kind::text);
  EXPECT_EQ(content(*made), "eins\nzwei \xC3\xBC\ndrei");
  EXPECT_EQ(made->lines, 3u);
  EXPECT_EQ(decode("a\n")->lines, 1u);
  EXPECT_EQ(decode("")->lines, 0u);
}

TEST(text_decoder, drops_the_byte_order_mark) {
  EXPECT_EQ(content(*decode("\xEF\xBB\xBFhi")), "hi");
}

TEST(text_decoder, turns_utf16_with_a_mark_into_utf8) {
  using namespace std::string_view_literals;
  // "hé€" and a musical clef, which takes two units.
  const auto little = "\xFF\xFEh\0\xE9\0\xAC\x20\x34\xD8\x1E\xDD\n\0"sv;
  const auto big = "\xFE\xFF\0h\0\xE9\x20\xAC\xD8\x34\xDD\x1E\0\n"sv;
  for (const std::string_view text : {little, big}) {
    const result<decoded_asset> made = decode(text);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->kind(), asset_kind::text);
    EXPECT_EQ(content(*made), "h\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E\n");
    EXPECT_EQ(made->lines, 1u);
    EXPECT_EQ(made->warning, nullptr);
  }
  EXPECT_EQ(content(*decode("\xFF\xFE"sv)), "");
}

TEST(text_decoder, warns_of_damaged_utf16) {
  using namespace std::string_view_literals;
  for (const auto text : {"\xFF\xFEh"sv, "\xFF\xFE\x34\xD8"sv, "\xFF\xFE\x34\xD8h\0"sv,
                          "\xFF\xFE\x1E\xDDh\0"sv, "\xFE\xFF\0\0\0x"sv}) {
    const result<decoded_asset> made = decode(text);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->kind(), asset_kind::none);
    EXPECT_STREQ(made->warning, "damaged UTF-16 text; not decoded");
    EXPECT_EQ(made->warning_offset, 2u);
  }
}

struct ill_formed {
  const char* what;
  std::string_view text;
  std::uint64_t offset;
};

class ill_formed_text : public testing::TestWithParam<ill_formed> {};

TEST_P(ill_formed_text, is_a_warning_with_its_offset) {
  const result<decoded_asset> made = decode(GetParam().text);
  ASSERT_TRUE(made) << GetParam().what;
  EXPECT_EQ(made->kind(), asset_kind::none);
  EXPECT_TRUE(made->bytes().empty());
  EXPECT_STREQ(made->warning, "text is not UTF-8; not decoded");
  EXPECT_EQ(made->warning_offset, GetParam().offset);
}

INSTANTIATE_TEST_SUITE_P(
    All, ill_formed_text,
    testing::Values(ill_formed{"a lone continuation", "ab\x80", 2},
                    ill_formed{"Latin-1", "12345678 na\xEFve text", 11},
                    ill_formed{"overlong", "\xC0\xAF", 0},
                    ill_formed{"overlong in three bytes", "x\xE0\x80\xAF", 1},
                    ill_formed{"a surrogate", "\xED\xA0\x80", 0},
                    ill_formed{"beyond the last code point", "\xF4\x90\x80\x80", 0},
                    ill_formed{"cut at the end", "abc\xE2\x82", 3}, ill_formed{"0xFF", "\xFF", 0},
                    ill_formed{"after a byte order mark", "\xEF\xBB\xBFok\xFF", 5}));

TEST(text_decoder, reports_refused_memory) {
  failing_allocator memory(0);
  const std::string_view text = "text";
  const result<decoded_asset> made = text_decoder().decode(std::as_bytes(std::span(text)), memory);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::out_of_memory);
}

}  // namespace
}  // namespace overture::text_test
