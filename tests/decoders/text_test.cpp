#include <gtest/gtest.h>

#include <string>

#include "decoders/table.hpp"
#include "support/failing_allocator.hpp"

namespace overture {
namespace {

result<decoded_asset> decode(std::string_view text) {
  return text_decoder().decode(std::as_bytes(std::span(text)), default_allocator());
}

std::string content(const decoded_asset& asset) {
  return {reinterpret_cast<const char*>(asset.bytes().data()), asset.bytes().size()};
}

TEST(text, accepts_by_extension_in_any_case) {
  EXPECT_TRUE(text_decoder().accepts("scripts/map.TXT", {}));
  EXPECT_TRUE(text_decoder().accepts("a.json", {}));
  EXPECT_FALSE(text_decoder().accepts("a.png", {}));
  EXPECT_FALSE(text_decoder().accepts("locale/pt_BR.po", {})) << "names its encoding inside";
}

TEST(text, leaves_xml_alone_that_says_it_is_in_another_encoding) {
  using namespace std::string_view_literals;
  const auto accepts = [](std::string_view text) {
    return text_decoder().accepts("a.xml", std::as_bytes(std::span(text)));
  };
  EXPECT_TRUE(accepts("<a/>"));
  EXPECT_TRUE(accepts(""));
  EXPECT_TRUE(accepts("<"));
  EXPECT_TRUE(accepts("\xEF\xBB\xBF<a/>"));
  EXPECT_TRUE(accepts("<?xml version=\"1.0\"?><a encoding=\"latin1\"/>"));
  EXPECT_TRUE(accepts("<?xml version='1.0' encoding='utf-8'?>"));
  EXPECT_TRUE(accepts("<?xml version=\"1.0\" encoding"));
  EXPECT_TRUE(accepts("<?xml version=\"1.0\" encoding=\"UTF-8"));
  EXPECT_FALSE(accepts("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"));
  EXPECT_FALSE(accepts("\xFF\xFE<\0"sv)) << "UTF-16";
  EXPECT_FALSE(accepts("\xFF\xFE\0\0<\0\0\0"sv)) << "UTF-32";
  EXPECT_FALSE(accepts("\0<\0?"sv)) << "UTF-16 without a mark";
}

TEST(text, keeps_the_text_and_counts_its_lines) {
  const result<decoded_asset> made = decode("eins\nzwei \xC3\xBC\ndrei");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->kind(), asset_kind::text);
  EXPECT_EQ(content(*made), "eins\nzwei \xC3\xBC\ndrei");
  EXPECT_EQ(made->lines, 3u);
  EXPECT_EQ(decode("a\n")->lines, 1u);
  EXPECT_EQ(decode("")->lines, 0u);
}

TEST(text, byte_order_mark_is_dropped) {
  EXPECT_EQ(content(*decode("\xEF\xBB\xBFhi")), "hi");
}

struct ill_formed {
  const char* what;
  std::string_view text;
  std::uint64_t offset;
};

class ill_formed_text : public testing::TestWithParam<ill_formed> {};

TEST_P(ill_formed_text, is_an_error_that_names_the_offset) {
  const result<decoded_asset> made = decode(GetParam().text);
  ASSERT_FALSE(made) << GetParam().what;
  EXPECT_EQ(made.error().code, errc::corrupt);
  EXPECT_EQ(made.error().offset, GetParam().offset);
}

INSTANTIATE_TEST_SUITE_P(
    all, ill_formed_text,
    testing::Values(ill_formed{"a lone continuation", "ab\x80", 2},
                    ill_formed{"Latin-1", "12345678 na\xEFve text", 11},
                    ill_formed{"overlong", "\xC0\xAF", 0},
                    ill_formed{"overlong in three bytes", "x\xE0\x80\xAF", 1},
                    ill_formed{"a surrogate", "\xED\xA0\x80", 0},
                    ill_formed{"beyond the last code point", "\xF4\x90\x80\x80", 0},
                    ill_formed{"cut at the end", "abc\xE2\x82", 3}, ill_formed{"0xFF", "\xFF", 0},
                    ill_formed{"behind a byte order mark", "\xEF\xBB\xBFok\xFF", 5}));

TEST(text, refused_memory_is_an_error) {
  failing_allocator memory(0);
  const std::string_view text = "text";
  const result<decoded_asset> made = text_decoder().decode(std::as_bytes(std::span(text)), memory);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::out_of_memory);
}

}  // namespace
}  // namespace overture
