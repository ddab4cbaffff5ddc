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

// Bytes in memory, offered to libopusfile as a stream that cannot seek.
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

// A chain of streams. libopusfile gets one link at a time: if a later link were damaged, the
// library would leak its comments.
class opus_chain {
 public:
  explicit opus_chain(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  // Opens the next link; the first one before anything else.
  result<void> open_next() noexcept {
    const std::size_t bytes = bytes_of_first_link(rest_);
    stream_ = {rest_.first(bytes)};
    rest_ = rest_.subspan(bytes);
    const OpusFileCallbacks callbacks{memory_stream::read, nullptr, nullptr, nullptr};
    int code = 0;
    file_.reset(op_open_callbacks(&stream_, &callbacks, nullptr, 0, &code));
    return file_ ? result<void>{} : refused(code);
  }
  [[nodiscard]] int channels() const noexcept { return op_channel_count(file_.get(), -1); }
  // Frames in front of the sound, which are left out.
  [[nodiscard]] std::uint64_t skipped() const noexcept {
    return op_head(file_.get(), -1)->pre_skip;
  }

  // Reads whole frames into `samples` and returns their number, 0 at the end.
  result<std::uint64_t> read(std::span<std::int16_t> samples) noexcept {
    static constexpr std::size_t once_max = INT_MAX;
    for (;;) {
      const int frames = op_read(file_.get(), samples.data(),
                                 static_cast<int>(std::min(samples.size(), once_max)), nullptr);
      if (frames < 0) return refused(frames);
      if (frames > 0 || rest_.empty()) return static_cast<std::uint64_t>(frames);
      const int before = channels();
      if (result<void> opened = open_next(); !opened) return tl::unexpected<error>(opened.error());
      // A sound has one format.
      if (channels() != before) {
        return fail(errc::unsupported, "Ogg file with streams of different formats");
      }
    }
  }

 private:
  std::span<const std::byte> rest_;  // the links to come
  memory_stream stream_{};
  opus_file file_;
};

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
    if (is_cut_inside_page(bytes)) return fail(errc::corrupt, "the Ogg file is truncated");
    if (has_damaged_page(bytes)) return fail(errc::corrupt, "damaged Opus sound");
    opus_chain chain(bytes);
    if (const result<void> opened = chain.open_next(); !opened) {
      return tl::unexpected<error>(opened.error());
    }
    const int channels = chain.channels();
    if (channels > static_cast<int>(limits::sound_channels_max)) {
      return fail(errc::limit, limit_text::sound_channels);
    }
    const std::uint64_t end = position_of_last_page(bytes);
    sound_buffer sound(static_cast<std::uint32_t>(channels), memory);
    return sound.fill(end - std::min(end, chain.skipped()), bytes.size(), opus_sample_rate,
                      [&](std::span<std::int16_t> samples) { return chain.read(samples); });
  }
};

}  // namespace

const decoder& opus_decoder() noexcept {
  static const opus instance;
  return instance;
}

}  // namespace overture::decoders_detail
