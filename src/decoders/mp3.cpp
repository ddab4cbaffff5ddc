// SPDX-License-Identifier: Zlib
//
// MP3 sounds, through libmpg123.
#include <mpg123.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "decoders/mpeg_frames.hpp"
#include "decoders/signature.hpp"
#include "decoders/sound_buffer.hpp"
#include "decoders/table.hpp"

namespace overture::decoders_detail {

namespace {

using bytes_of_file = std::span<const std::byte>;

struct free_handle {
  void operator()(mpg123_handle* handle) const noexcept { mpg123_delete(handle); }
};

// Flags that are set later come too late for what mpg123_new() itself prints. Tags may hold
// pictures of megabytes, and nothing of them is asked for.
mpg123_handle* silent_handle() noexcept {
  mpg123_pars* const how = mpg123_new_pars(nullptr);
  if (!how) return nullptr;
  const int set = mpg123_par(how, MPG123_ADD_FLAGS, MPG123_QUIET | MPG123_SKIP_ID3V2, 0);
  mpg123_handle* const made = set == MPG123_OK ? mpg123_parnew(how, nullptr, nullptr) : nullptr;
  mpg123_delete_pars(how);
  return made;
}

// A file in memory, as libmpg123 reads it.
struct memory_file {
  bytes_of_file bytes;
  std::size_t at = 0;

  static ssize_t read(void* file, void* to, std::size_t count) noexcept {
    auto& self = *static_cast<memory_file*>(file);
    const std::size_t taken = std::min(count, self.bytes.size() - self.at);
    if (taken != 0) std::memcpy(to, &self.bytes[self.at], taken);
    self.at += taken;
    return static_cast<ssize_t>(taken);
  }
  static off_t seek(void* file, off_t offset, int from) noexcept {
    auto& self = *static_cast<memory_file*>(file);
    const std::size_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? self.at : self.bytes.size();
    const off_t to = static_cast<off_t>(base) + offset;
    if (to < 0 || to > static_cast<off_t>(self.bytes.size())) return -1;
    self.at = static_cast<std::size_t>(to);
    return to;
  }
};

class mp3_file {
 public:
  explicit mp3_file(bytes_of_file bytes) noexcept : file_{bytes}, handle_(silent_handle()) {}
  ~mp3_file() {
    if (handle_) (void)mpg123_close(handle_.get());
  }
  mp3_file(const mp3_file&) = delete;
  mp3_file& operator=(const mp3_file&) = delete;

  result<void> open() noexcept {
    mpg123_handle* const handle = handle_.get();
    const bool ready =
        handle && mpg123_format_none(handle) == MPG123_OK &&
        mpg123_format2(handle, 0, MPG123_MONO | MPG123_STEREO, MPG123_ENC_SIGNED_16) == MPG123_OK &&
        mpg123_replace_reader_handle(handle, memory_file::read, memory_file::seek, nullptr) ==
            MPG123_OK &&
        mpg123_open_handle(handle, &file_) == MPG123_OK;
    if (!ready) return fail(errc::out_of_memory, "out of memory for decoding the MP3 file");
    int encoding = 0;
    long rate = 0;
    int channels = 0;
    if (mpg123_getformat(handle, &rate, &channels, &encoding) != MPG123_OK || rate <= 0 ||
        channels < 1) {
      return fail(errc::corrupt, "not an MP3 file");
    }
    rate_ = static_cast<std::uint32_t>(rate);
    channels_ = static_cast<std::uint32_t>(channels);
    return {};
  }
  [[nodiscard]] std::uint32_t rate() const noexcept { return rate_; }
  [[nodiscard]] std::uint32_t channels() const noexcept { return channels_; }

  // Reads whole frames into `samples` and returns their number, 0 at the end.
  result<std::uint64_t> read(std::span<std::int16_t> samples) noexcept {
    std::size_t bytes = 0;
    const int code = mpg123_read(handle_.get(), samples.data(), samples.size_bytes(), &bytes);
    if (code == MPG123_NEW_FORMAT) {
      return fail(errc::unsupported, "MP3 file with frames of different formats");
    }
    if (code != MPG123_OK && code != MPG123_DONE) {
      return mpg123_errcode(handle_.get()) == MPG123_OUT_OF_MEM
                 ? fail(errc::out_of_memory, "out of memory for decoding the MP3 file")
                 : fail(errc::corrupt, "damaged MP3 sound");
    }
    return bytes / sizeof(std::int16_t) / channels_;
  }

 private:
  memory_file file_;
  std::unique_ptr<mpg123_handle, free_handle> handle_;
  std::uint32_t rate_ = 0;
  std::uint32_t channels_ = 0;
};

class mp3 final : public decoder {
 public:
  const char* name() const noexcept override { return "mp3"; }

  bool accepts(std::string_view path, bytes_of_file bytes) const noexcept override {
    return is_file_of(file_format::mp3, path, bytes);
  }

  result<decoded_asset> decode(bytes_of_file bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const mpeg_frame_count count = count_mpeg_frames(bytes);
    // The header of the encoder may count itself.
    if (count.stated_frames > count.frames + 1) {
      return fail(errc::corrupt, "the MP3 file is truncated");
    }
    mp3_file file(bytes);
    if (const result<void> opened = file.open(); !opened) {
      return tl::unexpected<error>(opened.error());
    }
    sound_buffer sound(file.channels(), memory);
    result<decoded_asset> made =
        sound.fill(count.samples, bytes.size(), file.rate(),
                   [&](std::span<std::int16_t> samples) { return file.read(samples); });
    if (made && count.last_is_cut) made->warning = "the last frame of the MP3 file is cut";
    return made;
  }

  // libmpg123 keeps a few frames and an index.
  std::uint64_t memory_needed(bytes_of_file bytes) const noexcept override {
    constexpr std::uint64_t fixed_bytes = 512u << 10;
    const mpeg_frame_count count = count_mpeg_frames(bytes);
    return fixed_bytes +
           sound_bytes_likely(count.samples, count.channels * sizeof(std::int16_t), bytes.size());
  }
};

}  // namespace

const decoder* mp3_decoder() noexcept {
  static const mp3 instance;
  return &instance;
}

}  // namespace overture::decoders_detail
