// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cstring>
#include <limits>
#include <string>

#include "overture/text/number.hpp"
#include "support/guards.hpp"

namespace overture::number_test {
namespace {

template <int Decimals, class T>
std::string fixed(T value) {
  char text[text::fixed_room<T>(Decimals)];
  return {text, text::write_fixed<Decimals>(text, value)};
}

template <class T>
text::parsed_number read(const std::string& text, T& value) {
  return text::read_number(text.data(), text.data() + text.size(), value);
}

TEST(fixed_decimals, round_half_to_even) {
  EXPECT_EQ(fixed<2>(0.125f), "0.12");
  EXPECT_EQ(fixed<2>(0.375f), "0.38");
  EXPECT_EQ(fixed<0>(0.5f), "0");
  EXPECT_EQ(fixed<0>(1.5f), "2");
  EXPECT_EQ(fixed<2>(999.996f), "1000.00");
}

TEST(fixed_decimals, write_nan_infinity_and_negative_zero) {
  EXPECT_EQ(fixed<2>(std::bit_cast<float>(0x7FC00000u)), "nan");
  EXPECT_EQ(fixed<2>(std::bit_cast<float>(0xFFC00000u)), "-nan");
  EXPECT_EQ(fixed<2>(std::bit_cast<float>(0x7F800000u)), "inf");
  EXPECT_EQ(fixed<2>(std::bit_cast<float>(0xFF800000u)), "-inf");
  // Not a constant: with -ffast-math the compiler may write 0 for one of -0.
  const volatile std::uint32_t negative_zero = 0x80000000u;
  EXPECT_EQ(fixed<2>(std::bit_cast<float>(std::uint32_t{negative_zero})), "-0.00");
  EXPECT_EQ(fixed<2>(std::bit_cast<float>(0x00000001u)), "0.00");
  EXPECT_EQ(fixed<2>(std::numeric_limits<float>::max()),
            "340282346638528859811704183484516925440.00");
}

TEST(fixed_decimals, are_right_at_the_limits_of_the_fast_path) {
  // Results of 63, 64 and 65 bits; shifts of 63, 64 and more.
  EXPECT_EQ(fixed<2>(0x1p56), "72057594037927936.00");
  EXPECT_EQ(fixed<2>(0x1p57), "144115188075855872.00");
  EXPECT_EQ(fixed<2>(0x1p58), "288230376151711744.00");
  EXPECT_EQ(fixed<9>(0x1.8p-40), "0.000000000");
  EXPECT_EQ(fixed<9>(0x1.8p-29), "0.000000003");
  EXPECT_EQ(fixed<9>(0x1p-11f), "0.000488281");
  EXPECT_EQ(fixed<9>(9007199254740993.0), "9007199254740992.000000000");
}

TEST(writers, stay_within_their_room) {
  char text[text::fixed_room<float>(2) + 1];
  for (const float value : {std::numeric_limits<float>::lowest(), -16777215.0f, -0.01f, -1e15f}) {
    std::memset(text, '#', sizeof text);
    (void)text::write_fixed<2>(text, value);
    EXPECT_EQ(text[sizeof text - 1], '#');
  }
}

TEST(numbers, ignore_the_locale_and_allocate_nothing_and_take_no_lock) {
  const char* const before = std::setlocale(LC_ALL, nullptr);
  const std::string kept = before ? before : "C";
  (void)std::setlocale(LC_ALL, "de_DE.UTF-8");
  char text[512];
  double value = 0;
  text::parsed_number end{};
  {
    const test::no_alloc_scope no_alloc;
    const test::no_lock_scope no_lock;
    char* out = text::write_fixed<2>(text, 1234567.875);
    *out++ = ' ';
    out = text::write_fixed<2>(out, 1e300);
    *out++ = ' ';
    out = text::write_shortest(out, 0.1);
    *out = '\0';
    end = text::read_number(text, out, value);
  }
  (void)std::setlocale(LC_ALL, kept.c_str());
  EXPECT_EQ(std::string(text).substr(0, 11), "1234567.88 ");
  EXPECT_TRUE(std::string(text).ends_with(".00 0.1"));
  EXPECT_TRUE(end.ok);
  EXPECT_EQ(value, 1234567.88);
}

TEST(reading, stops_after_the_number) {
  float value = 0;
  const std::string text = "12.50}";
  const text::parsed_number end = read(text, value);
  EXPECT_TRUE(end.ok);
  EXPECT_EQ(*end.next, '}');
  EXPECT_EQ(value, 12.5f);
}

TEST(reading, refuses_text_that_is_not_a_number_and_keeps_the_value) {
  for (const char* const text : {"", "-", ".", "x", "--1", "+1", "e5", "-.e", " 1"}) {
    float value = 7;
    int whole = 7;
    EXPECT_FALSE(read(text, value).ok) << text;
    EXPECT_FALSE(read(text, whole).ok) << text;
    EXPECT_EQ(value, 7);
    EXPECT_EQ(whole, 7);
  }
}

TEST(reading, refuses_numbers_out_of_range) {
  std::int8_t small = 7;
  EXPECT_FALSE(read("128", small).ok);
  EXPECT_TRUE(read("-128", small).ok);
  EXPECT_EQ(small, -128);
  std::uint8_t byte = 7;
  EXPECT_FALSE(read("-1", byte).ok);
  EXPECT_FALSE(read("256", byte).ok);
  std::uint64_t large = 7;
  EXPECT_FALSE(read("18446744073709551616", large).ok);
  EXPECT_TRUE(read("18446744073709551615", large).ok);
  float value = 7;
  EXPECT_FALSE(read("1e39", value).ok);
  EXPECT_FALSE(read("1e99999999999999999999", value).ok);
}

TEST(reading, makes_numbers_that_are_too_small_the_nearest_there_is) {
  double value = 7;
  const std::string zeros(400, '0');
  for (const std::string& small : {std::string("1e-400"), std::string("2e-324"), "0." + zeros + "1",
                                   "0." + zeros + "9e0", std::string("1e-99999999999999999999"),
                                   std::string("123456.5E-400"), "0." + zeros + "1e+50"}) {
    value = 7;
    EXPECT_TRUE(read(small, value).ok) << small;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), 0u) << small;
    EXPECT_EQ(read(small + " ", value).next[0], ' ');
  }
  EXPECT_TRUE(read("-1e-400", value).ok);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::uint64_t{1} << 63) << "the sign stays";
  EXPECT_TRUE(read("3e-324", value).ok);
  EXPECT_EQ(value, std::numeric_limits<double>::denorm_min());
  float single = 7;
  EXPECT_TRUE(read("1e-46", single).ok);
  EXPECT_EQ(single, 0);
  EXPECT_TRUE(read("1e-45", single).ok);
  EXPECT_EQ(single, std::numeric_limits<float>::denorm_min());
  for (const std::string& large : {std::string("1e400"), "1" + zeros, "1" + zeros + ".5",
                                   std::string("1E+99999999999999999999"),
                                   "0.01e" + std::string("1000"), "1" + zeros + "e-50"}) {
    value = 7;
    EXPECT_FALSE(read(large, value).ok) << large;
    EXPECT_EQ(value, 7);
  }
}

TEST(reading, takes_numbers_of_ten_thousand_digits) {
  const std::string digits(10'000, '3');
  double value = 7;
  EXPECT_TRUE(read("0." + digits, value).ok);
  EXPECT_EQ(value, 1.0 / 3);
  EXPECT_FALSE(read(digits, value).ok);
  int whole = 7;
  EXPECT_FALSE(read(digits, whole).ok);
  EXPECT_TRUE(read(std::string(10'000, '0') + "5", whole).ok);
  EXPECT_EQ(whole, 5);
}

// Decimals exactly between two floats, and just beside: the fast path must reject them or round
// them correctly.
TEST(reading, rounds_ties_to_even) {
  float value = 0;
  EXPECT_TRUE(read("16777217", value).ok);
  EXPECT_EQ(value, 16777216.0f);
  EXPECT_TRUE(read("16777219", value).ok);
  EXPECT_EQ(value, 16777220.0f);
  EXPECT_TRUE(read("1.00000005960464477539062500000000000000000001", value).ok);
  EXPECT_EQ(value, 1.00000011920928955078125f);
}

}  // namespace
}  // namespace overture::number_test
