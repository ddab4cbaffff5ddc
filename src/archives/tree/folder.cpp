// SPDX-License-Identifier: Zlib
//
// A folder of the operating system. Names are listed when it is mounted, level by level; a file is
// not touched until it is opened. Links that stay inside the folder are followed: their entries
// name the target, so opening follows no link. A folder below the mount that the system cannot
// list, or not to its end, does not stop the mount: what was listed stays, and archive::lost names
// the folder.
#include <cerrno>
#include <cstring>

#include "archives/archive_builder.hpp"
#include "archives/names/skip_reason.hpp"
#include "base/limit_text.hpp"
#include "overture/base/replace_file.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::uint32_t no_parent = UINT32_MAX;

// A NUL-terminated path built on the stack.
class joined_path {
 public:
  // "front/back", or the one that is not empty. Check fits() first.
  joined_path(std::string_view front, std::string_view back) noexcept {
    const bool separated = !front.empty() && !back.empty();
    fits_ = front.size() + back.size() + 2 <= sizeof text_;
    if (!fits_) return;
    append(front);
    if (separated) append("/");
    append(back);
    text_[bytes_] = '\0';
  }
  [[nodiscard]] bool fits() const noexcept { return fits_; }
  [[nodiscard]] std::string_view view() const noexcept { return {text_, bytes_}; }
  [[nodiscard]] const char* c_str() const noexcept { return text_; }

 private:
  void append(std::string_view part) noexcept {
    if (!part.empty()) std::memcpy(text_ + bytes_, part.data(), part.size());
    bytes_ += part.size();
  }

  bool fits_ = false;
  std::size_t bytes_ = 0;
  char text_[2 * limits::path_bytes_max];
};

struct text {
  std::uint32_t at = 0;
  std::uint32_t bytes = 0;
};

struct found_folder {
  text name;     // below the mount; in folder_walk::paths_
  text on_disk;  // below the root folder; differs from `name` below a link
  std::uint32_t parent = no_parent;
  std::uint32_t depth = 0;
  bool below_link = false;
};

struct listed_name {
  text name;  // in folder_walk::listed_names_
  file_kind kind = file_kind::other;
};

// Appends a text. False if out of memory or if it exceeds 32-bit offsets.
bool keep(vec<char>& texts, std::string_view added, text& where) noexcept {
  if (texts.size() + added.size() > UINT32_MAX) return false;
  where = {static_cast<std::uint32_t>(texts.size()), static_cast<std::uint32_t>(added.size())};
  return texts.append(added.data(), added.size());
}

std::string_view view(const vec<char>& texts, text of) noexcept {
  return of.bytes == 0 ? std::string_view{} : std::string_view{texts.data() + of.at, of.bytes};
}

tl::unexpected<error> no_memory_for_listing() {
  return fail(errc::out_of_memory, "out of memory for listing the folder");
}

class folder_walk {
 public:
  folder_walk(const archive_input& input, archive& into) noexcept
      : os_(input.os),
        root_(input.path),
        into_(into),
        builder_(into, input.prefix),
        paths_(into.names.memory(), memory_tag::vfs),
        folders_(into.names.memory(), memory_tag::vfs),
        listed_names_(into.names.memory(), memory_tag::vfs),
        listed_(into.names.memory(), memory_tag::vfs),
        canonical_root_(into.names.memory(), memory_tag::vfs) {}

  result<void> run() noexcept {
    if (!folders_.push_back({})) return no_memory_for_listing();
    for (std::uint32_t i = 0; i < folders_.size(); ++i) {
      if (result<void> done = visit(i); !done) return done;
    }
    builder_.finish();
    return {};
  }

 private:
  // A name in the folder being visited.
  struct found_name {
    std::uint32_t folder;
    std::string_view path;     // below the mount
    std::string_view on_disk;  // below the root folder
  };

  result<void> visit(std::uint32_t folder) noexcept;
  result<void> list(const char* path, bool& complete) noexcept;
  result<void> add(std::uint32_t folder, const listed_name& listed) noexcept;
  result<void> add_file(const found_name& found) noexcept;
  result<void> add_folder(const found_name& found, bool below_link) noexcept;
  result<void> add_link(const found_name& found) noexcept;
  result<void> find_canonical_root() noexcept;
  [[nodiscard]] bool on_chain(std::uint32_t folder, std::string_view on_disk) const noexcept;

  operating_system& os_;
  std::string_view root_;
  archive& into_;
  archive_builder builder_;
  vec<char> paths_;
  vec<found_folder> folders_;  // including visited ones, which are parents of others
  vec<char> listed_names_;     // of the folder being visited
  vec<listed_name> listed_;
  vec<char> canonical_root_;  // ends with '/'; set at the first link
  std::size_t linked_folders_ = 0;
};

result<void> folder_walk::visit(std::uint32_t folder) noexcept {
  const joined_path path(root_, view(paths_, folders_[folder].on_disk));
  const std::string_view name = view(paths_, folders_[folder].name);
  if (!path.fits()) return builder_.skip(name, skip_reason::path_too_long);
  listed_names_.clear();
  listed_.clear();
  result<void> memory;
  const result<void> listed = os_.list(path.c_str(), [&](const folder_entry& entry) noexcept {
    if (!memory || is_temporary_name(entry.name)) return;
    listed_name added{{}, entry.kind};
    if (listed_.size() >= limits::entries_max) {
      memory = fail(errc::limit, limit_text::files);
    } else if (!keep(listed_names_, entry.name, added.name) || !listed_.push_back(added)) {
      memory = no_memory_for_listing();
    }
  });
  if (!memory) return memory;
  if (!listed) {
    if (folder == 0) return listed;
    if (result<void> kept = builder_.lose(name, listed.error()); !kept) return kept;
  }
  for (const listed_name& found : listed_) {
    if (result<void> added = add(folder, found); !added) return added;
  }
  return {};
}

result<void> folder_walk::add(std::uint32_t folder, const listed_name& listed) noexcept {
  const std::string_view element = view(listed_names_, listed.name);
  const joined_path path(view(paths_, folders_[folder].name), element);
  const joined_path on_disk(view(paths_, folders_[folder].on_disk), element);
  if (!path.fits() || !on_disk.fits()) return builder_.skip(element, skip_reason::path_too_long);
  // Check before entering a folder, or each name in it would be listed as skipped.
  if (const char* flaw = path_flaw(path.view())) return builder_.skip(path.view(), flaw);
  const found_name found{folder, path.view(), on_disk.view()};
  switch (listed.kind) {
    case file_kind::file:
      return add_file(found);
    case file_kind::folder:
      return add_folder(found, folders_[folder].below_link);
    case file_kind::link:
      return add_link(found);
    case file_kind::other:
      break;
  }
  return builder_.skip(found.path, skip_reason::not_a_file);
}

result<void> folder_walk::add_file(const found_name& found) noexcept {
  const result<bool> added = builder_.add(found.path, {});
  if (!added) return tl::unexpected(added.error());
  if (!*added) return {};
  archive_entry& entry = into_.entries.back();
  entry.offset = entry.name + into_.prefix_bytes;
  if (found.on_disk == found.path) return {};
  const result<std::uint32_t> kept = builder_.keep(found.on_disk);
  if (!kept) return tl::unexpected(kept.error());
  entry.offset = *kept;
  return {};
}

result<void> folder_walk::add_folder(const found_name& found, bool below_link) noexcept {
  if (below_link && on_chain(found.folder, found.on_disk)) {
    return builder_.skip(found.path, skip_reason::link_loop);
  }
  found_folder added;
  added.parent = found.folder;
  added.depth = folders_[found.folder].depth + 1;
  added.below_link = below_link;
  if (added.depth > limits::folder_depth_max) {
    return builder_.skip(found.path, skip_reason::too_deep);
  }
  if (folders_.size() >= limits::folders_max) {
    return fail(errc::limit, limit_text::folders);
  }
  if (!keep(paths_, found.path, added.name) || !keep(paths_, found.on_disk, added.on_disk) ||
      !folders_.push_back(added)) {
    return no_memory_for_listing();
  }
  return {};
}

result<void> folder_walk::add_link(const found_name& found) noexcept {
  if (canonical_root_.empty()) {
    if (result<void> known = find_canonical_root(); !known) return known;
  }
  const std::string_view root(canonical_root_.data(), canonical_root_.size());
  const joined_path link(root_, found.on_disk);
  if (!link.fits()) return builder_.skip(found.path, skip_reason::path_too_long);
  char room[2 * limits::path_bytes_max];
  const result<std::size_t> length = os_.canonical_path(link.c_str(), room);
  if (!length) {
    const error& why = length.error();
    if (why.code == errc::not_found) return builder_.skip(found.path, skip_reason::link_dangling);
    if (why.os_error == ELOOP) return builder_.skip(found.path, skip_reason::link_loop);
    if (why.code == errc::limit && (why.os_error == 0 || why.os_error == ENAMETOOLONG)) {
      return builder_.skip(found.path, skip_reason::path_too_long);
    }
    return builder_.lose(found.path, why);
  }
  const std::string_view target(room, *length);
  const bool is_root = target == root.substr(0, root.size() - 1);
  if (!is_root && !target.starts_with(root)) {
    return builder_.skip(found.path, skip_reason::link_leaves_mount);
  }
  const result<file_status> status = os_.status(room, true);
  if (!status) return builder_.lose(found.path, status.error());
  const found_name linked{found.folder, found.path,
                          is_root ? std::string_view{} : target.substr(root.size())};
  if (status->kind == file_kind::file) return add_file(linked);
  if (status->kind != file_kind::folder) return builder_.skip(found.path, skip_reason::not_a_file);
  if (linked_folders_ >= limits::folder_links_max) {
    return builder_.skip(found.path, skip_reason::too_many_folder_links);
  }
  ++linked_folders_;
  return add_folder(linked, true);
}

result<void> folder_walk::find_canonical_root() noexcept {
  const joined_path root(root_, {});
  static_assert(2 * limits::path_bytes_max - 2 == 8190);  // what fits a joined_path
  if (!root.fits()) return fail(errc::limit, "the folder's path is longer than 8,190 bytes");
  char room[2 * limits::path_bytes_max];
  const result<std::size_t> length = os_.canonical_path(root.c_str(), room);
  if (!length) return tl::unexpected(length.error());
  const bool ended = *length > 0 && room[*length - 1] == '/';
  if (!canonical_root_.append(room, *length) || (!ended && !canonical_root_.push_back('/'))) {
    return no_memory_for_listing();
  }
  return {};
}

// Whether this folder of the disk is `folder` or one of its parents.
bool folder_walk::on_chain(std::uint32_t folder, std::string_view on_disk) const noexcept {
  for (; folder != no_parent; folder = folders_[folder].parent) {
    if (view(paths_, folders_[folder].on_disk) == on_disk) return true;
  }
  return false;
}

result<bool> list_folder(const archive_input& input, archive& into) noexcept {
  return folder_walk(input, into).run().map([] { return true; });
}

result<opened_entry> open_folder(const archive& from, const archive_entry& entry,
                                 operating_system& os) noexcept {
  return open_loose_file(os, from.handle.get(), from.names.data() + entry.offset);
}

}  // namespace

result<opened_entry> open_loose_file(operating_system& os, os_handle folder,
                                     const char* name) noexcept {
  const result<os_handle> handle = os.open_below(folder, name);
  if (!handle) return tl::unexpected(handle.error());
  opened_entry opened{{}, owned_handle(os, *handle)};
  const result<file_status> status = os.status(*handle);
  if (!status) return tl::unexpected(status.error());
  if (status->kind == file_kind::folder) return fail(errc::not_a_file, "a folder, not a file");
  if (status->kind != file_kind::file) return fail(errc::not_a_file, skip_reason::not_a_file);
  opened.place.read_bytes = status->size;
  opened.place.packed_bytes = status->size;
  opened.place.bytes = status->size;
  return opened;
}

const archive_format folder_format{
    .id = mount_format::folder,
    .name = "folder",
    .files = "folders",
    .lists_folders = true,
    .list = list_folder,
    .open = open_folder,
    .keeps_backslashes = true,
};

}  // namespace overture::archives_detail
