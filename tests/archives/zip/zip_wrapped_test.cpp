// SPDX-License-Identifier: Zlib
#include "archives/zip/zip_wrapped.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "archives/big_archive.hpp"

namespace overture::archives_detail {

inline bool operator==(const zip_true_place& a, const zip_true_place& b) {
  return a.header == b.header && a.packed_bytes == b.packed_bytes && a.bytes == b.bytes;
}

namespace {

constexpr std::uint64_t gib = 1ull << 30;

base_detail::vec<zip_true_place> no_places() {
  return base_detail::vec<zip_true_place>(default_allocator(), memory_tag::vfs);
}

void expect_found(const std::vector<big_entry>& entries) {
  const big_archive archive(entries);
  base_detail::vec<zip_true_place> found = no_places();
  const result<bool> fits = archive.find(found);
  ASSERT_TRUE(fits && *fits);
  EXPECT_EQ(std::vector(found.begin(), found.end()), archive.places);
}

void expect_refused(const big_archive& archive) {
  base_detail::vec<zip_true_place> found = no_places();
  const result<bool> fits = archive.find(found);
  ASSERT_TRUE(fits);
  EXPECT_FALSE(*fits);
  EXPECT_EQ(found.size(), 0u);
}

TEST(offsets_modulo_4_gib, are_recovered_in_order) {
  expect_found({{gib, gib}, {2 * gib, 2 * gib}, {2 * gib, 2 * gib}, {6, 6}});
  expect_found({{3 * gib, 3 * gib}, {3 * gib, 3 * gib}, {3 * gib, 3 * gib}, {3 * gib, 3 * gib}});
}

TEST(sizes_modulo_4_gib, are_recovered_from_the_next_header) {
  expect_found({{6, 6}, {5 * gib, 5 * gib}, {6, 6}});
  expect_found({{9 * gib + 7, 9 * gib + 7}, {4 * gib, 4 * gib}, {6, 6}});
}

TEST(sizes_modulo_4_gib, of_the_last_entry_are_recovered_from_the_directory) {
  expect_found({{6, 6}, {5 * gib, 5 * gib}});
  expect_found({{5 * gib, 5 * gib}});
}

TEST(sizes_modulo_4_gib, of_compressed_data_are_at_least_its_size) {
  expect_found({{5 * gib, 6 * gib, zip_method_deflate}, {6, 6}});
  expect_found({{2 * gib, 5 * gib, zip_method_deflate}, {3 * gib, 3 * gib}});
}

TEST(offsets_modulo_4_gib, are_not_guessed_where_something_does_not_fit) {
  big_archive without_header({{gib, gib}, {4 * gib, 4 * gib}, {6, 6}});
  without_header.headers.erase(without_header.places[1].header);
  expect_refused(without_header);

  big_archive of_other_content({{gib, gib}, {4 * gib, 4 * gib}, {6, 6}});
  of_other_content.headers[of_other_content.places[2].header][14] = 'x';
  expect_refused(of_other_content);

  big_archive with_data_between({{gib, gib}, {4 * gib, 4 * gib}});
  with_data_between.end += 1u << 20;
  expect_refused(with_data_between);
}

TEST(offsets_modulo_4_gib, are_not_found_on_a_bad_disk) {
  big_archive archive({{gib, gib}, {4 * gib, 4 * gib}});
  archive.fails = true;
  base_detail::vec<zip_true_place> found = no_places();
  EXPECT_EQ(archive.find(found).error().code, errc::io);
}

}  // namespace
}  // namespace overture::archives_detail
