// SPDX-License-Identifier: Zlib
#include "overture/vfs/file_system.hpp"

#include <utility>

#include "overture/base/contracts.hpp"
#include "sync/object_use.hpp"
#include "vfs/state.hpp"
#include "vfs/tree/path_key.hpp"

namespace overture {
using namespace base_detail;

namespace {

tl::unexpected<error> no_memory_for_file_system() {
  return fail(errc::out_of_memory, "out of memory for the file system");
}

}  // namespace

// --- Mounting and freezing -----------------------------------------------------------------------

file_system::file_system(const file_system_config& config) noexcept : config_(config) {
  if (!config_.memory) config_.memory = &default_allocator();
  if (!config_.os) config_.os = &system_os();
  state_ = make_object<state>(*config_.memory, memory_tag::vfs, config_);
  if (state_ && !state_->mounts.usable()) {
    destroy_object(*config_.memory, memory_tag::vfs, std::exchange(state_, nullptr));
  }
}

file_system::~file_system() {
  if constexpr (detail::contracts) sync_detail::expects_unused(this);
  thaw();
  destroy_object(*config_.memory, memory_tag::vfs, state_);
}

memory_ledger* file_system::ledger() const noexcept {
  return state_ ? &state_->ledger : nullptr;
}

result<mount_id> file_system::mount(const char* path, const mount_options& options) noexcept {
  const mount_request request{path, options, {}};
  mount_id id;
  return remount({}, {&request, 1}, {&id, 1}).map([&] { return id; });
}

result<mount_id> file_system::mount_memory(const char* name, std::span<const std::byte> bytes,
                                           const mount_options& options) noexcept {
  // A non-null address marks a mount in memory; an empty span may have none.
  static constexpr std::byte nothing{};
  const mount_request request{name, options, bytes.data() ? bytes : std::span(&nothing, 0)};
  mount_id id;
  return remount({}, {&request, 1}, {&id, 1}).map([&] { return id; });
}

result<void> file_system::unmount(mount_id mount) noexcept {
  return remount({&mount, 1}, {}, {});
}

result<void> file_system::remount(std::span<const mount_id> out, std::span<const mount_request> in,
                                  std::span<mount_id> ids, std::size_t* culprit) noexcept {
  if (culprit) *culprit = in.size();
  if (!state_) return no_memory_for_file_system();
  if (ids.size() < in.size()) return fail(errc::invalid, "fewer ids than mounts");
  if (frozen()) return refuse_change();
  vec<vfs_detail::prepared_mount> prepared(*config_.memory, memory_tag::vfs);
  result<void> done;
  if (!prepared.reserve(in.size())) done = no_memory_for_file_system();
  for (std::size_t i = 0; done && i < in.size(); ++i) {
    const result<vfs_detail::prepared_mount> one = state_->mounts.prepare(in[i]);
    if (one) (void)prepared.push_back(*one);  // has room
    if (!one) done = tl::unexpected(one.error());
    if (!one && culprit) *culprit = i;
  }
  if (done) {
    done = state_->mounts.change(out, prepared.span(), [&] {
      if (frozen()) return false;
      if (!out.empty()) state_->colliding[0] = {};  // its text may be freed
      return true;
    });
  }
  if (!done) {
    for (const vfs_detail::prepared_mount& left : prepared) state_->mounts.discard(left.mount);
    if (done.error().code == errc::frozen) return refuse_change();
    return done;
  }
  // Last: `ids` may be the list of `out`.
  for (std::size_t i = 0; i < in.size(); ++i) ids[i] = prepared[i].id;
  return done;
}

tl::unexpected<error> file_system::refuse_change() const noexcept {
  if (config_.on_frozen_change) config_.on_frozen_change(config_.context);
  return fail(errc::frozen, "the file system is frozen; thaw() it first");
}

result<void> file_system::freeze() noexcept {
  if (!state_) return no_memory_for_file_system();
  result<void> done;
  state_->mounts.hold([&](const vfs_detail::snapshot& now) {
    if (frozen()) return;
    vfs_detail::tree* const made =
        make_object<vfs_detail::tree>(*config_.memory, memory_tag::vfs, *config_.memory);
    if (!made) {
      done = no_memory_for_file_system();
      return;
    }
    done = made->build(now.mounts.span(), config_.first_wins, state_->colliding);
    if (done) state_->tree.store(made, std::memory_order_release);
    if (!done) destroy_object(*config_.memory, memory_tag::vfs, made);
  });
  return done;
}

void file_system::thaw() noexcept {
  if (!frozen()) return;
  if constexpr (detail::contracts) {
    sync_detail::expects_unused(this, sync_detail::use_of::frozen_tree);
  }
  destroy_object(*config_.memory, memory_tag::vfs, state_->tree.exchange(nullptr));
}

bool file_system::frozen() const noexcept {
  return state_ && state_->tree.load(std::memory_order_acquire);
}

// --- Listing mounts ------------------------------------------------------------------------------

std::size_t file_system::mount_count() const noexcept {
  return state_ ? reading(*state_)->mounts.size() : 0;
}

mount_info file_system::mount_at(std::size_t index) const noexcept {
  if (!state_) return {};
  const reading now(*state_);
  return index < now->mounts.size() ? now->mounts[index]->info() : mount_info{};
}

mount_info file_system::mount_of(mount_id mount) const noexcept {
  if (!state_) return {};
  const reading now(*state_);
  const vfs_detail::mount* const found = now->find(mount);
  return found ? found->info() : mount_info{};
}

std::size_t file_system::skipped_count() const noexcept {
  if (!state_) return 0;
  const reading now(*state_);
  std::size_t count = 0;
  for (const vfs_detail::mount* const one : now->mounts) count += one->content.skipped.size();
  return count;
}

skipped_name file_system::skipped(std::size_t index) const noexcept {
  if (!state_) return {};
  const reading now(*state_);
  for (const vfs_detail::mount* const one : now->mounts) {
    const archives_detail::archive& content = one->content;
    if (index < content.skipped.size()) {
      const archives_detail::skipped_entry& found = content.skipped[index];
      return {one->id, {content.names.data() + found.name, found.name_bytes}, found.reason};
    }
    index -= content.skipped.size();
  }
  return {};
}

std::size_t file_system::failure_count() const noexcept {
  if (!state_) return 0;
  const reading now(*state_);
  std::size_t count = 0;
  for (const vfs_detail::mount* const one : now->mounts) count += one->content.lost.size();
  return count;
}

mount_failure file_system::failure(std::size_t index) const noexcept {
  if (!state_) return {};
  const reading now(*state_);
  for (const vfs_detail::mount* const one : now->mounts) {
    const archives_detail::archive& content = one->content;
    if (index < content.lost.size()) {
      const archives_detail::lost_entry& lost = content.lost[index];
      return {one->id, {content.names.data() + lost.name, lost.name_bytes}, lost.why};
    }
    index -= content.lost.size();
  }
  return {};
}

// --- The frozen tree -----------------------------------------------------------------------------

std::size_t file_system::entry_count() const noexcept {
  const vfs_detail::tree* const tree = state_ ? state_->frozen_tree() : nullptr;
  return tree ? tree->size() : 0;
}

entry_info file_system::entry(entry_index index) const noexcept {
  if (index >= entry_count()) return {};
  const vfs_detail::tree& tree = *state_->frozen_tree();
  const vfs_detail::tree_entry& found = tree[index];
  const vfs_detail::mount& winner = state_->mount_at(found.mount);
  const archives_detail::archive_entry& content = winner.content.entries[found.entry];
  return {found.path(), content.id, winner.id, content.bytes,
          static_cast<std::uint32_t>(tree.losers_of(index).size())};
}

entry_index file_system::same_file(entry_index index) const noexcept {
  if (index >= entry_count()) return index;
  const vfs_detail::tree& tree = *state_->frozen_tree();
  const vfs_detail::tree_entry& found = tree[index];
  const archives_detail::archive& content = state_->mount_at(found.mount).content;
  if (!content.format->names_twice || found.entry == 0) return index;
  const archives_detail::archive_entry& here = content.entries[found.entry];
  const archives_detail::archive_entry& before = content.entries[found.entry - 1];
  const std::string_view path = content.path_of(before);
  const std::string_view end = found.path().substr(content.prefix_bytes);
  const bool same = here.offset == before.offset && here.bytes == before.bytes &&
                    path.size() > end.size() && path.ends_with(end) &&
                    path[path.size() - end.size() - 1] == '/';
  if (!same) return index;
  const entry_index other = tree.find({path, before.id});
  const bool wins = other != vfs_detail::frozen_index::none && tree[other].mount == found.mount;
  return wins ? other : index;
}

std::size_t file_system::hidden_count() const noexcept {
  return frozen() ? state_->frozen_tree()->losers().size() : 0;
}

hidden_entry file_system::hidden(std::size_t index) const noexcept {
  if constexpr (detail::contracts) {
    detail::expects(index < hidden_count(),
                    "file_system::hidden() has no such index: stay below hidden_count()");
  }
  const vfs_detail::tree& tree = *state_->frozen_tree();
  const vfs_detail::tree_loser& loser = tree.losers()[index];
  return {loser.entry, state_->mount_at(loser.mount).id,
          state_->mount_at(tree[loser.entry].mount).id};
}

namespace {

[[gnu::noinline]] result<entry_index> find_anywhere(const vfs_detail::tree* tree,
                                                    const asset_path& path,
                                                    bool ignore_case) noexcept {
  if (!tree) return fail(errc::not_found, "the file system is not frozen; freeze() it first");
  const entry_index found = vfs_detail::by_key(
      path, ignore_case, [tree](const asset_path& key) { return tree->find(key); });
  if (found == vfs_detail::frozen_index::none)
    return fail(errc::not_found, "no mount has this path", path.id);
  return found;
}

}  // namespace

// When the data is cached, the number of instructions decides: this makes only tail calls.
result<entry_index> file_system::find(const asset_path& path) const noexcept {
  const vfs_detail::tree* const tree = state_ ? state_->frozen_tree() : nullptr;
  if (tree && !config_.ignore_case) {
    const std::int64_t found = tree->find_likely(path);
    if (found >= 0) return static_cast<entry_index>(found);
    if (found != vfs_detail::frozen_index::unsure) {
      return fail(errc::not_found, "no mount has this path", path.id);
    }
  }
  return find_anywhere(tree, path, config_.ignore_case);
}

std::size_t file_system::providers(entry_index index, std::span<mount_id> mounts) const noexcept {
  if (index >= entry_count()) return 0;
  const vfs_detail::tree& tree = *state_->frozen_tree();
  const std::span<const vfs_detail::tree_loser> losers = tree.losers_of(index);
  if (!mounts.empty()) mounts[0] = state_->mount_at(tree[index].mount).id;
  for (std::size_t i = 0; i < losers.size() && i + 1 < mounts.size(); ++i) {
    mounts[i + 1] = state_->mount_at(losers[i].mount).id;
  }
  return losers.size() + 1;
}

}  // namespace overture
