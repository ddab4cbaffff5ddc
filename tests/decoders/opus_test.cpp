// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>
#include <ogg/ogg.h>
#include <opusenc.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "decoders/damage.hpp"
#include "decoders/ogg.hpp"
#include "decoders/ogg_pages.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::opus_test {
namespace {

using namespace decoders_detail;

using namespace test;

std::int16_t tone(int channel, int frame, double volume) {
  const double turns = 480.0 * (channel + 1) * frame / 48000;
  return static_cast<std::int16_t>(volume * std::sin(6.283185307179586 * turns));
}

struct opus_wish {
  int channels = 2;
  int frames = 30'000;
  double volume = 12'000;  // 0 = silence
  int serial = 1;
};

bytes make_opus(const opus_wish& wish = {}) {
  bytes file;
  const OpusEncCallbacks callbacks{[](void* user, const unsigned char* data, opus_int32 size) {
                                     const auto* const first =
                                         reinterpret_cast<const std::byte*>(data);
                                     auto& to = *static_cast<bytes*>(user);
                                     to.insert(to.end(), first, first + size);
                                     return 0;
                                   },
                                   [](void*) { return 0; }};
  OggOpusComments* const comments = ope_comments_create();
  OggOpusEnc* const encoder = ope_encoder_create_callbacks(
      &callbacks, &file, comments, 48000, wish.channels, wish.channels > 2, nullptr);
  ope_encoder_ctl(encoder, OPE_SET_SERIALNO_REQUEST, wish.serial);
  std::vector<opus_int16> samples;
  for (int frame = 0; frame < wish.frames; ++frame) {
    for (int channel = 0; channel < wish.channels; ++channel) {
      samples.push_back(tone(channel, frame, wish.volume));
    }
  }
  EXPECT_EQ(ope_encoder_write(encoder, samples.data(), wish.frames), OPE_OK);
  EXPECT_EQ(ope_encoder_drain(encoder), OPE_OK);
  ope_encoder_destroy(encoder);
  ope_comments_destroy(comments);
  return file;
}

// Corrects the checksum of a page that has no more bytes after it.
void mend_page(bytes& from) {
  const std::size_t header = 27 + std::to_integer<std::size_t>(from[26]);
  ogg_page page{reinterpret_cast<unsigned char*>(from.data()), static_cast<long>(header),
                reinterpret_cast<unsigned char*>(from.data() + header),
                static_cast<long>(from.size() - header)};
  ogg_page_checksum_set(&page);
}

result<decoded_asset> decode(const bytes& file) {
  return opus_decoder().decode(file, default_allocator());
}

TEST(opus_decoder, accepts_by_extension_and_by_content) {
  const bytes file = make_opus();
  EXPECT_TRUE(opus_decoder().accepts("music/Theme.OPUS", {}));
  EXPECT_TRUE(opus_decoder().accepts("music/theme.ogg", file));
  EXPECT_TRUE(opus_decoder().accepts("music/theme.oga", file));
  EXPECT_FALSE(opus_decoder().accepts("music/theme.ogg", {}));
  EXPECT_TRUE(opus_decoder().accepts("music/theme.bin", file));
  EXPECT_FALSE(vorbis_decoder().accepts("music/theme.ogg", file));
}

TEST(opus_decoder, decodes_every_sample_within_the_loss_of_opus) {
  tracking_allocator memory;
  const result<decoded_asset> sound = opus_decoder().decode(make_opus(), memory);
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->kind(), asset_kind::sound);
  EXPECT_EQ(sound->channels, 2u);
  EXPECT_EQ(sound->sample_rate, 48000u);
  EXPECT_EQ(sound->frames, 30'000u);
  const auto samples = content<std::int16_t>(*sound);
  ASSERT_EQ(samples.size(), 60'000u);
  for (int frame = 2000; frame < 28'000; ++frame) {
    for (int channel = 0; channel < 2; ++channel) {
      ASSERT_NEAR(samples[static_cast<std::size_t>(frame * 2 + channel)],
                  tone(channel, frame, 12'000), 1500)
          << frame;
    }
  }
  EXPECT_EQ(memory.total().allocations, 1u) << "no copies";
}

TEST(opus_decoder, decodes_silence_that_packs_beyond_expectation) {
  const bytes file = make_opus({.frames = 1'000'000, .volume = 0});
  ASSERT_GT(4'000'000u, file.size() * limits::sound_bytes_per_byte_likely);
  const result<decoded_asset> sound = decode(file);
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->frames, 1'000'000u);
}

TEST(opus_decoder, joins_a_chain_of_one_format_and_rejects_mixed_ones) {
  const auto joined = [](const opus_wish& second) {
    bytes file = make_opus();
    const bytes more = make_opus(second);
    file.insert(file.end(), more.begin(), more.end());
    return decode(file);
  };
  const result<decoded_asset> sound = joined({.frames = 10'000, .serial = 2});
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->frames, 40'000u);
  EXPECT_EQ(outcome(joined({.channels = 1, .serial = 2})), "unsupported");
}

// libopusfile would leak the comments of the second link; AddressSanitizer would report it.
TEST(opus_decoder, reports_a_later_link_with_damaged_sound_without_leaking) {
  bytes file = make_opus();
  const bytes second = make_opus({.frames = 1000, .serial = 2});
  const std::string magic = "OggS";
  std::ptrdiff_t sound = 0;  // of the second link: its third page
  for (int page = 0; page < 2; ++page) {
    sound = std::search(second.begin() + sound + 1, second.end(), magic.begin(), magic.end(),
                        [](std::byte a, char b) { return a == std::byte(b); }) -
            second.begin();
  }
  const auto end = second.begin() + sound;
  const auto joined = [&](const bytes& rest) {
    bytes all = file;
    all.insert(all.end(), second.begin(), end);
    all.insert(all.end(), rest.begin(), rest.end());
    return outcome(decode(all));
  };
  const bytes of_sound(end, second.end());
  EXPECT_EQ(joined(of_sound), "ok");
  EXPECT_EQ(joined({}), "corrupt");
  bytes begins_stream = of_sound;
  begins_stream[5] |= std::byte{2};
  mend_page(begins_stream);
  EXPECT_EQ(joined(begins_stream), "corrupt");
  bytes flipped = of_sound;
  flipped.back() ^= std::byte{1};
  EXPECT_EQ(joined(flipped), "corrupt");
}

// libopusfile takes a damaged last page for the end, and leaves a damaged first one out.
TEST(opus_decoder, reports_a_damaged_page_anywhere) {
  const bytes file = make_opus({.frames = 100'000});
  for (std::size_t at = 100; at < file.size(); at += file.size() / 16) {
    bytes damaged = file;
    damaged[at] ^= std::byte{1};
    EXPECT_EQ(outcome(decode(damaged)), "corrupt") << at;
  }
}

TEST(opus_decoder, warns_of_a_gap_in_the_page_numbers_alone) {
  const bytes file = make_opus({.frames = 300'000});
  const result<decoded_asset> right = decode(file);
  ASSERT_TRUE(right) << right.error().reason;
  EXPECT_EQ(right->warning, nullptr);
  for (const std::size_t first : {1u, 2u, 3u, 5u}) {
    const result<decoded_asset> sound = decode(with_page_numbers_from(file, first, 1));
    ASSERT_TRUE(sound) << sound.error().reason;
    EXPECT_STREQ(sound->warning, page_number_gap);
    EXPECT_EQ(sound->frames, 300'000u);
    EXPECT_EQ(content<std::int16_t>(*sound), content<std::int16_t>(*right)) << first;
  }
}

TEST(opus_decoder, warns_of_a_gap_in_any_link_of_a_chain) {
  const bytes first = make_opus({.frames = 300'000});
  const bytes second = make_opus({.frames = 200'000, .serial = 2});
  const auto joined = [](bytes file, const bytes& more) {
    file.insert(file.end(), more.begin(), more.end());
    return decode(file);
  };
  const bytes gap = with_page_numbers_from(first, 3, 7);
  for (const result<decoded_asset>& sound :
       {joined(gap, second), joined(first, with_page_numbers_from(second, 3, 7))}) {
    ASSERT_TRUE(sound) << sound.error().reason;
    EXPECT_STREQ(sound->warning, page_number_gap);
    EXPECT_EQ(sound->frames, 500'000u);
  }
  EXPECT_EQ(outcome(joined(without_page(first, 3), second)), "corrupt");
}

TEST(opus_decoder, reports_a_missing_page) {
  const bytes file = make_opus({.frames = 300'000});
  for (const std::size_t missing : {2u, 3u, 4u, 5u}) {
    EXPECT_EQ(outcome(decode(without_page(file, missing))), "corrupt") << missing;
  }
}

TEST(opus_decoder, reports_a_file_cut_anywhere) {
  decode_each_cut(opus_decoder(), make_opus(), [](std::size_t size, const auto& sound) {
    EXPECT_EQ(outcome(sound), "corrupt") << size;
  });
}

TEST(opus_decoder, survives_flipped_bits) {
  decode_flipped(opus_decoder(), make_opus({.channels = 1, .frames = 2000}), 500);
}

TEST(opus_decoder, says_what_memory_it_needs_from_the_headers) {
  for (const int channels : {1, 2, 6}) {
    const bytes file = make_opus({.channels = channels});
    const std::uint64_t samples = std::uint64_t{30'000} * static_cast<unsigned>(channels) * 2;
    EXPECT_GE(opus_decoder().memory_needed(file), samples);
    EXPECT_LE(opus_decoder().memory_needed(file), samples + (2u << 20));
    for (std::size_t size = 0; size < file.size(); size += 11) {
      EXPECT_LE(opus_decoder().memory_needed(std::span(file).first(size)), samples + (8u << 20));
    }
  }
  // Comments without text cost their blocks.
  bytes many = byte_writer{}.text("OpusTags").u32(0).u32(50'000).text("", 200'000).content;
  EXPECT_GE(opus_decoder().memory_needed(many), 50'000u * 44);
  put_u32(many, 8, 1u << 30);  // the number is out of sight
  EXPECT_GE(opus_decoder().memory_needed(many), 50'000u * 44);
  put_u32(many, 8, 0);
  put_u32(many, 12, 3);
  EXPECT_LE(opus_decoder().memory_needed(many), 2u << 20);
}

TEST(opus_decoder, reports_refused_memory) {
  expect_refusals(opus_decoder(), make_opus({.channels = 1, .frames = 2000}));
}

}  // namespace
}  // namespace overture::opus_test
