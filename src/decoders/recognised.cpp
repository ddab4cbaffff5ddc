// SPDX-License-Identifier: Zlib
//
// Formats that are recognised, and whose header is checked, but which are not decoded: the host
// gets the bytes. One row each.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/big_endian.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

using bytes_of_file = std::span<const std::byte>;
using flaw_or_none = result<const char*>;  // a warning, or null

constexpr const char* truncated = "the file is truncated";

bool starts_with(bytes_of_file bytes, std::string_view magic) noexcept {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
      .starts_with(magic);
}

flaw_or_none check_ktx2(bytes_of_file bytes) noexcept {
  if (!starts_with(bytes, "\xABKTX 20\xBB")) return fail(errc::corrupt, "not a KTX2 file");
  constexpr std::size_t levels_at = 80;
  constexpr std::uint32_t level_bytes = 24;
  if (bytes.size() < levels_at) return fail(errc::corrupt, truncated);
  const std::uint32_t levels = std::max(load_u32(&bytes[40]), 1u);
  if (!fits(levels_at, levels, level_bytes, bytes.size())) return fail(errc::corrupt, truncated);
  for (std::size_t i = 0; i < levels; ++i) {
    const std::byte* const level = &bytes[levels_at + i * level_bytes];
    if (!fits(load_u64(level), load_u64(level + 8), 1, bytes.size())) {
      return fail(errc::corrupt, "a mip level of the KTX2 file lies outside the file");
    }
  }
  return nullptr;
}

flaw_or_none check_glb(bytes_of_file bytes) noexcept {
  if (!starts_with(bytes, "glTF")) return fail(errc::corrupt, "not a GLB file");
  if (bytes.size() < 12 || load_u32(&bytes[8]) > bytes.size()) {
    return fail(errc::corrupt, truncated);
  }
  return nullptr;
}

flaw_or_none check_iqm(bytes_of_file bytes) noexcept {
  if (!starts_with(bytes, "INTERQUAKEMODEL")) return fail(errc::corrupt, "not an IQM file");
  if (bytes.size() < 24 || load_u32(&bytes[20]) > bytes.size()) {
    return fail(errc::corrupt, truncated);
  }
  return nullptr;
}

// Loaders of fonts leave out a table that lies outside the file; few fonts need all of them.
flaw_or_none check_font(bytes_of_file bytes) noexcept {
  if (bytes.size() < 12) return fail(errc::corrupt, truncated);
  if (starts_with(bytes, "wOF")) {
    return load_u32_big(&bytes[8]) > bytes.size() ? flaw_or_none(fail(errc::corrupt, truncated))
                                                  : nullptr;
  }
  if (starts_with(bytes, "ttcf")) return nullptr;  // its fonts share tables
  constexpr std::size_t tables_at = 12;
  constexpr std::uint32_t table_bytes = 16;
  const std::uint32_t tables = load_u16_big(&bytes[4]);
  if (!fits(tables_at, tables, table_bytes, bytes.size())) return fail(errc::corrupt, truncated);
  for (std::size_t i = 0; i < tables; ++i) {
    const std::byte* const table = &bytes[tables_at + i * table_bytes];
    if (!fits(load_u32_big(table + 8), load_u32_big(table + 12), 1, bytes.size())) {
      return "a table of the font lies outside the file";
    }
  }
  return nullptr;
}

// Translations of gettext: two tables of lengths and offsets, in the byte order of the machine that
// made the file.
flaw_or_none check_catalogue(bytes_of_file bytes) noexcept {
  if (bytes.size() < 20) return fail(errc::corrupt, truncated);
  const auto number = load_u8(&bytes[0]) == 0xDE ? load_u32 : load_u32_big;
  const std::uint32_t texts = number(&bytes[8]);
  for (const std::size_t place : {12u, 16u}) {
    const std::uint64_t at = number(&bytes[place]);
    if (!fits(at, texts, 8, bytes.size())) return fail(errc::corrupt, truncated);
    for (std::size_t i = 0; i < texts; ++i) {
      const std::byte* const text = &bytes[at + i * 8];
      if (!fits(number(text + 4), number(text), 1, bytes.size())) {
        return fail(errc::corrupt, truncated);
      }
    }
  }
  return nullptr;
}

flaw_or_none check_module(bytes_of_file bytes) noexcept {
  const std::size_t header_bytes = starts_with(bytes, "Extended Module: ") ? 336
                                   : starts_with(bytes, "IMPM")            ? 192
                                                                           : 96;
  return bytes.size() < header_bytes ? flaw_or_none(fail(errc::corrupt, truncated)) : nullptr;
}

// The header, and that of a track.
flaw_or_none check_midi(bytes_of_file bytes) noexcept {
  constexpr std::size_t header_bytes = 14;
  if (bytes.size() < header_bytes + 8) return fail(errc::corrupt, truncated);
  if (!starts_with(bytes, "MThd")) return fail(errc::corrupt, "not a MIDI file");
  return nullptr;
}

// Three places in the file, after the version.
flaw_or_none check_qt_data(bytes_of_file bytes) noexcept {
  if (bytes.size() < 20) return fail(errc::corrupt, truncated);
  for (const std::size_t place : {8u, 12u, 16u}) {
    if (load_u32_big(&bytes[place]) > bytes.size()) return fail(errc::corrupt, truncated);
  }
  return nullptr;
}

flaw_or_none check_nothing(bytes_of_file) noexcept {
  return nullptr;
}

// Compilers name their own files .obj too.
bool may_be_obj(bytes_of_file bytes) noexcept {
  const bytes_of_file begin = bytes.first(std::min<std::size_t>(bytes.size(), 512));
  return !begin.empty() && std::find(begin.begin(), begin.end(), std::byte{0}) == begin.end();
}

struct checked_format {
  const char* name;
  file_format format;
  flaw_or_none (*check)(bytes_of_file) noexcept;
  bool (*may_be)(bytes_of_file) noexcept = nullptr;  // if its name decides
};

class recogniser final : public decoder {
 public:
  explicit constexpr recogniser(const checked_format& of) noexcept : row_(of) {}

  [[nodiscard]] file_format format() const noexcept { return row_.format; }
  const char* name() const noexcept override { return row_.name; }

  bool accepts(std::string_view path, bytes_of_file bytes) const noexcept override {
    return is_file_of(row_.format, path, bytes) && (!row_.may_be || row_.may_be(bytes));
  }

  result<decoded_asset> decode(bytes_of_file bytes, allocator&,
                               parallel_runner&) const noexcept override {
    const flaw_or_none header = row_.check(bytes);
    if (!header) return tl::unexpected<error>(header.error());
    decoded_asset asset;
    asset.warning = *header;
    return asset;
  }

 private:
  checked_format row_;
};

// "._NAME", in which macOS keeps what other systems cannot keep of NAME, and what it puts into
// archives beside them. Their names end like those of images and sounds; the content decides only
// if it has a signature, so what is cut is no damaged image.
class apple_double final : public decoder {
 public:
  const char* name() const noexcept override { return "appledouble"; }

  bool accepts(std::string_view path, bytes_of_file bytes) const noexcept override {
    if (is_file_of(file_format::apple_double, path, bytes)) return true;
    return is_named(path) && !has_any_signature(bytes);
  }

  result<decoded_asset> decode(bytes_of_file, allocator&,
                               parallel_runner&) const noexcept override {
    return decoded_asset();
  }

 private:
  static bool is_named(std::string_view path) noexcept {
    const std::size_t slash = path.rfind('/');
    const std::string_view element = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    return element.starts_with("._") || path.starts_with("__MACOSX/") ||
           path.find("/__MACOSX/") != std::string_view::npos;
  }
};

}  // namespace

const decoder& apple_double_recogniser() noexcept {
  static const apple_double instance;
  return instance;
}

const decoder& recogniser_of(file_format format) noexcept {
  static const recogniser all[] = {
      recogniser({"ktx2", file_format::ktx2, check_ktx2}),
      recogniser({"glb", file_format::glb, check_glb}),
      recogniser({"iqm", file_format::iqm, check_iqm}),
      recogniser({"md5", file_format::md5, check_nothing}),
      recogniser({"obj", file_format::obj, check_nothing, may_be_obj}),
      recogniser({"font", file_format::font, check_font}),
      recogniser({"gettext", file_format::catalogue, check_catalogue}),
      recogniser({"module", file_format::module, check_module}),
      recogniser({"midi", file_format::midi, check_midi}),
      recogniser({"qt", file_format::qt_data, check_qt_data}),
  };
  return *std::find_if(std::begin(all), std::end(all),
                       [format](const recogniser& each) { return each.format() == format; });
}

}  // namespace overture::decoders_detail
