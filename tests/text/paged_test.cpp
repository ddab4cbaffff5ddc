// SPDX-License-Identifier: Zlib
#include "overture/jobs/paged.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "overture/jobs/thread_pool.hpp"
#include "support/failing_allocator.hpp"

namespace overture::paged_test {
namespace {

using numbers = paged<int, 64>;

std::vector<int> all(const numbers& objects) {
  std::vector<int> found;
  objects.for_each([&](int object) { found.push_back(object); });
  return found;
}

// The sizes in the page table must match those of the pages.
void expect_counts_agree(const numbers& objects) {
  for (std::size_t i = 0; i < objects.page_count(); ++i) {
    EXPECT_EQ(objects.page_objects(i), objects.page_at(i).size()) << i;
  }
}

TEST(paged, keeps_addresses_and_order) {
  numbers objects;
  std::vector<int*> places;
  for (int i = 0; i < 1000; ++i) places.push_back(objects.add(i).value());
  EXPECT_EQ(objects.size(), 1000u);
  EXPECT_EQ(objects.page_count(), 16u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(*places[static_cast<std::size_t>(i)], i);
  std::vector<int> wanted(1000);
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(all(objects), wanted);
}

TEST(paged, fills_holes_first) {
  numbers objects;
  std::vector<int*> places;
  for (int i = 0; i < 300; ++i) places.push_back(objects.add(i).value());
  objects.remove(places[250]);
  objects.remove(places[7]);
  expect_counts_agree(objects);
  EXPECT_EQ(objects.size(), 298u);
  EXPECT_EQ(objects.add(-1).value(), places[7]);
  EXPECT_EQ(objects.add(-2).value(), places[250]);
  EXPECT_EQ(objects.page_count(), 5u);
  expect_counts_agree(objects);
}

// Enough pages for several allocations, before and after pages that were added one at a time.
TEST(paged, adds_many_pages_at_once_and_drops_them_again) {
  numbers objects;
  (void)objects.add(-1);
  const std::size_t first = objects.add_pages(5'000).value();
  EXPECT_EQ(first, 1u);
  std::vector<int*> places;
  for (std::size_t i = 0; i < 5'000; ++i) {
    numbers::appender made(objects, first + i, i % 65);
    while (int* const place = made.add()) places.push_back(place);
    EXPECT_EQ(made.size(), i % 65);
  }
  EXPECT_EQ(objects.size(), places.size() + 1);
  for (std::size_t i = 0; i < places.size(); i += 3) objects.remove(places[i]);
  EXPECT_EQ(objects.size(), places.size() + 1 - (places.size() + 2) / 3);
  for (int i = 0; i < 64; ++i) (void)objects.add(i);  // one after the first, the rest into holes
  EXPECT_EQ(objects.page_count(), 5'001u);
  expect_counts_agree(objects);
  objects.clear_page(first + 64);
  EXPECT_EQ(objects.page_at(first + 64).size(), 0u);
  objects.drop_pages(first + 100);
  EXPECT_EQ(objects.page_count(), first + 100);
  (void)objects.add_pages(2);
  expect_counts_agree(objects);
  objects.drop_pages(first);
  EXPECT_EQ(objects.size(), 64u);
}

TEST(paged, visits_what_is_left_after_many_removals) {
  numbers objects;
  std::vector<int*> places;
  std::vector<int> wanted;
  for (int i = 0; i < 2000; ++i) places.push_back(objects.add(i).value());
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    if (random() % 3 == 0) {
      wanted.push_back(i);
    } else {
      objects.remove(places[static_cast<std::size_t>(i)]);
    }
  }
  EXPECT_EQ(all(objects), wanted);
}

// Occupancy is kept in 64-bit words.
TEST(paged, visits_pages_of_several_words_and_fills_their_holes) {
  paged<int, 256> objects;
  std::vector<int*> places;
  for (int i = 0; i < 256; ++i) places.push_back(objects.add(i).value());
  std::vector<int> wanted;
  for (int i = 0; i < 256; ++i) {
    if (i / 64 == 1 || i == 0 || i == 191 || i == 200) {
      objects.remove(places[static_cast<std::size_t>(i)]);
    } else {
      wanted.push_back(i);
    }
  }
  const auto found = [&] {
    std::vector<int> all;
    objects.for_each([&](int object) { all.push_back(object); });
    return all;
  };
  EXPECT_EQ(found(), wanted);
  for (std::size_t i = 0; i < 67; ++i) {
    const std::size_t hole = i == 0 ? 0 : i <= 64 ? i + 63 : i == 65 ? 191 : 200;
    EXPECT_EQ(objects.add(static_cast<int>(hole)).value(), places[hole]);
  }
  EXPECT_EQ(objects.page_count(), 1u);
  std::vector<int> filled(256);
  std::iota(filled.begin(), filled.end(), 0);
  EXPECT_EQ(found(), filled);
}

TEST(paged, lets_all_threads_visit) {
  numbers objects;
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(objects.add(i));
  thread_pool jobs{{.workers = 3}};
  objects.for_each(jobs, [](int& object) { object *= 2; });
  const std::vector<int> found = all(objects);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], 2 * i);
}

struct counted {
  explicit counted(int& count) : alive(&count) { ++*alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --*alive; }
  int* alive;
};

TEST(paged, destroys_each_object_once) {
  int alive = 0;
  {
    paged<counted, 64> objects;
    std::vector<counted*> places;
    for (int i = 0; i < 100; ++i) places.push_back(objects.add(alive).value());
    objects.remove(places[3]);
    EXPECT_EQ(alive, 99);
    paged<counted, 64> moved(std::move(objects));
    EXPECT_EQ(moved.size(), 99u);
    objects = std::move(moved);
    EXPECT_EQ(objects.size(), 99u);
  }
  EXPECT_EQ(alive, 0);
}

// Counts the living. Default-constructible, as appenders require.
struct tracked {
  static inline int alive = 0;
  tracked() { ++alive; }
  tracked(const tracked&) = delete;
  tracked& operator=(const tracked&) = delete;
  ~tracked() { --alive; }
};

TEST(paged, destroys_the_objects_of_dropped_pages) {
  paged<tracked, 64> objects;
  const std::size_t first = objects.add_pages(3).value();
  for (std::size_t i = 0; i < 3; ++i) {
    paged<tracked, 64>::appender made(objects, first + i, 64);
    while (made.add()) {
    }
  }
  EXPECT_EQ(tracked::alive, 3 * 64);
  objects.clear_page(first + 1);
  EXPECT_EQ(tracked::alive, 2 * 64);
  objects.drop_pages(first + 1);
  EXPECT_EQ(tracked::alive, 64);
  objects.clear();
  EXPECT_EQ(tracked::alive, 0);
}

TEST(paged, lets_an_appender_continue_where_the_last_one_stopped) {
  numbers objects;
  const std::size_t page = objects.add_pages(1).value();
  const auto append = [&](std::size_t most) {
    numbers::appender made(objects, page, most);
    while (int* const place = made.add()) *place = static_cast<int>(objects.size() + made.size());
    return made.size();
  };
  EXPECT_EQ(append(10), 10u);
  EXPECT_EQ(append(20), 20u);
  EXPECT_EQ(append(64), 34u) << "what the page has room for";
  std::vector<int> wanted(64);
  std::iota(wanted.begin(), wanted.end(), 1);
  EXPECT_EQ(all(objects), wanted);
  objects.clear_page(page);
  EXPECT_EQ(append(64), 64u);
}

TEST(paged, adds_objects_after_pages_were_dropped) {
  numbers objects;
  for (int i = 0; i < 200; ++i) (void)objects.add(i);
  objects.drop_pages(1);
  EXPECT_EQ(objects.size(), 64u);
  EXPECT_EQ(*objects.add(64).value(), 64);
  EXPECT_EQ(objects.page_count(), 2u);
  std::vector<int> wanted(65);
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(all(objects), wanted);
}

TEST(paged, is_empty_and_usable_after_being_moved_from) {
  int alive = 0;
  paged<counted, 64> one;
  paged<counted, 64> two;
  for (int i = 0; i < 100; ++i) (void)one.add(alive);
  for (int i = 0; i < 30; ++i) (void)two.add(alive);
  two = std::move(one);
  EXPECT_EQ(alive, 100) << "what was there before is gone at once";
  // NOLINTBEGIN(bugprone-use-after-move): this is what the test is about
  EXPECT_TRUE(one.empty());
  (void)one.add(alive);
  EXPECT_EQ(one.size(), 1u);
  paged<counted, 64> three(std::move(two));
  EXPECT_EQ(two.page_count(), 0u);
  (void)two.add(alive);
  EXPECT_EQ(two.size(), 1u);
  // NOLINTEND(bugprone-use-after-move)
  paged<counted, 64>& itself = three;
  three = std::move(itself);
  EXPECT_EQ(three.size(), 100u);
  EXPECT_EQ(alive, 102);
}

TEST(paged, gets_all_memory_from_its_allocator_and_returns_it) {
  failing_allocator memory(~std::uint64_t{0});
  {
    numbers objects(memory);
    for (int i = 0; i < 5'000; ++i) (void)objects.add(i);
    EXPECT_GT(memory.live_bytes(), static_cast<std::int64_t>(5'000 * sizeof(int)));
    (void)objects.add_pages(100);
    objects.drop_pages(90);
    objects.clear();
    EXPECT_EQ(memory.live_bytes(), 0);
    (void)objects.add(1);
    EXPECT_GT(memory.live_bytes(), 0);
  }
  EXPECT_EQ(memory.live_bytes(), 0);
}

TEST(paged, adds_no_page_if_it_cannot_add_all) {
  for (std::uint64_t n = 0;; ++n) {
    failing_allocator memory(n);
    numbers objects(memory);
    const auto first = objects.add_pages(10'000);
    EXPECT_EQ(objects.page_count(), first ? 10'000u : 0u);
    if (first) break;
    EXPECT_EQ(first.error().code, errc::out_of_memory);
  }
}

TEST(paged, aligns_objects_as_their_type_requires) {
  struct alignas(256) wide {
    char bytes[256];
  };
  paged<wide, 64> objects;
  for (int i = 0; i < 130; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(objects.add().value()) % alignof(wide), 0u);
  }
}

TEST(paged, reports_refused_memory_and_stays_usable) {
  for (std::uint64_t n = 0; n < 6; ++n) {
    failing_allocator memory(n);
    numbers objects(memory);
    int added = 0;
    while (added < 10'000) {
      const auto place = objects.add(added);
      if (!place) {
        EXPECT_EQ(place.error().code, errc::out_of_memory);
        break;
      }
      ++added;
    }
    EXPECT_EQ(objects.size(), static_cast<std::size_t>(added));
  }
}

}  // namespace
}  // namespace overture::paged_test
