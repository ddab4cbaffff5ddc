// SPDX-License-Identifier: Zlib
//
// Opens a folder or archive to be mounted and fills its tables.
#include <algorithm>
#include <cstring>

#include "archives/archive_builder.hpp"
#include "archives/names/skip_reason.hpp"
#include "overture/base/case_fold.hpp"
#include "overture/base/path.hpp"
#include "vfs/mounts/fold_names.hpp"
#include "vfs/mounts/removal_markers.hpp"
#include "vfs/tree/mount_table.hpp"
#include "vfs/tree/path_key.hpp"

namespace overture::vfs_detail {
namespace {

tl::unexpected<error> no_memory_for_mount() {
  return fail(errc::out_of_memory, "out of memory for the mount");
}

// Tries all formats until one recognises the file and fills the archive. Formats that match the
// file's extension are tried first. The archive's handle is open.
result<void> list_content(archives_detail::archive_input& input,
                          archives_detail::archive& content) noexcept {
  const bool is_folder = input.status.kind == file_kind::folder;
  std::byte front[archives_detail::archive_input::front_bytes];
  for (const bool hinted : {true, false}) {
    for (const archives_detail::archive_format* const format : archives_detail::formats()) {
      if (format->lists_folders != is_folder) continue;
      if (input.has_extension_of(format->extensions) != hinted) continue;
      if (!is_folder && !format->reads_no_front && input.front.empty()) {
        input.front = {front, std::min<std::uint64_t>(input.status.size, sizeof front)};
        const os_handle file = content.handle.get();
        result<void> read = read_fully(input.os, file, 0, {front, input.front.size()});
        if (!read) return read;
      }
      input.names.backslash_separates = !format->keeps_backslashes;
      const result<bool> listed = format->list(input, content);
      if (!listed) return tl::unexpected(listed.error());
      if (*listed) {
        content.format = format;
        return {};
      }
    }
  }
  return fail(errc::unsupported,
              input.status.size == 0 ? "the file is empty" : "unrecognised archive format");
}

// Whether the name is below the folder.
bool is_below(std::string_view name, std::string_view folder) noexcept {
  return name.size() > folder.size() && name[folder.size()] == '/' && name.starts_with(folder);
}

// Drops the lost names that are not below `from`. If `from` itself or a folder above it was not
// listed, nothing is known of what is below: that fails.
result<void> narrow_lost(archives_detail::archive& content, std::string_view from,
                         bool ignore_case) noexcept {
  archives_detail::lost_entry* kept = content.lost.begin();
  for (const archives_detail::lost_entry& lost : content.lost) {
    const path_key key({{content.names.data() + lost.name, lost.name_bytes}, {}}, ignore_case);
    const std::string_view name = asset_path(key).text;
    if (name == from || is_below(from, name)) return tl::unexpected(lost.why);
    if (is_below(name, from)) *kept++ = lost;
  }
  while (content.lost.end() != kept) content.lost.pop_back();
  return {};
}

// Implements mount_options::from: keeps only what is below a folder and moves it to the mount
// point. Runs after listing, because formats look up entries by their names in the archive.
result<void> narrow(archives_detail::archive& content, std::string_view from,
                    std::string_view prefix, bool ignore_case) noexcept {
  if (result<void> known = narrow_lost(content, from, ignore_case); !known) return known;
  const std::size_t bytes = content.names.size() + content.entries.size() * (prefix.size() + 1);
  if (bytes > UINT32_MAX - content.names.size()) {
    return fail(errc::limit, "more than 4 GiB of names");
  }
  if (!content.names.reserve(content.names.size() + bytes))
    return no_memory_for_mount();  // so that no name moves below
  archives_detail::archive_entry* kept = content.entries.begin();
  for (const archives_detail::archive_entry& entry : content.entries) {
    const std::string_view name = content.path_of(entry);
    if (!is_below(name, from)) continue;
    const std::string_view rest = name.substr(from.size() + 1);
    if (prefix.size() + rest.size() > limits::path_bytes_max) {
      if (!content.skipped.push_back(
              {archives_detail::skip_reason::path_too_long, entry.name, entry.name_bytes})) {
        return no_memory_for_mount();
      }
      continue;
    }
    archives_detail::archive_entry moved = entry;
    moved.name = static_cast<std::uint32_t>(content.names.size());
    moved.name_bytes = static_cast<std::uint16_t>(prefix.size() + rest.size());
    (void)content.names.append(prefix.data(), prefix.size());
    (void)content.names.append(rest.data(), rest.size());
    (void)content.names.push_back('\0');
    moved.id = {hash64(content.path_of(moved))};
    *kept++ = moved;
  }
  if (kept == content.entries.begin()) {
    return fail(errc::not_found, "the archive has no files below this folder");
  }
  while (content.entries.end() != kept) content.entries.pop_back();
  const auto other = [&](const archives_detail::skipped_entry& entry) {
    const asset_path name{{content.names.data() + entry.name, entry.name_bytes}, {}};
    return !is_below(asset_path(path_key(name, ignore_case)).text, from);
  };
  archives_detail::skipped_entry* const end =
      std::remove_if(content.skipped.begin(), content.skipped.end(), other);
  while (content.skipped.end() != end) content.skipped.pop_back();
  content.prefix_bytes = static_cast<std::uint32_t>(prefix.size());
  return {};
}

// An archive of which nothing is left is a failure: the names say why.
result<void> note_all_skipped(archives_detail::archive& content) noexcept {
  if (content.format->lists_folders || !content.entries.empty() || content.skipped.empty())
    return {};
  archives_detail::archive_builder builder(content, content.prefix_bytes);
  return builder.lose("", {errc::unsupported, 0, "every file of the archive was skipped", {}, 0});
}

// Maps an archive once for all its files. If that fails, map() is unsupported and reading works.
void map_source(mount& made) noexcept {
  made.immutable = true;
  if (!made.content.format->lists_folders) made.mapped = made.os->map(made.content.handle.get());
}

// Opens the folder or archive, and either keeps its descriptor or parks it.
result<file_status> open_mount(mount& made, descriptor_pool& descriptors) noexcept {
  const result<os_handle> handle = made.os->open(made.path.data());
  if (!handle) return tl::unexpected(handle.error());
  archives_detail::owned_handle opened(*made.os, *handle);
  const result<file_status> status = made.os->status(*handle);
  if (!status) return status;
  if (made.os->descriptor(*handle) < 0 || made.kept.claim(descriptors)) {
    made.content.handle = std::move(opened);
    return status;
  }
  opened = {};
  const result<void> parked = made.parked.begin(descriptors, *made.os, made.path.data(), *status);
  if (!parked) return tl::unexpected(parked.error());
  made.os = &made.parked;
  made.content.handle = archives_detail::owned_handle(made.parked, parked_file::root);
  return status;
}

}  // namespace

result<void> scan_mount(mount& made, const mount_request& request, const file_system_config& config,
                        descriptor_pool& descriptors) noexcept {
  const mount_options& options = request.options;
  const bool ignore_case = config.ignore_case;
  path_buffer at_room;
  const result<asset_path> at_spelled = normalise(options.at, at_room);
  if (!at_spelled) return tl::unexpected(at_spelled.error());
  const path_key at_key(*at_spelled, ignore_case);
  const std::string_view at = asset_path(at_key).text;
  path_buffer from_room;
  const archives_detail::name_rules rules{true, options.name_encoding};
  const archives_detail::entry_name from_made =
      options.from.empty() ? archives_detail::entry_name{}
                           : archives_detail::make_entry_name(options.from, rules, from_room);
  if (from_made.flaw) return fail(errc::bad_path, from_made.flaw);
  const path_key from_key({from_made.path, {hash64(from_made.path)}}, ignore_case);
  const std::string_view from = asset_path(from_key).text;
  if (const char* const flaw = path_flaw(at)) return fail(errc::bad_path, flaw);
  if (!from_key.fits()) return fail(errc::bad_path, detail::path_too_long);
  if (!made.path.append(request.path, std::strlen(request.path) + 1) ||
      !made.prefix.append(at.data(), at.size()) || (!at.empty() && !made.prefix.push_back('/'))) {
    return no_memory_for_mount();
  }
  made.bytes = memory_file(request.bytes);
  made.os = request.bytes.data() ? &made.bytes : options.os ? options.os : config.os;
  made.custom_os = made.os != &system_os();
  const result<file_status> status = open_mount(made, descriptors);
  if (!status) return tl::unexpected(status.error());
  if (status->kind != file_kind::file && status->kind != file_kind::folder) {
    return fail(errc::not_a_file, "neither a folder nor a regular file");
  }
  const std::string_view prefix(made.prefix.data(), made.prefix.size());
  const bool whole = from.empty();
  archives_detail::archive_input input{*made.os, made.path.data(), *status, whole ? prefix : ""};
  input.names.encoding = options.name_encoding;
  input.password = options.password;
  input.ledger = config.ledger;
  input.allow_bombs = options.allow_bombs;
  result<void> listed = list_content(input, made.content);
  if (archives_detail::block_store* const blocks = made.content.store.get()) {
    blocks->use_ledger(*config.ledger);
  }
  if (listed && ignore_case) listed = fold_names(made.content);
  made.writable = made.names_change = options.writable;
  made.ignore_case = ignore_case;
  made.narrowed = !whole;
  if (listed && options.writable && (!whole || !made.content.format->lists_folders)) {
    return fail(errc::invalid, "only a whole folder can be writable");
  }
  if (listed && !whole) listed = narrow(made.content, from, prefix, ignore_case);
  if (listed) listed = note_all_skipped(made.content);
  if (listed && options.removal_markers) {
    if (options.writable)
      return fail(errc::invalid, "a writable folder cannot have removal markers");
    listed = take_removal_markers(made.content);
  }
  if (listed && (options.immutable_source || request.bytes.data())) map_source(made);
  return listed;
}

}  // namespace overture::vfs_detail
