#include "overture/paged.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "overture/thread_pool.hpp"
#include "support/failing_allocator.hpp"

namespace overture {
namespace {

using numbers = paged<int, 64>;

std::vector<int> all(const numbers& objects) {
  std::vector<int> found;
  objects.for_each([&](int object) { found.push_back(object); });
  return found;
}

// The table of pages counts as the pages themselves do.
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

// So many that they are in several allocations, behind and in front of pages of single objects.
TEST(paged, takes_pages_of_readers_together_and_drops_them_again) {
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
  for (int i = 0; i < 64; ++i) (void)objects.add(i);  // one behind the first, the rest into holes
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

TEST(paged, says_when_memory_is_refused_and_goes_on) {
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
}  // namespace overture
