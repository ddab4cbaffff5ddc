// SPDX-License-Identifier: Zlib
//
// Opening, reading and mapping files of a file_system.
#include "overture/vfs/opened_file.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "archives/block_store.hpp"
#include "archives/zip/zip.hpp"
#include "base/limit_text.hpp"
#include "overture/base/prefetch.hpp"
#include "overture/vfs/file_system.hpp"
#include "vfs/packed_data.hpp"
#include "vfs/state.hpp"
#include "vfs/tree/lookup_hit.hpp"
#include "vfs/tree/path_key.hpp"

namespace overture {
namespace {

void refuse_large(result<opened_file>& opened) noexcept {
  if (!opened) return;
  const file_place place = opened->place();
  if (std::max(place.bytes, place.packed_bytes) <= limits::entry_bytes_max) return;
  opened = fail(errc::limit, limit_text::file_in_one_piece, place.source, place.offset);
}

}  // namespace

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
  if (!state_) return fail(errc::out_of_memory, "out of memory for the file system");
  const reading now(*state_);
  const vfs_detail::tree* const tree = state_->frozen_tree();
  path_id id = path.id;
  bool is_folder = false;
  const vfs_detail::lookup_hit found = vfs_detail::by_key(
      path, config_.ignore_case, [&](const asset_path& key) -> vfs_detail::lookup_hit {
        id = key.id;
        vfs_detail::lookup_hit file;
        if (!tree || now->has_written(key)) {
          file = vfs_detail::look_up_file(*now, key);
        } else if (const entry_index index = tree->find(key); index != UINT32_MAX) {
          const vfs_detail::tree_entry& entry = (*tree)[index];
          file = {now->mounts[entry.mount], nullptr, entry.entry};
        }
        is_folder = !file && vfs_detail::look_up(*now, key).folder;
        return file;
      });
  if (is_folder || path.text.empty()) return fail(errc::not_a_file, "a folder, not a file", id);
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

namespace {

tl::unexpected<error> cannot_map(error why, const char* reason, source_id source) noexcept {
  return tl::unexpected(error{errc::unsupported, why.os_error, reason, source, 0});
}

// Where a file's bytes lie in the mapping of its archive. `blocks`: if it lies in one of these.
result<std::span<const std::byte>> mapped_bytes(
    const vfs_detail::mount& from, file_place place,
    const archives_detail::block_store* blocks) noexcept {
  if (!from.mapped) {
    return cannot_map(from.mapped.error(), "the system cannot map the archive", from.source);
  }
  if (blocks) {
    const result<std::uint64_t> stored = blocks->stored_at(place.offset, place.bytes);
    if (!stored) return cannot_map({}, stored.error().reason, from.source);
    place.offset = *stored;
  }
  return vfs_detail::mapped_part(*from.mapped, place);
}

}  // namespace

result<mapped_file> file_system::map(asset_path path) noexcept {
  return with_entry<mapped_file>(
      path, [this](const vfs_detail::lookup_hit& found) -> result<mapped_file> {
        const vfs_detail::mount& from = *found.owner;
        if (!from.immutable) {
          return fail(errc::unsupported,
                      "the mount may change while its files are mapped: mount it as an "
                      "immutable_source if it does not",
                      from.source);
        }
        result<opened_file> opened = open_entry(found);
        if (!opened) return tl::unexpected(opened.error());
        mapped_file made;
        if (!from.content.format->lists_folders) {
          const result<std::span<const std::byte>> bytes =
              mapped_bytes(from, opened->place(), opened->store_);
          if (!bytes) return tl::unexpected(bytes.error());
          made.bytes_ = *bytes;
          made.file_ = *std::move(opened);
          return made;
        }
        const result<open_source> loose = source(opened->place().source);
        if (!loose) return tl::unexpected(loose.error());
        const result<mapping> mapped = from.os->map(loose->handle);
        if (!mapped) return cannot_map(mapped.error(), "the system cannot map the file", {});
        made.os_ = &from.lasting_os();
        made.own_ = *mapped;
        made.bytes_ = {mapped->data, mapped->size};
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
