// ISO 9660, the file system of CDs and DVDs, with Joliet's long names.
//
//   32 KiB of anything, then descriptors of 2048 bytes: u8 kind, "CD001", u8 version, ...
//     kind 1: the volume; 2, with a Joliet escape sequence: the same with names in UCS-2; 255: end
//     at 156: the record of the root folder
//   a folder is a list of records, none of which crosses a sector of 2048 bytes:
//     u8 bytes of the record, u8 sectors of attributes, u32 sector (in both byte orders), u32 bytes
//     (both), time[7], u8 flags, u8 unit, u8 gap, u16 volume (both), u8 length of name, name
//
// Sources: ECMA-119 (second edition), Joliet Specification (Microsoft, 1995). Unsupported: Rock
// Ridge, UDF, images with sectors of 2352 bytes. A file in several extents is read if they are
// adjacent, as they are in files larger than 4 GiB.
#include <algorithm>

#include "archives/plain_table.hpp"
#include "archives/skip_reason.hpp"
#include "archives/utf16.hpp"
#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t sector_bytes = 2048;
constexpr std::uint64_t first_descriptor = 16 * sector_bytes;
constexpr std::size_t descriptors_max = 64;
constexpr std::string_view standard_mark = "CD001";

constexpr std::size_t record_bytes = 33;  // without the name
constexpr unsigned flag_folder = 0x02;
constexpr unsigned flag_associated = 0x04;
constexpr unsigned flag_continues = 0x80;

constexpr std::uint32_t no_parent = UINT32_MAX;

struct iso_record {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t modified_s = 0;
  unsigned flags = 0;
  bool interleaved = false;
  std::span<const std::byte> name;
};

// A folder to be listed.
struct iso_folder {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t parent = no_parent;
  std::uint32_t depth = 0;
  std::uint32_t path = 0;  // offset in iso_list::paths_
  std::uint32_t path_bytes = 0;
};

// The entries for the folder itself and its parent.
bool is_self_or_parent(std::span<const std::byte> name) noexcept {
  return name.size() == 1 && std::to_integer<unsigned>(name[0]) <= 1;
}

class iso_list {
 public:
  iso_list(const archive_input& input, archive& into) noexcept
      : table_(input, into),
        folders_(into.names.memory(), memory_tag::vfs),
        paths_(into.names.memory(), memory_tag::vfs) {}

  // False if this is not an ISO 9660 image.
  result<bool> run() noexcept;

 private:
  static tl::unexpected<error> no_memory() {
    return fail(errc::out_of_memory, "out of memory for the image's folders");
  }
  result<bool> find_root() noexcept;
  void take_root(const std::byte* descriptor) noexcept;
  result<void> list_folder(std::uint32_t number) noexcept;
  result<void> list_sector(std::uint32_t number, const std::byte* sector,
                           std::size_t bytes) noexcept;
  result<void> take(std::uint32_t number, const iso_record& record) noexcept;
  result<void> take_folder(std::uint32_t number, const iso_record& record,
                           std::string_view path) noexcept;
  result<void> take_file(const iso_record& record, std::string_view path) noexcept;
  // The full path of a name in a folder; empty if the name is not valid.
  std::string_view join(std::uint32_t number, const iso_record& record) noexcept;

  plain_table table_;
  bool joliet_ = false;
  vec<iso_folder> folders_;
  vec<char> paths_;
  std::uint64_t folder_bytes_ = 0;  // of all folders so far
  iso_record file_;                 // a file continued by the next record
  bool in_pieces_ = false;
  path_buffer path_;
};

iso_record read_record(const std::byte* at) noexcept {
  iso_record record;
  const std::uint64_t sector = std::uint64_t{load_u32(at + 2)} + load_u8(at + 1);
  record.offset = sector * sector_bytes;
  record.bytes = load_u32(at + 10);
  record.modified_s = seconds_of({.year = 1900 + static_cast<int>(load_u8(at + 18)),
                                  .month = load_u8(at + 19),
                                  .day = load_u8(at + 20),
                                  .hour = load_u8(at + 21),
                                  .minute = load_u8(at + 22),
                                  .second = load_u8(at + 23),
                                  .minutes_east = static_cast<std::int8_t>(load_u8(at + 24)) * 15});
  record.flags = load_u8(at + 25);
  record.interleaved = load_u8(at + 26) != 0 || load_u8(at + 27) != 0;
  record.name = {at + record_bytes, load_u8(at + 32)};
  return record;
}

// --- Descriptors ---------------------------------------------------------------------------------

void iso_list::take_root(const std::byte* descriptor) noexcept {
  const iso_record root = read_record(descriptor + 156);
  folders_.clear();
  (void)folders_.push_back({root.offset, root.bytes});  // has room
}

result<bool> iso_list::find_root() noexcept {
  if (!folders_.reserve(1)) return no_memory();
  for (std::size_t i = 0; i < descriptors_max; ++i) {
    const std::uint64_t at = first_descriptor + i * sector_bytes;
    if (!fits(at, 1, sector_bytes, table_.file_bytes())) break;
    const result<const std::byte*> descriptor = table_.read(at, sector_bytes);
    if (!descriptor) return tl::unexpected(descriptor.error());
    const std::byte* const bytes = *descriptor;
    if (text_of(bytes + 1, standard_mark.size()) != standard_mark) break;
    const std::uint32_t kind = load_u8(bytes);
    if (kind == 255) break;
    if (kind != 1 && kind != 2) continue;
    if (load_u16(bytes + 128) != sector_bytes) {
      return fail(errc::unsupported, "unsupported sector size; only 2048 bytes are supported");
    }
    if (kind == 1 && folders_.empty()) take_root(bytes);
    const std::string_view escape = text_of(bytes + 88, 3);
    if (kind == 2 && (escape == "%/@" || escape == "%/C" || escape == "%/E")) {
      take_root(bytes);
      joliet_ = true;
      break;
    }
  }
  return !folders_.empty();
}

// --- Folders -------------------------------------------------------------------------------------

result<bool> iso_list::run() noexcept {
  const result<bool> found = find_root();
  if (!found || !*found) return found;
  result<void> done;
  for (std::uint32_t i = 0; done && i < folders_.size(); ++i) done = list_folder(i);
  return table_.finish(done);
}

result<void> iso_list::list_folder(std::uint32_t number) noexcept {
  const iso_folder folder = folders_[number];
  in_pieces_ = false;
  if (!fits(folder.offset, 1, folder.bytes, table_.file_bytes())) {
    if (number == 0) return table_outside(folder.offset);
    return table_.skip({paths_.data() + folder.path, folder.path_bytes},
                       skip_reason::iso_folder_outside);
  }
  // Folders of an honest image do not overlap. Without this check a few could be listed for ever.
  if (folder.bytes > table_.file_bytes() - folder_bytes_) {
    return fail(errc::corrupt, "the image's folders overlap", {}, folder.offset);
  }
  folder_bytes_ += folder.bytes;
  if (folder_bytes_ > limits::archive_directory_bytes_max) {
    return fail(errc::limit, limit_text::archive_directory);
  }
  for (std::uint64_t at = 0; at < folder.bytes; at += sector_bytes) {
    const std::size_t size = std::min<std::uint64_t>(sector_bytes, folder.bytes - at);
    const result<const std::byte*> sector = table_.read(folder.offset + at, size);
    if (!sector) return tl::unexpected(sector.error());
    if (result<void> done = list_sector(number, *sector, size); !done) return done;
  }
  return {};
}

result<void> iso_list::list_sector(std::uint32_t number, const std::byte* sector,
                                   std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t length = load_u8(sector + at);
    if (length == 0) break;  // the rest of the sector is empty
    const bool whole = length >= record_bytes && length <= bytes - at &&
                       load_u8(sector + at + 32) <= length - record_bytes;
    if (!whole) return table_.skip({}, skip_reason::iso_broken_record);
    if (result<void> done = take(number, read_record(sector + at)); !done) return done;
    at += length;
  }
  return {};
}

result<void> iso_list::take(std::uint32_t number, const iso_record& record) noexcept {
  if (is_self_or_parent(record.name)) return {};
  if ((record.flags & flag_associated) != 0) return {};  // a resource fork of Mac OS
  const std::string_view path = join(number, record);
  if (path.empty()) return table_.skip({}, skip_reason::iso_bad_name);
  if ((record.flags & flag_folder) != 0) return take_folder(number, record, path);
  return take_file(record, path);
}

// Removes the version (";1") and a lone '.' in front of it.
std::string_view without_version(std::string_view name) noexcept {
  const std::size_t semicolon = name.rfind(';');
  if (semicolon != std::string_view::npos && semicolon > 0) name = name.substr(0, semicolon);
  if (name.size() > 1 && name.ends_with('.')) name.remove_suffix(1);
  return name;
}

std::string_view iso_list::join(std::uint32_t number, const iso_record& record) noexcept {
  const iso_folder& folder = folders_[number];
  path_buffer room;
  std::size_t length = 0;
  if (joliet_) {
    if (!utf8_of_utf16(record.name, byte_order::big, room, length)) return {};
  } else {
    length = record.name.size();
    std::transform(record.name.begin(), record.name.end(), room.begin(),
                   [](std::byte byte) { return static_cast<char>(byte); });
  }
  std::string_view name(room.data(), length);
  if ((record.flags & flag_folder) == 0) name = without_version(name);
  // A name must be a single element of a path.
  if (name.empty() || name.find('/') != std::string_view::npos) return {};
  if (folder.path_bytes + 1 + name.size() > path_.size()) return {};
  std::copy_n(paths_.data() + folder.path, folder.path_bytes, path_.data());
  std::size_t size = folder.path_bytes;
  if (size > 0) path_[size++] = '/';
  std::copy(name.begin(), name.end(), path_.data() + size);
  return {path_.data(), size + name.size()};
}

result<void> iso_list::take_folder(std::uint32_t number, const iso_record& record,
                                   std::string_view path) noexcept {
  for (std::uint32_t above = number; above != no_parent; above = folders_[above].parent) {
    if (folders_[above].offset == record.offset) {
      return table_.skip(path, skip_reason::iso_folder_in_itself);
    }
  }
  iso_folder folder{record.offset, record.bytes, number, folders_[number].depth + 1};
  if (folder.depth > limits::folder_depth_max) {
    return table_.skip(path, skip_reason::too_deep);
  }
  if (folders_.size() >= limits::folders_max) {
    return fail(errc::limit, limit_text::folders);
  }
  if (paths_.size() + path.size() > UINT32_MAX)
    return fail(errc::limit, "more than 4 GiB of names");
  folder.path = static_cast<std::uint32_t>(paths_.size());
  folder.path_bytes = static_cast<std::uint32_t>(path.size());
  if (!paths_.append(path.data(), path.size()) || !folders_.push_back(folder)) return no_memory();
  return {};
}

// Extents of one file have consecutive records.
result<void> iso_list::take_file(const iso_record& record, std::string_view path) noexcept {
  if (in_pieces_) {
    file_.interleaved |= record.interleaved || record.offset != file_.offset + file_.bytes;
    file_.bytes += record.bytes;
  } else {
    file_ = record;
  }
  in_pieces_ = (record.flags & flag_continues) != 0;
  if (in_pieces_) return {};
  if (file_.interleaved) return table_.skip(path, skip_reason::iso_interleaved);
  return table_.add(path, file_.offset, file_.bytes, {.modified_s = file_.modified_s});
}

result<bool> list(const archive_input& input, archive& into) noexcept {
  return iso_list(input, into).run();
}

}  // namespace

const archive_format iso_format{mount_format::iso, "iso", false, true, "iso", list,
                                open_plain,        true};

}  // namespace overture::archives_detail
