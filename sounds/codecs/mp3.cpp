// SPDX-License-Identifier: Zlib
//
// MP3, through libmpg123.
#include <mpg123.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "base/vec.hpp"
#include "sounds/codecs/codec.hpp"
#include "sounds/codecs/made.hpp"
#include "sounds/codecs/tags.hpp"

namespace overture::sounds_detail {
using namespace base_detail;

namespace {

constexpr std::uint64_t mp3_library_bytes = 512u << 10;  // its tables, a few frames and an index

struct free_mp3_handle {
  void operator()(mpg123_handle* handle) const noexcept {
    (void)mpg123_close(handle);
    mpg123_delete(handle);
  }
};

// Flags that are set later come too late for what mpg123_new() itself prints.
mpg123_handle* silent_mp3_handle() noexcept {
  mpg123_pars* const how = mpg123_new_pars(nullptr);
  if (!how) return nullptr;
  const int set = mpg123_par(how, MPG123_ADD_FLAGS, MPG123_QUIET | MPG123_SKIP_ID3V2, 0);
  mpg123_handle* const made = set == MPG123_OK ? mpg123_parnew(how, nullptr, nullptr) : nullptr;
  mpg123_delete_pars(how);
  return made;
}

class mp3_song final : public codec_of<mp3_song> {
 public:
  explicit mp3_song(const codec_request& request) noexcept
      : file_(request.file),
        memory_(request.memory),
        log_(request.log),
        samples_(request.samples),
        bytes_max_(request.bytes_max) {}

  result<void> open() noexcept {
    if (mp3_library_bytes > bytes_max_) return fail(errc::limit, codec_over_memory);
    if (result<void> read = read_tags(); !read) return read;
    handle_.reset(silent_mp3_handle());
    mpg123_handle* const handle = handle_.get();
    const int encoding =
        samples_ == sound_samples::float32 ? MPG123_ENC_FLOAT_32 : MPG123_ENC_SIGNED_16;
    const bool ready =
        handle && mpg123_format_none(handle) == MPG123_OK &&
        mpg123_format2(handle, 0, MPG123_MONO | MPG123_STEREO, encoding) == MPG123_OK &&
        mpg123_replace_reader_handle(handle, read, seek_to, nullptr) == MPG123_OK &&
        mpg123_open_handle(handle, this) == MPG123_OK;
    if (reading_) return tl::unexpected<error>(*reading_);
    if (!ready) return fail(errc::out_of_memory, codec_out_of_memory);
    long rate = 0;
    int channels = 0;
    int got = 0;
    const bool known = mpg123_getformat(handle, &rate, &channels, &got) == MPG123_OK;
    if (reading_) return tl::unexpected<error>(*reading_);
    if (!known || rate <= 0 || channels < 1 || got != encoding) {
      return fail(errc::corrupt, "not an MP3 file");
    }
    rate_ = static_cast<std::uint32_t>(rate);
    channels_ = static_cast<std::uint32_t>(channels);
    return {};
  }

  sound_format format() const noexcept override { return {"mp3", channels_, rate_}; }
  loop_tags tags() const noexcept override { return tags_; }

  result<std::size_t> decode(const frame_room& room) noexcept override {
    while (there_ == 0) {
      const result<bool> more = next_frame();
      if (!more) return tl::unexpected<error>(more.error());
      if (!*more) return std::size_t{0};
    }
    const std::size_t count = std::min(there_, room.frames);
    const std::size_t bytes = count * room.frame_bytes();
    std::memcpy(room.to, from_, bytes);
    from_ += bytes;
    there_ -= count;
    return count;
  }

  result<void> seek(std::uint64_t frame) noexcept override {
    there_ = 0;
    expected_ = -1;
    const off_t length = mpg123_length(handle_.get());
    auto to = static_cast<off_t>(frame);
    is_at_end_ = length > 0 && to >= length;
    if (is_at_end_) to = length;
    const off_t reached = mpg123_seek(handle_.get(), to, SEEK_SET);
    if (reading_) return tl::unexpected<error>(*reading_);
    // An estimate of the length may be wrong: then there is nothing at that place.
    if (reached < 0) is_at_end_ = true;
    return {};
  }

  result<std::uint64_t> length() noexcept override {
    const off_t frames = mpg123_length(handle_.get());
    if (reading_) return tl::unexpected<error>(*reading_);
    return frames > 0 ? static_cast<std::uint64_t>(frames) : 0;
  }

 private:
  result<void> read_tags() noexcept {
    constexpr std::size_t tag_bytes_max = 256u << 10;  // texts stand in front of pictures
    std::byte front[10];
    if (file_.size() < sizeof front) return fail(errc::corrupt, "not an MP3 file");
    if (result<void> begun = file_.seek(0); !begun) return begun;
    if (result<void> read = file_.read_all_of(front); !read) return read;
    const std::uint64_t bytes =
        std::min<std::uint64_t>({id3_tag_bytes(front), tag_bytes_max, file_.size()});
    if (bytes == 0) return {};
    vec<std::byte> tag(memory_, memory_tag::decode);
    if (!tag.resize_for_overwrite(static_cast<std::size_t>(bytes))) {
      return fail(errc::out_of_memory, codec_out_of_memory);
    }
    if (result<void> begun = file_.seek(0); !begun) return begun;
    if (result<void> read = file_.read_all_of({tag.data(), tag.size()}); !read) return read;
    tags_ = tags_of_id3(tag.span());
    return file_.seek(0);
  }

  // False at the end.
  result<bool> next_frame() noexcept {
    if (is_at_end_) return false;
    unsigned char* audio = nullptr;
    std::size_t bytes = 0;
    off_t number = 0;
    const int code = mpg123_decode_frame(handle_.get(), &number, &audio, &bytes);
    if (reading_) return tl::unexpected<error>(*reading_);
    if (code == MPG123_DONE) return false;
    if (code == MPG123_NEW_FORMAT) {
      note_format();
      return true;
    }
    if (code != MPG123_OK) return go_on_after_error();
    errors_ = 0;
    note_skipped_bytes();
    from_ = audio;
    there_ = audio && !is_foreign_ ? bytes / bytes_of(samples_) / channels_ : 0;
    return true;
  }

  // Damage can look like frames of another format. These are left out.
  void note_format() noexcept {
    long rate = 0;
    int channels = 0;
    int encoding = 0;
    is_foreign_ = mpg123_getformat(handle_.get(), &rate, &channels, &encoding) != MPG123_OK ||
                  rate != static_cast<long>(rate_) || channels != static_cast<int>(channels_);
    if (is_foreign_) log_.note(errc::corrupt, "MP3 sound with frames of another format", at_);
  }

  result<bool> go_on_after_error() noexcept {
    if (mpg123_errcode(handle_.get()) == MPG123_OUT_OF_MEM) {
      return fail(errc::out_of_memory, codec_out_of_memory);
    }
    log_.note(errc::corrupt, "damaged MP3 sound", at_);
    // Each try looks through some more of the file.
    constexpr unsigned errors_max = 64;
    if (++errors_ > errors_max || at_ >= file_.size()) return false;
    return true;
  }

  // libmpg123 passes over what is no frame without a word.
  void note_skipped_bytes() noexcept {
    mpg123_frameinfo info = {};
    const off_t at = mpg123_framepos(handle_.get());
    if (at < 0 || mpg123_info(handle_.get(), &info) != MPG123_OK) return;
    if (expected_ >= 0 && at > expected_) {
      log_.note(errc::corrupt, "damaged MP3 sound", static_cast<std::uint64_t>(expected_));
    }
    expected_ = at + info.framesize;
  }

  // --- What libmpg123 calls ---------------------------------------------------------------------

  static ssize_t read(void* client, void* to, std::size_t count) noexcept {
    auto& song = *static_cast<mp3_song*>(client);
    const std::uint64_t rest = song.file_.size() - song.at_;
    const std::span<std::byte> room(static_cast<std::byte*>(to),
                                    static_cast<std::size_t>(std::min<std::uint64_t>(count, rest)));
    result<void> got = song.file_.seek(song.at_);
    if (got) got = song.file_.read_all_of(room);
    if (!got) {
      song.reading_ = got.error();
      return -1;
    }
    song.at_ += room.size();
    return static_cast<ssize_t>(room.size());
  }
  static off_t seek_to(void* client, off_t offset, int from) noexcept {
    auto& song = *static_cast<mp3_song*>(client);
    const auto size = static_cast<off_t>(song.file_.size());
    const off_t base = from == SEEK_SET   ? 0
                       : from == SEEK_CUR ? static_cast<off_t>(song.at_)
                                          : size;
    if (offset < -base || offset > size - base) return -1;
    song.at_ = static_cast<std::uint64_t>(base + offset);
    return base + offset;
  }

  file_reader& file_;
  allocator& memory_;
  damage_log& log_;
  sound_samples samples_;
  std::uint64_t bytes_max_;
  loop_tags tags_;
  std::unique_ptr<mpg123_handle, free_mp3_handle> handle_;
  std::uint32_t rate_ = 0;
  std::uint32_t channels_ = 0;
  std::uint64_t at_ = 0;  // where libmpg123 is in the file
  const unsigned char* from_ = nullptr;
  std::size_t there_ = 0;  // frames from there on
  off_t expected_ = -1;    // where the next frame should begin
  unsigned errors_ = 0;    // one after the other
  bool is_at_end_ = false;
  bool is_foreign_ = false;       // the frames have another format
  std::optional<error> reading_;  // why the file could not be read
};

}  // namespace

result<sound_codec*> open_mp3(const codec_request& request) noexcept {
  return make_codec<mp3_song>(request);
}

}  // namespace overture::sounds_detail
