// SPDX-License-Identifier: Zlib
#include "io/unpack/inflate_stream.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstring>
#include <random>
#include <string>

#include "overture/io/unpack.hpp"
#include "support/failing_allocator.hpp"

namespace overture::inflate_stream_test {
namespace {

std::string deflated(const std::string& data, int level) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(level);
  std::string packed(libdeflate_deflate_compress_bound(compressor, data.size()), '\0');
  packed.resize(libdeflate_deflate_compress(compressor, data.data(), data.size(), packed.data(),
                                            packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

// Text that refers back over long distances, so that a wrong window shows.
std::string sample(std::size_t bytes) {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < bytes) {
    if (text.size() > 40000 && random() % 4 != 0) {
      text += text.substr(text.size() - 1 - random() % 32000, 3 + random() % 200);
    } else {
      text += "word" + std::to_string(random() % 100000);
    }
  }
  text.resize(bytes);
  return text;
}

struct stream_under_test {
  explicit stream_under_test(std::string from, std::uint64_t bytes, unsigned points = 64,
                             allocator& memory = default_allocator())
      : packed(std::move(from)),
        stream(memory, packed.size(), bytes, points),
        begun(stream.begin()) {}

  std::string read(std::uint64_t offset, std::size_t count) {
    std::string text(count, '?');
    const result<void> done =
        stream.read(offset, std::as_writable_bytes(std::span(text)),
                    [this](std::uint64_t at, std::span<std::byte> to) -> result<void> {
                      if (at + to.size() > packed.size())
                        ADD_FAILURE() << "reads beyond the packed data";
                      if (at >= fails_from) return fail(errc::io, "broken disk");
                      std::memcpy(to.data(), packed.data() + at, to.size());
                      return {};
                    });
    return done ? text : std::string("error: ") + to_string(done.error().code);
  }

  std::string packed;
  std::uint64_t fails_from = UINT64_MAX;
  io_detail::inflate_stream stream;
  result<void> begun;
};

TEST(inflate_stream, reads_at_any_place_in_any_order) {
  const std::string text = sample(3'000'000);
  for (const int level : {0, 1, 6}) {
    stream_under_test under(deflated(text, level), text.size());
    std::mt19937 random(1);
    for (int i = 0; i < 60; ++i) {
      const std::size_t offset = random() % text.size();
      const std::size_t count = std::min<std::size_t>(random() % 100'000, text.size() - offset);
      ASSERT_EQ(under.read(offset, count), text.substr(offset, count)) << level << ' ' << offset;
    }
    ASSERT_EQ(under.read(0, text.size()), text) << level;
    EXPECT_EQ(under.stream.seen_bytes(), text.size());
    EXPECT_EQ(under.stream.seen_crc32(), crc32(std::as_bytes(std::span(text))));
  }
}

TEST(inflate_stream, goes_back_from_a_restart_point_and_not_from_the_beginning) {
  const std::string text = sample(8'000'000);
  const std::string packed = deflated(text, 6);
  const auto unpacked_by_going_back = [&](unsigned points) {
    stream_under_test under(packed, text.size(), points);
    EXPECT_EQ(under.read(text.size() - 10, 10), text.substr(text.size() - 10));
    const std::uint64_t before = under.stream.unpacked_bytes();
    EXPECT_EQ(before, text.size());
    EXPECT_EQ(under.read(7'500'000, 10), text.substr(7'500'000, 10));
    return under.stream.unpacked_bytes() - before;
  };
  EXPECT_LT(unpacked_by_going_back(64), 800'000u);
  EXPECT_EQ(unpacked_by_going_back(0), 7'500'010u);
}

TEST(inflate_stream, skips_ahead_by_points_it_knows) {
  const std::string text = sample(8'000'000);
  stream_under_test under(deflated(text, 6), text.size());
  (void)under.read(text.size() - 1, 1);
  (void)under.read(0, 1);
  const std::uint64_t before = under.stream.unpacked_bytes();
  EXPECT_EQ(under.read(7'000'000, 10), text.substr(7'000'000, 10));
  EXPECT_LT(under.stream.unpacked_bytes() - before, 800'000u);
}

TEST(inflate_stream, reports_streams_that_are_shorter_or_longer_than_announced) {
  const std::string text = sample(100'000);
  const std::string packed = deflated(text, 6);
  EXPECT_EQ(stream_under_test(packed, text.size() + 1).read(0, text.size() + 1), "error: corrupt");
  EXPECT_EQ(stream_under_test(packed, text.size() - 1).read(0, text.size() - 1), "error: corrupt");
  EXPECT_EQ(
      stream_under_test(packed.substr(0, packed.size() / 2), text.size()).read(0, text.size()),
      "error: corrupt");
  EXPECT_EQ(
      stream_under_test(packed.substr(0, packed.size() - 1), text.size()).read(0, text.size()),
      "error: corrupt");
  EXPECT_EQ(stream_under_test("", 5).read(0, 5), "error: corrupt");
  EXPECT_EQ(stream_under_test("\x07 no block has this kind", 5).read(0, 5), "error: corrupt");
}

TEST(inflate_stream, goes_on_after_a_read_that_failed) {
  const std::string text = sample(2'000'000);
  stream_under_test under(deflated(text, 6), text.size());
  under.fails_from = under.packed.size() / 2;
  EXPECT_EQ(under.read(0, text.size()), "error: io");
  EXPECT_EQ(under.read(100, 50), text.substr(100, 50));
  under.fails_from = UINT64_MAX;
  EXPECT_EQ(under.read(1'900'000, 50), text.substr(1'900'000, 50));
  EXPECT_EQ(under.read(0, text.size()), text);
  EXPECT_EQ(under.stream.seen_crc32(), crc32(std::as_bytes(std::span(text))));
}

TEST(inflate_stream, does_without_restart_points_where_memory_is_refused) {
  const std::string text = sample(2'000'000);
  const std::string packed = deflated(text, 6);
  for (std::uint64_t allowed = 0; allowed < 12; ++allowed) {
    failing_allocator memory(allowed);
    stream_under_test under(packed, text.size(), 64, memory);
    if (!under.begun) {
      EXPECT_EQ(under.begun.error().code, errc::out_of_memory);
      continue;
    }
    const std::string all = under.read(0, text.size());
    if (all == "error: out_of_memory") continue;  // zlib's own window
    EXPECT_EQ(all, text);
    EXPECT_EQ(under.read(1'000'000, 10), text.substr(1'000'000, 10));
  }
}

}  // namespace
}  // namespace overture::inflate_stream_test
