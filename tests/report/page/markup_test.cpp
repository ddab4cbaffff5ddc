// SPDX-License-Identifier: Zlib
#include "report/page/markup.hpp"

#include <gtest/gtest.h>

namespace overture::report_detail::markup_test {
namespace {

TEST(markup, text_cannot_become_an_element_or_end_an_attribute) {
  EXPECT_EQ(html_text("<b a='1' c=\"2\">&"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
  EXPECT_EQ(html_text("a\n\xff"), "a\\x0a\\xff");
  EXPECT_EQ(html_text("\u202egpj.exe"), "\\u{202e}gpj.exe") << "text that turns around";
}

TEST(markup, json_cannot_end_its_script) {
  script_json out;
  out.begin('{').key("a</script>").text("<!-- \"\\ &").key("b").begin('[').number(1).number(2);
  out.end().key("c").boolean(true).end();
  EXPECT_EQ(out.take(), R"({"a\u003c/script\u003e":"\u003c!-- \"\\ \u0026","b":[1,2],"c":true})");
}

TEST(markup, varints_are_base64) {
  varint_text numbers;
  EXPECT_EQ(numbers.base64(), "");
  numbers.add(1);
  EXPECT_EQ(numbers.base64(), "AQ==");
  numbers.add(300);
  EXPECT_EQ(numbers.base64(), "AawC");
  numbers.add_signed(-1);
  EXPECT_EQ(numbers.base64(), "AawCAQ==");
  numbers.add_signed(1);
  EXPECT_EQ(numbers.base64(), "AawCAQI=");
}

}  // namespace
}  // namespace overture::report_detail::markup_test
