// SPDX-License-Identifier: Zlib
//
// WAD, the archive of Doom and its relatives: lumps, which have short names and no folders.
//
//   "IWAD" or "PWAD", u32 lumps, u32 table's offset
//   record: u32 offset, u32 bytes, name[8]
//
// A map is a lump that names it, then lumps with the same names in each map: THINGS and so on, or
// in UDMF anything from TEXTMAP to ENDMAP. They are in the tree as maps/MAP01/THINGS. Under its
// plain name each is there too, unless a later lump has that name.
//
// A backslash, as in the sprite VILE\1, cannot be in a path and becomes a '^', as ZDoom has it for
// lumps in a ZIP.
//
// Sources: The Unofficial Doom Specs (Matthew Fell, 1.666), Universal Doom Map Format 1.1.
#include <algorithm>

#include "archives/tables/plain_table.hpp"
#include "base/ascii.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t wad_name_bytes = 8;
constexpr std::size_t wad_record_bytes = 8 + wad_name_bytes;
constexpr std::string_view maps_folder = "maps/";

// What follows the name of a map, in this order or another: Doom, Hexen, Doom 64, nodes for OpenGL.
constexpr std::string_view map_lumps[] = {
    "THINGS",  "LINEDEFS", "SIDEDEFS", "VERTEXES", "SEGS",     "SSECTORS", "NODES",
    "SECTORS", "REJECT",   "BLOCKMAP", "BEHAVIOR", "SCRIPTS",  "LEAFS",    "LIGHTS",
    "MACROS",  "GL_VERT",  "GL_SEGS",  "GL_SSECT", "GL_NODES", "GL_PVS"};
constexpr std::string_view first_map_lumps[] = {"THINGS", "TEXTMAP", "GL_VERT"};
constexpr std::string_view text_map_begin = "TEXTMAP";
constexpr std::string_view text_map_end = "ENDMAP";

bool is_one_of(std::span<const std::string_view> names, std::string_view name) noexcept {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return equals_ignoring_case(each, name); });
}

// A lump's name, which is valid as long as this.
struct lump_name {
  char text[wad_name_bytes] = {};
  std::size_t bytes = 0;

  [[nodiscard]] std::string_view view() const noexcept { return {text, bytes}; }
};

// Tells which lumps belong to a map. Pass it all of them in order.
class map_tracker {
 public:
  // The map's name, or nothing.
  std::string_view map_of(const lump_name& lump) noexcept {
    const std::string_view name = lump.view();
    if (where_ == place::in_map && !is_one_of(map_lumps, name)) where_ = place::outside;
    if (where_ == place::outside && before_.bytes != 0 && is_one_of(first_map_lumps, name)) {
      map_ = before_;
      where_ = equals_ignoring_case(name, text_map_begin) ? place::in_text_map : place::in_map;
    }
    const bool belongs = where_ != place::outside;
    if (where_ == place::in_text_map && equals_ignoring_case(name, text_map_end)) {
      where_ = place::outside;
    }
    before_ = lump;
    return belongs ? map_.view() : std::string_view();
  }

 private:
  enum class place : std::uint8_t { outside, in_map, in_text_map };
  place where_ = place::outside;
  lump_name before_;
  lump_name map_;
};

class wad_list {
 public:
  wad_list(const archive_input& input, archive& into) noexcept
      : table_(input, into), named_twice_(into.names.memory(), memory_tag::vfs) {}

  result<bool> run() noexcept {
    const result<const std::byte*> header = table_.read(4, 8);
    if (!header) return tl::unexpected(header.error());
    const record_table records{load_u32(*header + 4), load_u32(*header), wad_record_bytes};
    const result<void> done =
        table_.each(records, [this](const std::byte* record) { return take(record); });
    return table_.finish(done, named_twice_.span());
  }

 private:
  result<void> take(const std::byte* record) noexcept {
    const std::uint32_t offset = load_u32(record);
    const std::uint32_t bytes = load_u32(record + 4);
    const std::string_view given = text_of(record + 8, wad_name_bytes);
    lump_name lump;
    std::replace_copy(given.begin(), given.end(), lump.text, '\\', '^');
    lump.bytes = given.size();
    const std::string_view map = maps_.map_of(lump);
    const std::uint32_t before = table_.entry_count();
    if (!map.empty()) {
      char path[maps_folder.size() + 2 * wad_name_bytes + 1];
      char* end = std::copy(maps_folder.begin(), maps_folder.end(), path);
      end = std::copy(map.begin(), map.end(), end);
      *end++ = '/';
      end = std::copy_n(lump.text, lump.bytes, end);
      if (result<void> added = table_.add({path, end}, offset, bytes); !added) return added;
    }
    const std::uint32_t plain = table_.entry_count();
    if (plain != before && !named_twice_.push_back(plain)) {
      return fail(errc::out_of_memory, "out of memory for the list of the maps' files");
    }
    return table_.add(lump.view(), offset, bytes);
  }

  plain_table table_;
  map_tracker maps_;
  vec<std::uint32_t> named_twice_;  // entries with a plain name that are in a map, too
};

result<bool> list_wad(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with("IWAD") && !input.begins_with("PWAD")) return false;
  return wad_list(input, into).run();
}

}  // namespace

const archive_format wad_format{
    .id = mount_format::wad,
    .name = "wad",
    .files = "Doom",
    .extensions = "wad",
    .list = list_wad,
    .open = open_plain,
    .names_twice = true,
};

}  // namespace overture::archives_detail
