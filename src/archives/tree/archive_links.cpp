// SPDX-License-Identifier: Zlib
#include "archives/tree/archive_links.hpp"

#include <algorithm>
#include <cstring>

#include "archives/names/path_order.hpp"
#include "archives/names/skip_reason.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

tl::unexpected<error> no_memory_for_links() {
  return fail(errc::out_of_memory, "out of memory for following the archive's links");
}

// A path in the archive, edited element by element. Its first `floor` bytes are the mount point.
class path_in_archive {
 public:
  explicit path_in_archive(std::size_t floor) noexcept : floor_(floor) {}

  void assign(std::string_view path) noexcept {
    std::copy(path.begin(), path.end(), text_);
    bytes_ = path.size();
  }
  [[nodiscard]] bool at_root() const noexcept { return bytes_ == floor_; }
  void drop_element() noexcept {
    const std::size_t slash = text().substr(floor_).rfind('/');
    bytes_ = slash == std::string_view::npos ? floor_ : floor_ + slash;
  }
  [[nodiscard]] bool add_element(std::string_view element) noexcept {
    const std::size_t separator = at_root() ? 0 : 1;
    if (element.size() + separator > sizeof text_ - bytes_) return false;
    if (separator != 0) text_[bytes_++] = '/';
    std::copy(element.begin(), element.end(), text_ + bytes_);
    bytes_ += element.size();
    return true;
  }
  [[nodiscard]] std::string_view text() const noexcept { return {text_, bytes_}; }

 private:
  std::size_t floor_;
  std::size_t bytes_ = 0;
  char text_[limits::path_bytes_max];
};

// The rest of a link's target. Targets of links on the way are inserted in front.
class remaining_target {
 public:
  [[nodiscard]] bool push(std::string_view target) noexcept {
    const std::size_t separator = begin_ == sizeof text_ ? 0 : 1;
    if (target.size() + separator > begin_) return false;
    if (separator != 0) text_[--begin_] = '/';
    begin_ -= target.size();
    std::memcpy(text_ + begin_, target.data(), target.size());
    return true;
  }
  // Empty at the end, and between two adjacent '/'.
  std::string_view pop() noexcept {
    const std::string_view rest(text_ + begin_, sizeof text_ - begin_);
    const std::size_t slash = rest.find('/');
    begin_ = slash == std::string_view::npos ? sizeof text_ : begin_ + slash + 1;
    return rest.substr(0, slash);
  }
  [[nodiscard]] bool done() const noexcept { return begin_ == sizeof text_; }

 private:
  char text_[2 * limits::link_target_bytes_max];
  std::size_t begin_ = sizeof text_;
};

}  // namespace

result<void> archive_link_targets::find(std::span<const std::uint32_t> entries) noexcept {
  if (!links_.reserve(entries.size())) return no_memory_for_links();
  for (const std::uint32_t entry : entries) {
    if (into_.entries[entry].name_bytes == 0) continue;  // taken back
    archive_link link;
    link.entry = entry;
    if (result<void> read = read_target(link); !read) return read;
    (void)links_.push_back(link);  // has room
  }
  if (result<void> sorted = sort_entries(); !sorted) return sorted;
  for (archive_link& link : links_) {
    if (link.flaw) continue;
    if (result<void> followed = follow(link); !followed) return followed;
  }
  return {};
}

result<void> archive_link_targets::read_target(archive_link& link) noexcept {
  char target[limits::link_target_bytes_max];
  const result<link_text> read = read_(into_.entries[link.entry], target);
  if (!read) return tl::unexpected(read.error());
  link.flaw = read->flaw;
  link.damaged = read->damaged;
  if (link.flaw) return {};
  path_buffer converted;
  const std::size_t length = convert_name({target, read->bytes}, names_, converted);
  link.target = static_cast<std::uint32_t>(texts_.size());
  link.target_bytes = static_cast<std::uint32_t>(length);
  if (texts_.size() > UINT32_MAX - limits::path_bytes_max ||
      !texts_.append(converted.data(), length)) {
    return no_memory_for_links();
  }
  return {};
}

result<void> archive_link_targets::sort_entries() noexcept {
  vec<ordered_path> paths(order_.memory(), memory_tag::vfs);
  if (!paths.reserve(into_.entries.size())) return no_memory_for_links();
  for (std::uint32_t i = 0; i < into_.entries.size(); ++i) {
    const std::string_view path = into_.path_of(into_.entries[i]);
    if (path.empty()) continue;  // taken back
    (void)paths.push_back({0, path.data(), i, static_cast<std::uint16_t>(path.size())});
  }
  if (!sort_paths(paths) || !order_.reserve(paths.size())) return no_memory_for_links();
  for (const ordered_path& path : paths) (void)order_.push_back(path.number);
  return {};
}

std::span<const std::uint32_t> archive_link_targets::below(std::string_view folder) const noexcept {
  if (folder.size() == into_.prefix_bytes) return order_.span();
  const auto path_of = [this](std::uint32_t entry) { return into_.path_of(into_.entries[entry]); };
  const std::uint32_t* const begin = std::upper_bound(
      order_.begin(), order_.end(), folder, [&](std::string_view wanted, std::uint32_t entry) {
        return path_before(wanted, path_of(entry));
      });
  const std::uint32_t* const end =
      std::partition_point(begin, order_.end(), [&](std::uint32_t entry) {
        const std::string_view path = path_of(entry);
        return path.size() > folder.size() && path[folder.size()] == '/' &&
               path.starts_with(folder);
      });
  return {begin, end};
}

const archive_link* archive_link_targets::link_at(std::uint32_t entry) const noexcept {
  const archive_link* const found =
      std::lower_bound(links_.begin(), links_.end(), entry,
                       [](const archive_link& link, std::uint32_t at) { return link.entry < at; });
  return found != links_.end() && found->entry == entry ? found : nullptr;
}

// Goes element by element, because each may be a link to a folder.
result<void> archive_link_targets::follow(archive_link& link) noexcept {
  path_in_archive at(into_.prefix_bytes);
  remaining_target way;
  const archive_link* step = &link;
  at.assign(into_.path_of(into_.entries[link.entry]));
  std::uint32_t found = path_index::none;
  unsigned followed = 0;
  while (step || !way.done()) {
    if (step) {
      if (step->flaw) {
        link.flaw = step->flaw;
        return {};
      }
      const std::string_view target = target_of(*step);
      if (target.starts_with('/')) link.flaw = skip_reason::link_leaves_mount;
      if (target.empty()) link.flaw = skip_reason::link_not_in_archive;
      if (++followed > limits::archive_links_followed_max) link.flaw = skip_reason::link_loop;
      if (!link.flaw && !way.push(target)) link.flaw = skip_reason::link_target_too_long;
      if (link.flaw) return {};
      at.drop_element();  // the link itself
      step = nullptr;
      found = path_index::none;
      continue;
    }
    if (++elements_ > limits::link_elements_max) {
      link.flaw = skip_reason::link_targets_too_long;
      return {};
    }
    const std::string_view element = way.pop();
    if (element.empty() || element == ".") continue;
    found = path_index::none;
    if (element == "..") {
      if (at.at_root()) {
        link.flaw = skip_reason::link_leaves_mount;
        return {};
      }
      at.drop_element();
      continue;
    }
    if (!at.add_element(element)) {
      link.flaw = skip_reason::link_not_in_archive;
      return {};
    }
    found = entry_at(at.text());
    step = found != path_index::none ? link_at(found) : nullptr;
  }
  if (found != path_index::none) {
    link.leads_to = found;
    return {};
  }
  if (below(at.text()).empty()) {
    link.flaw = skip_reason::link_not_in_archive;
    return {};
  }
  link.to_folder = true;
  link.folder = static_cast<std::uint32_t>(texts_.size());
  link.folder_bytes = static_cast<std::uint32_t>(at.text().size());
  if (texts_.size() > UINT32_MAX - limits::path_bytes_max ||
      !texts_.append(at.text().data(), at.text().size())) {
    return no_memory_for_links();
  }
  return {};
}

result<void> resolve_links(std::span<const std::uint32_t> links, path_index& index,
                           const name_rules& names, link_reader read, archive& into,
                           archive_builder& builder) noexcept {
  archive_link_targets targets(index, names, read, into);
  if (result<void> found = targets.find(links); !found) return found;
  bool to_folders = false;
  for (const archive_link& link : targets.links()) {
    to_folders = to_folders || link.to_folder;
    if (link.flaw || link.to_folder) continue;
    archive_entry& entry = into.entries[link.entry];
    archive_entry target = into.entries[link.leads_to];
    target.id = entry.id;
    target.name = entry.name;
    target.name_bytes = entry.name_bytes;
    entry = target;
  }
  if (to_folders) {
    if (result<void> added = add_linked_files(targets, into, builder); !added) return added;
  }
  for (const archive_link& link : targets.links()) {
    if (!link.flaw) continue;
    const result<void> taken =
        link.damaged ? builder.take_back_lost(link.entry, error{errc::corrupt, 0, link.flaw, {}, 0})
                     : builder.take_back(link.entry, link.flaw);
    if (!taken) return taken;
  }
  if (!to_folders) return {};
  // Entries of the archive take precedence over what a link to a folder would put at their path.
  return builder.index_each_once(index, [&](std::uint32_t earlier, std::uint32_t later) {
    return builder.take_back(later, skip_reason::link_hidden).map([earlier] { return earlier; });
  });
}

}  // namespace overture::archives_detail
