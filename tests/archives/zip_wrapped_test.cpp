#include "archives/zip_wrapped.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace overture::archives_detail {

inline bool operator==(const zip_true_place& a, const zip_true_place& b) {
  return a.header == b.header && a.packed_bytes == b.packed_bytes && a.bytes == b.bytes;
}

namespace {

using ::testing::IsEmpty;

constexpr std::uint64_t gib = 1ull << 30;

void put(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 0xFF);
}

struct big_entry {
  std::uint64_t packed_bytes;
  std::uint64_t bytes;
  std::uint16_t method = zip_method_stored;
};

// The directory and the local headers of an archive, without its data.
struct big_archive {
  explicit big_archive(const std::vector<big_entry>& entries) {
    std::uint32_t crc32 = 1;
    for (const big_entry& entry : entries) {
      places.push_back({end, entry.packed_bytes, entry.bytes});
      std::string& local = headers[end];
      put(local, 0x04034B50, 4);
      put(local, 0, 4);
      put(local, entry.method, 2);
      put(local, 0, 4);
      put(local, crc32, 4);
      put(local, entry.packed_bytes, 4);
      put(local, entry.bytes, 4);
      put(local, 1, 2);
      put(local, 0, 2);
      put(directory, 0x02014B50, 4);
      put(directory, 0, 6);
      put(directory, entry.method, 2);
      put(directory, 0, 4);
      put(directory, crc32++, 4);
      put(directory, entry.packed_bytes, 4);
      put(directory, entry.bytes, 4);
      put(directory, 1, 2);
      put(directory, 0, 12);
      put(directory, end, 4);
      directory += 'n';
      end += zip_local_header_bytes + 1 + entry.packed_bytes;
    }
  }

  result<void> read(std::uint64_t offset, std::span<std::byte> to) {
    if (fails) return fail(errc::io, "bad disk");
    std::memset(to.data(), 0, to.size());
    const auto header = headers.find(offset);
    if (header != headers.end()) std::memcpy(to.data(), header->second.data(), to.size());
    return {};
  }
  result<bool> find() {
    const auto reader = [this](std::uint64_t offset, std::span<std::byte> to) {
      return read(offset, to);
    };
    return find_wrapped_places(std::as_bytes(std::span(directory)), end, reader, found);
  }
  [[nodiscard]] std::vector<zip_true_place> found_places() const {
    return {found.begin(), found.end()};
  }

  std::string directory;
  std::map<std::uint64_t, std::string> headers;
  std::vector<zip_true_place> places;
  std::uint64_t end = 0;  // of the data so far
  bool fails = false;
  base_detail::vec<zip_true_place> found{default_allocator(), memory_tag::vfs};
};

void expect_found(const std::vector<big_entry>& entries) {
  big_archive archive(entries);
  const result<bool> fits = archive.find();
  ASSERT_TRUE(fits && *fits);
  EXPECT_EQ(archive.found_places(), archive.places);
}

void expect_refused(big_archive& archive) {
  const result<bool> fits = archive.find();
  ASSERT_TRUE(fits);
  EXPECT_FALSE(*fits);
  EXPECT_THAT(archive.found_places(), IsEmpty());
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
  EXPECT_EQ(archive.find().error().code, errc::io);
}

}  // namespace
}  // namespace overture::archives_detail
