// SPDX-License-Identifier: Zlib
#include "report/model/undecoded.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "overture/vfs/file_reader.hpp"

namespace overture::report_detail {

namespace {

using namespace std::string_view_literals;

struct recognised_kind {
  std::string_view decoder;
  const char* what;
};
constexpr recognised_kind recognised[] = {
    {"ktx2", "texture"},        {"glb", "model"},        {"iqm", "model"},
    {"md5", "model"},           {"obj", "model"},        {"font", "font"},
    {"gettext", "translation"}, {"module", "music"},     {"midi", "music"},
    {"qt", "compiled Qt data"}, {"appledouble", "macOS"}};

struct known_front {
  std::string_view magic;
  const char* what;
  std::size_t at = 0;
};
constexpr known_front fronts[] = {{"PK\3\4"sv, "archive"},
                                  {"7z\xBC\xAF\x27\x1C"sv, "archive"},
                                  {"Rar!"sv, "archive"},
                                  {"ustar"sv, "archive", 257},
                                  {"PACK"sv, "archive"},
                                  {"IWAD"sv, "archive"},
                                  {"PWAD"sv, "archive"},
                                  {"MSCF"sv, "archive"},
                                  {"\x1F\x8B"sv, "packed data"},
                                  {"\xFD"
                                   "7zXZ"sv,
                                   "packed data"},
                                  {"\x28\xB5\x2F\xFD"sv, "packed data"},
                                  {"BZh"sv, "packed data"},
                                  {"\x1A\x45\xDF\xA3"sv, "video"},
                                  {"\x80theora"sv, "video", 28},
                                  {"ftyp"sv, "video", 4},
                                  {"AVI "sv, "video", 8},
                                  {"BIK"sv, "video"},
                                  {"KB2"sv, "video"},
                                  {"SMK2"sv, "video"},
                                  {"SMK4"sv, "video"},
                                  {"\0\0\1\xBA"sv, "video"},
                                  {"\0\0\1\xB3"sv, "video"},
                                  {"\x30\x26\xB2\x75"sv, "video"},
                                  {"\x7F"
                                   "ELF"sv,
                                   "program"},
                                  {"MZ"sv, "program"},
                                  {"\xCA\xFE\xBA\xBE"sv, "program"},
                                  {"\x1BLua"sv, "compiled Lua"},
                                  {"IBSP"sv, "map"},
                                  {"VBSP"sv, "map"},
                                  {"FBSP"sv, "map"},
                                  {"SQLite format 3"sv, "database"},
                                  {"%PDF"sv, "document"},
                                  {"Kaydara FBX"sv, "model"},
                                  {"BLENDER"sv, "model"},
                                  {"\x76\x2F\x31\x01"sv, "image"},
                                  {"II*\0"sv, "image"},
                                  {"8BPS"sv, "image"},
                                  {"gimp xcf"sv, "image"}};

std::string front_of(file_system& files, entry_index entry) {
  const entry_info info = files.entry(entry);
  result<file_reader> reader = file_reader::open(files, {info.path, info.id});
  if (!reader) return {};
  std::array<std::byte, front_bytes_wanted> room;
  std::size_t made = 0;
  while (made < room.size()) {
    const result<std::size_t> more = reader->read(std::span(room).subspan(made));
    if (!more || *more == 0) break;
    made += *more;
  }
  return what_is(std::span(room).first(made));
}

}  // namespace

std::string what_is(std::string_view decoder) {
  const auto* const found =
      std::find_if(std::begin(recognised), std::end(recognised),
                   [decoder](const recognised_kind& each) { return each.decoder == decoder; });
  return found == std::end(recognised) ? "" : found->what;
}

std::string what_is(std::span<const std::byte> front) {
  const std::string_view text(reinterpret_cast<const char*>(front.data()), front.size());
  for (const known_front& each : fronts) {
    if (text.size() > each.at && text.substr(each.at).starts_with(each.magic)) return each.what;
  }
  return {};
}

void name_undecoded(load_report& what, file_system& files) {
  for (report_type& type : what.types) {
    if (type.decoded_bytes > 0 || !type.what.empty() || type.example >= files.entry_count())
      continue;
    type.what = front_of(files, type.example);
  }
}

}  // namespace overture::report_detail
