// SPDX-License-Identifier: Zlib
#include "watch/model/symbols.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "made_up.hpp"

namespace overture::watch {
namespace {

using testing::HasSubstr;

// A function that the table of this program has.
__attribute__((noinline)) int is_found_by_its_name() {
  return 55;
}

std::string own_file() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(readable_name, is_the_function_without_its_parameters) {
  EXPECT_EQ(readable_name("png_read_image"), "png_read_image");
  EXPECT_EQ(readable_name("_ZN6Loader4openEPKc"), "Loader::open");
  EXPECT_EQ(readable_name("_ZNSt6vectorIiSaIiEE9push_backERKi"),
            "std::vector<int, std::allocator<int> >::push_back");
  EXPECT_EQ(readable_name("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_14loadEi"), "load");
  EXPECT_EQ(readable_name("_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJZN12_GLOBAL__N_1"
                          "4loadEiEUlvE_EEEEE6_M_runEv"),
            "a lambda of load");
  EXPECT_EQ(readable_name("_Zwrong"), "_Zwrong");
  EXPECT_EQ(readable_name(std::string(500, 'x')), std::string(100, 'x') + "...");
}

TEST(symbol_table, finds_functions_of_a_program) {
  Dl_info own{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&is_found_by_its_name), &own), 0);
  const auto begin = reinterpret_cast<std::uintptr_t>(own.dli_fbase);
  made_up process;
  process->modules = {{begin, UINT64_MAX, std::filesystem::canonical("/proc/self/exe").string()}};
  // A place inside: the byte after a call in it.
  const auto place = reinterpret_cast<std::uintptr_t>(&is_found_by_its_name) + 2;
  EXPECT_EQ(is_found_by_its_name(), 55);
  process.main().wait(event_kind::wait_mutex, 1_ms, 1_ms, 0xA, place);
  process.done(10_ms);
  name_places(*process.operator->());
#if OVERTURE_WATCH_LINES
  EXPECT_THAT(process->place_of(place),
              testing::MatchesRegex(
                  ".*::is_found_by_its_name \\(symbols_test.cpp:[0-9]+\\) in watch_tests"));
#else
  EXPECT_THAT(process->place_of(place), HasSubstr("is_found_by_its_name in watch_tests"));
#endif
}

TEST(symbol_table, takes_any_bytes) {
  EXPECT_EQ(symbol_table::of_file("").name_at(0), "");
  EXPECT_EQ(symbol_table::of_file("\177ELF").name_at(0), "");
  const std::string whole = own_file().substr(0, 1 << 16);
  std::mt19937 random(55);
  for (int round = 0; round < 200; ++round) {
    std::string bytes = whole.substr(0, random() % 3 == 0 ? random() % whole.size() : whole.size());
    for (int i = 0; i < 30 && bytes.size() > 64; ++i) {
      bytes[random() % (i < 10 ? 64 : bytes.size())] = static_cast<char>(random());
    }
    (void)symbol_table::of_file(bytes).name_at(random());
  }
  EXPECT_EQ(symbol_table::of_module("/no/such/file").name_at(1), "");
}

}  // namespace
}  // namespace overture::watch
