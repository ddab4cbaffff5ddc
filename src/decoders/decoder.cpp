// SPDX-License-Identifier: Zlib
#include <iterator>

#include "decoders/table.hpp"

namespace overture {

namespace {

using namespace decoders_detail;

constexpr const char* own = "Overture";

struct decoder_list {
  const decoder* all[64];
  std::size_t count = 0;
};

}  // namespace

std::span<const decoder_format> decoder_formats() noexcept {
  // clang-format off: one line each
  static const decoder_format table[] = {
      {"appledouble", "AppleDouble of macOS", own, asset_kind::none, &apple_double_recogniser()},
      {"png", "PNG", "libspng", asset_kind::image, &png_decoder()},
      {"jpeg", "JPEG", "libjpeg-turbo", asset_kind::image, &jpeg_decoder()},
      {"tga", "TGA", own, asset_kind::image, &tga_decoder()},
      {"dds", "DDS", own, asset_kind::texture, &dds_decoder()},
      {"hdr", "Radiance HDR", own, asset_kind::texture, &hdr_decoder()},
      {"bmp", "BMP", own, asset_kind::image, &bmp_decoder()},
      {"gif", "GIF", own, asset_kind::image, &gif_decoder()},
      {"pcx", "PCX", own, asset_kind::image, &pcx_decoder()},
      {"sgi", "SGI", own, asset_kind::image, &sgi_decoder()},
      {"qoi", "QOI", own, asset_kind::image, &qoi_decoder()},
      {"webp", "WebP", "libwebp", asset_kind::image, webp_decoder()},
      {"vorbis", "Ogg Vorbis", "libvorbis", asset_kind::sound, &vorbis_decoder()},
      {"opus", "Ogg Opus", "libopusfile", asset_kind::sound, &opus_decoder()},
      {"wav", "WAV (PCM, float, A-law, mu-law, ADPCM)", own, asset_kind::sound, &wav_decoder()},
      {"flac", "FLAC", "libFLAC", asset_kind::sound, flac_decoder()},
      {"mp3", "MP3", "libmpg123", asset_kind::sound, mp3_decoder()},
      {"md2", "MD2", own, asset_kind::model, &md2_decoder()},
      {"md3", "MD3", own, asset_kind::model, &md3_decoder()},
      {"gzip", "gzip, over a file of any kind", "libdeflate", asset_kind::binary, &gzip_decoder()},
      {"ktx2", "KTX2", own, asset_kind::none, &recogniser_of(file_format::ktx2)},
      {"glb", "binary glTF", own, asset_kind::none, &recogniser_of(file_format::glb)},
      {"iqm", "IQM", own, asset_kind::none, &recogniser_of(file_format::iqm)},
      {"md5", "MD5", own, asset_kind::none, &recogniser_of(file_format::md5)},
      {"obj", "OBJ", own, asset_kind::none, &recogniser_of(file_format::obj)},
      {"font", "TTF, OTF, WOFF", own, asset_kind::none, &recogniser_of(file_format::font)},
      {"gettext", "MO", own, asset_kind::none, &recogniser_of(file_format::catalogue)},
      {"module", "MOD, XM, IT, S3M", own, asset_kind::none, &recogniser_of(file_format::module)},
      {"midi", "MIDI", own, asset_kind::none, &recogniser_of(file_format::midi)},
      {"qt", "compiled Qt data", own, asset_kind::none, &recogniser_of(file_format::qt_data)},
      {"utf8", "JSON, glTF, TOML", own, asset_kind::text, &utf8_decoder()},
      {"text", "text in UTF-8 or UTF-16", own, asset_kind::text, &text_decoder()},
  };
  // clang-format on
  static_assert(std::size(table) <= std::size(decoder_list{}.all));
  return table;
}

std::span<const decoder* const> all_decoders() noexcept {
  static const decoder_list list = [] {
    decoder_list made{};
    for (const decoder_format& each : decoder_formats()) {
      if (each.by) made.all[made.count++] = each.by;
    }
    return made;
  }();
  return {list.all, list.count};
}

const char* to_string(asset_kind kind) noexcept {
  switch (kind) {
    case asset_kind::none:
      return "none";
    case asset_kind::image:
      return "image";
    case asset_kind::text:
      return "text";
    case asset_kind::sound:
      return "sound";
    case asset_kind::texture:
      return "texture";
    case asset_kind::model:
      return "model";
    case asset_kind::binary:
      return "binary";
  }
  return "unknown";
}

const char* to_string(texture_format format) noexcept {
  static constexpr const char* names[] = {
      "none",      "bc1",       "bc2",         "bc3",          "bc4_unorm",   "bc4_snorm",
      "bc5_unorm", "bc5_snorm", "bc6h_ufloat", "bc6h_sfloat",  "bc7",         "r8",
      "rg8",       "bgr8",      "rgba8",       "bgra8",        "bgrx8",       "b5g6r5",
      "b5g5r5a1",  "bgra4",     "r16_float",   "rgba16_float", "rgba32_float"};
  const auto index = static_cast<std::size_t>(format);
  return index < std::size(names) ? names[index] : "unknown";
}

result<decoded_asset> decoded_asset::make(asset_kind kind, std::size_t bytes, allocator& memory,
                                          std::uint8_t offset) noexcept {
  decoded_asset made;
  made.kind_ = kind;
  if (bytes == 0) return made;
  void* const block = bytes > SIZE_MAX - offset
                          ? nullptr
                          : memory.allocate(offset + bytes, alignment, memory_tag::decode);
  if (!block) return fail(errc::out_of_memory, "out of memory for the decoded file", {}, bytes);
  made.data_ = static_cast<std::byte*>(block) + offset;
  made.offset_ = offset;
  made.memory_ = &memory;
  made.size_ = bytes;
  return made;
}

}  // namespace overture
