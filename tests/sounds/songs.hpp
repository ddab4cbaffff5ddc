// SPDX-License-Identifier: Zlib
//
// Songs in each format, for tests. They sweep through the pitches, so that no place sounds like
// another.
#pragma once

#include <opusenc.h>
#include <vorbis/vorbisenc.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "decoders/damage.hpp"
#if __has_include(<FLAC/stream_encoder.h>)
#include <FLAC/metadata.h>
#include <FLAC/stream_encoder.h>

#include <memory>
#endif

namespace overture::test {

struct song_wish {
  int channels = 2;
  int rate = 44'100;  // Opus: 48,000 whatever this is
  int frames = 60'000;
  std::vector<std::pair<std::string, std::string>> tags = {};
  unsigned bits = 16;         // of FLAC and WAV
  bool floats = false;        // of WAV
  bool states_length = true;  // of FLAC
};

// -1 to 1. With some noise, so that a second takes more than one page of an Ogg file.
inline double sweep(int channel, int frame) {
  const double time = frame / 48000.0;
  const double turns = (180.0 + 40.0 * channel) * time + 150.0 * time * time;
  auto chance = static_cast<unsigned>(frame * 8 + channel) * 2654435761u;
  chance ^= chance >> 15;
  chance *= 2246822519u;
  const double noise = static_cast<double>(chance >> 16) / 65536.0 - 0.5;
  return 0.4 * std::sin(6.283185307179586 * turns) + 0.2 * noise;
}

inline void append_bytes(bytes& file, const void* from, std::size_t count) {
  const auto* const first = static_cast<const std::byte*>(from);
  file.insert(file.end(), first, first + count);
}

inline bytes vorbis_song(const song_wish& wish = {}) {
  vorbis_info info;
  vorbis_info_init(&info);
  EXPECT_EQ(vorbis_encode_init_vbr(&info, wish.channels, wish.rate, 0.6f), 0);
  vorbis_comment comment;
  vorbis_comment_init(&comment);
  for (const auto& [name, text] : wish.tags) {
    vorbis_comment_add_tag(&comment, name.c_str(), text.c_str());
  }
  vorbis_dsp_state state;
  vorbis_analysis_init(&state, &info);
  vorbis_block block;
  vorbis_block_init(&state, &block);
  ogg_stream_state stream;
  ogg_stream_init(&stream, 7);
  bytes file;
  ogg_page page;
  const auto take_page = [&] {
    append_bytes(file, page.header, static_cast<std::size_t>(page.header_len));
    append_bytes(file, page.body, static_cast<std::size_t>(page.body_len));
  };
  ogg_packet headers[3];
  vorbis_analysis_headerout(&state, &comment, &headers[0], &headers[1], &headers[2]);
  for (ogg_packet& header : headers) ogg_stream_packetin(&stream, &header);
  while (ogg_stream_flush(&stream, &page) != 0) take_page();
  for (int frame = 0; frame <= wish.frames;) {
    const int count = std::min(1024, wish.frames - frame);
    float** const samples = vorbis_analysis_buffer(&state, 1024);
    for (int channel = 0; channel < wish.channels; ++channel) {
      for (int i = 0; i < count; ++i) {
        samples[channel][i] = static_cast<float>(sweep(channel, frame + i));
      }
    }
    vorbis_analysis_wrote(&state, count);
    while (vorbis_analysis_blockout(&state, &block) == 1) {
      vorbis_analysis(&block, nullptr);
      vorbis_bitrate_addblock(&block);
      ogg_packet packet;
      while (vorbis_bitrate_flushpacket(&state, &packet) != 0) {
        ogg_stream_packetin(&stream, &packet);
        // Small pages, so that a short song has many.
        while (ogg_stream_pageout_fill(&stream, &page, 1500) != 0) take_page();
      }
    }
    if (count == 0) break;
    frame += count;
  }
  while (ogg_stream_flush(&stream, &page) != 0) take_page();
  ogg_stream_clear(&stream);
  vorbis_block_clear(&block);
  vorbis_dsp_clear(&state);
  vorbis_comment_clear(&comment);
  vorbis_info_clear(&info);
  return file;
}

inline std::int16_t sweep_16(int channel, int frame) {
  return static_cast<std::int16_t>(std::lrint(sweep(channel, frame) * 32767.0));
}

inline bytes opus_song(const song_wish& wish = {}) {
  bytes file;
  const OpusEncCallbacks callbacks{[](void* user, const unsigned char* data, opus_int32 size) {
                                     append_bytes(*static_cast<bytes*>(user), data,
                                                  static_cast<std::size_t>(size));
                                     return 0;
                                   },
                                   [](void*) { return 0; }};
  OggOpusComments* const comments = ope_comments_create();
  for (const auto& [name, text] : wish.tags) {
    ope_comments_add(comments, name.c_str(), text.c_str());
  }
  OggOpusEnc* const encoder = ope_encoder_create_callbacks(
      &callbacks, &file, comments, 48'000, wish.channels, wish.channels > 2, nullptr);
  ope_encoder_ctl(encoder, OPE_SET_SERIALNO_REQUEST, 7);
  ope_encoder_ctl(encoder, OPE_SET_MUXING_DELAY_REQUEST, 4800);
  std::vector<opus_int16> samples;
  for (int frame = 0; frame < wish.frames; ++frame) {
    for (int channel = 0; channel < wish.channels; ++channel) {
      samples.push_back(sweep_16(channel, frame));
    }
  }
  EXPECT_EQ(ope_encoder_write(encoder, samples.data(), wish.frames), OPE_OK);
  EXPECT_EQ(ope_encoder_drain(encoder), OPE_OK);
  ope_encoder_destroy(encoder);
  ope_comments_destroy(comments);
  return file;
}

inline bytes wav_song(const song_wish& wish = {}) {
  const unsigned bits = wish.floats ? 32 : wish.bits;
  const auto frame_bytes = static_cast<unsigned>(wish.channels) * bits / 8;
  const unsigned data_bytes = static_cast<unsigned>(wish.frames) * frame_bytes;
  byte_writer file;
  file.text("RIFF").u32(36 + data_bytes).text("WAVEfmt ").u32(16);
  file.u16(wish.floats ? 3 : 1).u16(static_cast<unsigned>(wish.channels));
  file.u32(static_cast<unsigned>(wish.rate)).u32(static_cast<unsigned>(wish.rate) * frame_bytes);
  file.u16(frame_bytes).u16(bits).text("data").u32(data_bytes);
  for (int frame = 0; frame < wish.frames; ++frame) {
    for (int channel = 0; channel < wish.channels; ++channel) {
      const double sample = sweep(channel, frame);
      if (wish.floats) {
        file.f32(static_cast<float>(sample));
        continue;
      }
      const auto whole = static_cast<std::int64_t>(std::lrint(sample * 2147483647.0));
      const auto shifted = static_cast<std::uint64_t>(whole >> (32 - bits));
      const std::uint64_t value = bits == 8 ? (shifted + 128) & 255 : shifted;
      for (unsigned i = 0; i < bits / 8; ++i) file.u8(value >> (8 * i) & 255);
    }
  }
  return file.content;
}

#if __has_include(<FLAC/stream_encoder.h>)
inline bytes flac_song(const song_wish& wish = {}) {
  struct written {
    bytes file;
    std::size_t at = 0;
  } out;
  FLAC__StreamEncoder* const to = FLAC__stream_encoder_new();
  FLAC__stream_encoder_set_channels(to, static_cast<unsigned>(wish.channels));
  FLAC__stream_encoder_set_bits_per_sample(to, wish.bits);
  FLAC__stream_encoder_set_sample_rate(to, static_cast<unsigned>(wish.rate));
  FLAC__stream_encoder_set_blocksize(to, 1024);
  FLAC__stream_encoder_set_streamable_subset(to, 0);
  FLAC__StreamMetadata* const comments =
      FLAC__metadata_object_new(FLAC__METADATA_TYPE_VORBIS_COMMENT);
  for (const auto& [name, text] : wish.tags) {
    FLAC__StreamMetadata_VorbisComment_Entry entry;
    FLAC__metadata_object_vorbiscomment_entry_from_name_value_pair(&entry, name.c_str(),
                                                                   text.c_str());
    FLAC__metadata_object_vorbiscomment_append_comment(comments, entry, 0);
  }
  FLAC__StreamMetadata* blocks[] = {comments};
  FLAC__stream_encoder_set_metadata(to, blocks, 1);
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
  FLAC__stream_encoder_init_stream(to, write, wish.states_length ? +seek : nullptr,
                                   wish.states_length ? +tell : nullptr, nullptr, &out);
  std::vector<FLAC__int32> samples;
  for (int frame = 0; frame < wish.frames; ++frame) {
    for (int channel = 0; channel < wish.channels; ++channel) {
      const double most = (1 << (wish.bits - 1)) - 1;
      samples.push_back(static_cast<FLAC__int32>(std::lrint(sweep(channel, frame) * most)));
    }
  }
  FLAC__stream_encoder_process_interleaved(to, samples.data(), static_cast<unsigned>(wish.frames));
  FLAC__stream_encoder_finish(to);
  FLAC__stream_encoder_delete(to);
  FLAC__metadata_object_delete(comments);
  return out.file;
}
#endif

// Writes bits, highest first.
class bit_writer {
 public:
  bit_writer& put(std::uint64_t value, unsigned count) {
    while (count-- > 0) {
      if (at_ % 8 == 0) content.push_back(std::byte{0});
      if ((value >> count & 1) != 0) content.back() |= static_cast<std::byte>(128 >> at_ % 8);
      ++at_;
    }
    return *this;
  }
  bytes content;

 private:
  std::size_t at_ = 0;
};

// Frames of layer III by hand: 128 kbit/s, 44,100 Hz, stereo. Each has other numbers at its lowest
// pitches, so it is a noise of its own; none needs the one before.
inline bytes mp3_song(const song_wish& wish = {}) {
  constexpr int frame_samples = 1152;
  constexpr std::size_t frame_bytes = 417;
  constexpr unsigned part_bits = 500;
  bytes file;
  const int count = wish.frames / frame_samples;
  unsigned seed = 1;
  const auto random = [&seed] {
    seed = seed * 1103515245 + 12345;
    return seed >> 16 & 255;
  };
  for (int number = 0; number < count; ++number) {
    bit_writer frame;
    frame.put(0xFFFB9000, 32);
    frame.put(0, 9 + 3 + 8);
    for (int part = 0; part < 4; ++part) {
      frame.put(part_bits, 12).put(40, 9).put(185, 8).put(0, 4).put(0, 1);
      frame.put(1, 5).put(1, 5).put(1, 5).put(7, 4).put(7, 3).put(0, 3);
    }
    for (unsigned i = 0; i < 4 * part_bits / 8; ++i) frame.put(random(), 8);
    frame.content.resize(frame_bytes);
    file.insert(file.end(), frame.content.begin(), frame.content.end());
  }
  return file;
}

// A tag of ID3v2.3 with texts of programs (TXXX) in Latin-1.
inline bytes id3_tag(const std::vector<std::pair<std::string, std::string>>& texts) {
  byte_writer frames;
  for (const auto& [name, text] : texts) {
    const std::size_t size = 1 + name.size() + 1 + text.size();
    frames.text("TXXX").u8(0).u8(0).u8(size >> 8).u8(size & 255).u16(0).u8(0);
    frames.text(name).u8(0).text(text);
  }
  const std::size_t size = frames.content.size();
  byte_writer tag;
  tag.text("ID3").u8(3).u16(0).u8(size >> 21 & 127).u8(size >> 14 & 127);
  tag.u8(size >> 7 & 127).u8(size & 127).append(frames.content);
  return tag.content;
}

// All formats that are built, with their names.
struct format_of_songs {
  const char* name;
  bytes (*make)(const song_wish&);
};
inline const std::vector<format_of_songs>& song_formats() {
  static const std::vector<format_of_songs> all = {
      {"vorbis", vorbis_song}, {"opus", opus_song},
#if __has_include(<FLAC/stream_encoder.h>)
      {"flac", flac_song},
#endif
#if __has_include(<mpg123.h>)
      {"mp3", mp3_song},
#endif
      {"wav", wav_song},
  };
  return all;
}

}  // namespace overture::test
