// SPDX-License-Identifier: Zlib
//
// Built only where libFLAC is, like the decoder.
#if __has_include(<FLAC/stream_encoder.h>)

#include <FLAC/stream_encoder.h>
#include <gtest/gtest.h>

#include <memory>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::flac_test {
namespace {

using namespace decoders_detail;

using namespace test;

struct flac_wish {
  unsigned channels = 2;
  unsigned bits = 16;
  unsigned rate = 44'100;
  unsigned frames = 10'000;
  bool states_length = true;
};

int sample(const flac_wish& wish, unsigned frame, unsigned channel) {
  const int most = (1 << (wish.bits - 1)) - 1;
  return static_cast<int>((frame * (37u + channel * 11u)) % (2u * static_cast<unsigned>(most))) -
         most;
}

bytes make_flac(const flac_wish& wish = {}) {
  struct free_encoder {
    void operator()(FLAC__StreamEncoder* each) const { FLAC__stream_encoder_delete(each); }
  };
  const std::unique_ptr<FLAC__StreamEncoder, free_encoder> to(FLAC__stream_encoder_new());
  FLAC__stream_encoder_set_channels(to.get(), wish.channels);
  FLAC__stream_encoder_set_bits_per_sample(to.get(), wish.bits);
  FLAC__stream_encoder_set_sample_rate(to.get(), wish.rate);
  FLAC__stream_encoder_set_blocksize(to.get(), 1024);
  FLAC__stream_encoder_set_streamable_subset(to.get(), 0);
  struct written {
    bytes file;
    std::size_t at = 0;
  } out;
  const auto write = [](const FLAC__StreamEncoder*, const FLAC__byte* from, std::size_t size,
                        std::uint32_t, std::uint32_t, void* client) {
    auto& into = *static_cast<written*>(client);
    if (into.file.size() < into.at + size) into.file.resize(into.at + size);
    std::memcpy(into.file.data() + into.at, from, size);
    into.at += size;
    return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
  };
  const auto seek = [](const FLAC__StreamEncoder*, FLAC__uint64 at, void* client) {
    static_cast<written*>(client)->at = at;
    return FLAC__STREAM_ENCODER_SEEK_STATUS_OK;
  };
  const auto tell = [](const FLAC__StreamEncoder*, FLAC__uint64* at, void* client) {
    *at = static_cast<written*>(client)->at;
    return FLAC__STREAM_ENCODER_TELL_STATUS_OK;
  };
  // Without a way to seek back the encoder cannot write the length.
  FLAC__stream_encoder_init_stream(to.get(), write, wish.states_length ? +seek : nullptr,
                                   wish.states_length ? +tell : nullptr, nullptr, &out);
  std::vector<FLAC__int32> samples;
  for (unsigned frame = 0; frame < wish.frames; ++frame) {
    for (unsigned channel = 0; channel < wish.channels; ++channel) {
      samples.push_back(sample(wish, frame, channel));
    }
  }
  FLAC__stream_encoder_process_interleaved(to.get(), samples.data(), wish.frames);
  FLAC__stream_encoder_finish(to.get());
  return out.file;
}

const decoder& flac() {
  return *flac_decoder();
}

result<decoded_asset> decode(const bytes& file) {
  return flac().decode(file, default_allocator());
}

TEST(flac_decoder, decodes_16_bit_samples_exactly) {
  for (const bool states_length : {true, false}) {
    const flac_wish wish{.states_length = states_length};
    const bytes file = make_flac(wish);
    EXPECT_TRUE(flac().accepts("music", file));
    const result<decoded_asset> sound = decode(file);
    ASSERT_TRUE(sound) << sound.error().reason;
    EXPECT_EQ(sound->kind(), asset_kind::sound);
    EXPECT_EQ(sound->sample_rate, 44'100u);
    EXPECT_EQ(sound->channels, 2u);
    EXPECT_EQ(sound->frames, 10'000u);
    const auto samples = content<std::int16_t>(*sound);
    for (unsigned frame = 0; frame < wish.frames; ++frame) {
      ASSERT_EQ(samples[frame * 2], sample(wish, frame, 0)) << frame;
      ASSERT_EQ(samples[frame * 2 + 1], sample(wish, frame, 1)) << frame;
    }
  }
}

TEST(flac_decoder, turns_other_widths_into_16_bits) {
  const flac_wish wide{.channels = 1, .bits = 24};
  const auto upper = content<std::int16_t>(*decode(make_flac(wide)));
  const flac_wish narrow{.channels = 1, .bits = 8};
  const auto shifted = content<std::int16_t>(*decode(make_flac(narrow)));
  for (unsigned frame = 0; frame < 10'000; ++frame) {
    ASSERT_EQ(upper[frame], sample(wide, frame, 0) >> 8) << frame;
    ASSERT_EQ(shifted[frame], sample(narrow, frame, 0) * 256) << frame;
  }
}

TEST(flac_decoder, reports_a_file_cut_anywhere) {
  decode_each_cut(flac(), make_flac(), [](std::size_t size, const auto& sound) {
    EXPECT_EQ(outcome(sound), "corrupt") << size;
  });
}

TEST(flac_decoder, reports_damage_by_the_checksums) {
  const bytes file = make_flac();
  for (std::size_t at = 200; at < file.size(); at += file.size() / 16) {
    bytes damaged = file;
    damaged[at] ^= std::byte{1};
    EXPECT_EQ(outcome(decode(damaged)), "corrupt") << at;
  }
  bytes other_sum = file;
  other_sum[8 + 18] ^= std::byte{1};
  EXPECT_STREQ(decode(other_sum).error().reason, "the FLAC sound does not match its checksum");
}

TEST(flac_decoder, ignores_bytes_after_the_sound) {
  bytes file = make_flac();
  file.insert(file.end(), 128, std::byte{'T'});
  EXPECT_EQ(outcome(decode(file)), "ok");
}

TEST(flac_decoder, survives_flipped_bits) {
  decode_flipped(flac(), make_flac({.frames = 300}), 1000);
}

TEST(flac_decoder, states_the_memory_it_needs_from_the_header_alone) {
  const bytes file = make_flac();
  EXPECT_GE(flac().memory_needed(file), 40'000u);
  EXPECT_LE(flac().memory_needed(file), 40'000u + (512u << 10));
  for (std::size_t size = 0; size < 100; ++size) {
    (void)flac().memory_needed(std::span(file).first(size));
  }
  bytes seek_table = file;  // its header claims 16 MiB
  seek_table.resize(50);
  seek_table[4] = std::byte{0};
  for (const unsigned each : {3u, 0xFFu, 0xFFu, 0xFFu}) {
    seek_table.insert(seek_table.begin() + 42 + (each == 3 ? 0 : 1), static_cast<std::byte>(each));
  }
  EXPECT_GE(flac().memory_needed(seek_table), 20u << 20);
}

TEST(flac_decoder, reports_refused_memory) {
  expect_refusals(flac(), make_flac({.frames = 300}));
}

}  // namespace
}  // namespace overture::flac_test

#endif
