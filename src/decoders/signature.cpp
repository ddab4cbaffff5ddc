#include "decoders/signature.hpp"

#include <algorithm>
#include <iterator>

#include "base/ascii.hpp"
#include "base/little_endian.hpp"
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

struct row {
  file_format format;
  std::string_view magic;  // empty: there is none
  std::string_view names;  // extensions, each followed by a blank
  bool (*also)(bytes_of_file) noexcept = nullptr;
};

using namespace std::string_view_literals;

// In the order of file_format.
constexpr row table[] = {
    {file_format::png, "\x89PNG"sv, "png "},
    {file_format::jpeg, "\xFF\xD8\xFF"sv, "jpg jpeg "},
    {file_format::tga, {}, "tga "},
    {file_format::dds, "DDS "sv, "dds "},
    {file_format::vorbis, "OggS"sv, "ogg oga ", is_ogg_with<ogg_codec::vorbis>},
    {file_format::opus, "OggS"sv, "opus ", is_ogg_with<ogg_codec::opus>},
    {file_format::other_ogg, "OggS"sv, {}, is_ogg_with<ogg_codec::other>},
    {file_format::wav, "RIFF"sv, "wav ", is_wave},
    {file_format::md3, "IDP3"sv, "md3 "},
};

bool has_signature(const row& of, bytes_of_file bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return !of.magic.empty() && text.starts_with(of.magic) && (!of.also || of.also(bytes));
}

bool has_name(const row& of, std::string_view path) noexcept {
  const std::string_view ending = extension(path);
  for (std::string_view rest = of.names; !rest.empty();) {
    const std::size_t end = rest.find(' ');
    if (equals_ignoring_case(rest.substr(0, end), ending)) return true;
    rest.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

bool is_file_of(file_format format, std::string_view path, bytes_of_file bytes) noexcept {
  const row& of = table[static_cast<std::size_t>(format)];
  if (has_signature(of, bytes)) return true;
  return has_name(of, path) &&
         std::none_of(std::begin(table), std::end(table),
                      [bytes](const row& other) { return has_signature(other, bytes); });
}

}  // namespace overture::decoders_detail
