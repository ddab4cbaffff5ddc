// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <limits>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::wav_test {
namespace {

using namespace decoders_detail;

using namespace test;

struct wav_wish {
  unsigned tag = 1;
  unsigned channels = 1;
  unsigned rate = 22050;
  unsigned bits = 16;
  unsigned block_bytes = 0;  // 0 = as it should be
  bytes before_data = {};    // more chunks
};

constexpr std::size_t data_size_place = 40;  // if there is nothing before the data

bytes make_wav(const wav_wish& wish, const bytes& data) {
  const unsigned block_bytes =
      wish.block_bytes == 0 ? wish.channels * wish.bits / 8 : wish.block_bytes;
  byte_writer file;
  file.text("RIFF").u32(36 + wish.before_data.size() + data.size()).text("WAVE");
  file.text("fmt ").u32(16).u16(wish.tag).u16(wish.channels).u32(wish.rate);
  file.u32(wish.rate * block_bytes).u16(block_bytes).u16(wish.bits);
  file.append(wish.before_data).text("data").u32(data.size()).append(data);
  return file.content;
}

bytes sixteen(std::initializer_list<int> samples) {
  byte_writer data;
  for (const int sample : samples) data.u16(static_cast<std::uint16_t>(sample));
  return data.content;
}

result<decoded_asset> decode(const bytes& file) {
  return wav_decoder().decode(file, default_allocator());
}

using samples = std::vector<std::int16_t>;

samples decoded(const bytes& file) {
  const result<decoded_asset> sound = decode(file);
  if (!sound) {
    ADD_FAILURE() << sound.error().reason;
    return {};
  }
  return content<std::int16_t>(*sound);
}

TEST(wav_decoder, accepts_its_extension_in_any_case) {
  EXPECT_TRUE(wav_decoder().accepts("sound/Jump.WAV", {}));
  EXPECT_FALSE(wav_decoder().accepts("sound/jump.ogg", {}));
}

TEST(wav_decoder, copies_16_bit_samples_exactly) {
  const result<decoded_asset> sound =
      decode(make_wav({.channels = 2}, sixteen({1, -1, 32767, -32768, 300, -300})));
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->kind(), asset_kind::sound);
  EXPECT_EQ(sound->sample_rate, 22050u);
  EXPECT_EQ(sound->channels, 2u);
  EXPECT_EQ(sound->frames, 3u);
  EXPECT_EQ(content<std::int16_t>(*sound), (samples{1, -1, 32767, -32768, 300, -300}));
}

TEST(wav_decoder, keeps_the_upper_16_bits_of_other_widths) {
  EXPECT_EQ(decoded(make_wav({.bits = 8}, byte_writer{}.u8(0).u8(128).u8(255).content)),
            (samples{-32768, 0, 32512}));
  EXPECT_EQ(
      decoded(make_wav({.bits = 24}, byte_writer{}.u8(0xFF).u16(0x1234).u8(0).u16(0x8000).content)),
      (samples{0x1234, -32768}));
  EXPECT_EQ(decoded(make_wav({.bits = 32}, byte_writer{}.u32(0x7FFF'0000).u32(~0u).content)),
            (samples{32767, -1}));
}

TEST(wav_decoder, clamps_floats_and_turns_nan_into_silence) {
  const bytes data = byte_writer{}
                         .f32(0.5f)
                         .f32(-1.0f)
                         .f32(7.0f)
                         .f32(-7.0f)
                         .f32(std::numeric_limits<float>::quiet_NaN())
                         .f32(std::numeric_limits<float>::infinity())
                         .content;
  EXPECT_EQ(decoded(make_wav({.tag = 3, .bits = 32}, data)),
            (samples{16384, -32768, 32767, -32768, 0, 32767}));
}

TEST(wav_decoder, takes_the_format_from_the_extension) {
  byte_writer file;
  file.text("RIFF").u32(0).text("WAVE").text("fmt ").u32(40).u16(0xFFFE).u16(1).u32(8000);
  file.u32(16000).u16(2).u16(16).u16(22).u16(16).u32(4).u16(1).text("", 14);
  file.text("data").u32(2).u16(77);
  EXPECT_EQ(decoded(file.content), (samples{77}));
}

TEST(wav_decoder, decodes_ima_adpcm) {
  // One channel: the first sample, then eight codes. 7 and 15 are the largest steps up and down,
  // 0 and 8 the smallest.
  const bytes block = byte_writer{}.u16(100).u8(0).u8(0).u32(0x0000'00F7).content;
  const wav_wish mono{.tag = 0x11, .bits = 4, .block_bytes = 8};
  // Step 7: 7/8 + 7/4 + 7/2 + 7 = 0 + 1 + 3 + 7 = 11, then 2 + 4 + 8 + 16 of step 16 down, and
  // an eighth of the steps 34, 31, 28, 25, 23 and 21.
  EXPECT_EQ(decoded(make_wav(mono, block)), (samples{100, 111, 81, 85, 88, 91, 94, 96, 98}));

  const bytes two = byte_writer{}
                        .u16(10)
                        .u16(0)
                        .u16(static_cast<std::uint16_t>(-20))
                        .u16(0)
                        .u32(0)
                        .u32(0x8888'8888)
                        .content;
  const wav_wish stereo{.tag = 0x11, .channels = 2, .bits = 4, .block_bytes = 16};
  const samples both = decoded(make_wav(stereo, two));
  ASSERT_EQ(both.size(), 18u);
  EXPECT_EQ(both[0], 10);
  EXPECT_EQ(both[1], -20);
  EXPECT_EQ(both[16], 10);
  EXPECT_EQ(both[17], -20);
}

TEST(wav_decoder, ends_ima_adpcm_where_the_file_says) {
  const bytes block = byte_writer{}.u16(100).u8(0).u8(0).u32(0).content;
  const bytes fact = byte_writer{}.text("fact").u32(4).u32(3).content;
  const wav_wish wish{.tag = 0x11, .bits = 4, .block_bytes = 8, .before_data = fact};
  EXPECT_EQ(decoded(make_wav(wish, block)), (samples{100, 100, 100}));
}

TEST(wav_decoder, ignores_a_length_that_leaves_out_whole_blocks) {
  const bytes blocks = byte_writer{}.u32(100).u32(0).u32(100).u32(0).content;
  for (const std::uint32_t stated : {0u, 5u, 9u}) {
    const bytes fact = byte_writer{}.text("fact").u32(4).u32(stated).content;
    const wav_wish wish{.tag = 0x11, .bits = 4, .block_bytes = 8, .before_data = fact};
    EXPECT_EQ(decoded(make_wav(wish, blocks)).size(), 18u) << stated;
  }
  const bytes fact = byte_writer{}.text("fact").u32(4).u32(10).content;
  const wav_wish wish{.tag = 0x11, .bits = 4, .block_bytes = 8, .before_data = fact};
  EXPECT_EQ(decoded(make_wav(wish, blocks)).size(), 10u);
}

TEST(wav_decoder, rejects_contradictory_ima_adpcm) {
  const bytes block = byte_writer{}.u16(100).u8(89).u8(0).u32(0).content;
  EXPECT_EQ(outcome(decode(make_wav({.tag = 0x11, .bits = 4, .block_bytes = 8}, block))),
            "corrupt");
  for (const unsigned size : {1u, 3u, 7u, 9u}) {
    EXPECT_EQ(outcome(decode(make_wav({.tag = 0x11, .bits = 4, .block_bytes = size}, block))),
              "corrupt");
  }
}

TEST(wav_decoder, decodes_ms_adpcm) {
  // The second predictor doubles the last sample and takes the one before it away.
  const bytes block = byte_writer{}.u8(1).u16(16).u16(120).u16(100).u8(0x1F).u8(0x80).content;
  const wav_wish mono{.tag = 2, .bits = 4, .block_bytes = 9};
  // 140 + 16, 192 - 16 (the steps stay 16), 196 - 8 * 16, then -40 - 0 * 48.
  EXPECT_EQ(decoded(make_wav(mono, block)), (samples{100, 120, 156, 176, 68, -40}));

  const bytes two = byte_writer{}
                        .u8(2)
                        .u8(0)
                        .u16(16)
                        .u16(16)
                        .u16(7)
                        .u16(static_cast<std::uint16_t>(-20))
                        .u16(5)
                        .u16(static_cast<std::uint16_t>(-30))
                        .u8(0x10)
                        .content;
  const wav_wish stereo{.tag = 2, .channels = 2, .bits = 4, .block_bytes = 15};
  EXPECT_EQ(decoded(make_wav(stereo, two)), (samples{5, -30, 7, -20, 16, -20}));
}

TEST(wav_decoder, decodes_a_short_last_block_of_adpcm) {
  const bytes block = byte_writer{}.u8(2).u16(16).u16(2).u16(1).u8(0).u8(0).content;
  bytes data = block;
  data.insert(data.end(), block.begin(), block.end() - 1);
  EXPECT_EQ(decoded(make_wav({.tag = 2, .bits = 4, .block_bytes = 9}, data)),
            (samples{1, 2, 0, 0, 0, 0, 1, 2, 0, 0}));
}

TEST(wav_decoder, rejects_contradictory_ms_adpcm) {
  const bytes block = byte_writer{}.u8(7).u16(16).u16(2).u16(1).u8(0).content;
  EXPECT_EQ(outcome(decode(make_wav({.tag = 2, .bits = 4, .block_bytes = 8}, block))), "corrupt");
  EXPECT_EQ(outcome(decode(make_wav({.tag = 2, .bits = 4, .block_bytes = 6}, block))), "corrupt");
}

// The values of ITU-T G.711, in 16 bits: both ends of the scale and both zeros.
TEST(wav_decoder, decodes_a_law_and_mu_law) {
  const bytes codes = byte_writer{}.u8(0x00).u8(0x7F).u8(0x80).u8(0xFF).u8(0x55).u8(0xD5).content;
  EXPECT_EQ(decoded(make_wav({.tag = 7, .bits = 8}, codes)),
            (samples{-32124, 0, 32124, 0, -716, 716}));
  const bytes other = byte_writer{}.u8(0x2A).u8(0xAA).u8(0x55).u8(0xD5).content;
  EXPECT_EQ(decoded(make_wav({.tag = 6, .bits = 8}, other)), (samples{-32256, 32256, -8, 8}));
}

TEST(wav_decoder, skips_chunks_before_the_samples_with_their_padding) {
  const bytes more = byte_writer{}.text("LIST").u32(3).text("abc").u8(0).content;
  EXPECT_EQ(decoded(make_wav({.before_data = more}, sixteen({5}))), (samples{5}));
}

TEST(wav_decoder, warns_of_an_unknown_size_and_reads_to_the_end) {
  for (const std::uint64_t size : {0x7FFF'F000u, 0x7FFF'FFFFu, UINT32_MAX - 1, UINT32_MAX}) {
    bytes file = make_wav({}, sixteen({1, 2, 3}));
    put_u32(file, data_size_place, size);
    EXPECT_EQ(decoded(file), (samples{1, 2, 3}));
    EXPECT_STREQ(decode(file)->warning, "the WAV file does not state its length");
  }
}

TEST(wav_decoder, warns_of_a_size_that_is_a_few_bytes_too_large) {
  for (const std::uint64_t surplus : {1u, 4u, 16u}) {
    bytes file = make_wav({}, sixteen({1, 2, 3}));
    put_u32(file, data_size_place, 6 + surplus);
    EXPECT_EQ(decoded(file), (samples{1, 2, 3}));
    EXPECT_STREQ(decode(file)->warning, "the WAV file is shorter than it states");
  }
  EXPECT_EQ(decode(make_wav({}, sixteen({1, 2, 3})))->warning, nullptr);
}

TEST(wav_decoder, rejects_false_sizes_without_allocating) {
  for (const std::uint64_t size :
       {std::uint64_t{6 + 17}, std::uint64_t{1'000'000}, std::uint64_t{0x7FFF'EFFF}}) {
    bytes file = make_wav({}, sixteen({1, 2, 3}));
    put_u32(file, data_size_place, size);
    tracking_allocator memory;
    EXPECT_EQ(outcome(wav_decoder().decode(file, memory)), "corrupt");
    EXPECT_EQ(memory.total().peak_bytes, 0u);
  }
}

TEST(wav_decoder, rejects_unknown_formats_as_unsupported) {
  EXPECT_EQ(outcome(decode(make_wav({.tag = 2, .bits = 3}, sixteen({1})))), "unsupported");
  EXPECT_EQ(outcome(decode(make_wav({.tag = 0x55, .bits = 0}, sixteen({1})))), "unsupported");
  EXPECT_EQ(outcome(decode(make_wav({.bits = 12}, sixteen({1})))), "unsupported");
  EXPECT_EQ(outcome(decode(make_wav({.tag = 3, .bits = 64}, sixteen({1})))), "unsupported");
}

TEST(wav_decoder, warns_of_a_wrong_block_size_and_does_without_it) {
  bytes none = make_wav({}, sixteen({1, 2, 3}));
  none[32] = std::byte{0};
  for (const bytes& file : {none, make_wav({.block_bytes = 4}, sixteen({1, 2, 3})),
                            make_wav({.block_bytes = 1}, sixteen({1, 2, 3}))}) {
    EXPECT_EQ(decoded(file), (samples{1, 2, 3}));
    EXPECT_STREQ(decode(file)->warning, "the WAV file states a wrong block size");
  }
  EXPECT_EQ(decoded(make_wav({.channels = 2, .block_bytes = 2}, sixteen({1, 2, 3, 4}))),
            (samples{1, 2, 3, 4}));
}

// The sizes of the file and of the samples do not fit 32 bits.
bytes make_rf64(const bytes& data, std::uint64_t stated, const char* magic = "RF64") {
  byte_writer file;
  file.text(magic).u32(UINT32_MAX).text("WAVE").text("ds64").u32(28).u32(0).u32(0);
  file.u32(stated).u32(stated >> 32).u32(0).u32(0).u32(0);
  file.text("fmt ").u32(16).u16(1).u16(1).u32(8000).u32(16000).u16(2).u16(16);
  return file.text("data").u32(UINT32_MAX).append(data).content;
}

TEST(wav_decoder, reads_rf64) {
  const bytes data = sixteen({1, 2, 3});
  EXPECT_EQ(decoded(make_rf64(data, 6)), (samples{1, 2, 3}));
  EXPECT_EQ(decoded(make_rf64(data, 4)), (samples{1, 2}));
  EXPECT_EQ(decode(make_rf64(data, 6, "BW64"))->warning, nullptr);
  EXPECT_EQ(outcome(decode(make_rf64(data, 100))), "corrupt");
  EXPECT_EQ(outcome(decode(make_rf64(data, UINT64_MAX - 1))), "corrupt");
  EXPECT_TRUE(wav_decoder().accepts("a", make_rf64(data, 6)));
}

// Chunks have names of 16 bytes, sizes that count their header, and begin at multiples of 8.
bytes make_w64(const bytes& data, std::uint64_t surplus = 0) {
  const bytes riff =
      byte_writer{}.text("riff").u32(0x11CF912E).u32(0xDB28D6A5).u32(0x0000C104).content;
  const auto name = [](const char* text) {
    return byte_writer{}.text(text).u32(0x11D3ACF3).u32(0xC000D18C).u32(0x8ADB8E4F).content;
  };
  byte_writer file;
  file.append(riff).u32(0).u32(0).append(name("wave"));
  file.append(name("junk")).u32(24 + 3).u32(0).text("abc", 8);
  file.append(name("fmt ")).u32(24 + 16).u32(0).u16(1).u16(1).u32(8000).u32(16000).u16(2).u16(16);
  const std::uint64_t size = 24 + data.size() + surplus;
  return file.append(name("data")).u32(size).u32(size >> 32).append(data).content;
}

TEST(wav_decoder, reads_wave64) {
  const bytes data = sixteen({1, 2, 3});
  EXPECT_EQ(decoded(make_w64(data)), (samples{1, 2, 3}));
  EXPECT_TRUE(wav_decoder().accepts("a", make_w64(data)));
  EXPECT_EQ(outcome(decode(make_w64(data, 100))), "corrupt");
  EXPECT_EQ(outcome(decode(make_w64(data, std::uint64_t{0} - 30))), "corrupt");
  decode_flipped(wav_decoder(), make_w64(data), 5'000);
  decode_flipped(wav_decoder(), make_rf64(data, 6), 5'000);
  decode_each_cut(wav_decoder(), make_w64(data),
                  [](std::size_t size, const result<decoded_asset>& sound) {
                    // A few bytes may be missing, as in RIFF.
                    EXPECT_EQ(outcome(sound), size < 136 ? "corrupt" : "ok") << size;
                  });
}

TEST(wav_decoder, leaves_a_file_that_is_named_wav_and_is_none_to_the_host) {
  const bytes raw = byte_writer{}.text("these are samples").content;
  const result<decoded_asset> kept = decode(raw);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->kind(), asset_kind::none);
  EXPECT_STREQ(kept->warning, "not a WAV file: raw samples, or unknown");
  const bytes big_endian = byte_writer{}.text("RIFX").u32(4).text("WAVE").content;
  EXPECT_EQ(outcome(decode(big_endian)), "unsupported");
}

TEST(wav_decoder, rejects_contradictory_formats) {
  EXPECT_EQ(outcome(decode(make_wav({.channels = 0}, sixteen({1})))), "corrupt");
  EXPECT_EQ(outcome(decode(make_wav({.rate = 0}, sixteen({1})))), "corrupt");
  EXPECT_EQ(outcome(decode(make_wav({.channels = 9}, sixteen({1})))), "limit");
  EXPECT_EQ(outcome(decode(byte_writer{}.text("RIFF").u32(0).text("WAVEdata").u32(0).content)),
            "corrupt");
}

TEST(wav_decoder, reports_a_file_cut_anywhere) {
  const auto raw = noise(1000);
  byte_writer data;
  for (const unsigned char value : raw) data.u8(value);
  for (const wav_wish& wish : {wav_wish{}, wav_wish{.tag = 0x11, .bits = 4, .block_bytes = 100}}) {
    decode_each_cut(wav_decoder(), make_wav(wish, data.content),
                    [](std::size_t size, const result<decoded_asset>& sound) {
                      EXPECT_EQ(outcome(sound), "corrupt") << size;
                    });
  }
}

TEST(wav_decoder, survives_flipped_bits) {
  byte_writer data;
  for (const unsigned char value : noise(256)) data.u8(value);
  decode_flipped(wav_decoder(), make_wav({.channels = 2}, data.content), 10'000);
  decode_flipped(wav_decoder(), make_wav({.tag = 3, .bits = 32}, data.content), 10'000);
  decode_flipped(wav_decoder(), make_wav({.tag = 2, .bits = 4, .block_bytes = 32}, data.content),
                 10'000);
  decode_flipped(wav_decoder(), make_wav({.tag = 0x11, .bits = 4, .block_bytes = 32}, data.content),
                 10'000);
}

TEST(wav_decoder, decodes_a_file_without_samples_to_an_empty_sound) {
  const result<decoded_asset> sound = decode(make_wav({}, {}));
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->frames, 0u);
  EXPECT_TRUE(sound->bytes().empty());
}

TEST(wav_decoder, reports_refused_memory) {
  expect_refusals(wav_decoder(), make_wav({}, sixteen({1, 2})));
}

}  // namespace
}  // namespace overture::wav_test
