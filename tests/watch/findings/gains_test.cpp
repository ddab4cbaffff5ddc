// SPDX-License-Identifier: Zlib
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "made_up.hpp"
#include "watch/findings/gain.hpp"

namespace overture::watch {
namespace {

using testing::HasSubstr;

struct gain_row {
  const char* name;
  std::optional<gain_kind> kind;  // nothing: none is told
  std::optional<std::uint64_t> ns;
  const char* basis;  // a part of it
  std::function<void(made_up&)> make;
};

// A load of two seconds whose reads of 1 MiB take 10 ms, and of 4 KiB 4 ms.
void read_from_disk(made_up& of, std::uint64_t large, std::uint64_t small,
                    std::uint64_t disk_bytes) {
  const std::uint32_t file = of.name("/data/big");
  std::uint64_t now = 100_ms;
  for (std::uint64_t i = 0; i < large; ++i, now += 12_ms) {
    of.main().read(file, now, 10_ms, i << 20, 1 << 20);
  }
  for (std::uint64_t i = 0; i < small; ++i, now += 5_ms) {
    of.main().read(file, now, 4_ms, (large << 20) + i * 4096, 4096);
  }
  of->threads.front().kernel = kernel_truth{.read_bytes = disk_bytes};
}

void load_physfs(made_up& of, const char* path, std::uint64_t inside_ns) {
  of->modules.push_back({0x20000, 0x30000, path});
  of->program = "/game/a game";
  of.main().zone(zone_number::PHYSFS_readBytes, 100_ms, inside_ns);
}

const gain_row gain_rows[] = {
    {"nothing", {}, {}, "", [](made_up&) {}},
    {"four equal decodes on four threads", gain_kind::decoding_on_threads, 600_ms,
     "4 decodes that the main thread did alone, 800 ms in all, the longest 200 ms",
     [](made_up& of) {
       for (unsigned i = 0; i < 4; ++i) {
         of.main().zone(zone_number::png_read_image, 100_ms + i * 300_ms, 200_ms);
       }
     }},
    {"a single decode cannot be shared",
     {},
     {},
     "",
     [](made_up& of) { of.main().zone(zone_number::png_read_image, 100_ms, 900_ms); }},
    {"too little to be worth it",
     {},
     {},
     "",
     [](made_up& of) {
       of.main().zone(zone_number::png_read_image, 100_ms, 90_ms);
       of.main().zone(zone_number::png_read_image, 200_ms, 90_ms);
     }},
    // 8 MiB and 400 KiB at 100 MiB/s.
    {"small reads of a cold disk", gain_kind::pack_in_order, 396'093'750,
     "Reads waited 480 ms for the disk. Read from front to back, the same 8.39 MiB take 83.9 ms at "
     "the 100 MiB/s",
     [](made_up& of) { read_from_disk(of, 8, 100, 9 << 20); }},
    {"the same from memory", {}, {}, "", [](made_up& of) { read_from_disk(of, 8, 100, 3 << 20); }},
    {"a disk whose rate is not known",
     {},
     {},
     "",
     [](made_up& of) { read_from_disk(of, 2, 100, 9 << 20); }},
    {"PhysicsFS",
     gain_kind::physfs,
     {},
     "overture physfs-env --report -- '/game/a game', and from a start pack",
     [](made_up& of) { load_physfs(of, "/usr/lib/libphysfs.so.1", 300_ms); }},
    {"a little of PhysicsFS",
     {},
     {},
     "",
     [](made_up& of) { load_physfs(of, "/usr/lib/libphysfs.so.1", 50_ms); }},
    {"Overture's own",
     {},
     {},
     "",
     [](made_up& of) { load_physfs(of, "/usr/lib/overture/physfs/lib/libphysfs.so.1", 300_ms); }},
};

TEST(gains, are_told_where_they_can_be_worked_out) {
  for (const gain_row& each : gain_rows) {
    made_up process;
    process.main().open(process.name("/data/first"), 1_ms, 1_ms);
    each.make(process);
    process.main().frame(2000_ms);
    const std::vector<gain> gains = gains_of(view_of(process.done(5000_ms)), 4);
    ASSERT_EQ(gains.size(), each.kind ? 1u : 0u) << each.name;
    if (!each.kind) continue;
    EXPECT_EQ(gains[0].kind, *each.kind) << each.name;
    EXPECT_EQ(gains[0].ns, each.ns) << each.name;
    EXPECT_THAT(gains[0].basis, HasSubstr(each.basis)) << each.name;
  }
}

TEST(gains, begin_with_the_largest) {
  made_up process;
  load_physfs(process, "/usr/lib/libphysfs.so.1", 300_ms);
  for (unsigned i = 0; i < 4; ++i) {
    process.main().zone(zone_number::png_read_image, 500_ms + i * 200_ms, 150_ms);
  }
  process.main().frame(2000_ms);
  const load_view view = view_of(process.done(5000_ms));
  const std::vector<gain> gains = gains_of(view, 2);
  ASSERT_EQ(gains.size(), 2u);
  EXPECT_EQ(gains[0].ns, 300_ms);
  EXPECT_EQ(gains[1].kind, gain_kind::physfs);
  EXPECT_EQ(gains_of(view, 1).size(), 1u) << "one thread is what there was";
}

}  // namespace
}  // namespace overture::watch
