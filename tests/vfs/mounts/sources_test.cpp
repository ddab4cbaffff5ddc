// SPDX-License-Identifier: Zlib
#include "vfs/mounts/sources.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "support/failing_allocator.hpp"

namespace overture::vfs_detail::sources_test {
namespace {

struct found_source {
  bool known = false;
  os_handle handle;
  source_owner owner;
};

found_source find(const source_table& table, source_id id) {
  found_source found;
  found.known = table.find(id, found.handle, found.owner);
  return found;
}

TEST(source_table, knows_a_source_until_it_is_removed) {
  source_table table(default_allocator());
  const result<source_id> id = table.add({7}, {{3}, 5});
  ASSERT_TRUE(id);
  const found_source found = find(table, *id);
  ASSERT_TRUE(found.known);
  EXPECT_EQ(found.handle.value, 7);
  EXPECT_EQ(found.owner.mount.value, 3u);
  EXPECT_EQ(found.owner.entry, 5u);
  EXPECT_EQ(table.remove(*id).value, 7);
  EXPECT_FALSE(find(table, *id).known);
}

TEST(source_table, distinguishes_a_reused_slot_from_its_former_file) {
  source_table table(default_allocator());
  const source_id before = *table.add({1}, {{0}});
  (void)table.remove(before);
  const source_id after = *table.add({2}, {{0}});
  EXPECT_EQ(after.index, before.index);
  EXPECT_FALSE(find(table, before).known);
  EXPECT_EQ(find(table, after).handle.value, 2);
}

TEST(source_table, does_not_know_ids_it_never_issued) {
  source_table table(default_allocator());
  (void)*table.add({1}, {{0}});
  EXPECT_FALSE(find(table, {}).known);
  EXPECT_FALSE(find(table, {0, 0}).known);
  EXPECT_FALSE(find(table, {1, 0}).known) << "a slot that was never taken";
  EXPECT_FALSE(find(table, {0, 3}).known);
  EXPECT_FALSE(find(table, {100'000, 1}).known) << "behind the slots there are";
}

TEST(source_table, holds_many_at_once) {
  source_table table(default_allocator());
  std::vector<source_id> ids;
  for (int i = 0; i < 5000; ++i) ids.push_back(*table.add({i + 1}, {{0}}));
  EXPECT_EQ(std::set<source_id>(ids.begin(), ids.end()).size(), 5000u);
  std::int64_t expected = 0;
  for (const source_id id : ids) EXPECT_EQ(find(table, id).handle.value, ++expected);
}

TEST(source_table, reports_lack_of_memory) {
  failing_allocator memory(0);
  source_table table(memory);
  EXPECT_EQ(table.add({1}, {{0}}).error().code, errc::out_of_memory);
  EXPECT_TRUE(table.add({1}, {{0}}));
}

TEST(source_table, serves_many_threads) {
  source_table table(default_allocator());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 100; ++round) {
        std::vector<source_id> ids;
        for (int i = 1; i <= 20; ++i) {
          const result<source_id> id = table.add({thread * 1000 + i}, {{0}});
          if (id) ids.push_back(*id);
        }
        for (std::size_t i = 0; i < ids.size(); ++i) {
          const std::int64_t handle = thread * 1000 + static_cast<int>(i) + 1;
          if (find(table, ids[i]).handle.value != handle) ++wrong;
          if (table.remove(ids[i]).value != handle) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace overture::vfs_detail::sources_test
