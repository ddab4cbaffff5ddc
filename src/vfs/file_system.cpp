// SPDX-License-Identifier: Zlib
#include "overture/vfs/file_system.hpp"

#include <algorithm>
#include <utility>

#include "archives/zip.hpp"
#include "base/limit_text.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/prefetch.hpp"
#include "sync/object_use.hpp"
#include "vfs/lookup_hit.hpp"
#include "vfs/packed_data.hpp"
#include "vfs/path_key.hpp"
#include "vfs/state.hpp"

namespace overture {
using namespace base_detail;

namespace {

tl::unexpected<error> no_memory() {
  return fail(errc::out_of_memory, "out of memory for the file system");
}

void refuse_large(result<opened_file>& opened) noexcept {
  if (!opened) return;
  const file_place place = opened->place();
  if (std::max(place.bytes, place.packed_bytes) <= limits::entry_bytes_max) return;
  opened = fail(errc::limit, limit_text::file_in_one_piece, place.source, place.offset);
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
                                  std::span<mount_id> ids) noexcept {
  if (!state_) return no_memory();
  if (ids.size() < in.size()) return fail(errc::invalid, "fewer ids than mounts");
  if (frozen()) return refuse_change();
  vec<vfs_detail::prepared_mount> prepared(*config_.memory, memory_tag::vfs);
  result<void> done;
  if (!prepared.reserve(in.size())) done = no_memory();
  for (std::size_t i = 0; done && i < in.size(); ++i) {
    const result<vfs_detail::prepared_mount> one = state_->mounts.prepare(in[i]);
    if (one) (void)prepared.push_back(*one);  // has room
    if (!one) done = tl::unexpected(one.error());
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
  if (!state_) return no_memory();
  result<void> done;
  state_->mounts.hold([&](const vfs_detail::snapshot& now) {
    if (frozen()) return;
    vfs_detail::tree* const made =
        make_object<vfs_detail::tree>(*config_.memory, memory_tag::vfs, *config_.memory);
    if (!made) {
      done = no_memory();
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

// --- Opening and reading -------------------------------------------------------------------------

// Here and below an opened_file is built directly in its result: a load opens thousands.
result<opened_file> file_system::open(entry_index index) noexcept {
  const auto owner = [&]() -> vfs_detail::lookup_hit {
    const vfs_detail::tree_entry& found = (*state_->frozen_tree())[index];
    return {&state_->mount_at(found.mount), nullptr, found.entry};
  };
  result<opened_file> opened = index < entry_count()
                                   ? open_entry(owner())
                                   : result<opened_file>(fail(errc::not_found, "no such entry"));
  refuse_large(opened);
  return opened;
}

void file_system::fetch_ahead(entry_index index) const noexcept {
  if (index >= entry_count()) return;
  const vfs_detail::tree_entry& found = (*state_->frozen_tree())[index];
  prefetch_to_read(&state_->mount_at(found.mount).content.entries[found.entry]);
}

template <class T, class Act>
result<T> file_system::with_entry(asset_path path, Act act) noexcept {
  if (!state_) return no_memory();
  const reading now(*state_);
  const vfs_detail::tree* const tree = state_->frozen_tree();
  path_id id = path.id;
  const vfs_detail::lookup_hit found = vfs_detail::by_key(
      path, config_.ignore_case, [&](const asset_path& key) -> vfs_detail::lookup_hit {
        id = key.id;
        if (!tree || now->has_written(key)) return vfs_detail::look_up_file(*now, key);
        const entry_index index = tree->find(key);
        if (index == UINT32_MAX) return {};
        const vfs_detail::tree_entry& entry = (*tree)[index];
        return {now->mounts[entry.mount], nullptr, entry.entry};
      });
  if (!found) return fail(errc::not_found, "no mount has this path", id);
  return about(id, result<T>(act(found)));
}

result<opened_file> file_system::open(asset_path path) noexcept {
  result<opened_file> opened = open_any_size(path);
  refuse_large(opened);
  return opened;
}

result<opened_file> file_system::open_any_size(asset_path path) noexcept {
  return with_entry<opened_file>(
      path, [this](const vfs_detail::lookup_hit& found) { return open_entry(found); });
}

// The caller keeps the mount alive during the call.
result<opened_file> file_system::open_entry(const vfs_detail::lookup_hit& found) noexcept {
  result<opened_file> opened;
  const result<void> done = open_entry(found, *opened);
  if (!done) opened = tl::unexpected<error>(done.error());
  return opened;
}

result<void> file_system::open_entry(const vfs_detail::lookup_hit& found,
                                     opened_file& file) noexcept {
  const vfs_detail::mount& from = *found.owner;
  const archives_detail::archive& content = from.content;
  result<archives_detail::opened_entry> opened =
      found.written
          ? archives_detail::open_loose_file(*from.os, content.handle.get(), found.written->on_disk)
          : content.format->open(content, content.entries[found.entry], *from.os);
  if (!opened) {
    error why = opened.error();
    why.source = from.source;
    return tl::unexpected(why);
  }
  file.place_ = opened->place;
  file.place_.source = from.source;
  if (opened->handle.get().valid()) {
    archives_detail::block_store* const blocks = content.store.get();
    file.store_ = blocks && opened->handle.os() == blocks ? blocks : nullptr;
    const std::uint32_t number =
        found.written ? found.written->number | vfs_detail::source_owner::written_bit : found.entry;
    const result<source_id> source =
        state_->mounts.sources().add(opened->handle.get(), {from.id, number, opened->handle.os()});
    if (!source) return tl::unexpected(source.error());
    (void)opened->handle.release();
    file.place_.source = *source;
    file.owns_source_ = true;
  }
  state_->mounts.pin(from);
  file.mount_ = &from;
  file.files_ = this;
  return {};
}

void file_system::close(const opened_file& file) noexcept {
  const vfs_detail::mount& from = *file.mount_;
  if (file.holds_block_) file.store_->release_block(file.place_.offset);
  if (file.owns_source_) {
    os_handle handle;
    vfs_detail::source_owner owner;
    (void)state_->mounts.sources().find(file.place_.source, handle, owner);
    owner.os->close(state_->mounts.sources().remove(file.place_.source));
  }
  state_->mounts.unpin(from);
}

opened_file::opened_file(opened_file&& other) noexcept
    : files_(std::exchange(other.files_, nullptr)),
      mount_(other.mount_),
      store_(other.store_),
      owns_source_(other.owns_source_),
      holds_block_(other.holds_block_),
      place_(other.place_) {}

opened_file& opened_file::operator=(opened_file&& other) noexcept {
  if (this == &other) return *this;
  if (files_) files_->close(*this);
  files_ = std::exchange(other.files_, nullptr);
  mount_ = other.mount_;
  store_ = other.store_;
  owns_source_ = other.owns_source_;
  holds_block_ = other.holds_block_;
  place_ = other.place_;
  return *this;
}

opened_file::~opened_file() {
  if (files_) files_->close(*this);
}

// --- Mapping -------------------------------------------------------------------------------------

result<mapped_file> file_system::map(asset_path path) noexcept {
  return with_entry<mapped_file>(
      path, [this](const vfs_detail::lookup_hit& found) -> result<mapped_file> {
        const vfs_detail::mount& from = *found.owner;
        if (!from.mappable) {
          return fail(errc::unsupported, "the mount is not an immutable_source", from.source);
        }
        result<opened_file> opened = open_entry(found);
        if (!opened) return tl::unexpected(opened.error());
        mapped_file made;
        const file_place& place = opened->place();
        if (opened->owns_source_) {
          if (!from.content.format->lists_folders) {
            return fail(errc::unsupported, "a compressed file cannot be mapped", from.source);
          }
          const result<open_source> loose = source(place.source);
          if (!loose) return tl::unexpected(loose.error());
          const result<mapping> mapped = from.os->map(loose->handle);
          if (!mapped) return fail(errc::unsupported, "the file cannot be mapped");
          made.os_ = &from.lasting_os();
          made.own_ = *mapped;
          made.bytes_ = {mapped->data, mapped->size};
          return made;
        }
        const result<std::span<const std::byte>> bytes =
            vfs_detail::mapped_part(from.mapped, place);
        if (!bytes) return tl::unexpected(bytes.error());
        made.bytes_ = *bytes;
        made.file_ = *std::move(opened);
        return made;
      });
}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  mapped_file taken(std::move(other));
  swap(taken);
  return *this;
}

mapped_file::~mapped_file() {
  if (os_ && own_.data) os_->unmap(own_);
}

void mapped_file::swap(mapped_file& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(os_, other.os_);
  std::swap(own_, other.own_);
  std::swap(bytes_, other.bytes_);
}

result<std::span<const std::byte>> file_system::packed_part(
    const file_place& place, std::span<const std::byte> read) noexcept {
  return archives_detail::zip_packed_part(place, read);
}

result<open_source> file_system::source(source_id id) noexcept {
  os_handle handle;
  vfs_detail::source_owner owner;
  if (!state_ || !state_->mounts.sources().find(id, handle, owner)) {
    return fail(errc::not_found, "the file is no longer open", id);
  }
  return open_source{owner.os, handle};
}

result<open_source> file_system::pin(source_id id, bool may_wait) noexcept {
  const result<open_source> known = source(id);
  if (!known || known->handle.value != vfs_detail::parked_file::root.value) return known;
  auto& parked = static_cast<vfs_detail::parked_file&>(*known->os);
  return parked.pin(may_wait).map(
      [&](os_handle handle) { return open_source{&parked.system(), handle}; });
}

void file_system::unpin(source_id id) noexcept {
  const result<open_source> known = source(id);
  if (!known || known->handle.value != vfs_detail::parked_file::root.value) return;
  static_cast<vfs_detail::parked_file&>(*known->os).unpin();
}

}  // namespace overture
