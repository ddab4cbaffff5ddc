// SPDX-License-Identifier: Zlib
#include "watching/watched_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "made_up.hpp"
#include "overture/base/thread.hpp"

namespace overture::cli::watched_machine_test {
namespace {

using watch::made_up;
using watch::operator""_ms;

TEST(watched_machine, is_told_as_far_as_it_is_known) {
  EXPECT_EQ(machine_sentence({.processors = 8,
                              .processor = "Some CPU",
                              .system = "Linux 6.1",
                              .date = "2026-11-30 15:57 UTC"}),
            "8 processors (Some CPU), Linux 6.1, 2026-11-30 15:57 UTC.");
  EXPECT_EQ(machine_sentence({.processors = 1}), "1 processor.");
}

TEST(watched_machine, takes_some_time_for_a_page) {
  EXPECT_GE(page_fault_ns(), 10u);
  EXPECT_LE(page_fault_ns(), 1'000'000u);
}

TEST(watched_machine, is_this_one) {
  const watched_machine it = this_machine(86'400);
  EXPECT_EQ(it.processors, processor_count());
  EXPECT_TRUE(it.system.starts_with("Linux ")) << it.system;
  EXPECT_EQ(it.date, "1970-01-02 00:00 UTC");
}

std::string said(std::optional<std::uint64_t> device_bytes) {
  made_up process;
  const std::uint32_t file = process.name("/data/a.png");
  process.main().open(file, 1_ms, 1_ms);
  process.main().read(file, 2_ms, 1_ms, 0, 1 << 20);
  if (device_bytes) {
    process->threads.front().kernel = watch::kernel_truth{.read_bytes = *device_bytes};
  }
  return cache_sentence(watch::view_of(process.done(100_ms)));
}

TEST(watched_machine, was_warm_if_hardly_anything_came_from_a_device) {
  EXPECT_EQ(said(4096), "Warm: the page cache had what it read, but for 4.00 KiB of 1.00 MiB.");
  EXPECT_EQ(said(0), "Warm: the page cache had all of the 1.00 MiB that it read.");
  EXPECT_EQ(
      said(1 << 19),
      "Cold in part: a device gave 512 KiB, files and code of the whole run; the program read "
      "1.00 MiB.");
  EXPECT_EQ(said(std::nullopt), "");
}

}  // namespace
}  // namespace overture::cli::watched_machine_test
