// SPDX-License-Identifier: Zlib
#include "plain_decode.hpp"

#include <opusfile.h>
#include <spng.h>
#include <vorbis/vorbisfile.h>

#include <cstdio>  // jpeglib.h uses FILE without including it

#include <jpeglib.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <new>

#include "overture/base/path.hpp"

namespace bench {
namespace {

using content_bytes = std::span<const std::byte>;

plain_output output_of(std::size_t bytes) {
  plain_output made;
  made.block.reset(static_cast<std::byte*>(std::malloc(std::max<std::size_t>(bytes, 1))));
  if (!made.block) throw std::bad_alloc();
  made.bytes = bytes;
  return made;
}

plain_output copy_of(content_bytes content) {
  plain_output made = output_of(content.size());
  if (!content.empty()) std::memcpy(made.block.get(), content.data(), content.size());
  made.made = true;
  return made;
}

plain_output decode_png(content_bytes content) {
  spng_ctx* const context = spng_ctx_new(0);
  std::size_t bytes = 0;
  plain_output made;
  if (spng_set_png_buffer(context, content.data(), content.size()) == 0 &&
      spng_decoded_image_size(context, SPNG_FMT_RGBA8, &bytes) == 0) {
    made = output_of(bytes);
    made.made =
        spng_decode_image(context, made.block.get(), bytes, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS) == 0;
  }
  spng_ctx_free(context);
  return made;
}

// libjpeg reports errors by longjmp, so everything that read() changes is a member.
struct jpeg_state {
  jpeg_decompress_struct codec{};
  jpeg_error_mgr errors{};
  std::jmp_buf way_out;
  plain_output made;

  void read(content_bytes content) {
    codec.err = jpeg_std_error(&errors);
    codec.client_data = this;
    errors.error_exit = [](j_common_ptr failed) {
      std::longjmp(static_cast<jpeg_state*>(failed->client_data)->way_out,
                   1);  // NOLINT(cert-err52-cpp): the only way out of libjpeg
    };
    errors.emit_message = [](j_common_ptr, int) {};
    if (setjmp(way_out) != 0) return;
    jpeg_create_decompress(&codec);
    jpeg_mem_src(&codec, reinterpret_cast<const unsigned char*>(content.data()), content.size());
    (void)jpeg_read_header(&codec, TRUE);
    codec.out_color_space = JCS_EXT_RGBA;
    (void)jpeg_start_decompress(&codec);
    const std::size_t row_bytes = std::size_t{codec.output_width} * 4;
    made = output_of(row_bytes * codec.output_height);
    while (codec.output_scanline < codec.output_height) {
      auto row = reinterpret_cast<JSAMPROW>(made.block.get() + codec.output_scanline * row_bytes);
      (void)jpeg_read_scanlines(&codec, &row, 1);
    }
    made.made = true;
  }
};

plain_output decode_jpeg(content_bytes content) {
  jpeg_state state;
  state.read(content);
  jpeg_destroy_decompress(&state.codec);
  return std::move(state.made);
}

struct memory_file {
  content_bytes content;
  std::size_t at = 0;

  static std::size_t read(void* to, std::size_t size, std::size_t count, void* file) {
    auto& self = *static_cast<memory_file*>(file);
    const std::size_t taken = std::min(size * count, self.content.size() - self.at);
    std::memcpy(to, self.content.data() + self.at, taken);
    self.at += taken;
    return taken / size;
  }
  static int seek(void* file, ogg_int64_t offset, int whence) {
    auto& self = *static_cast<memory_file*>(file);
    const ogg_int64_t size = static_cast<ogg_int64_t>(self.content.size());
    const ogg_int64_t from = whence == SEEK_SET   ? 0
                             : whence == SEEK_CUR ? static_cast<ogg_int64_t>(self.at)
                                                  : size;
    if (from + offset < 0 || from + offset > size) return -1;
    self.at = static_cast<std::size_t>(from + offset);
    return 0;
  }
  static long tell(void* file) { return static_cast<long>(static_cast<memory_file*>(file)->at); }
};

plain_output decode_vorbis(content_bytes content) {
  memory_file source{content};
  const ov_callbacks callbacks{memory_file::read, memory_file::seek, nullptr, memory_file::tell};
  OggVorbis_File file;
  if (ov_open_callbacks(&source, &file, nullptr, 0, callbacks) != 0) return {};
  const auto frames = static_cast<std::size_t>(std::max<ogg_int64_t>(ov_pcm_total(&file, -1), 0));
  plain_output made =
      output_of(frames * static_cast<std::size_t>(ov_info(&file, -1)->channels) * 2);
  std::size_t filled = 0;
  long more = 1;
  while (filled < made.bytes && more > 0) {
    int stream = 0;
    const auto room = static_cast<int>(std::min<std::size_t>(made.bytes - filled, 1u << 30));
    more =
        ov_read(&file, reinterpret_cast<char*>(made.block.get()) + filled, room, 0, 2, 1, &stream);
    filled += static_cast<std::size_t>(std::max(more, 0L));
  }
  (void)ov_clear(&file);
  made.made = filled == made.bytes;
  return made;
}

plain_output decode_opus(content_bytes content) {
  OggOpusFile* const file = op_open_memory(reinterpret_cast<const unsigned char*>(content.data()),
                                           content.size(), nullptr);
  if (!file) return {};
  const auto channels = static_cast<std::size_t>(op_channel_count(file, -1));
  const auto frames = static_cast<std::size_t>(std::max<ogg_int64_t>(op_pcm_total(file, -1), 0));
  plain_output made = output_of(frames * channels * 2);
  std::size_t filled = 0;
  int more = 1;
  while (filled < frames && more > 0) {
    const auto room =
        static_cast<int>(std::min<std::size_t>((frames - filled) * channels, 1 << 30));
    more = op_read(file, reinterpret_cast<opus_int16*>(made.block.get()) + filled * channels, room,
                   nullptr);
    filled += static_cast<std::size_t>(std::max(more, 0));
  }
  op_free(file);
  made.made = filled == frames;
  return made;
}

bool has_extension(std::string_view name, std::string_view wanted) {
  const std::string_view found = overture::extension(name);
  return std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

bool is_opus(content_bytes content) {
  constexpr std::string_view mark = "OpusHead";
  constexpr std::size_t first_packet = 28;
  return content.size() >= first_packet + mark.size() &&
         std::memcmp(content.data() + first_packet, mark.data(), mark.size()) == 0;
}

}  // namespace

plain_output plain_decode(std::string_view name, content_bytes content) {
  if (has_extension(name, "png")) return decode_png(content);
  if (has_extension(name, "jpg") || has_extension(name, "jpeg")) return decode_jpeg(content);
  if (has_extension(name, "opus")) return decode_opus(content);
  if (has_extension(name, "ogg") || has_extension(name, "oga")) {
    return is_opus(content) ? decode_opus(content) : decode_vorbis(content);
  }
  for (const overture::decoder* const each : overture::all_decoders()) {
    if (!each->accepts(name, content)) continue;
    plain_output made;
    overture::result<overture::decoded_asset> asset =
        each->decode(content, overture::default_allocator());
    if (!asset) return made;
    made.bytes = asset->bytes().size();
    made.asset = std::move(*asset);
    made.made = true;
    return made;
  }
  return copy_of(content);
}

}  // namespace bench
