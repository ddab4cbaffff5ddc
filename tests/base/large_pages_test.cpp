// SPDX-License-Identifier: Zlib
//
// Which blocks request large pages, according to the kernel.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "overture/base/allocator.hpp"

namespace overture::large_pages_test {
namespace {

// The "VmFlags" of the mapping that contains an address; empty if the kernel does not list them.
std::string mapping_flags_at(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream mappings("/proc/self/smaps");
  std::string line;
  bool inside = false;
  while (std::getline(mappings, line)) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2) {
      inside = begin <= wanted && wanted < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line + " ";
    }
  }
  return {};
}

std::string flags_within_block_of(memory_tag tag, std::size_t bytes) {
  allocator& memory = default_allocator();
  void* const block = memory.allocate(bytes, 64, tag);
  // Look in the middle: only whole large pages are requested.
  const std::string flags = mapping_flags_at(static_cast<char*>(block) + bytes / 2);
  memory.deallocate(block, bytes, 64, tag);
  return flags;
}

constexpr std::size_t large = std::size_t{256} << 20;  // malloc never caches such blocks
constexpr std::size_t one_page = std::size_t{2} << 20;
constexpr std::size_t small = std::size_t{1} << 20;

// qemu lists flags and knows nothing of this one.
bool is_reported() {
  void* const mapped =
      mmap(nullptr, 2 * one_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return false;
  (void)madvise(mapped, 2 * one_page, MADV_HUGEPAGE);
  const std::string flags = mapping_flags_at(static_cast<char*>(mapped) + one_page);
  (void)munmap(mapped, 2 * one_page);
  return flags.find(" hg ") != std::string::npos;
}

TEST(large_pages, are_asked_for_by_large_tables_of_the_tree) {
  if (!is_reported()) GTEST_SKIP() << "the kernel has no large pages, or does not report them";
  for (const std::size_t bytes : {large, one_page}) {
    const std::string flags = flags_within_block_of(memory_tag::vfs, bytes);
    EXPECT_NE(flags.find(" hg "), std::string::npos) << bytes << flags;
  }
}

TEST(large_pages, are_not_asked_for_by_what_decoders_make) {
  EXPECT_EQ(flags_within_block_of(memory_tag::decode, large).find(" hg "), std::string::npos);
}

TEST(large_pages, are_not_asked_for_by_small_blocks) {
  EXPECT_EQ(flags_within_block_of(memory_tag::vfs, small).find(" hg "), std::string::npos);
}

}  // namespace
}  // namespace overture::large_pages_test
