// SPDX-License-Identifier: Zlib
//
// Look-ups by path, frozen or not.
#include "base/guarded_call.hpp"
#include "overture/vfs/file_system.hpp"
#include "vfs/state.hpp"
#include "vfs/tree/lookup_hit.hpp"
#include "vfs/tree/path_key.hpp"
#include "vfs/tree/tree_merge.hpp"

namespace overture {
namespace {

tl::unexpected<error> not_there(path_id path = {}) {
  return fail(errc::not_found, "no mount has this path", path);
}

folder_item item_of(const vfs_detail::lookup_hit& has, std::string_view name,
                    asset_path path) noexcept {
  return {name,          path.text, path.id, has.folder ? entry_kind::folder : entry_kind::file,
          has.owner->id, &has};
}

// Whether the visitor wants more.
result<bool> call_visitor(function_ref<bool(const folder_item&)> visit,
                          const folder_item& item) noexcept {
  return base_detail::guarded_result(base_detail::visitor_threw,
                                     [&]() -> result<bool> { return visit(item); });
}

result<file_stat> stat_of(const vfs_detail::lookup_hit& has) noexcept {
  const vfs_detail::mount& owner = *has.owner;
  if (has.folder) return file_stat{entry_kind::folder, 0, 0, owner.id};
  const archives_detail::archive& content = owner.content;
  if (!content.format->lists_folders) {
    const archives_detail::archive_entry& entry = content.entries[has.entry];
    const archives_detail::entry_origin& origin = entry.origin;
    return file_stat{
        entry_kind::file, entry.bytes,       std::int64_t{origin.modified_s} * 1'000'000'000,
        owner.id,         origin.executable, origin.in_local_time};
  }
  const result<os_handle> opened =
      owner.os->open_below(content.handle.get(), vfs_detail::name_of_loose(has));
  if (!opened) return tl::unexpected(opened.error());
  const archives_detail::owned_handle handle(*owner.os, *opened);
  return owner.os->status(handle.get()).map([&](const file_status& status) {
    return file_stat{entry_kind::file, status.size, status.mtime_ns, owner.id, status.executable};
  });
}

// Not inlined: it needs more stack than the rest of a look-up.
[[gnu::noinline]] bool exists_written(const vfs_detail::snapshot& now,
                                      const asset_path& path) noexcept {
  return bool(vfs_detail::look_up_written(now, path));
}

// The length of the folder and its '/' in a path below it.
std::size_t bytes_above(asset_path folder) noexcept {
  return folder.text.empty() ? 0 : folder.text.size() + 1;
}

}  // namespace

result<file_stat> file_system::stat(asset_path path) noexcept {
  if (!state_) return not_there();
  const vfs_detail::path_key key(path, config_.ignore_case);
  const reading now(*state_);
  const vfs_detail::lookup_hit found = vfs_detail::look_up(*now, key);
  if (!found) {
    if (path.text.empty()) return file_stat{entry_kind::folder, 0, 0, {}};
    return not_there(asset_path(key).id);
  }
  return about(asset_path(key).id, stat_of(found));
}

result<file_stat> folder_item::stat() const noexcept {
  return winner ? stat_of(*winner) : not_there();
}

bool file_system::exists(const asset_path& path) noexcept {
  if (path.text.empty()) return true;
  if (!state_) return false;
  struct look {  // not a lambda: those take no attribute in C++20
    state& from;
    [[gnu::always_inline]] inline bool operator()(const asset_path& key) const noexcept {
      const reading now(from);
      if (now->has_written(key)) return exists_written(*now, key);
      return bool(now->index.find(key));
    }
  };
  return vfs_detail::by_key(path, config_.ignore_case, look{*state_});
}

std::size_t file_system::providers(asset_path path, std::span<mount_id> mounts) noexcept {
  if (!state_) return 0;
  const vfs_detail::path_key key(path, config_.ignore_case);
  const reading now(*state_);
  std::size_t count = 0;
  vfs_detail::visit_hits(*now, key, [&](const vfs_detail::lookup_hit& one) {
    if (count < mounts.size()) mounts[count] = one.owner->id;
    ++count;
    return true;
  });
  return count;
}

result<mount_id> file_system::remover(asset_path path) noexcept {
  if (!state_) return not_there();
  const vfs_detail::path_key key(path, config_.ignore_case);
  const reading now(*state_);
  const vfs_detail::mount* found = nullptr;
  now->index.visit_entries(key, [&](const vfs_detail::live_entry& entry) {
    if (!found && entry.is_removal()) found = entry.owner;
  });
  if (!found) return fail(errc::not_found, "no mount removes this path");
  return found->id;
}

result<void> file_system::removals(function_ref<bool(const folder_item&)> visit) noexcept {
  if (!state_) return {};
  const reading now(*state_);
  for (const vfs_detail::mount* const one : now->mounts) {
    if (one->content.removals == 0) continue;
    for (const std::uint32_t entry : one->order) {
      const archives_detail::archive_entry& removal = one->content.entries[entry];
      if (removal.flaw != archives_detail::entry_flaw::removal) continue;
      const std::string_view path = one->content.path_of(removal);
      const result<bool> goes_on =
          call_visitor(visit, {path, path, removal.id, entry_kind::file, one->id});
      if (!goes_on) return tl::unexpected<error>(goes_on.error());
      if (!*goes_on) return {};
    }
  }
  return {};
}

result<void> file_system::enumerate(asset_path folder,
                                    function_ref<bool(const folder_item&)> visit) noexcept {
  if (!state_) return not_there();
  const vfs_detail::path_key key(folder, config_.ignore_case);
  const reading now(*state_);
  vfs_detail::tree_merge merge(*config_.memory);
  if (result<void> begun = merge.begin(*now, key, vfs_detail::depth::children); !begun)
    return begun;
  const std::size_t above = bytes_above(key);
  while (!merge.done()) {
    const std::string_view child = merge.path().substr(0, merge.path().find('/', above));
    const bool is_file = child.size() == merge.path().size();
    const asset_path path{child, is_file ? merge.id() : path_id{hash64(child)}};
    const vfs_detail::lookup_hit winner = vfs_detail::look_up(*now, path);
    if (winner) {  // a written file may be gone by now
      const result<bool> goes_on = call_visitor(visit, item_of(winner, child.substr(above), path));
      if (!goes_on) return tl::unexpected<error>(goes_on.error());
      if (!*goes_on) return {};
    }
    merge.skip_child(child);
  }
  return {};
}

result<void> file_system::walk(asset_path folder,
                               function_ref<bool(const folder_item&)> visit) noexcept {
  if (!state_) return not_there();
  const vfs_detail::path_key key(folder, config_.ignore_case);
  const reading now(*state_);
  vfs_detail::tree_merge merge(*config_.memory);
  if (result<void> begun = merge.begin(*now, key, vfs_detail::depth::whole); !begun) return begun;
  const std::size_t above = bytes_above(key);
  while (!merge.done()) {
    const vfs_detail::lookup_hit winner = merge.winner();
    const asset_path path{merge.path(), merge.id()};
    const result<bool> goes_on =
        call_visitor(visit, item_of(winner, path.text.substr(above), path));
    if (!goes_on) return tl::unexpected<error>(goes_on.error());
    if (!*goes_on) return {};
    merge.skip_path();
  }
  return {};
}

}  // namespace overture
