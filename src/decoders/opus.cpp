// Ogg Opus sounds, through libopusfile.
#include <opusfile.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>

#include "base/ascii.hpp"
#include "base/limit_text.hpp"
#include "decoders/ogg.hpp"
#include "decoders/sound_buffer.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/path.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::uint32_t opus_sample_rate = 48'000;  // whatever rate was encoded

struct free_file {
  void operator()(OggOpusFile* file) const noexcept { op_free(file); }
};
using opus_file = std::unique_ptr<OggOpusFile, free_file>;

// A file in memory, offered to libopusfile as a stream that cannot seek. If it could, the library
// would first look through all links of a chain, and leak their comments if one is damaged.
struct memory_stream {
  std::span<const std::byte> rest;

  static int read(void* stream, unsigned char* to, int bytes) noexcept {
    auto& self = *static_cast<memory_stream*>(stream);
    const std::size_t taken = std::min(static_cast<std::size_t>(bytes), self.rest.size());
    if (taken != 0) std::memcpy(to, self.rest.data(), taken);
    self.rest = self.rest.subspan(taken);
    return static_cast<int>(taken);
  }
};

tl::unexpected<error> refused(int code) noexcept {
  switch (code) {
    case OP_EFAULT:
      return fail(errc::out_of_memory, "out of memory for decoding the Opus file");
    case OP_EIMPL:
    case OP_EVERSION:
      return fail(errc::unsupported, "unsupported Opus variant");
    case OP_HOLE:
      return fail(errc::corrupt, "Opus sound with missing data");
    case OP_ENOTFORMAT:
      return fail(errc::corrupt, "not an Opus file");
    default:
      return fail(errc::corrupt, "damaged Opus sound");
  }
}

class opus final : public decoder {
 public:
  const char* name() const noexcept override { return "opus"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    const std::string_view ending = extension(path);
    if (equals_ignoring_case(ending, "opus")) return true;
    return (equals_ignoring_case(ending, "ogg") || equals_ignoring_case(ending, "oga")) &&
           codec_of_ogg(bytes) == ogg_codec::opus;
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    memory_stream stream{bytes};
    const OpusFileCallbacks callbacks{memory_stream::read, nullptr, nullptr, nullptr};
    int code = 0;
    const opus_file file(op_open_callbacks(&stream, &callbacks, nullptr, 0, &code));
    if (!file) return refused(code);
    if (is_cut_inside_page(bytes)) return fail(errc::corrupt, "the Ogg file is truncated");
    if (has_damaged_page(bytes)) return fail(errc::corrupt, "damaged Opus sound");
    const int channels = op_channel_count(file.get(), -1);
    if (channels > static_cast<int>(limits::sound_channels_max)) {
      return fail(errc::limit, limit_text::sound_channels);
    }
    const std::uint64_t skipped = op_head(file.get(), -1)->pre_skip;
    const std::uint64_t end = position_of_last_page(bytes);
    sound_buffer sound(static_cast<std::uint32_t>(channels), memory);
    return sound.fill(end > skipped ? end - skipped : 0, bytes.size(), opus_sample_rate,
                      [&](std::span<std::int16_t> samples) -> result<std::uint64_t> {
                        const result<std::uint64_t> frames = read(*file, samples);
                        // A file may be a chain of streams, but a sound has one format.
                        if (frames && op_channel_count(file.get(), -1) != channels) {
                          return fail(errc::unsupported,
                                      "Ogg file with streams of different formats");
                        }
                        return frames;
                      });
  }

 private:
  static result<std::uint64_t> read(OggOpusFile& file, std::span<std::int16_t> samples) noexcept {
    static constexpr std::size_t once_max = INT_MAX;
    const int frames = op_read(&file, samples.data(),
                               static_cast<int>(std::min(samples.size(), once_max)), nullptr);
    if (frames < 0) return refused(frames);
    return static_cast<std::uint64_t>(frames);
  }
};

}  // namespace

const decoder& opus_decoder() noexcept {
  static const opus instance;
  return instance;
}

}  // namespace overture::decoders_detail
