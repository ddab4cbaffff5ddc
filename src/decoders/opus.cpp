// SPDX-License-Identifier: Zlib
//
// Ogg Opus sounds, through libopusfile.
#include <opusfile.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "decoders/ogg.hpp"
#include "decoders/signature.hpp"
#include "decoders/sound_buffer.hpp"
#include "decoders/table.hpp"
#include "decoders/text_of.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::uint32_t opus_sample_rate = 48'000;  // whatever rate was encoded

struct free_file {
  void operator()(OggOpusFile* file) const noexcept { op_free(file); }
};
using opus_file = std::unique_ptr<OggOpusFile, free_file>;

// The pages of a link, offered to libopusfile as a stream that cannot seek. At a gap in their
// numbers the library would leave out 80 ms, so it sees numbers without gaps.
class page_stream {
 public:
  explicit page_stream(std::span<const std::byte> link = {}) noexcept
      : walk_(link, page_checksums::verified) {}

  [[nodiscard]] bool has_gap() const noexcept { return has_gap_; }

  static int read(void* stream, unsigned char* to, int bytes) noexcept {
    auto& self = *static_cast<page_stream*>(stream);
    if (self.header_.empty() && self.body_.empty()) self.next();
    std::span<const std::byte>& from = self.header_.empty() ? self.body_ : self.header_;
    const std::size_t taken = std::min(static_cast<std::size_t>(bytes), from.size());
    if (taken != 0) std::memcpy(to, from.data(), taken);
    from = from.subspan(taken);
    return static_cast<int>(taken);
  }

 private:
  void next() noexcept {
    ogg_page_view page;
    if (!walk_.next(page)) return;
    header_ = page.whole.first(page.whole.size() - page.body.size());
    body_ = page.body;
    if (!has_stream_ && page.begins && codec_of_ogg(page.whole) == ogg_codec::opus) {
      has_stream_ = true;
      serial_ = page.serial;
      expected_ = page.number;
    }
    if (!has_stream_ || page.serial != serial_) return;
    if (page.number != expected_) {
      has_gap_ = true;
      // Where a packet was cut, its rest may be missing: the library is to see that.
      if (!page.continues) shift_ += page.number - expected_;
    }
    if (shift_ != 0) header_ = renumber(page, page.number - shift_, room_);
    expected_ = page.number + 1;
  }

  ogg_page_walk walk_;
  std::span<const std::byte> header_;  // what is to be read of the page
  std::span<const std::byte> body_;
  ogg_page_header room_{};
  bool has_stream_ = false;  // all else is about the first Opus stream
  bool has_gap_ = false;
  std::uint32_t serial_ = 0;
  std::uint32_t expected_ = 0;  // the number of its next page
  std::uint32_t shift_ = 0;     // how much too large the numbers are
};

tl::unexpected<error> refused_opus(int code) noexcept {
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
    const std::span<const std::byte> link = rest_.first(bytes);
    stream_ = page_stream(link);
    left_ = position_of_last_page(link);
    rest_ = rest_.subspan(bytes);
    const OpusFileCallbacks callbacks{page_stream::read, nullptr, nullptr, nullptr};
    int code = 0;
    file_.reset(op_open_callbacks(&stream_, &callbacks, nullptr, 0, &code));
    if (!file_) return refused_opus(code);
    left_ -= std::min(left_, skipped());
    return {};
  }
  [[nodiscard]] int channels() const noexcept { return op_channel_count(file_.get(), -1); }
  // Whether a link that has ended had a gap in its page numbers alone.
  [[nodiscard]] bool has_gap() const noexcept { return has_gap_; }
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
      if (frames < 0) return refused_opus(frames);
      left_ -= static_cast<std::uint64_t>(frames);
      if (frames > 0) return static_cast<std::uint64_t>(frames);
      if (stream_.has_gap()) {
        has_gap_ = true;
        if (left_ != 0) return refused_opus(OP_HOLE);
      }
      if (rest_.empty()) return std::uint64_t{0};
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
  page_stream stream_;
  opus_file file_;
  std::uint64_t left_ = 0;  // frames of this link by its last page; wraps if there are more
  bool has_gap_ = false;
};

// What libopusfile takes for a list of comments that begins here: a block for each, whose length
// alone takes four bytes of the file.
std::uint64_t comment_bytes(std::span<const std::byte> list) noexcept {
  static constexpr std::uint64_t bytes_per_comment = 48;
  std::uint64_t count = list.size() / 4;  // if the number is on a later page
  static constexpr std::size_t vendor_at = 12;
  if (list.size() < vendor_at) return 0;
  const std::uint64_t vendor_bytes = load_u32(list.data() + vendor_at - 4);
  static constexpr std::uint64_t on_this_page = 240;
  if (vendor_bytes <= on_this_page - vendor_at && vendor_at + vendor_bytes + 4 <= list.size()) {
    count = std::min<std::uint64_t>(count, load_u32(list.data() + vendor_at + vendor_bytes));
  }
  return count * bytes_per_comment;
}

// The most memory that libopusfile and libopus take, without the samples: the headers of all
// streams of a chain are counted.
std::uint64_t opus_memory(std::span<const std::byte> file) noexcept {
  static constexpr std::uint64_t fixed_bytes = 768u << 10;
  static constexpr std::uint64_t channel_bytes = 64u << 10;
  static constexpr std::uint64_t stream_bytes = 2048;
  // Pages are collected to packets, and comments are copied from these.
  std::uint64_t most = fixed_bytes + limits::sound_channels_max * channel_bytes + 3 * file.size();
  std::uint64_t comments = 0;
  static constexpr std::string_view magic("Opus");
  for (std::size_t at = 0; (at = text_of(file).find(magic, at)) < file.size(); at += magic.size()) {
    const std::string_view from_here = text_of(file).substr(at);
    if (from_here.starts_with("OpusHead")) most += stream_bytes;
    if (from_here.starts_with("OpusTags")) comments += comment_bytes(file.subspan(at));
  }
  return most + std::min(comments, std::uint64_t{16} * file.size());
}

// The channels of the first stream; 0 if there is none.
std::uint32_t opus_channels(std::span<const std::byte> file) noexcept {
  static constexpr std::size_t channels_at = 9;
  const std::size_t head = text_of(file).find("OpusHead");
  return head < file.size() && file.size() - head > channels_at
             ? load_u8(file.data() + head + channels_at)
             : 0;
}

class opus final : public decoder {
 public:
  const char* name() const noexcept override { return "opus"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::opus, path, bytes);
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
    result<decoded_asset> made =
        sound.fill(end - std::min(end, chain.skipped()), bytes.size(), opus_sample_rate,
                   [&](std::span<std::int16_t> samples) { return chain.read(samples); });
    if (made && chain.has_gap()) made->warning = page_number_gap;
    return made;
  }

  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    return opus_memory(bytes) + sound_bytes_likely(position_of_last_page(bytes),
                                                   opus_channels(bytes) * sizeof(std::int16_t),
                                                   bytes.size());
  }
};

}  // namespace

const decoder& opus_decoder() noexcept {
  static const opus instance;
  return instance;
}

}  // namespace overture::decoders_detail
