// SPDX-License-Identifier: Zlib
#include <cstring>

#include "c/save_format.hpp"
#include "c_test.hpp"

C_TEST(c_saves, what_is_written_is_read_back)
C_TEST(c_saves, every_damaged_byte_is_noticed)
C_TEST(c_saves, a_save_that_cannot_be_written_leaves_the_old_one)
C_TEST(c_saves, null_is_invalid)

namespace overture::c::saves_test {
namespace {

TEST(save_head, is_read_as_it_was_written) {
  const save_head_room room = write_head({.bytes = 1234, .hash = 0x0123456789abcdef});
  const result<save_head> head = read_head(room, 1234 + save_head_bytes);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->bytes, 1234u);
  EXPECT_EQ(head->hash, 0x0123456789abcdefu);
  EXPECT_EQ(std::memcmp(room.data(), "OVTRSAVE\1\0\0\0\0\0\0\0\xd2\4", 18), 0);
}

TEST(save_head, a_flaw_has_its_own_code) {
  const save_head_room good = write_head({.bytes = 10, .hash = 1});
  const std::span<const std::byte> all(good);
  struct {
    const char* what;
    std::size_t head_bytes;
    std::uint64_t file_bytes;
    errc code;
  } const cases[] = {
      {"an empty file", 0, 0, errc::corrupt},          {"the magic alone", 8, 8, errc::truncated},
      {"a part of the head", 39, 39, errc::truncated}, {"no bytes", 40, 40, errc::truncated},
      {"one byte less", 40, 49, errc::truncated},      {"one byte more", 40, 51, errc::corrupt},
  };
  for (const auto& each : cases) {
    const result<save_head> head = read_head(all.first(each.head_bytes), each.file_bytes);
    ASSERT_FALSE(head) << each.what;
    EXPECT_EQ(head.error().code, each.code) << each.what;
  }
}

TEST(save_head, a_later_version_is_not_called_damaged) {
  save_head_room room = write_head({.bytes = 0, .hash = 1});
  room[8] = std::byte{2};
  const result<save_head> head = read_head(room, save_head_bytes);
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().code, errc::unsupported);
}

}  // namespace
}  // namespace overture::c::saves_test
