// SPDX-License-Identifier: Zlib
//
// text::snprintf compared with C's.
#include <gtest/gtest.h>

#include <climits>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include "overture/text/format.hpp"
#include "support/guards.hpp"

namespace overture::snprintf_test {
namespace {

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

// Compares with C's snprintf where that is glibc's. Others have rules of their own ("% u",
// "%-05a"), so all that was written also has a checksum, which is to be the same everywhere.
class comparison {
 public:
  template <class... Args>
  void operator()(const char* format, Args... args) {
    char ours[4096];
    const int size = text::snprintf(ours, sizeof ours, format, args...);
    ASSERT_TRUE(size >= 0 && static_cast<std::size_t>(size) < sizeof ours) << format;
    for (const char* c = ours; c <= ours + size; ++c) {  // FNV-1a
      checksum_ = (checksum_ ^ static_cast<unsigned char>(*c)) * 0x100000001b3;
    }
#ifdef __GLIBC__
    char theirs[4096];
    ASSERT_EQ(size, std::snprintf(theirs, sizeof theirs, format, args...)) << format;
    ASSERT_STREQ(ours, theirs) << format;
#endif
  }

  // All combinations of flags, with some widths and precisions.
  template <class T>
  void in_all_forms(const char* conversion, T value, bool alternate = true) {
    for (unsigned flags = 0; flags < 32; ++flags) {
      if (!alternate && (flags & 8) != 0) continue;
      for (const char* const sizes : {"", "1", "12", ".0", ".1", ".5", "20.3", "9.9"}) {
        std::string format = "<%";
        for (unsigned i = 0; i < 5; ++i) {
          if ((flags >> i & 1) != 0) format += "-+ #0"[i];
        }
        format += sizes;
        format += conversion;
        format += ">";
        ASSERT_NO_FATAL_FAILURE((*this)(format.c_str(), value));
      }
    }
  }

  std::uint64_t checksum() const { return checksum_; }

 private:
  std::uint64_t checksum_ = 0xcbf29ce484222325;
};

TEST(text_snprintf, writes_integers_as_c_does) {
  comparison same;
  for (const int value :
       {0, 1, -1, 42, -1234567, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    for (const char* const conversion : {"d", "i", "hhd", "hd"}) {
      same.in_all_forms(conversion, value);
    }
    for (const char* const conversion : {"u", "o", "x", "X", "hhu", "hx"}) {
      same.in_all_forms(conversion, static_cast<unsigned>(value));
    }
    same.in_all_forms("ld", long{value});
    same.in_all_forms("lld", static_cast<long long>(value) * 1'000'003);
    same.in_all_forms("llx", static_cast<unsigned long long>(value) * 1'000'003);
    same.in_all_forms("zu", static_cast<std::size_t>(value));
    same.in_all_forms("jd", static_cast<std::intmax_t>(value));
    same.in_all_forms("td", static_cast<std::ptrdiff_t>(value));
  }
  EXPECT_EQ(same.checksum(), 459707905804299781u);
}

TEST(text_snprintf, writes_floats_as_c_does) {
  comparison same;
  using limits = std::numeric_limits<double>;
  for (const double value : {0.0,
                             -0.0,
                             1.0,
                             -1.5,
                             0.1,
                             9.5,
                             99999.5,
                             999999.5,
                             1e5,
                             123456789.0,
                             1e-4,
                             1e-5,
                             0.00012345,
                             1e15,
                             1e16,
                             1e100,
                             limits::max(),
                             limits::min(),
                             limits::denorm_min(),
                             limits::infinity(),
                             -limits::infinity(),
                             limits::quiet_NaN()}) {
    for (const char* const conversion : {"f", "F", "e", "E", "a", "A"}) {
      same.in_all_forms(conversion, value);
    }
    // glibc drops the zeros where "%#g" rounds up to the next power of ten: "1.e+06".
    const std::string text = std::to_string(value);  // -ffast-math compares NaN as it likes
    const bool rounds_up = text == "9.500000" || text == "99999.500000" || text == "999999.500000";
    for (const char* const conversion : {"g", "G"}) {
      same.in_all_forms(conversion, value, !rounds_up);
    }
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    for (const char* const format :
         {"%f", "%.2f", "%e", "%g", "%.17g", "%.3g", "%.40f", "%a", "%.3a"}) {
      ASSERT_NO_FATAL_FAILURE(same(format, value));
    }
  }
  EXPECT_EQ(same.checksum(), 3334347236710586485u);
}

TEST(text_snprintf, keeps_zeros_where_it_rounds_up) {
  char text[32];
  EXPECT_EQ(text::snprintf(text, sizeof text, "%#g", 999999.5), 11);
  EXPECT_STREQ(text, "1.00000e+06");
}

TEST(text_snprintf, writes_more_decimals_than_a_double_has) {
  comparison same;
  for (const char* const format : {"%.1200f", "%.1200e", "%.1200g", "%#.1200g", "%.2000f"}) {
    same(format, 0.1);
    same(format, std::numeric_limits<double>::max());
    same(format, std::numeric_limits<double>::denorm_min());
  }
  EXPECT_EQ(same.checksum(), 7612332800143526662u);
}

TEST(text_snprintf, writes_strings_characters_and_pointers_as_c_does) {
  comparison same;
  for (const char* const format : {"%s", "%10s", "%-10s|", "%.2s", "%.0s", "%5.3s"}) {
    same(format, "text");
    same(format, "");
  }
  same("%c%5c%-5c|%%", 'a', 'b', 'c');
  void* const object = reinterpret_cast<void*>(std::uintptr_t{0x7ffc12345678});
  same("%p %20p %-20p|", object, object, object);
  for (const char* const format : {"%p", "%016p|", "%-016p|", "%+p", "% p", "%+020p", "%.12p",
                                   "% 20.14p|", "%-20.14p|", "%#p", "%.0p", "%024.3p|"}) {
    same(format, object);
    same(format, reinterpret_cast<void*>(std::uintptr_t{26}));
    same(format, static_cast<void*>(nullptr));
  }
  same("%*d %-*d| %.*f", 7, 1, 7, 2, 3, 1.0);
  same("%*d", -7, 1);
  same("%.*f", -1, 1.0);
  const char* volatile nowhere = nullptr;  // volatile: compilers warn about a null %s
  for (const char* const format : {"%s", "%9s|", "%.5s|", "%.6s|", "%.9s|"}) {
    same(format, nowhere);
  }
  EXPECT_EQ(same.checksum(), 53000899805441409u);
}

TEST(text_snprintf, truncates_and_returns_the_full_length) {
  char text[8] = "#######";
  EXPECT_EQ(text::snprintf(text, 4, "%d", 123456), 6);
  EXPECT_STREQ(text, "123");
  EXPECT_EQ(text[4], '#');
  EXPECT_EQ(text::snprintf(text, 4, "%6d", 1), 6);  // padding is truncated too
  EXPECT_STREQ(text, "   ");
  EXPECT_EQ(text[4], '#');
  EXPECT_EQ(text::snprintf(nullptr, 0, "%s", "abc"), 3);
}

TEST(text_snprintf, fails_if_the_length_exceeds_an_int) {
  const char* volatile longest = "%2147483639d";
  const char* volatile too_long = "%2000000000d%2000000000d%2000000000d";
  EXPECT_EQ(text::snprintf(nullptr, 0, longest, 1), 2'147'483'639);
  EXPECT_LT(text::snprintf(nullptr, 0, too_long, 1, 2, 3), 0);
}

TEST(text_snprintf, fails_for_unsupported_conversions) {
  char text[64];
  int count = 0;
  const char* volatile formats[] = {"%Lf", "%n", "%ls", "%lc", "%y", "%", "%99999999999d"};
  for (const char* const format : formats) {
    EXPECT_LT(text::snprintf(text, sizeof text, format, &count, 1.0), 0) << format;
  }
  const volatile int no_width = INT_MIN;
  EXPECT_LT(text::snprintf(text, sizeof text, "%*d", no_width, 1), 0);
}

TEST(text_snprintf, allocates_nothing_and_takes_no_lock) {
  char text[2048];
  int bytes = 0;
  {
    const test::no_alloc_scope no_alloc;
    const test::no_lock_scope no_lock;
    bytes = text::snprintf(text, sizeof text, "%s %d %.900f %g", "a", 1, 1e300, 0.1);
  }
  EXPECT_GT(bytes, 1200);
}

}  // namespace
}  // namespace overture::snprintf_test
