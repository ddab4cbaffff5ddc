// SPDX-License-Identifier: Zlib
#include "sounds_song.hpp"

#include <vorbis/vorbisenc.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace bench {
namespace {

constexpr int song_rate = 44'100;
constexpr int song_frames = 300 * song_rate;

class song_encoder {
 public:
  song_encoder() {
    vorbis_info_init(&info_);
    if (vorbis_encode_init_vbr(&info_, 2, song_rate, 0.5f) != 0) {
      throw std::runtime_error("libvorbisenc refuses");
    }
    vorbis_comment_init(&comment_);
    vorbis_analysis_init(&state_, &info_);
    vorbis_block_init(&state_, &block_);
    ogg_stream_init(&stream_, 1);
    ogg_packet headers[3];
    vorbis_analysis_headerout(&state_, &comment_, &headers[0], &headers[1], &headers[2]);
    for (ogg_packet& header : headers) ogg_stream_packetin(&stream_, &header);
    ogg_page page;
    while (ogg_stream_flush(&stream_, &page) != 0) take(page);
  }
  ~song_encoder() {
    ogg_stream_clear(&stream_);
    vorbis_block_clear(&block_);
    vorbis_dsp_clear(&state_);
    vorbis_comment_clear(&comment_);
    vorbis_info_clear(&info_);
  }
  song_encoder(const song_encoder&) = delete;
  song_encoder& operator=(const song_encoder&) = delete;

  [[nodiscard]] float** room(int frames) { return vorbis_analysis_buffer(&state_, frames); }
  // No frames: the end.
  void add(int frames) {
    vorbis_analysis_wrote(&state_, frames);
    while (vorbis_analysis_blockout(&state_, &block_) == 1) {
      vorbis_analysis(&block_, nullptr);
      vorbis_bitrate_addblock(&block_);
      ogg_packet packet;
      while (vorbis_bitrate_flushpacket(&state_, &packet) != 0) {
        ogg_stream_packetin(&stream_, &packet);
        ogg_page page;
        while (ogg_stream_pageout(&stream_, &page) != 0) take(page);
      }
    }
  }
  std::string file;

 private:
  void take(const ogg_page& page) {
    file.append(reinterpret_cast<const char*>(page.header),
                static_cast<std::size_t>(page.header_len));
    file.append(reinterpret_cast<const char*>(page.body), static_cast<std::size_t>(page.body_len));
  }

  vorbis_info info_ = {};
  vorbis_comment comment_ = {};
  vorbis_dsp_state state_ = {};
  vorbis_block block_ = {};
  ogg_stream_state stream_ = {};
};

}  // namespace

std::string five_minutes_of_vorbis() {
  song_encoder encoder;
  std::minstd_rand random(1);
  for (int frame = 0; frame < song_frames;) {
    const int count = std::min(4096, song_frames - frame);
    float** const samples = encoder.room(count);
    for (int i = 0; i < count; ++i) {
      const double time = static_cast<double>(frame + i) / song_rate;
      for (int channel = 0; channel < 2; ++channel) {
        double sample = 0;
        for (const double pitch : {110.0, 220.0 + 30 * channel, 551.0, 1760.0}) {
          sample +=
              0.15 * std::sin(6.283185307179586 * pitch * time + 3 * std::sin(time * pitch / 90));
        }
        const double noise = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
        samples[channel][i] = static_cast<float>(sample + 0.05 * noise);
      }
    }
    encoder.add(count);
    frame += count;
  }
  encoder.add(0);
  return encoder.file;
}

}  // namespace bench
