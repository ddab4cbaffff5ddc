// SPDX-License-Identifier: Zlib
//
// Numbers as text, compared with the C and C++ standard libraries: random bits, edge cases and
// every rounding mode.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "overture/text/detail/digits.hpp"
#include "overture/text/number.hpp"
#include "text/float_mode.hpp"
#include "text/printed.hpp"

namespace overture::number_match_test {
namespace {

template <class T>
std::string printed(const char* format, T value) {
  char text[512];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, format, value))};
}

template <class T>
std::string shortest_of_standard(T value) {
  const text::float_mode_scope usual;
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <int Decimals, class T>
std::string fixed(T value) {
  char text[text::fixed_room<T>(Decimals)];
  return {text, text::write_fixed<Decimals>(text, value)};
}

template <class T>
std::string shortest(T value) {
  char text[text::shortest_room<T>()];
  return {text, text::write_shortest(text, value)};
}

template <class T>
T from_bits(std::uint64_t bits) {
  return std::bit_cast<T>(static_cast<typename text::detail::float_layout<T>::bits>(bits));
}

// Every exponent, with the lowest and highest mantissas and random ones.
template <class T>
std::vector<T> edges() {
  using layout = text::detail::float_layout<T>;
  std::mt19937_64 random(7);
  std::vector<T> values;
  for (int field = 0; field <= layout::exponent_mask; ++field) {
    const auto top = static_cast<std::uint64_t>(field) << layout::mantissa_bits;
    const auto mask = (std::uint64_t{1} << layout::mantissa_bits) - 1;
    const std::uint64_t mantissas[] = {
        0, 1, 2, mask, mask - 1, (mask + 1) / 2, random() & mask, random() & mask, random() & mask};
    for (const std::uint64_t mantissa : mantissas) {
      values.push_back(from_bits<T>(top | mantissa));
      values.push_back(from_bits<T>(top | mantissa | std::uint64_t{1} << (sizeof(T) * 8 - 1)));
    }
  }
  // Ties, and the values next to them.
  for (const double tie : {0.5, 1.5, 2.5, 0.125, 0.375, 1.005, 0.005, 0.015, 2.675, 1e15 + 0.125,
                           0.0009765625, 999.995, 9.5, 99.5, 999.5, 4503599627370497.5}) {
    const auto value = static_cast<T>(tie);
    values.push_back(value);
    values.push_back(-value);
    values.push_back(from_bits<T>(std::bit_cast<typename layout::bits>(value) + 1));
    values.push_back(from_bits<T>(std::bit_cast<typename layout::bits>(value) - 1));
  }
  return values;
}

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(from_bits<T>(random()));
    values.push_back(static_cast<T>(static_cast<double>(random() % 2'000'000) / 1000 - 1000));
    values.push_back(static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-43));
    values.push_back(static_cast<T>(
        std::ldexp(static_cast<double>(random() >> 11), -64 + static_cast<int>(random() % 30))));
  }
  return values;
}

template <int Decimals, class T>
void expect_fixed_as_printed(T value) {
  const std::string wanted = test::printed_fixed(static_cast<double>(value), Decimals);
  ASSERT_EQ((fixed<Decimals>(value)), wanted);
  char text[text::fixed_room<T>(Decimals)];
  ASSERT_EQ(std::string(text, text::write_fixed(text, value, Decimals)), wanted);
}

template <class T>
void expect_as_printed(const std::vector<T>& values) {
  for (const T value : values) {
    ASSERT_NO_FATAL_FAILURE((expect_fixed_as_printed<0>(value)));
    ASSERT_NO_FATAL_FAILURE((expect_fixed_as_printed<1>(value)));
    ASSERT_NO_FATAL_FAILURE((expect_fixed_as_printed<2>(value)));
    ASSERT_NO_FATAL_FAILURE((expect_fixed_as_printed<3>(value)));
    ASSERT_NO_FATAL_FAILURE((expect_fixed_as_printed<4>(value)));
    ASSERT_NO_FATAL_FAILURE((expect_fixed_as_printed<6>(value)));
    ASSERT_NO_FATAL_FAILURE((expect_fixed_as_printed<9>(value)));
    ASSERT_NO_FATAL_FAILURE((expect_fixed_as_printed<12>(value)));
    ASSERT_NO_FATAL_FAILURE((expect_fixed_as_printed<17>(value)));
  }
}

TEST(fixed_decimals, match_printf_at_the_edges) {
  expect_as_printed(edges<float>());
  expect_as_printed(edges<double>());
}

TEST(fixed_decimals, match_printf_for_random_values) {
  expect_as_printed(random_values<float>(20'000, 1));
  expect_as_printed(random_values<double>(20'000, 2));
}

// printf obeys the rounding mode; our writers must not.
TEST(fixed_decimals, do_not_depend_on_the_rounding_mode) {
  std::vector<float> values = edges<float>();
  const std::vector<float> more = random_values<float>(2'000, 3);
  values.insert(values.end(), more.begin(), more.end());
  std::vector<std::string> wanted;
  for (const float value : values) wanted.push_back(fixed<2>(value) + fixed<3>(double{value}));
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::vector<std::string> written;
    ASSERT_EQ(std::fesetround(mode), 0);
    for (const float value : values) written.push_back(fixed<2>(value) + fixed<3>(double{value}));
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(written[i], wanted[i]);
  }
}

// Both the fast paths and the standard library, which also divides.
TEST(reading, does_not_depend_on_the_rounding_mode) {
  const std::string behind = " and so on, and on";
  std::vector<std::string> texts = {"0.1" + behind, "-16777217" + behind, "1e22", "3.3e-5"};
  for (const double value : random_values<double>(2'000, 9)) texts.push_back(shortest(value));
  std::mt19937_64 random(10);
  for (int i = 0; i < 2'000; ++i) {
    const auto hundredths = static_cast<double>(random() % 10'000'000) / 100;
    texts.push_back(fixed<2>(hundredths) + behind);
    texts.push_back("-" + fixed<6>(hundredths));
  }
  const auto read_all = [&texts] {
    std::vector<std::uint64_t> bits;
    for (const std::string& text : texts) {
      float single = 0;
      double twice = 0;
      (void)text::read_number(text.data(), text.data() + text.size(), single);
      (void)text::read_number(text.data(), text.data() + text.size(), twice);
      bits.push_back(std::bit_cast<std::uint32_t>(single));
      bits.push_back(std::bit_cast<std::uint64_t>(twice));
    }
    return bits;
  };
  const std::vector<std::uint64_t> wanted = read_all();
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const std::vector<std::uint64_t> found = read_all();
    const int after = std::fegetround();
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
    EXPECT_EQ(after, mode);
    EXPECT_EQ(found, wanted);
  }
}

template <class T>
void expect_shortest(const std::vector<T>& values) {
  for (const T value : values) {
    const std::string text = shortest(value);
    ASSERT_EQ(text, shortest_of_standard(value));
    T read = 0;
    const text::parsed_number end = text::read_number(text.data(), text.data() + text.size(), read);
    // Overflow and NaN have no decimal.
    if (!end.ok) continue;
    ASSERT_EQ(end.next, text.data() + text.size());
    using bits = typename text::detail::float_layout<T>::bits;
    if (text.find("nan") == std::string::npos) {
      ASSERT_EQ(std::bit_cast<bits>(read), std::bit_cast<bits>(value)) << text;
    }
  }
}

TEST(the_shortest_form, matches_the_standard_library_and_reads_back_bit_for_bit) {
  expect_shortest(edges<float>());
  expect_shortest(edges<double>());
  expect_shortest(random_values<float>(100'000, 4));
  expect_shortest(random_values<double>(100'000, 5));
}

// The decimals that people write: the fast path must take all of them, and reject all others.
TEST(the_shortest_form, of_a_decimal_is_that_decimal) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200'000; ++i) {
    const auto digits = static_cast<double>(random() % 1'000'000);
    const double powers[] = {1, 10, 100, 1000, 10'000, 1e5, 1e6, 1e7};
    const auto value = static_cast<float>(digits / powers[random() % 8]);
    ASSERT_EQ(shortest(value), shortest_of_standard(value));
    const double long_value = static_cast<double>(random() % 1'000'000'000'000) / 1e10;
    ASSERT_EQ(shortest(long_value), shortest_of_standard(long_value));
  }
}

template <class T>
void expect_integers(const char* format, const char* hex_format) {
  std::mt19937_64 random(8);
  std::vector<T> values = {0,
                           1,
                           9,
                           10,
                           99,
                           100,
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::max(),
                           static_cast<T>(std::numeric_limits<T>::max() - 1)};
  std::uint64_t power = 1;
  for (int i = 0; i < 20; ++i, power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1, power * 9}) {
      values.push_back(static_cast<T>(value));
      values.push_back(static_cast<T>(0 - value));
    }
  }
  for (int i = 0; i < 20'000; ++i) values.push_back(static_cast<T>(random() >> (random() % 64)));
  for (const T value : values) {
    char text[text::integer_room<T>() + text::hex_room<T>()];
    ASSERT_EQ(std::string(text, text::write_integer(text, value)), printed(format, value));
    ASSERT_EQ(std::string(text, text::write_hex(text, value)), printed(hex_format, value));
    T read = 0;
    const char* const end = text::write_integer(text, value);
    const text::parsed_number read_until = text::read_number(text, end, read);
    ASSERT_TRUE(read_until.ok && read_until.next == end && read == value);
  }
}

// Numbers are read eight bytes at a time; what follows them must not matter.
TEST(reading_within_a_text, matches_the_standard_library) {
  std::mt19937_64 random(5);
  const std::string_view behind[] = {" ",
                                     "\n",
                                     "}",
                                     ",1",
                                     "e5",
                                     "E",
                                     ".",
                                     ".5",
                                     "-",
                                     "\x80",
                                     "\xff"
                                     "9",
                                     "x"};
  const auto add_digits = [&random](std::string& text, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('0' + random() % 10);
  };
  for (int round = 0; round < 200'000; ++round) {
    std::string text = random() % 3 == 0 ? "-" : "";
    add_digits(text, random() % 10);
    if (random() % 4 != 0) {
      text += '.';
      add_digits(text, random() % 9);
    }
    text += behind[random() % std::size(behind)];
    text += std::string_view("1.5 \xfe 3.25 99 end of the text").substr(random() % 30);
    const char* const last = text.data() + text.size();
    float wanted = 0;
    float found = 0;
    const auto standard = std::from_chars(text.data(), last, wanted);
    const text::parsed_number ours = text::read_number(text.data(), last, found);
    ASSERT_EQ(ours.ok, standard.ec == std::errc{}) << text;
    if (!ours.ok) continue;
    ASSERT_EQ(ours.next, standard.ptr) << text;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(wanted)) << text;
    double wide_wanted = 0;
    double wide_found = 0;
    (void)std::from_chars(text.data(), last, wide_wanted);
    ASSERT_TRUE(text::read_number(text.data(), last, wide_found).ok);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(wide_found), std::bit_cast<std::uint64_t>(wide_wanted))
        << text;
  }
}

// In a buffer of exactly the bytes that may be read, so that sanitizers see any other read.
template <class T>
void expect_decimal(const std::string& number, std::string_view behind, bool must_be_read = false) {
  std::string text = std::string(16, '7') + number + std::string(behind);
  text.resize(16 + 32, '3');
  const std::vector<char> bytes(text.begin(), text.end());
  const char* const at = bytes.data() + 16;
  T found = 0;
  const char* const end = text::detail::read_decimal(at, found);
  if (!end) {
    ASSERT_FALSE(must_be_read) << number;
    return;
  }
  ASSERT_EQ(end, at + number.size()) << number << behind;
  T wanted = 0;
  ASSERT_EQ(std::from_chars(number.data(), number.data() + number.size(), wanted).ptr,
            number.data() + number.size());
  using bits = typename text::detail::float_layout<T>::bits;
  ASSERT_EQ(std::bit_cast<bits>(found), std::bit_cast<bits>(wanted)) << number;
}

TEST(decimals_of_any_length, match_the_standard_library) {
  std::mt19937_64 random(12);
  const std::string_view behind[] = {" ", "\n", "}", ",1.5", "-", "e5", ".5", "/", ":", "\x80"};
  for (std::size_t whole = 0; whole <= 20; ++whole) {
    for (std::size_t decimals = 0; decimals <= 10; ++decimals) {
      for (int round = 0; round < 400; ++round) {
        std::string number = round % 2 == 0 ? "" : "-";
        const auto add = [&](std::size_t count) {
          for (std::size_t i = 0; i < count; ++i) {
            const char digits[] = {static_cast<char>('0' + random() % 10), '0', '9'};
            number += digits[round % 8 < 6 ? 0 : round % 8 - 5];
          }
        };
        add(whole);
        if (decimals > 0) number += '.';
        add(decimals);
        // Not all: decimals close to the middle between two floats are left to the slow path.
        const bool is_decimal = whole >= 1 && decimals >= 1;
        const bool short_enough = whole <= 16 && decimals <= 8;
        if (is_decimal && short_enough) {
          expect_decimal<float>(number, behind[random() % std::size(behind)]);
          expect_decimal<double>(number, behind[random() % std::size(behind)],
                                 whole + decimals <= 15);
        } else {
          float single = 0;
          const std::string text = std::string(16, ' ') + number + std::string(40, ' ');
          ASSERT_EQ(text::detail::read_decimal(text.data() + 16, single), nullptr) << number;
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(decimals_of_any_length, with_up_to_seven_digits_always_take_the_fast_path) {
  for (unsigned value = 0; value < 10'000'000; value += 7) {
    const std::string digits = std::to_string(value);
    const std::size_t decimals = 1 + value % 6;
    const std::size_t missing = digits.size() > decimals ? 0 : decimals + 1 - digits.size();
    std::string number = std::string(missing, '0') + digits;
    number.insert(number.size() - decimals, 1, '.');
    ASSERT_NO_FATAL_FAILURE(expect_decimal<float>(number, "\n", true));
  }
}

// The middle between two floats, and the decimals next to it: going through a double would round
// twice.
TEST(decimals_of_any_length, close_to_the_middle_between_two_floats_are_rounded_once) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 100'000; ++i) {
    // Odd with 25 bits, so its last bit is half of the last bit of a float.
    const std::uint64_t middle = (std::uint64_t{1} << 24 | random() % (1 << 24)) | 1;
    const auto shift = static_cast<int>(random() % 35) - 5;
    const double exact = std::ldexp(static_cast<double>(middle), shift);
    char room[64];
    const auto size = static_cast<std::size_t>(std::snprintf(room, sizeof room, "%.8f", exact));
    std::string number(room, size);
    for (const int step : {-1, 0, 1}) {
      std::string beside = number;
      if (step == 1) beside.back() = '1';
      if (step == -1) {
        std::size_t at = beside.size() - 1;
        for (; beside[at] == '0' || beside[at] == '.'; --at) {
          if (beside[at] == '0') beside[at] = '9';
        }
        --beside[at];
      }
      ASSERT_NO_FATAL_FAILURE(expect_decimal<float>(beside, " "));
      ASSERT_NO_FATAL_FAILURE(expect_decimal<float>("-" + beside, " "));
    }
  }
}

TEST(decimals_of_any_length, end_at_the_first_byte_that_is_not_a_digit) {
  const std::string number = "-1234567890.1234";
  for (std::size_t i = 1; i < number.size(); ++i) {
    for (int c = -128; c < 128; ++c) {
      std::string odd = number;
      odd[i] = static_cast<char>(c);
      const std::string text = std::string(16, ' ') + odd + std::string(40, ' ');
      const char* const at = text.data() + 16;
      float found = 5;
      const char* const end = text::detail::read_decimal(at, found);
      if (!end) {
        ASSERT_EQ(found, 5) << odd;
        continue;
      }
      float wanted = 0;
      const auto standard = std::from_chars(at, at + odd.size(), wanted, std::chars_format::fixed);
      ASSERT_EQ(end, standard.ptr) << odd;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(wanted)) << odd;
    }
  }
}

TEST(integers, match_printf) {
  expect_integers<std::int8_t>("%hhd", "%hhx");
  expect_integers<std::uint8_t>("%hhu", "%hhx");
  expect_integers<std::int16_t>("%hd", "%hx");
  expect_integers<std::uint16_t>("%hu", "%hx");
  expect_integers<int>("%d", "%x");
  expect_integers<unsigned>("%u", "%x");
  expect_integers<long>("%ld", "%lx");
  expect_integers<unsigned long>("%lu", "%lx");
  expect_integers<long long>("%lld", "%llx");
  expect_integers<unsigned long long>("%llu", "%llx");
}

}  // namespace
}  // namespace overture::number_match_test
