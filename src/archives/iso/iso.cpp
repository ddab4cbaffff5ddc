// SPDX-License-Identifier: Zlib
//
// ISO 9660, the file system of CDs and DVDs, with the long names of Joliet or Rock Ridge.
//
//   32 KiB of anything, then descriptors of 2048 bytes: u8 kind, "CD001", u8 version, ...
//     kind 1: the volume; 2, with a Joliet escape sequence: the same with names in UCS-2; 255: end
//     at 156: the record of the root folder
//   a folder is a list of records, none of which crosses a sector of 2048 bytes:
//     u8 bytes of the record, u8 sectors of attributes, u32 sector (in both byte orders), u32 bytes
//     (both), time[7], u8 flags, u8 unit, u8 gap, u16 volume (both), u8 length of name, name, a
//     byte if that makes it even, system use area (see rock_ridge.hpp)
//
// Where an image has both, Rock Ridge goes first, as on Linux: its names are exact, it has links,
// and only it says which files are packed.
//
// Sources: ECMA-119 (second edition), Joliet Specification (Microsoft, 1995). Unsupported: UDF,
// images with sectors of 2352 bytes, interleaved files. A file larger than 4 GiB has several
// extents.
#include <algorithm>
#include <utility>

#include "archives/iso/rock_ridge.hpp"
#include "archives/iso/zisofs.hpp"
#include "archives/names/skip_reason.hpp"
#include "archives/names/utf16.hpp"
#include "archives/tables/plain_table.hpp"
#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t sector_bytes = rock_ridge::sector_bytes;
constexpr std::uint64_t first_descriptor = 16 * sector_bytes;
constexpr std::size_t descriptors_max = 64;
constexpr std::string_view standard_mark = "CD001";

constexpr std::size_t record_bytes = 33;  // without the name
constexpr unsigned flag_folder = 0x02;
constexpr unsigned flag_associated = 0x04;
constexpr unsigned flag_continues = 0x80;

constexpr std::uint32_t iso_no_parent = UINT32_MAX;

// In an entry's offset: it is one in the store, not in the image.
constexpr std::uint64_t in_store = std::uint64_t{1} << 63;

struct iso_record {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t modified_s = 0;
  unsigned flags = 0;
  bool interleaved = false;
  std::span<const std::byte> name;
  std::span<const std::byte> system_use;
};

struct extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// A folder to be listed.
struct iso_folder {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t parent = iso_no_parent;
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
      : input_(input),
        into_(into),
        table_(input, into),
        rock_ridge_(into.names.memory()),
        links_(into.names.memory(), memory_tag::vfs),
        targets_(into.names.memory(), memory_tag::vfs),
        folders_(into.names.memory(), memory_tag::vfs),
        paths_(into.names.memory(), memory_tag::vfs),
        extents_(into.names.memory(), memory_tag::vfs) {}

  // False if this is not an ISO 9660 image.
  result<bool> run() noexcept;

 private:
  static tl::unexpected<error> no_memory() {
    return fail(errc::out_of_memory, "out of memory for the image's folders");
  }
  result<bool> find_root() noexcept;
  result<bool> has_rock_ridge(const iso_folder& root) noexcept;
  result<void> list_folder(std::uint32_t number) noexcept;
  result<void> list_sector(std::uint32_t number, const std::byte* sector,
                           std::size_t bytes) noexcept;
  result<void> take(std::uint32_t number, const iso_record& record) noexcept;
  result<void> take_folder(std::uint32_t number, const iso_record& record,
                           std::string_view path) noexcept;
  result<void> take_moved_folder(std::uint32_t number, std::string_view path) noexcept;
  result<void> take_file(const iso_record& record, std::string_view path) noexcept;
  result<void> take_link(std::string_view path) noexcept;
  [[nodiscard]] entry_origin origin() const noexcept {
    return {.modified_s = file_.modified_s, .executable = rock_ridge_.is_executable()};
  }
  result<void> take_packed_file(std::string_view path) noexcept;
  result<void> take_file_in_extents(std::string_view path) noexcept;
  // Null if out of memory.
  iso_store* store() noexcept;
  // The full path of a name in a folder; empty if the name is not valid.
  result<void> lose_pieces() noexcept;
  std::string_view join(std::uint32_t number, const iso_record& record) noexcept;

  const archive_input& input_;
  archive& into_;
  plain_table table_;
  bool joliet_ = false;
  bool has_rock_ridge_ = false;
  rock_ridge rock_ridge_;     // of the current record
  vec<std::uint32_t> links_;  // entries, whose offset and bytes are those of their target here:
  vec<char> targets_;
  iso_store* store_ = nullptr;
  vec<iso_folder> folders_;
  vec<char> paths_;
  std::uint64_t folder_bytes_ = 0;  // of all folders so far
  iso_record file_;                 // a file continued by the next record
  bool in_pieces_ = false;
  vec<extent> extents_;    // of that file, adjacent ones joined
  path_buffer file_path_;  // of that file
  std::size_t file_path_bytes_ = 0;
  path_buffer path_;
  bool is_too_long_ = false;  // the path that join() did not make
};

iso_record read_record(const std::byte* at, std::size_t length) noexcept {
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
  const std::size_t end = record_bytes + (record.name.size() | 1);
  if (end < length) record.system_use = {at + end, length - end};
  return record;
}

// Whether a record of this length, which is not 0, is whole.
bool is_record(const std::byte* at, std::size_t length, std::size_t bytes) noexcept {
  return length >= record_bytes && length % 2 == 0 && length <= bytes &&
         load_u8(at + 32) <= length - record_bytes;
}

// --- Descriptors ---------------------------------------------------------------------------------

result<bool> iso_list::find_root() noexcept {
  iso_folder plain;
  iso_folder joliet;
  bool found = false;
  for (std::size_t i = 0; i < descriptors_max && !joliet_; ++i) {
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
    const iso_record root = read_record(bytes + 156, record_bytes);
    if (kind == 1 && !found) {
      found = true;
      plain = {root.offset, root.bytes};
    }
    const std::string_view escape = text_of(bytes + 88, 3);
    if (kind == 2 && (escape == "%/@" || escape == "%/C" || escape == "%/E")) {
      joliet = {root.offset, root.bytes};
      joliet_ = true;
    }
  }
  if (found) {
    const result<bool> posix = has_rock_ridge(plain);
    if (!posix) return posix;
    has_rock_ridge_ = *posix;
    joliet_ = joliet_ && !has_rock_ridge_;
  }
  if (!folders_.push_back(joliet_ ? joliet : plain)) return no_memory();
  return found || joliet_;
}

result<bool> iso_list::has_rock_ridge(const iso_folder& root) noexcept {
  const std::size_t bytes = std::min<std::uint64_t>(sector_bytes, root.bytes);
  if (bytes < record_bytes || !fits(root.offset, 1, bytes, table_.file_bytes())) return false;
  const result<const std::byte*> self = table_.read(root.offset, bytes);
  if (!self) return tl::unexpected(self.error());
  const std::size_t length = load_u8(*self);
  if (!is_record(*self, length, bytes)) return false;
  return rock_ridge_.begin(table_, read_record(*self, length).system_use);
}

// --- Folders -------------------------------------------------------------------------------------

result<bool> iso_list::run() noexcept {
  const result<bool> found = find_root();
  if (!found || !*found) return found;
  result<void> done;
  for (std::uint32_t i = 0; done && i < folders_.size(); ++i) done = list_folder(i);
  const auto target = [this](const archive_entry& link, std::span<char> to) -> result<link_text> {
    std::copy_n(targets_.data() + link.offset, link.bytes, to.data());
    return link_text{link.bytes};
  };
  return table_.finish_links(done, links_.span(), target);
}

result<void> iso_list::list_folder(std::uint32_t number) noexcept {
  const iso_folder folder = folders_[number];
  if (!fits(folder.offset, 1, folder.bytes, table_.file_bytes())) {
    if (number == 0) return table_outside(folder.offset);
    return table_.lose({paths_.data() + folder.path, folder.path_bytes},
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
  return lose_pieces();
}

// A file whose last extent has no record.
result<void> iso_list::lose_pieces() noexcept {
  if (!std::exchange(in_pieces_, false)) return {};
  return table_.lose({file_path_.data(), file_path_bytes_}, skip_reason::iso_lacks_extent);
}

result<void> iso_list::list_sector(std::uint32_t number, const std::byte* sector,
                                   std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t length = load_u8(sector + at);
    if (length == 0) {  // zeros fill the rest of the sector
      const auto is_zero = [](std::byte each) { return each == std::byte{}; };
      if (std::all_of(sector + at, sector + bytes, is_zero)) break;
      return table_.lose({}, skip_reason::iso_broken_record);
    }
    if (!is_record(sector + at, length, bytes - at)) {
      return table_.lose({}, skip_reason::iso_broken_record);
    }
    if (result<void> done = take(number, read_record(sector + at, length)); !done) return done;
    at += length;
  }
  return {};
}

result<void> iso_list::take(std::uint32_t number, const iso_record& record) noexcept {
  if (is_self_or_parent(record.name)) return {};
  if ((record.flags & flag_associated) != 0) return {};  // a resource fork of Mac OS
  if (has_rock_ridge_) {
    const result<bool> read = rock_ridge_.read(table_, record.system_use);
    if (!read) return tl::unexpected(read.error());
    if (!*read) return table_.lose({}, skip_reason::iso_broken_record);
    if (rock_ridge_.is_relocated()) return {};
  }
  const std::string_view path = join(number, record);
  if (path.empty()) {
    return table_.skip(rock_ridge_.name(),
                       is_too_long_ ? skip_reason::path_too_long : skip_reason::iso_bad_name);
  }
  if ((record.flags & flag_folder) != 0) return take_folder(number, record, path);
  if (rock_ridge_.child() != 0) return take_moved_folder(number, path);
  if (rock_ridge_.kind() == posix_kind::link) return take_link(path);
  if (rock_ridge_.kind() == posix_kind::other) return table_.skip(path, skip_reason::not_a_file);
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
  is_too_long_ = false;
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
  if (!rock_ridge_.name().empty()) name = rock_ridge_.name();
  // A name must be a single element of a path.
  if (name.empty() || name.find('/') != std::string_view::npos) return {};
  is_too_long_ = folder.path_bytes + 1 + name.size() > path_.size();
  if (is_too_long_) return {};
  std::copy_n(paths_.data() + folder.path, folder.path_bytes, path_.data());
  std::size_t size = folder.path_bytes;
  if (size > 0) path_[size++] = '/';
  std::copy(name.begin(), name.end(), path_.data() + size);
  return {path_.data(), size + name.size()};
}

result<void> iso_list::take_folder(std::uint32_t number, const iso_record& record,
                                   std::string_view path) noexcept {
  for (std::uint32_t above = number; above != iso_no_parent; above = folders_[above].parent) {
    if (folders_[above].offset == record.offset) {
      return table_.lose(path, skip_reason::iso_folder_in_itself);
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

// A folder that is too deep for ISO 9660 is stored elsewhere. The record there states its size.
result<void> iso_list::take_moved_folder(std::uint32_t number, std::string_view path) noexcept {
  iso_record moved;
  moved.offset = std::uint64_t{rock_ridge_.child()} * sector_bytes;
  if (!fits(moved.offset, 1, record_bytes, table_.file_bytes())) {
    return table_.lose(path, skip_reason::iso_folder_outside);
  }
  vec<char> self(paths_.memory(), memory_tag::vfs);
  if (result<void> read = table_.read_into(self, moved.offset, record_bytes); !read) return read;
  moved.bytes = load_u32(reinterpret_cast<const std::byte*>(self.data()) + 10);
  return take_folder(number, moved, path);
}

result<void> iso_list::take_link(std::string_view path) noexcept {
  const std::string_view target = rock_ridge_.target();
  if (target.size() > limits::link_target_bytes_max) {
    return table_.skip(path, skip_reason::link_target_too_long);
  }
  archive_entry entry;
  entry.offset = targets_.size();
  entry.bytes = target.size();
  const std::uint32_t number = table_.entry_count();
  if (result<void> added = table_.add_entry(path, entry); !added) return added;
  if (table_.entry_count() == number) return {};  // skipped
  if (!links_.push_back(number) || !targets_.append(target.data(), target.size())) {
    return no_memory();
  }
  return {};
}

// Extents of one file have consecutive records.
result<void> iso_list::take_file(const iso_record& record, std::string_view path) noexcept {
  if (in_pieces_ && path != std::string_view(file_path_.data(), file_path_bytes_)) {
    if (result<void> lost = lose_pieces(); !lost) return lost;
  }
  if (in_pieces_) {
    file_.interleaved |= record.interleaved;
    file_.bytes += record.bytes;
  } else {
    file_ = record;
    file_path_bytes_ = path.copy(file_path_.data(), file_path_.size());
    extents_.clear();
  }
  if (!extents_.empty() && extents_.back().offset + extents_.back().bytes == record.offset) {
    extents_.back().bytes += record.bytes;
  } else if (record.bytes > 0 && !extents_.push_back({record.offset, record.bytes})) {
    return no_memory();
  }
  in_pieces_ = (record.flags & flag_continues) != 0;
  if (in_pieces_) return {};
  const bool packed = rock_ridge_.packing().present;
  if (file_.interleaved || (packed && extents_.size() > 1)) {
    archive_entry entry;
    entry.bytes = file_.bytes;
    entry.flaw = entry_flaw::interleaved;
    return table_.add_entry(path, entry);
  }
  if (packed) return take_packed_file(path);
  if (extents_.size() > 1) return take_file_in_extents(path);
  return table_.add(path, extents_.empty() ? file_.offset : extents_[0].offset, file_.bytes,
                    origin());
}

iso_store* iso_list::store() noexcept {
  if (!store_) store_ = into_.store.make<iso_store>(paths_.memory(), input_.os, into_.handle);
  return store_;
}

result<void> iso_list::take_file_in_extents(std::string_view path) noexcept {
  archive_entry entry;
  entry.origin = origin();
  entry.packed_bytes = file_.bytes;
  entry.bytes = file_.bytes;
  for (const extent& each : extents_.span()) {
    if (!fits(each.offset, 1, each.bytes, table_.file_bytes())) entry.flaw = entry_flaw::outside;
  }
  if (entry.flaw != entry_flaw::none) {
    entry.offset = file_.offset;
    return table_.add_entry(path, entry);
  }
  if (!store()) return no_memory();
  bool first = true;
  for (const extent& each : extents_.span()) {
    const result<std::uint64_t> offset = store_->add_extent(each.offset, each.bytes);
    if (!offset) return tl::unexpected(offset.error());
    if (std::exchange(first, false)) entry.offset = in_store | *offset;
  }
  return table_.add_entry(path, entry);
}

result<void> iso_list::take_packed_file(std::string_view path) noexcept {
  const zisofs_field& field = rock_ridge_.packing();
  archive_entry entry;
  entry.method = compression::zlib;
  entry.origin = origin();
  entry.offset = file_.offset;
  entry.packed_bytes = field.bytes;
  entry.bytes = field.bytes;
  if (!field.supported) {
    entry.flaw = entry_flaw::zisofs;
  } else if (!fits(file_.offset, 1, file_.bytes, table_.file_bytes())) {
    entry.flaw = entry_flaw::outside;
  } else if (field.bytes > 0 && field.header_bytes + field.table_bytes() > file_.bytes) {
    entry.flaw = entry_flaw::ratio;
  } else if (field.bytes > 0) {
    if (!store()) return no_memory();
    const result<std::uint64_t> offset = store_->add(file_.offset, file_.bytes, field);
    if (!offset) return tl::unexpected(offset.error());
    entry.offset = in_store | *offset;
  }
  return table_.add_entry(path, entry);
}

result<opened_entry> open_iso(const archive& from, const archive_entry& entry,
                              operating_system& os) noexcept {
  result<opened_entry> opened = open_plain(from, entry, os);
  if (opened && (entry.offset & in_store) != 0) {
    opened->place.offset = entry.offset & ~in_store;
    opened->handle = from.store.get()->open_all();
  }
  return opened;
}

result<bool> list_iso(const archive_input& input, archive& into) noexcept {
  return iso_list(input, into).run();
}

}  // namespace

const archive_format iso_format{
    .id = mount_format::iso,
    .name = "iso",
    .files = "ISO 9660 with Joliet or Rock Ridge, zisofs",
    .reads_no_front = true,
    .extensions = "iso",
    .list = list_iso,
    .open = open_iso,
    .keeps_backslashes = true,
};

}  // namespace overture::archives_detail
