// SPDX-License-Identifier: Zlib
//
// Ogg Vorbis sounds, through libvorbis.
#include <vorbis/vorbisfile.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstring>

#include "base/limit_text.hpp"
#include "decoders/library_memory.hpp"
#include "decoders/ogg.hpp"
#include "decoders/signature.hpp"
#include "decoders/sound_buffer.hpp"
#include "decoders/table.hpp"
#include "decoders/vorbis_headers.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {

namespace {

// The pages of a file, offered to libvorbisfile as a stream that cannot seek. If it could, the
// library would first read the headers of all links of a chain, and leak them if one is damaged.
struct vorbis_stream {
  vorbis_pages pages;
  std::span<const std::byte> rest;

  static std::size_t read(void* to, std::size_t size, std::size_t count, void* stream) noexcept {
    auto& self = *static_cast<vorbis_stream*>(stream);
    if (size == 0) return 0;
    if (self.rest.empty() && self.pages.next()) self.rest = self.pages.whole();
    const std::size_t taken = std::min(size * count, self.rest.size());
    if (taken != 0) std::memcpy(to, self.rest.data(), taken);
    self.rest = self.rest.subspan(taken);
    return taken / size;
  }
};

struct sound_format {
  std::uint32_t channels;
  std::uint32_t rate;
  bool operator==(const sound_format&) const = default;
};

class vorbis_file {
 public:
  vorbis_file(std::span<const std::byte> bytes, page_checksums checksums) noexcept
      : stream_{vorbis_pages(bytes, checksums), {}} {}
  ~vorbis_file() {
    if (open_) (void)ov_clear(&file_);
  }
  vorbis_file(const vorbis_file&) = delete;
  vorbis_file& operator=(const vorbis_file&) = delete;

  result<void> open() noexcept {
    const ov_callbacks callbacks{vorbis_stream::read, nullptr, nullptr, nullptr};
    const int code = ov_open_callbacks(&stream_, &file_, nullptr, 0, callbacks);
    open_ = code == 0;
    if (open_) return {};
    if (code == OV_EVERSION) return fail(errc::unsupported, "unsupported Vorbis version");
    return fail(errc::corrupt,
                code == OV_ENOTVORBIS ? "not a Vorbis file" : "damaged Vorbis headers");
  }

  // The format of the samples read last.
  [[nodiscard]] sound_format format() noexcept {
    const vorbis_info& info = *ov_info(&file_, -1);
    return {static_cast<std::uint32_t>(info.channels), static_cast<std::uint32_t>(info.rate)};
  }

  // Reads whole frames into `samples` and returns their number, 0 at the end.
  result<std::uint64_t> read(std::span<std::int16_t> samples) noexcept {
    const int link = file_.current_link;
    long taken = read_once(samples);
    // At the start of a chained link libvorbisfile reads a page twice and reports a hole.
    if (taken == OV_HOLE && file_.current_link != link) taken = read_once(samples);
    while (taken == OV_HOLE) {
      has_hole_ = true;
      taken = read_once(samples);
    }
    if (taken < 0) return fail(errc::corrupt, "damaged Vorbis sound");
    const auto frames =
        static_cast<std::uint64_t>(taken) / sizeof(std::int16_t) / format().channels;
    frames_ += static_cast<ogg_int64_t>(frames);
    // A damaged page may state any position.
    const ogg_int64_t position = std::max<ogg_int64_t>(ov_pcm_tell(&file_), 0);
    const ogg_int64_t ahead = position - frames_;
    if (ahead > ahead_) jumps_ahead_ = true;
    ahead_ = ahead;
    return frames;
  }

  // Whether page numbers have a gap.
  [[nodiscard]] bool has_hole() const noexcept { return has_hole_; }
  // Whether sound is missing there: the positions on the pages go on by more than was decoded.
  [[nodiscard]] bool misses_sound() const noexcept { return has_hole_ && jumps_ahead_; }

 private:
  long read_once(std::span<std::int16_t> samples) noexcept {
    static constexpr std::size_t once_max = INT_MAX / 2;
    int bitstream = 0;
    return ov_read(&file_, reinterpret_cast<char*>(samples.data()),
                   static_cast<int>(std::min(samples.size_bytes(), once_max)),
                   std::endian::native == std::endian::big ? 1 : 0, sizeof(std::int16_t), 1,
                   &bitstream);
  }

  vorbis_stream stream_;
  OggVorbis_File file_{};
  bool open_ = false;
  ogg_int64_t frames_ = 0;
  ogg_int64_t ahead_ = 0;  // the position on the pages, less the frames
  bool has_hole_ = false;
  bool jumps_ahead_ = false;
};

class vorbis final : public decoder {
 public:
  const char* name() const noexcept override { return "vorbis"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::vorbis, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    if (is_cut_inside_page(bytes)) return fail(errc::corrupt, "the Ogg file is truncated");
    if (has_damaged_page(bytes)) return fail(errc::corrupt, "damaged Vorbis sound");
    constexpr auto checksums = page_checksums::verified;
    const result<std::uint64_t> library = vorbis_memory(bytes, checksums);
    if (!library) return tl::unexpected<error>(library.error());
    const library_memory room(*library);
    if (!room) {
      return fail(errc::out_of_memory, "out of memory for decoding the Vorbis file");
    }
    vorbis_file file(bytes, checksums);
    if (const result<void> opened = file.open(); !opened) {
      return tl::unexpected<error>(opened.error());
    }
    const sound_format format = file.format();
    if (format.channels == 0 || format.channels > limits::sound_channels_max) {
      return fail(errc::limit, limit_text::sound_channels);
    }
    sound_buffer sound(format.channels, memory);
    const std::uint64_t end = position_of_last_page(bytes);
    const bool is_chain = bytes_of_first_link(bytes) != bytes.size();
    std::uint64_t done = 0;
    const auto read = [&](std::span<std::int16_t> samples) -> result<std::uint64_t> {
      result<std::uint64_t> frames = file.read(samples);
      // A file may be a chain of streams, but a sound has one format.
      if (frames && file.format() != format) {
        return fail(errc::unsupported, "Ogg file with streams of different formats");
      }
      // Cut out of a longer sound, it may have more than its pages say: other readers end there.
      if (frames && file.has_hole() && !is_chain) {
        *frames = std::min(*frames, end - std::min(end, done));
      }
      if (frames) done += *frames;
      return frames;
    };
    result<decoded_asset> made = sound.fill(end, bytes.size(), format.rate, read);
    if (!made || !file.has_hole()) return made;
    if (is_chain || file.misses_sound() || made->frames != end) {
      return fail(errc::corrupt, "Vorbis sound with missing data");
    }
    made->warning = page_number_gap;
    return made;
  }

  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    const result<std::uint64_t> library = vorbis_memory(bytes);
    if (!library) return 0;
    return *library + sound_bytes_likely(position_of_last_page(bytes),
                                         vorbis_channels(bytes) * sizeof(std::int16_t),
                                         bytes.size());
  }
};

}  // namespace

const decoder& vorbis_decoder() noexcept {
  static const vorbis instance;
  return instance;
}

}  // namespace overture::decoders_detail
