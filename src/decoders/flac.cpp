// SPDX-License-Identifier: Zlib
//
// FLAC sounds, through libFLAC.
#include <FLAC/stream_decoder.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "decoders/signature.hpp"
#include "decoders/sound_buffer.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

struct free_decoder {
  void operator()(FLAC__StreamDecoder* codec) const noexcept { FLAC__stream_decoder_delete(codec); }
};

// What the file says about all of its sound.
struct stream_info {
  std::uint32_t block_frames_max = 0;
  std::uint32_t rate = 0;
  std::uint32_t channels = 0;
  std::uint32_t bits = 0;
  std::uint64_t frames = 0;  // 0 if unknown
};

// A file in memory, and the block of samples that was decoded last.
class flac_file {
 public:
  explicit flac_file(std::span<const std::byte> bytes) noexcept
      : rest_(bytes), codec_(FLAC__stream_decoder_new()) {}

  // Reads what comes before the sound.
  result<stream_info> open() noexcept {
    if (!codec_) return fail(errc::out_of_memory, out_of_memory);
    (void)FLAC__stream_decoder_set_md5_checking(codec_.get(), 1);
    const FLAC__StreamDecoderInitStatus begun = FLAC__stream_decoder_init_stream(
        codec_.get(), read, nullptr, nullptr, nullptr, nullptr, write, take_info, note, this);
    if (begun != FLAC__STREAM_DECODER_INIT_STATUS_OK) {
      return fail(errc::out_of_memory, out_of_memory);
    }
    const bool read_all =
        FLAC__stream_decoder_process_until_end_of_metadata(codec_.get()) != 0 && !damaged_;
    if (out_of_memory_now()) return fail(errc::out_of_memory, out_of_memory);
    if (!read_all || info_.channels == 0) return fail(errc::corrupt, "not a FLAC file");
    return info_;
  }
  // Blocks are written to `room`, of block_frames_max frames.
  void use(std::span<std::int16_t> room) noexcept { room_ = room; }

  // Reads frames into `samples` and returns their number, 0 at the end.
  result<std::uint64_t> read_frames(std::span<std::int16_t> samples) noexcept {
    while (pending_.empty()) {
      if (info_.frames != 0 && frames_ >= info_.frames) return finish();
      const bool went_on = FLAC__stream_decoder_process_single(codec_.get()) != 0;
      if (out_of_memory_now()) return fail(errc::out_of_memory, out_of_memory);
      if (unsupported_) return fail(errc::unsupported, "FLAC file with blocks of other formats");
      if (!went_on || damaged_) return fail(errc::corrupt, "damaged FLAC sound");
      if (state() == FLAC__STREAM_DECODER_END_OF_STREAM && pending_.empty()) return finish();
    }
    const std::size_t taken = std::min(pending_.size(), samples.size());
    std::memcpy(samples.data(), pending_.data(), taken * sizeof(std::int16_t));
    pending_ = pending_.subspan(taken);
    return taken / info_.channels;
  }

 private:
  static constexpr const char* out_of_memory = "out of memory for decoding the FLAC file";

  [[nodiscard]] FLAC__StreamDecoderState state() const noexcept {
    return FLAC__stream_decoder_get_state(codec_.get());
  }
  [[nodiscard]] bool out_of_memory_now() const noexcept {
    return state() == FLAC__STREAM_DECODER_MEMORY_ALLOCATION_ERROR;
  }
  result<std::uint64_t> finish() noexcept {
    if (frames_ < info_.frames) return fail(errc::corrupt, "the FLAC file is truncated");
    if (FLAC__stream_decoder_finish(codec_.get()) == 0) {
      return fail(errc::corrupt, "the FLAC sound does not match its checksum");
    }
    return std::uint64_t{0};
  }

  static flac_file& self(void* client) noexcept { return *static_cast<flac_file*>(client); }

  static FLAC__StreamDecoderReadStatus read(const FLAC__StreamDecoder*, FLAC__byte* to,
                                            std::size_t* bytes, void* client) noexcept {
    std::span<const std::byte>& rest = self(client).rest_;
    *bytes = std::min(*bytes, rest.size());
    if (*bytes == 0) return FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
    std::memcpy(to, rest.data(), *bytes);
    rest = rest.subspan(*bytes);
    return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE;
  }
  static FLAC__StreamDecoderWriteStatus write(const FLAC__StreamDecoder*, const FLAC__Frame* frame,
                                              const FLAC__int32* const channels[],
                                              void* client) noexcept {
    return self(client).take(frame->header, channels) ? FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
                                                      : FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
  }
  static void take_info(const FLAC__StreamDecoder*, const FLAC__StreamMetadata* block,
                        void* client) noexcept {
    if (block->type != FLAC__METADATA_TYPE_STREAMINFO) return;
    const FLAC__StreamMetadata_StreamInfo& info = block->data.stream_info;
    self(client).info_ = {info.max_blocksize, info.sample_rate, info.channels, info.bits_per_sample,
                          info.total_samples};
  }
  static void note(const FLAC__StreamDecoder*, FLAC__StreamDecoderErrorStatus,
                   void* client) noexcept {
    self(client).damaged_ = true;
  }

  // Keeps a block, as 16-bit samples. A sound has one format.
  [[nodiscard]] bool take(const FLAC__FrameHeader& block,
                          const FLAC__int32* const channels[]) noexcept {
    const std::size_t samples = std::size_t{block.blocksize} * info_.channels;
    unsupported_ = block.channels != info_.channels || block.bits_per_sample != info_.bits ||
                   samples > room_.size();
    if (unsupported_) return false;
    const int up = info_.bits < 16 ? static_cast<int>(16 - info_.bits) : 0;
    const int down = info_.bits > 16 ? static_cast<int>(info_.bits - 16) : 0;
    std::int16_t* to = room_.data();
    for (std::uint32_t i = 0; i < block.blocksize; ++i) {
      for (std::uint32_t channel = 0; channel < info_.channels; ++channel) {
        *to++ = static_cast<std::int16_t>((channels[channel][i] >> down) * (1 << up));
      }
    }
    pending_ = room_.first(samples);
    frames_ += block.blocksize;
    return true;
  }

  std::span<const std::byte> rest_;
  std::unique_ptr<FLAC__StreamDecoder, free_decoder> codec_;
  stream_info info_;
  std::span<std::int16_t> room_;
  std::span<const std::int16_t> pending_;
  std::uint64_t frames_ = 0;  // that were decoded
  bool damaged_ = false;
  bool unsupported_ = false;
};

std::uint64_t block_bytes(const stream_info& info) noexcept {
  return std::uint64_t{info.block_frames_max} * info.channels * sizeof(std::int16_t);
}

// What libFLAC takes for the seek table, whether the file is as long as that or not.
std::uint64_t seek_table_bytes(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint32_t seek_table = 3;
  constexpr std::uint64_t point_bytes = 18;  // 24 in memory
  for (std::size_t at = 4; fits(at, 4, 1, bytes.size());) {
    const std::uint32_t kind = load_u8(&bytes[at]);
    const std::size_t length =
        load_u8(&bytes[at + 1]) << 16 | load_u8(&bytes[at + 2]) << 8 | load_u8(&bytes[at + 3]);
    if ((kind & 127) == seek_table) return length / point_bytes * 24;
    if ((kind & 128) != 0) break;
    at += 4 + length;
  }
  return 0;
}

class flac final : public decoder {
 public:
  const char* name() const noexcept override { return "flac"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::flac, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    flac_file file(bytes);
    const result<stream_info> info = file.open();
    if (!info) return tl::unexpected<error>(info.error());
    if (info->channels > limits::sound_channels_max) {
      return fail(errc::limit, limit_text::sound_channels);
    }
    if (info->rate == 0) return fail(errc::corrupt, "FLAC file without a sample rate");
    const result<decoded_asset> block =
        decoded_asset::make(asset_kind::none, block_bytes(*info), memory);
    if (!block) return tl::unexpected<error>(block.error());
    file.use({reinterpret_cast<std::int16_t*>(block->bytes().data()),
              block->bytes().size() / sizeof(std::int16_t)});
    sound_buffer sound(info->channels, memory);
    return sound.fill(info->frames, bytes.size(), info->rate,
                      [&](std::span<std::int16_t> samples) { return file.read_frames(samples); });
  }

  // libFLAC keeps the samples of a block and what they were predicted from, in 32 bits.
  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    constexpr std::size_t info_at = 8;  // the first block, after the signature and its own header
    constexpr std::size_t info_bytes = 18;
    if (bytes.size() < info_at + info_bytes) return 0;
    const std::byte* const at = bytes.data() + info_at;
    stream_info info;
    info.block_frames_max = load_u8(at + 2) << 8 | load_u8(at + 3);
    info.channels = (load_u8(at + 12) >> 1 & 7) + 1;
    info.frames = std::uint64_t{load_u8(at + 13) & 15} << 32 | load_u8(at + 14) << 24 |
                  load_u8(at + 15) << 16 | load_u8(at + 16) << 8 | load_u8(at + 17);
    constexpr std::uint64_t fixed_bytes = 256u << 10;
    return fixed_bytes + seek_table_bytes(bytes) + 5 * block_bytes(info) +
           sound_bytes_likely(info.frames, info.channels * sizeof(std::int16_t), bytes.size());
  }
};

}  // namespace

const decoder* flac_decoder() noexcept {
  static const flac instance;
  return &instance;
}

}  // namespace overture::decoders_detail
