// SPDX-License-Identifier: Zlib
//
// Links to folders in archives.
#include <cstring>

#include "archives/names/skip_reason.hpp"
#include "archives/tree/archive_links.hpp"
#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::uint32_t none = UINT32_MAX;

// A folder of the archive, seen through a link to it.
struct linked_folder {
  std::uint32_t parent = none;  // the linked folder through which the link itself was found
  std::uint32_t link = 0;       // the link's entry
  std::uint32_t path = 0;       // offset in texts_
  std::uint32_t path_bytes = 0;
};

std::string_view folder_above(std::string_view path, std::size_t floor) noexcept {
  const std::size_t slash = path.substr(floor).rfind('/');
  return path.substr(0, slash == std::string_view::npos ? floor : floor + slash);
}

class linked_folders {
 public:
  linked_folders(const archive_link_targets& targets, archive& into,
                 archive_builder& builder) noexcept
      : targets_(targets),
        into_(into),
        builder_(builder),
        folders_(into.names.memory(), memory_tag::vfs),
        texts_(into.names.memory(), memory_tag::vfs) {}

  result<void> run() noexcept;

 private:
  static tl::unexpected<error> no_memory() {
    return fail(errc::out_of_memory, "out of memory for following the archive's links");
  }
  [[nodiscard]] std::string_view target_of(std::uint32_t link) const noexcept {
    return targets_.folder_of(*targets_.link_at(link));
  }
  result<void> spend(std::size_t bytes) noexcept;
  result<void> begin(std::uint32_t parent, const archive_link& link,
                     std::string_view path) noexcept;
  result<void> expand(std::uint32_t folder) noexcept;
  result<void> expand_one(std::uint32_t folder, std::uint32_t entry,
                          std::string_view path) noexcept;
  [[nodiscard]] bool leads_into_itself(std::uint32_t parent,
                                       const archive_link& link) const noexcept;

  const archive_link_targets& targets_;
  archive& into_;
  archive_builder& builder_;
  vec<linked_folder> folders_;  // including expanded ones, which are parents of others
  vec<char> texts_;
  std::size_t spent_ = 0;
};

result<void> linked_folders::run() noexcept {
  for (const archive_link& link : targets_.links()) {
    if (!link.to_folder) continue;
    const std::string_view path = into_.path_of(into_.entries[link.entry]);
    if (result<void> begun = begin(none, link, path); !begun) return begun;
  }
  for (std::uint32_t i = 0; i < folders_.size(); ++i) {
    if (result<void> expanded = expand(i); !expanded) return expanded;
  }
  for (const archive_link& link : targets_.links()) {
    if (link.to_folder) builder_.drop(link.entry);
  }
  return {};
}

// A few links can generate any number of paths.
result<void> linked_folders::spend(std::size_t bytes) noexcept {
  spent_ += bytes;
  if (spent_ <= limits::linked_bytes_max) return {};
  return fail(errc::limit, limit_text::linked_bytes);
}

// Whether the link's target is one of the folders that contain the link.
bool linked_folders::leads_into_itself(std::uint32_t parent,
                                       const archive_link& link) const noexcept {
  const std::size_t floor = into_.prefix_bytes;
  const std::string_view target = targets_.folder_of(link);
  std::uint32_t entry = link.entry;
  for (;; entry = folders_[parent].link, parent = folders_[parent].parent) {
    const std::size_t top = parent == none ? floor : target_of(folders_[parent].link).size();
    const std::string_view above = folder_above(into_.path_of(into_.entries[entry]), floor);
    const bool contains =
        target.size() == floor || (above.starts_with(target) &&
                                   (above.size() == target.size() || above[target.size()] == '/'));
    if (contains && target.size() >= top) return true;
    if (parent == none) return false;
  }
}

result<void> linked_folders::begin(std::uint32_t parent, const archive_link& link,
                                   std::string_view path) noexcept {
  result<void> within = spend(sizeof(linked_folder) + path.size());
  if (!within) return within;
  const char* const flaw = path.size() > limits::path_bytes_max ? skip_reason::path_too_long
                           : leads_into_itself(parent, link)    ? skip_reason::link_loop
                                                                : nullptr;
  linked_folder begun{parent, link.entry, static_cast<std::uint32_t>(texts_.size()),
                      static_cast<std::uint32_t>(path.size())};
  if (!texts_.append(path.data(), path.size())) return no_memory();
  if (flaw) {
    // Use the copy: `path` may refer to the archive's names, to which skip() appends.
    const std::string_view kept(texts_.data() + begun.path, begun.path_bytes);
    return builder_.skip(kept.substr(into_.prefix_bytes), flaw);
  }
  if (!folders_.push_back(begun)) return no_memory();
  return {};
}

result<void> linked_folders::expand(std::uint32_t folder) noexcept {
  const std::string_view target = target_of(folders_[folder].link);
  const std::size_t skipped =
      target.size() == into_.prefix_bytes ? target.size() : target.size() + 1;
  char path[2 * limits::path_bytes_max + 1];
  std::memcpy(path, texts_.data() + folders_[folder].path, folders_[folder].path_bytes);
  std::size_t bytes = folders_[folder].path_bytes;
  path[bytes++] = '/';
  for (const std::uint32_t entry : targets_.below(target)) {
    const std::string_view rest = into_.path_of(into_.entries[entry]).substr(skipped);
    std::memcpy(path + bytes, rest.data(), rest.size());
    if (result<void> done = expand_one(folder, entry, {path, bytes + rest.size()}); !done)
      return done;
  }
  return {};
}

result<void> linked_folders::expand_one(std::uint32_t folder, std::uint32_t entry,
                                        std::string_view path) noexcept {
  result<void> within = spend(sizeof(archive_entry) + path.size());  // count the time, too
  if (!within) return within;
  const archive_link* const link = targets_.link_at(entry);
  if (link && link->flaw) return {};  // the link itself is listed as skipped
  if (link && link->to_folder) return begin(folder, *link, path);
  const archive_entry same = into_.entries[entry];
  return builder_.add(path.substr(into_.prefix_bytes), same).map([](bool) {});
}

}  // namespace

result<void> add_linked_files(const archive_link_targets& targets, archive& into,
                              archive_builder& builder) noexcept {
  return linked_folders(targets, into, builder).run();
}

}  // namespace overture::archives_detail
