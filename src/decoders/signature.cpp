// SPDX-License-Identifier: Zlib
#include "decoders/signature.hpp"

#include <algorithm>
#include <iterator>

#include "base/ascii.hpp"
#include "base/little_endian.hpp"
#include "decoders/mpeg_frames.hpp"
#include "decoders/ogg.hpp"
#include "overture/base/path.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

using bytes_of_file = std::span<const std::byte>;

template <ogg_codec Codec>
bool is_ogg_with(bytes_of_file bytes) noexcept {
  return codec_of_ogg(bytes) == Codec;
}

bool is_webp(bytes_of_file bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.size() >= 12 && text.substr(8, 4) == "WEBP";
}

bool is_wave(bytes_of_file bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.size() < 12 || text.substr(8, 4) != "WAVE") return false;
  if (text.size() < 22 || text.substr(12, 4) != "fmt ") return true;
  // Containers of other tools (.wem) look the same, but hold what only these understand.
  switch (load_u16(&bytes[20])) {
    case 1:
    case 2:
    case 3:
    case 6:
    case 7:
    case 0x11:
    case 0xFFFE:
      return true;
    default:
      return false;
  }
}

// The directory of a TrueType font: the magic number alone is common in other files.
bool is_font_directory(bytes_of_file bytes) noexcept {
  if (bytes.size() < 28) return false;
  const std::uint32_t tables = load_u8(&bytes[4]) << 8 | load_u8(&bytes[5]);
  constexpr std::uint32_t tables_max = 64;  // real fonts have up to about 30
  return tables >= 1 && tables <= tables_max &&
         std::all_of(bytes.begin() + 12, bytes.begin() + 16, [](std::byte of_tag) {
           return of_tag >= std::byte{' '} && of_tag <= std::byte{'~'};
         });
}

bool is_amiga_module(bytes_of_file bytes) noexcept {
  constexpr std::size_t tag_at = 1080;
  if (bytes.size() < tag_at + 4) return false;
  const std::string_view tag(reinterpret_cast<const char*>(&bytes[tag_at]), 4);
  constexpr std::string_view tags[] = {"M.K.", "M!K!", "FLT4", "FLT8", "4CHN",
                                       "6CHN", "8CHN", "CD81", "OKTA"};
  return std::find(std::begin(tags), std::end(tags), tag) != std::end(tags);
}

// Files of other formats have such a tag too.
bool is_tagged_mpeg(bytes_of_file bytes) noexcept {
  return parse_mpeg_frame(bytes.subspan(id3_bytes(bytes))).bytes != 0;
}

bool is_two_mpeg_frames(bytes_of_file bytes) noexcept {
  const mpeg_frame first = parse_mpeg_frame(bytes);
  return first.bytes != 0 && first.bytes < bytes.size() &&
         parse_mpeg_frame(bytes.subspan(first.bytes)).bytes != 0;
}

bool is_bmp(bytes_of_file bytes) noexcept {
  if (bytes.size() < 26) return false;
  constexpr std::uint32_t sizes[] = {12, 40, 52, 56, 64, 108, 124};
  return std::find(std::begin(sizes), std::end(sizes), load_u32(&bytes[14])) != std::end(sizes);
}

bool is_sgi(bytes_of_file bytes) noexcept {
  return bytes.size() >= 12 && load_u8(&bytes[2]) <= 1 && load_u8(&bytes[4]) == 0 &&
         load_u8(&bytes[5]) >= 1 && load_u8(&bytes[5]) <= 3;
}

// A gzip header with DEFLATE, and none of the flags that are reserved.
bool is_gzip(bytes_of_file bytes) noexcept {
  return bytes.size() >= 4 && (load_u8(&bytes[3]) & 0xE0) == 0;
}

struct known_format {
  file_format format;
  std::string_view magic;  // empty: there is none
  std::string_view names;  // extensions, each followed by a blank
  bool (*also)(bytes_of_file) noexcept = nullptr;
  std::size_t magic_at = 0;
};

using namespace std::string_view_literals;

constexpr known_format table[] = {
    {file_format::png, "\x89PNG"sv, "png "},
    {file_format::jpeg, "\xFF\xD8\xFF"sv, "jpg jpeg "},
    {file_format::tga, {}, "tga "},
    {file_format::dds, "DDS "sv, "dds "},
    {file_format::hdr, "#?RADIANCE\n"sv, {}},
    {file_format::hdr, "#?RGBE\n"sv, {}},
    {file_format::bmp, "BM"sv, "bmp ", is_bmp},
    {file_format::gif, "GIF8"sv, "gif "},
    {file_format::pcx, {}, "pcx "},
    {file_format::sgi, "\x01\xDA"sv, "sgi ", is_sgi},
    {file_format::qoi, "qoif"sv, "qoi "},
    {file_format::webp, "RIFF"sv, "webp ", is_webp},
    {file_format::vorbis, "OggS"sv, "ogg oga ", is_ogg_with<ogg_codec::vorbis>},
    {file_format::opus, "OggS"sv, "opus ", is_ogg_with<ogg_codec::opus>},
    {file_format::other_ogg, "OggS"sv, {}, is_ogg_with<ogg_codec::other>},
    {file_format::wav, "RIFF"sv, "wav ", is_wave},
    {file_format::wav, "RF64"sv, {}, is_wave},
    {file_format::wav, "BW64"sv, {}, is_wave},
    {file_format::wav, "riff\x2E\x91\xCF\x11\xA5\xD6\x28\xDB\x04\xC1\0\0"sv, "w64 "},
    {file_format::flac, "fLaC"sv, "flac "},
    {file_format::mp3, "ID3"sv, "mp3 ", is_tagged_mpeg},
    {file_format::mp3, "\xFF"sv, {}, is_two_mpeg_frames},
    {file_format::md2, "IDP2"sv, "md2 "},
    {file_format::md3, "IDP3"sv, "md3 "},
    {file_format::gzip, "\x1F\x8B\x08"sv, "gz svgz ", is_gzip},
    {file_format::ktx2, "\xABKTX 20\xBB\r\n\x1A\n"sv, "ktx2 "},
    {file_format::glb, "glTF"sv, "glb "},
    {file_format::iqm, "INTERQUAKEMODEL\0"sv, "iqm "},
    {file_format::md5, "MD5Version "sv, {}},
    {file_format::obj, {}, "obj "},
    {file_format::font, "\0\1\0\0"sv, {}, is_font_directory},
    {file_format::font, "true"sv, {}, is_font_directory},
    {file_format::font, "OTTO"sv, {}, is_font_directory},
    {file_format::font, "ttcf"sv, {}},
    {file_format::font, "wOFF"sv, {}},
    {file_format::font, "wOF2"sv, {}},
    {file_format::catalogue, "\xDE\x12\x04\x95"sv, {}},
    {file_format::catalogue, "\x95\x04\x12\xDE"sv, {}},
    {file_format::module, "Extended Module: "sv, {}},
    {file_format::module, "IMPM"sv, {}},
    {file_format::module, "SCRM"sv, {}, nullptr, 44},
    {file_format::module, ""sv, {}, is_amiga_module},
    {file_format::midi, "MThd\0\0\0\6"sv, "mid midi "},
    {file_format::qt_data, "qres\0\0\0"sv, {}},
    {file_format::apple_double, "\0\5\x16\7\0\2\0\0"sv, {}},
};

bool has_signature(const known_format& of, bytes_of_file bytes) noexcept {
  if (of.magic.empty() && !of.also) return false;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.size() >= of.magic_at && text.substr(of.magic_at).starts_with(of.magic) &&
         (!of.also || of.also(bytes));
}

bool has_name(const known_format& of, std::string_view path) noexcept {
  const std::string_view ending = extension(path);
  for (std::string_view rest = of.names; !rest.empty();) {
    const std::size_t end = rest.find(' ');
    if (equals_ignoring_case(rest.substr(0, end), ending)) return true;
    rest.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

bool has_any_signature(bytes_of_file bytes) noexcept {
  return std::any_of(std::begin(table), std::end(table),
                     [bytes](const known_format& each) { return has_signature(each, bytes); });
}

bool is_file_of(file_format format, std::string_view path, bytes_of_file bytes) noexcept {
  bool is_named = false;
  for (const known_format& each : table) {
    if (each.format != format) continue;
    if (has_signature(each, bytes)) return true;
    is_named = is_named || has_name(each, path);
  }
  return is_named && !has_any_signature(bytes);
}

}  // namespace overture::decoders_detail
