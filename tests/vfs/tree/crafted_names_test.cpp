// SPDX-License-Identifier: Zlib
//
// Many names with one hash. An attacker can craft them, because the hash has no secret; these tests
// forge the ids instead.
#include <gtest/gtest.h>

#include <string>

#include "archives/archive_builder.hpp"
#include "overture/base/limits.hpp"
#include "vfs/tree/live_index.hpp"

namespace overture::vfs_detail::crafted_names_test {
namespace {

constexpr path_id shared{42};

// Fills an archive with files that have the same id.
void add_files(archives_detail::archive_builder& builder, archives_detail::archive& into,
               std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_TRUE(builder.add(std::to_string(i), {}));
    into.entries[i].id = shared;
  }
}

TEST(crafted_names, do_not_make_indexing_an_archive_quadratic) {
  for (const std::uint32_t more : {0u, 1u}) {
    archives_detail::archive into(default_allocator());
    archives_detail::archive_builder builder(into, {});
    add_files(builder, into, limits::paths_of_id_max + more);
    archives_detail::path_index index(default_allocator());
    const result<void> indexed = builder.index_last_of_each(index);
    ASSERT_EQ(indexed.has_value(), more == 0);
    if (!indexed) {
      EXPECT_EQ(indexed.error().code, errc::collision);
    }
  }
}

TEST(crafted_names, are_refused_by_the_index_of_all_mounts) {
  mount owner(default_allocator());
  archives_detail::archive_builder builder(owner.content, {});
  add_files(builder, owner.content, 2 * limits::paths_of_id_max + 1);
  live_index first(default_allocator());
  ASSERT_TRUE(first.begin());
  live_index next(default_allocator());
  ASSERT_TRUE(next.begin(first, owner.content.entries.size()));
  EXPECT_FALSE(next.add(owner, false));
  EXPECT_TRUE(next.overfull());
  next.discard();

  live_index other(default_allocator());
  ASSERT_TRUE(other.begin(first, owner.content.entries.size()));
  owner.content.entries.pop_back();
  EXPECT_TRUE(other.add(owner, false));
  EXPECT_FALSE(other.overfull());
  for (const archives_detail::archive_entry& entry : owner.content.entries) {
    const live_entry found = other.find({owner.content.path_of(entry), shared});
    ASSERT_TRUE(found && !found.is_folder());
    EXPECT_EQ(&owner.content.entries[found.index()], &entry);
  }
  EXPECT_FALSE(other.find({"x", shared}));
  other.free_all();
}

}  // namespace
}  // namespace overture::vfs_detail::crafted_names_test
