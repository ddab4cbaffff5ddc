// Ogg Vorbis sounds, by libvorbis.
#include <vorbis/vorbisfile.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdio>
#include <cstring>

#include "base/ascii.hpp"
#include "decoders/ogg.hpp"
#include "decoders/sound_buffer.hpp"
#include "decoders/table.hpp"
#include "overture/limits.hpp"
#include "overture/path.hpp"

namespace overture {
namespace {

// A file in memory, as libvorbisfile asks for one.
struct memory_stream {
  std::span<const std::byte> bytes;
  std::size_t position = 0;

  static std::size_t read(void* to, std::size_t size, std::size_t count, void* stream) noexcept {
    auto& self = *static_cast<memory_stream*>(stream);
    const std::size_t taken = std::min(size * count, self.bytes.size() - self.position);
    if (taken != 0) std::memcpy(to, self.bytes.data() + self.position, taken);
    self.position += taken;
    return size == 0 ? 0 : taken / size;
  }
  static int seek(void* stream, ogg_int64_t offset, int from) noexcept {
    auto& self = *static_cast<memory_stream*>(stream);
    const auto size = static_cast<ogg_int64_t>(self.bytes.size());
    const ogg_int64_t base = from == SEEK_SET   ? 0
                             : from == SEEK_CUR ? static_cast<ogg_int64_t>(self.position)
                                                : size;
    if (offset < -base || offset > size - base) return -1;
    self.position = static_cast<std::size_t>(base + offset);
    return 0;
  }
  static long tell(void* stream) noexcept {
    return static_cast<long>(static_cast<memory_stream*>(stream)->position);
  }
};

class vorbis_file {
 public:
  explicit vorbis_file(std::span<const std::byte> bytes) noexcept : stream_{bytes} {}
  ~vorbis_file() {
    if (open_) (void)ov_clear(&file_);
  }
  vorbis_file(const vorbis_file&) = delete;
  vorbis_file& operator=(const vorbis_file&) = delete;

  result<void> open() noexcept {
    const ov_callbacks callbacks{memory_stream::read, memory_stream::seek, nullptr,
                                 memory_stream::tell};
    const int code = ov_open_callbacks(&stream_, &file_, nullptr, 0, callbacks);
    open_ = code == 0;
    if (open_) return {};
    if (code == OV_EVERSION) return fail(errc::unsupported, "a later version of Vorbis");
    return fail(errc::corrupt, code == OV_ENOTVORBIS ? "the file holds no Vorbis sound"
                                                     : "the Vorbis headers are damaged");
  }

  [[nodiscard]] const vorbis_info& info() noexcept { return *ov_info(&file_, 0); }
  // As the file tells; 0 if it does not.
  [[nodiscard]] std::uint64_t frames() noexcept {
    const ogg_int64_t total = ov_pcm_total(&file_, -1);
    return total > 0 ? static_cast<std::uint64_t>(total) : 0;
  }
  // A file may be a chain of streams. One sound has one format.
  [[nodiscard]] bool changes_format() noexcept {
    for (int link = 1; link < ov_streams(&file_); ++link) {
      const vorbis_info& other = *ov_info(&file_, link);
      if (other.rate != info().rate || other.channels != info().channels) return true;
    }
    return false;
  }

  // Whole frames into `samples`; their number, 0 at the end.
  result<std::uint64_t> read(std::span<std::int16_t> samples) noexcept {
    static constexpr std::size_t once_max = INT_MAX / 2;
    int link = 0;
    const long taken =
        ov_read(&file_, reinterpret_cast<char*>(samples.data()),
                static_cast<int>(std::min(samples.size_bytes(), once_max)),
                std::endian::native == std::endian::big ? 1 : 0, sizeof(std::int16_t), 1, &link);
    if (taken < 0) return fail(errc::corrupt, "the Vorbis sound has a gap or is damaged");
    return static_cast<std::uint64_t>(taken) / sizeof(std::int16_t) /
           static_cast<unsigned>(info().channels);
  }

 private:
  memory_stream stream_;
  OggVorbis_File file_{};
  bool open_ = false;
};

class vorbis final : public decoder {
 public:
  const char* name() const noexcept override { return "vorbis"; }

  // Ogg is a container. What is no Ogg file at all is ours to complain about.
  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    const std::string_view ending = extension(path);
    if (!equals_ignoring_case(ending, "ogg") && !equals_ignoring_case(ending, "oga")) return false;
    const ogg_codec codec = codec_of_ogg(bytes);
    return codec == ogg_codec::vorbis || codec == ogg_codec::none;
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    vorbis_file file(bytes);
    if (const result<void> opened = file.open(); !opened) {
      return tl::unexpected<error>(opened.error());
    }
    if (is_cut_inside_page(bytes)) return fail(errc::corrupt, "the Ogg file ends inside a page");
    if (file.changes_format()) {
      return fail(errc::unsupported, "the Ogg file is a chain of sounds of different formats");
    }
    const auto channels = static_cast<std::uint32_t>(file.info().channels);
    if (channels == 0 || channels > limits::sound_channels_max) {
      return fail(errc::limit, "the sound has more channels than the limits allow");
    }
    sound_buffer sound(channels, memory);
    return sound.fill(file.frames(), bytes.size(), static_cast<std::uint32_t>(file.info().rate),
                      [&](std::span<std::int16_t> samples) { return file.read(samples); });
  }
};

}  // namespace

const decoder& vorbis_decoder() noexcept {
  static const vorbis instance;
  return instance;
}

}  // namespace overture
