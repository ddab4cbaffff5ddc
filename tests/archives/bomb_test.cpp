// SPDX-License-Identifier: Zlib
#include "archives/bomb.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "archives/zip/mounted_zip.hpp"
#include "base/limit_text.hpp"
#include "overture/base/blob.hpp"
#include "overture/io/read_queue.hpp"
#include "support/seven_zip_writer.hpp"

namespace overture::bomb_test {
namespace {

using archives_detail::is_bomb;

constexpr std::uint64_t mib = 1u << 20;
constexpr std::uint64_t gib = 1u << 30;

TEST(bomb, is_what_unpacks_to_much_and_out_of_proportion) {
  const struct {
    std::uint64_t bytes;
    std::uint64_t packed;
    bool refused;
  } table[] = {
      {0, 0, false},
      {1, 0, false},
      {64 * mib, 1, false},
      {64 * mib + 1, 1, true},
      {64 * mib + 1, 0, true},
      {1100 * mib, mib, false},
      {1100 * mib + 1, mib, true},
      {gib, 889, true},              // BZip2 in a 7z
      {gib, gib / 7000, true},       // zeros, by LZMA
      {gib, gib / 1032 + 1, false},  // zeros, by DEFLATE
      {4 * gib, 4 * gib / 20, false},
      {16 * gib, 16 * gib / 1032, false},
      {16 * gib + 1, 16 * gib / 1032, true},
      {40 * gib, 40 * gib / 1032, true},
      {40 * gib, 40 * gib / 100 + 1, false},
      {40 * gib, 40 * gib / 100, true},
      {UINT64_MAX, UINT64_MAX, false},
      {UINT64_MAX, UINT64_MAX / 100 + 1, false},
      {UINT64_MAX, UINT64_MAX / 100 - 1, true},
      {UINT64_MAX, 1, true},
  };
  for (const auto& each : table) {
    EXPECT_EQ(is_bomb(each.bytes, each.packed), each.refused) << each.bytes << ' ' << each.packed;
  }
}

std::string noise(std::size_t bytes) {
  std::minstd_rand random(1);
  std::string data(bytes, '\0');
  for (char& each : data) each = static_cast<char>(random() >> 8);
  return data;
}

error read_error(file_system& files, const char* path) {
  buffer_pool buffers;
  read_queue reads(files, {.run_by_host = true});
  path_buffer room;
  const result<blob> bytes = files.read_all(*normalise(path, room), buffers, reads);
  return bytes ? error{errc::invalid, 0, "it was read", {}, 0} : bytes.error();
}

TEST(bomb, in_a_zip_is_refused_unless_its_mount_allows_it) {
  const zip_writer zip = zip_writer()
                             .add({.name = "small", .data = "small"})
                             .add({.name = "zeros",
                                   .data = noise(16 << 10),
                                   .method = zip_zstd,
                                   .stated_bytes = 128 * mib});
  mounted refused(zip);
  ASSERT_TRUE(refused.outcome);
  EXPECT_EQ(read_error(refused.files, "zeros").code, errc::limit);
  EXPECT_STREQ(read_error(refused.files, "zeros").reason, limit_text::bomb);
  EXPECT_STREQ(read_error(refused.files, "small").reason, "it was read");

  mounted allowed(zip, {.allow_bombs = true});
  EXPECT_EQ(read_error(allowed.files, "zeros").code, errc::corrupt) << "it claims too much";
}

TEST(bomb, in_a_solid_block_takes_its_files_with_it_unless_its_mount_allows_it) {
  const std::string bytes =
      seven_zip_writer()
          .add({.files = {{"two", "ok"}, {"zeros", std::string(65 * mib, '\0')}}})
          .add({.files = {{"other", "other"}}})
          .bytes();
  for (const bool allow : {false, true}) {
    memory_file_os os(bytes);
    file_system files{{.os = &os}};
    ASSERT_TRUE(files.mount("test.7z", {.allow_bombs = allow}));
    ASSERT_TRUE(files.freeze());
    const char* const outcome = allow ? "it was read" : limit_text::bomb;
    EXPECT_STREQ(read_error(files, "two").reason, outcome);
    EXPECT_STREQ(read_error(files, "zeros").reason, outcome);
    EXPECT_STREQ(read_error(files, "other").reason, "it was read");
  }
}

}  // namespace
}  // namespace overture::bomb_test
