// SPDX-License-Identifier: Zlib
//
// Ogg Vorbis files for tests, encoded by libvorbis.
#pragma once

#include <vorbis/vorbisenc.h>

#include <cmath>
#include <vector>

#include "decoders/damage.hpp"

namespace overture::test {

struct vorbis_wish {
  int channels = 2;
  int rate = 44100;
  int frames = 20000;
  int serial = 1;
  float volume = 0.5f;  // 0 = silence
};

// A 441 Hz tone in the first channel, 882 Hz in the second, and so on.
inline float tone(const vorbis_wish& of, int channel, int frame) {
  const double turns = 441.0 * (channel + 1) * frame / of.rate;
  return of.volume * static_cast<float>(std::sin(6.283185307179586 * turns));
}

inline bytes make_vorbis(const vorbis_wish& wish = {}) {
  vorbis_info info;
  vorbis_info_init(&info);
  EXPECT_EQ(vorbis_encode_init_vbr(&info, wish.channels, wish.rate, 0.6f), 0);
  vorbis_comment comment;
  vorbis_comment_init(&comment);
  vorbis_dsp_state state;
  vorbis_analysis_init(&state, &info);
  vorbis_block block;
  vorbis_block_init(&state, &block);
  ogg_stream_state stream;
  ogg_stream_init(&stream, wish.serial);

  bytes file;
  ogg_page page;
  const auto take_page = [&] {
    for (const auto& [data, size] :
         {std::pair(page.header, page.header_len), std::pair(page.body, page.body_len)}) {
      const auto* const first = reinterpret_cast<const std::byte*>(data);
      file.insert(file.end(), first, first + size);
    }
  };
  ogg_packet headers[3];
  vorbis_analysis_headerout(&state, &comment, &headers[0], &headers[1], &headers[2]);
  for (ogg_packet& header : headers) ogg_stream_packetin(&stream, &header);
  while (ogg_stream_flush(&stream, &page) != 0) take_page();

  for (int frame = 0; frame <= wish.frames;) {
    const int count = std::min(1024, wish.frames - frame);
    float** const samples = vorbis_analysis_buffer(&state, 1024);
    for (int channel = 0; channel < wish.channels; ++channel) {
      for (int i = 0; i < count; ++i) samples[channel][i] = tone(wish, channel, frame + i);
    }
    vorbis_analysis_wrote(&state, count);
    while (vorbis_analysis_blockout(&state, &block) == 1) {
      vorbis_analysis(&block, nullptr);
      vorbis_bitrate_addblock(&block);
      ogg_packet packet;
      while (vorbis_bitrate_flushpacket(&state, &packet) != 0) {
        ogg_stream_packetin(&stream, &packet);
        while (ogg_stream_pageout(&stream, &page) != 0) take_page();
      }
    }
    if (count == 0) break;
    frame += count;
  }
  ogg_stream_clear(&stream);
  vorbis_block_clear(&block);
  vorbis_dsp_clear(&state);
  vorbis_comment_clear(&comment);
  vorbis_info_clear(&info);
  return file;
}

// Overwrites the position in the last page: the number of frames up to its end.
inline bytes with_last_position(bytes file, std::uint64_t frames) {
  std::size_t last = 0;
  for (std::size_t i = 0; i + 4 <= file.size(); ++i) {
    if (std::memcmp(file.data() + i, "OggS", 4) == 0) last = i;
  }
  put_u32(file, last + 6, frames & UINT32_MAX);
  put_u32(file, last + 10, frames >> 32);
  auto* const header = reinterpret_cast<unsigned char*>(file.data() + last);
  const long header_bytes = 27 + header[26];
  ogg_page page{header, header_bytes, header + header_bytes,
                static_cast<long>(file.size() - last) - header_bytes};
  ogg_page_checksum_set(&page);
  return file;
}

}  // namespace overture::test
