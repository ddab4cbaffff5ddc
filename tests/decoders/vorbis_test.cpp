#include "decoders/vorbis_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "decoders/table.hpp"
#include "overture/limits.hpp"

namespace overture {
namespace {

using namespace test;

result<decoded_asset> decode(const bytes& file) {
  return vorbis_decoder().decode(file, default_allocator());
}

TEST(vorbis, decodes_every_sample_as_near_as_vorbis_keeps_it) {
  const vorbis_wish wish;
  const result<decoded_asset> sound = decode(make_vorbis(wish));
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->kind(), asset_kind::sound);
  EXPECT_EQ(sound->channels, 2u);
  EXPECT_EQ(sound->sample_rate, 44100u);
  EXPECT_EQ(sound->frames, 20000u);
  const auto samples = content<std::int16_t>(*sound);
  ASSERT_EQ(samples.size(), 40000u);
  for (int frame = 1000; frame < 19000; ++frame) {
    for (int channel = 0; channel < 2; ++channel) {
      ASSERT_NEAR(samples[static_cast<std::size_t>(frame * 2 + channel)],
                  tone(wish, channel, frame) * 32767, 600)
          << frame;
    }
  }
}

TEST(vorbis, decodes_into_one_block_without_copies) {
  tracking_allocator memory;
  const result<decoded_asset> sound = vorbis_decoder().decode(make_vorbis(), memory);
  ASSERT_TRUE(sound);
  EXPECT_EQ(memory.total().allocations, 1u);
  EXPECT_EQ(memory.total().peak_bytes, 20000u * 4);
}

TEST(vorbis, silence_that_packs_extremely_well_is_complete) {
  const bytes file = make_vorbis({.channels = 1, .frames = 2'000'000, .volume = 0});
  ASSERT_GT(4'000'000u, file.size() * limits::sound_bytes_per_byte_likely);
  const result<decoded_asset> sound = decode(file);
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->frames, 2'000'000u);
  EXPECT_EQ(sound->bytes().size(), 4'000'000u);
}

TEST(vorbis, number_of_frames_that_lies_takes_no_memory) {
  const bytes file = make_vorbis();
  for (const std::uint64_t lie :
       {std::uint64_t{1} << 20, std::uint64_t{1} << 40, std::uint64_t{1} << 62}) {
    tracking_allocator memory;
    {
      (void)vorbis_decoder().decode(with_last_position(file, lie), memory);
    }
    EXPECT_LE(memory.total().peak_bytes, file.size() * limits::sound_bytes_per_byte_likely * 2);
  }
  // Too small a number cuts the sound, within the last block.
  const result<decoded_asset> sound = decode(with_last_position(file, 19'000));
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_GE(sound->frames, 19'000u);
  EXPECT_LT(sound->frames, 20'000u);
  EXPECT_EQ(sound->bytes().size(), sound->frames * 4);
}

TEST(vorbis, chain_of_one_format_is_one_sound_and_of_several_unsupported) {
  const bytes chain = make_vorbis({.frames = 5000});
  const bytes same = make_vorbis({.frames = 5000, .serial = 2});
  const bytes other = make_vorbis({.rate = 22050, .frames = 5000, .serial = 2});
  const bytes mono = make_vorbis({.channels = 1, .frames = 5000, .serial = 2});
  const auto joined = [&](const bytes& second) {
    bytes file = chain;
    file.insert(file.end(), second.begin(), second.end());
    return decode(file);
  };
  const result<decoded_asset> sound = joined(same);
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->frames, 10'000u);
  EXPECT_EQ(outcome(joined(other)), "unsupported");
  EXPECT_EQ(outcome(joined(mono)), "unsupported");
}

// libvorbisfile keeps what it took to read the damaged headers if it may look for them: the address
// sanitizer tells.
TEST(vorbis, damaged_headers_of_a_later_link_are_an_error_and_leave_nothing_behind) {
  bytes file = make_vorbis({.frames = 100'000});
  const bytes second = make_vorbis({.frames = 100'000, .serial = 2});
  const std::ptrdiff_t after_first_header = 58;
  const std::string magic = "OggS";
  const auto of_sound =
      std::search(second.begin() + after_first_header + 4, second.end(), magic.begin(), magic.end(),
                  [](std::byte a, char b) { return a == std::byte(b); });
  file.insert(file.end(), second.begin(), second.begin() + after_first_header);
  file.insert(file.end(), of_sound, second.end());
  EXPECT_EQ(outcome(decode(file)), "corrupt");
}

TEST(vorbis, more_channels_than_the_limit_are_refused) {
  EXPECT_EQ(outcome(decode(make_vorbis({.channels = 8, .frames = 100}))), "ok");
  EXPECT_EQ(outcome(decode(make_vorbis({.channels = 9, .frames = 100}))), "limit");
}

TEST(vorbis, without_a_sample_is_an_empty_sound) {
  const result<decoded_asset> sound = decode(make_vorbis({.frames = 0}));
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_TRUE(sound->bytes().empty());
}

TEST(vorbis, cut_anywhere_is_an_error_and_never_a_crash) {
  decode_each_cut(vorbis_decoder(), make_vorbis(), [](std::size_t size, const auto& sound) {
    EXPECT_EQ(outcome(sound), "corrupt") << size;
  });
}

TEST(vorbis, bytes_after_the_last_page_do_not_matter) {
  bytes file = make_vorbis();
  file.insert(file.end(), 200, std::byte{0x55});
  EXPECT_EQ(outcome(decode(file)), "ok");
}

TEST(vorbis, missing_page_is_an_error) {
  bytes file = make_vorbis({.frames = 300'000});
  const std::ptrdiff_t inside = static_cast<std::ptrdiff_t>(file.size() * 3 / 4);
  file.erase(file.begin() + inside, file.begin() + inside + 10);
  EXPECT_EQ(outcome(decode(file)), "corrupt");
}

TEST(vorbis, flipped_bits_are_an_error_or_a_sound) {
  const bytes file = make_vorbis({.channels = 1, .frames = 500});
  decode_flipped(vorbis_decoder(), file, 600);
}

TEST(vorbis, refused_memory_is_an_error) {
  expect_refusals(vorbis_decoder(), make_vorbis({.channels = 1, .frames = 3000}));
}

}  // namespace
}  // namespace overture
