// SPDX-License-Identifier: Zlib
#include "decoders/vorbis_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "decoders/ogg.hpp"
#include "decoders/ogg_pages.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::vorbis_test {
namespace {

using namespace decoders_detail;

using namespace test;

result<decoded_asset> decode(const bytes& file) {
  return vorbis_decoder().decode(file, default_allocator());
}

TEST(vorbis_decoder, decodes_every_sample_within_the_loss_of_vorbis) {
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

TEST(vorbis_decoder, decodes_in_place_into_one_block) {
  tracking_allocator memory;
  const result<decoded_asset> sound = vorbis_decoder().decode(make_vorbis(), memory);
  ASSERT_TRUE(sound);
  EXPECT_EQ(memory.total().allocations, 1u);
  EXPECT_EQ(memory.total().peak_bytes, 20000u * 4);
}

TEST(vorbis_decoder, decodes_silence_that_packs_beyond_expectation) {
  const bytes file = make_vorbis({.channels = 1, .frames = 2'000'000, .volume = 0});
  ASSERT_GT(4'000'000u, file.size() * limits::sound_bytes_per_byte_likely);
  const result<decoded_asset> sound = decode(file);
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->frames, 2'000'000u);
  EXPECT_EQ(sound->bytes().size(), 4'000'000u);
}

TEST(vorbis_decoder, does_not_trust_a_false_number_of_frames) {
  const bytes file = make_vorbis();
  for (const std::uint64_t lie :
       {std::uint64_t{1} << 20, std::uint64_t{1} << 40, std::uint64_t{1} << 62}) {
    tracking_allocator memory;
    {
      (void)vorbis_decoder().decode(with_last_position(file, lie), memory);
    }
    EXPECT_LE(memory.total().peak_bytes, file.size() * limits::sound_bytes_per_byte_likely * 2);
  }
  // Too small a number cuts the sound inside the last block.
  const result<decoded_asset> sound = decode(with_last_position(file, 19'000));
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_GE(sound->frames, 19'000u);
  EXPECT_LT(sound->frames, 20'000u);
  EXPECT_EQ(sound->bytes().size(), sound->frames * 4);
}

TEST(vorbis_decoder, survives_positions_of_any_size) {
  const bytes file = make_vorbis({.frames = 300'000});
  for (std::size_t from = 2; from < 8; ++from) {
    for (const std::uint32_t high : {0x7FFF'FFFFu, 0x8000'0000u}) {
      (void)decode(with_pages_changed_from(file, from, [high](std::size_t, bytes& page) {
        put_u32(page, 6, ~0u);  // libvorbisfile adds what it decodes
        put_u32(page, 10, high);
      }));
    }
  }
}

TEST(vorbis_decoder, joins_a_chain_of_one_format_and_rejects_mixed_ones) {
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

// A seekable libvorbisfile would leak the damaged headers; AddressSanitizer would report it.
TEST(vorbis_decoder, reports_damaged_headers_of_a_later_link_without_leaking) {
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

TEST(vorbis_decoder, rejects_more_channels_than_the_limit) {
  EXPECT_EQ(outcome(decode(make_vorbis({.channels = 8, .frames = 100}))), "ok");
  EXPECT_EQ(outcome(decode(make_vorbis({.channels = 9, .frames = 100}))), "limit");
}

TEST(vorbis_decoder, decodes_a_file_without_samples_to_an_empty_sound) {
  const result<decoded_asset> sound = decode(make_vorbis({.frames = 0}));
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_TRUE(sound->bytes().empty());
}

TEST(vorbis_decoder, reports_a_file_cut_anywhere) {
  decode_each_cut(vorbis_decoder(), make_vorbis(), [](std::size_t size, const auto& sound) {
    EXPECT_EQ(outcome(sound), "corrupt") << size;
  });
}

TEST(vorbis_decoder, ignores_bytes_after_the_last_page) {
  bytes file = make_vorbis();
  file.insert(file.end(), 200, std::byte{0x55});
  EXPECT_EQ(outcome(decode(file)), "ok");
}

TEST(vorbis_decoder, reports_a_missing_page) {
  bytes file = make_vorbis({.frames = 300'000});
  const std::ptrdiff_t inside = static_cast<std::ptrdiff_t>(file.size() * 3 / 4);
  file.erase(file.begin() + inside, file.begin() + inside + 10);
  EXPECT_EQ(outcome(decode(file)), "corrupt");
}

TEST(vorbis_decoder, warns_of_a_gap_in_the_page_numbers_alone) {
  const bytes file = make_vorbis({.frames = 300'000});
  EXPECT_EQ(decode(file)->warning, nullptr);
  const bytes gap = with_page_numbers_from(file, 4, 1);
  const result<decoded_asset> sound = decode(gap);
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_STREQ(sound->warning, page_number_gap);
  EXPECT_EQ(content<std::int16_t>(*sound), content<std::int16_t>(*decode(file)));
  for (const std::size_t missing : {3u, 4u, 5u}) {
    EXPECT_EQ(outcome(decode(without_page(file, missing))), "corrupt") << missing;
  }
}

// As editors that cut a sound without decoding it leave it.
TEST(vorbis_decoder, ends_a_sound_with_a_gap_where_its_pages_say) {
  const bytes file = make_vorbis({.frames = 300'000});
  const bytes cut = with_positions_less_from(with_page_numbers_from(file, 4, 1), 5, 2458);
  const result<decoded_asset> sound = decode(cut);
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_STREQ(sound->warning, page_number_gap);
  EXPECT_EQ(sound->frames, 300'000u - 2458);
  const auto wanted = content<std::int16_t>(*decode(file));
  const auto samples = content<std::int16_t>(*sound);
  EXPECT_TRUE(std::equal(samples.begin(), samples.end(), wanted.begin()));
  // What is missing elsewhere does not make up for it.
  EXPECT_EQ(outcome(decode(with_positions_less_from(without_page(file, 4), 10, 100'000))),
            "corrupt");
}

// libvorbis does not say what is missing before the last page of a link.
TEST(vorbis_decoder, reports_a_gap_in_a_chain) {
  const bytes link = make_vorbis({.frames = 300'000});
  const bytes last = make_vorbis({.frames = 300'000, .serial = 2});
  const auto joined = [](bytes file, const bytes& more) {
    file.insert(file.end(), more.begin(), more.end());
    return file;
  };
  EXPECT_EQ(outcome(decode(joined(link, last))), "ok");
  for (const bytes& file :
       {joined(with_page_numbers_from(link, 5, 1), last),
        joined(link, with_page_numbers_from(last, 5, 1)), joined(without_page(link, 5), last),
        joined(link, without_page(last, 5))}) {
    EXPECT_EQ(outcome(decode(file)), "corrupt");
  }
}

// libvorbis takes a damaged last page for the end, and leaves a damaged first one out.
TEST(vorbis_decoder, reports_a_damaged_page_anywhere) {
  const bytes file = make_vorbis({.frames = 100'000});
  for (std::size_t at = 100; at < file.size(); at += file.size() / 16) {
    bytes damaged = file;
    damaged[at] ^= std::byte{1};
    EXPECT_EQ(outcome(decode(damaged)), "corrupt") << at;
  }
}

TEST(vorbis_decoder, survives_flipped_bits) {
  const bytes file = make_vorbis({.channels = 1, .frames = 500});
  decode_flipped(vorbis_decoder(), file, 600);
}

TEST(vorbis_decoder, reports_refused_memory) {
  expect_refusals(vorbis_decoder(), make_vorbis({.channels = 1, .frames = 3000}));
}

}  // namespace
}  // namespace overture::vorbis_test
