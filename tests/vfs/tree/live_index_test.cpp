// SPDX-License-Identifier: Zlib
#include "vfs/tree/live_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "archives/archive_builder.hpp"

namespace overture::vfs_detail::live_index_test {
namespace {

constexpr std::uint32_t names_max = 24;  // with few ids, so that a page cannot hold all of them

std::string name_of(std::uint32_t name) {
  return "name" + std::to_string(name);
}
path_id id_of(std::uint32_t name) {
  return {name % 3 + 1};
}

// Successive versions of an index, and what each must contain.
class model {
 public:
  model() { EXPECT_TRUE(current_->begin()); }
  ~model() { current_->free_all(); }
  model(const model&) = delete;
  model& operator=(const model&) = delete;

  void mount_some(std::mt19937& random) {
    auto made = std::make_unique<mount>(default_allocator());
    archives_detail::archive_builder builder(made->content, {});
    made->rank = ranks_++;
    for (std::uint32_t name = 0; name < names_max; ++name) {
      if (random() % 3 != 0) continue;
      ASSERT_TRUE(builder.add(name_of(name), {}));
      made->content.entries.back().id = id_of(name);
      if (random() % 8 == 0)
        made->content.entries.back().flaw = archives_detail::entry_flaw::removal;
    }
    advance([&](live_index& next) { return next.add(*made, false); }, made->content.entries.size());
    mounts_.push_back(std::move(made));
  }
  void unmount_one(std::mt19937& random) {
    if (mounts_.empty()) return;
    const auto at = mounts_.begin() + static_cast<std::ptrdiff_t>(random() % mounts_.size());
    advance([&](live_index& next) { return next.remove(**at); }, 0);
    mounts_.erase(at);
  }
  // A next version that is never published.
  void discard_one() {
    if (mounts_.empty()) return;
    live_index next(default_allocator());
    ASSERT_TRUE(next.begin(*current_, 0) && next.remove(*mounts_.front()));
    next.discard();
  }

  void expect_right() const {
    for (std::uint32_t name = 0; name < names_max; ++name) {
      const std::string text = name_of(name);
      const asset_path path{text, id_of(name)};
      std::vector<const mount*> expected;
      for (auto each = mounts_.rbegin(); each != mounts_.rend(); ++each) {
        const archives_detail::archive_entry* const entry = entry_of(**each, text);
        if (entry && entry->flaw == archives_detail::entry_flaw::removal) break;
        if (entry) expected.push_back(each->get());
      }
      std::vector<const mount*> known;
      current_->visit_all(path, [&](const live_entry& entry) {
        EXPECT_EQ(entry.owner->content.path_of(entry.owner->content.entries[entry.index()]), text);
        known.push_back(entry.owner);
      });
      EXPECT_EQ(known, expected) << text;
      EXPECT_EQ(current_->find(path).owner, expected.empty() ? nullptr : expected[0]) << text;
    }
    EXPECT_FALSE(current_->find({"absent", id_of(0)}));
  }

 private:
  static const archives_detail::archive_entry* entry_of(const mount& in, std::string_view text) {
    for (const archives_detail::archive_entry& entry : in.content.entries) {
      if (in.content.path_of(entry) == text) return &entry;
    }
    return nullptr;
  }
  template <class Change>
  void advance(Change change, std::size_t more) {
    auto next = std::make_unique<live_index>(default_allocator());
    ASSERT_TRUE(next->begin(*current_, more) && change(*next));
    live_index::free_blocks(next->replaced(), default_allocator());
    current_ = std::move(next);
  }

  std::unique_ptr<live_index> current_ = std::make_unique<live_index>(default_allocator());
  std::vector<std::unique_ptr<mount>> mounts_;
  std::uint32_t ranks_ = 0;
};

TEST(live_index, finds_paths_that_do_not_fit_in_their_page) {
  std::mt19937 random(1);
  model checked;
  for (int step = 0; step < 2000; ++step) {
    if (random() % 16 < 8) {
      checked.mount_some(random);
    } else {
      checked.unmount_one(random);
    }
    if (step % 16 == 0) checked.discard_one();
    checked.expect_right();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(live_index, finds_all_paths_after_its_directory_has_grown) {
  std::vector<std::unique_ptr<mount>> mounts;
  auto current = std::make_unique<live_index>(default_allocator());
  ASSERT_TRUE(current->begin());
  for (int i = 0; i < 60; ++i) {
    mounts.push_back(std::make_unique<mount>(default_allocator()));
    archives_detail::archive_builder builder(mounts.back()->content, {});
    for (int j = 0; j < 40; ++j) {
      ASSERT_TRUE(builder.add("own/" + std::to_string(40 * i + j), {}));
      ASSERT_TRUE(builder.add("shared/" + std::to_string(j), {}));
    }
    mounts.back()->rank = static_cast<std::uint32_t>(i);
    auto next = std::make_unique<live_index>(default_allocator());
    ASSERT_TRUE(next->begin(*current, 80) && next->add(*mounts.back(), false));
    live_index::free_blocks(next->replaced(), default_allocator());
    current = std::move(next);
  }
  for (const std::unique_ptr<mount>& each : mounts) {
    for (const archives_detail::archive_entry& entry : each->content.entries) {
      const std::string_view text = each->content.path_of(entry);
      const mount* const winner = text.starts_with("own") ? each.get() : mounts.back().get();
      ASSERT_EQ(current->find({text, entry.id}).owner, winner) << text;
    }
  }
  std::size_t owners = 0;
  current->visit_all({"shared/7", {hash64("shared/7")}}, [&](const live_entry&) { ++owners; });
  EXPECT_EQ(owners, mounts.size());
  current->free_all();
}

TEST(live_index, allocates_pages_of_a_large_mount_in_few_blocks_and_frees_them) {
  constexpr std::uint32_t names = 40'000;
  tracking_allocator memory;
  {
    mount large(default_allocator());
    archives_detail::archive_builder builder(large.content, {});
    for (std::uint32_t name = 0; name < names; ++name) {
      ASSERT_TRUE(builder.add(name_of(name), {}));
    }
    live_index empty(memory);
    ASSERT_TRUE(empty.begin());
    live_index full(memory);
    ASSERT_TRUE(full.begin(empty, names));
    ASSERT_TRUE(full.add(large, false));
    EXPECT_LT(memory.total().allocations, 1000u);  // some pages have separate lists

    live_index refused(memory);
    ASSERT_TRUE(refused.begin(full, 0) && refused.remove(large));
    refused.discard();
    EXPECT_EQ(full.find({name_of(7), {hash64(name_of(7))}}).owner, &large);

    live_index empty_again(memory);
    ASSERT_TRUE(empty_again.begin(full, 0) && empty_again.remove(large));
    EXPECT_FALSE(empty_again.find({name_of(7), {hash64(name_of(7))}}));
    live_index::free_blocks(empty_again.replaced(), memory);
    empty_again.free_all();
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

}  // namespace
}  // namespace overture::vfs_detail::live_index_test
