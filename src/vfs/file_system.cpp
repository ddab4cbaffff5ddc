#include "overture/file_system.hpp"

#include <cstring>
#include <utility>

#include "vfs/formats/zip.hpp"
#include "vfs/state.hpp"

namespace overture {
namespace {

tl::unexpected<error> no_memory() {
  return fail(errc::out_of_memory, "no memory for the file system");
}

// Lets the first format that knows the file fill the archive, whose handle is open.
result<void> list_content(const vfs::archive_input& input, vfs::archive& content) noexcept {
  const bool is_folder = input.status.kind == file_kind::folder;
  for (const vfs::archive_format* const format : vfs::formats()) {
    if (format->lists_folders != is_folder) continue;
    const result<bool> listed = format->list(input, content);
    if (!listed) return tl::unexpected(listed.error());
    if (*listed) {
      content.format = format;
      return {};
    }
  }
  return fail(errc::unsupported,
              input.status.size == 0 ? "the file is empty" : "no format knows this file");
}

// Opens what is to be mounted and reads its directory. A mount that could not be filled is of no
// use.
result<void> fill(vfs::mount& made, operating_system& os, const char* path,
                  std::string_view at) noexcept {
  if (!made.path.append(path, std::strlen(path) + 1) || !made.prefix.append(at.data(), at.size()) ||
      (!at.empty() && !made.prefix.push_back('/'))) {
    return no_memory();
  }
  const result<os_handle> handle = os.open(path);
  if (!handle) return tl::unexpected(handle.error());
  made.content.handle = vfs::owned_handle(os, *handle);
  const result<file_status> status = os.status(*handle);
  if (!status) return tl::unexpected(status.error());
  if (status->kind != file_kind::file && status->kind != file_kind::folder) {
    return fail(errc::not_a_file, "neither a folder nor a regular file");
  }
  const vfs::archive_input input{
      os, made.path.data(), *status, {made.prefix.data(), made.prefix.size()}};
  return list_content(input, made.content);
}

}  // namespace

// --- Life and configuration ----------------------------------------------------------------------

file_system::file_system(const file_system_config& config) noexcept : config_(config) {
  if (!config_.memory) config_.memory = &default_allocator();
  if (!config_.os) config_.os = &system_os();
  state_ = make_object<state>(*config_.memory, memory_tag::vfs, *config_.memory);
}

file_system::~file_system() {
  thaw();
  destroy_object(*config_.memory, memory_tag::vfs, state_);
}

result<mount_id> file_system::mount(const char* path, const mount_options& options) noexcept {
  if (!state_) return no_memory();
  if (frozen()) return fail(errc::frozen, "the file system is frozen");
  if (state_->mounts.size() >= limits::mounts_max) {
    return fail(errc::limit, "more mounts than limits::mounts_max");
  }
  path_buffer room;
  const result<asset_path> at = normalise(options.at, room);
  if (!at) return tl::unexpected(at.error());

  vfs::mount* const made = state_->mounts.make();
  if (!made) return no_memory();
  result<void> filled = fill(*made, *config_.os, path, at->text);
  if (filled && !made->content.format->lists_folders) {
    const result<source_id> source = state_->sources.add(made->content.handle.get(), {made->id});
    if (source) made->source = *source;
    if (!source) filled = tl::unexpected(source.error());
  }
  if (!filled) {
    state_->mounts.destroy(made);
    return tl::unexpected(filled.error());
  }
  state_->mounts.add(made);
  return made->id;
}

result<void> file_system::unmount(mount_id mount) noexcept {
  if (!state_) return no_memory();
  if (frozen()) return fail(errc::frozen, "the file system is frozen");
  vfs::mount* const ended = state_->mounts.remove(mount);
  if (!ended) return fail(errc::not_found, "no such mount");
  state_->colliding[0] = {};  // its text may be going
  if (ended->source.valid()) (void)state_->sources.remove(ended->source);
  state_->mounts.destroy(ended);
  return {};
}

result<void> file_system::freeze() noexcept {
  if (!state_) return no_memory();
  if (frozen()) return {};
  vfs::tree* const made = make_object<vfs::tree>(*config_.memory, memory_tag::vfs, *config_.memory);
  if (!made) return no_memory();
  result<void> built = made->build(state_->mounts, config_.first_wins, state_->colliding);
  if (!built) {
    destroy_object(*config_.memory, memory_tag::vfs, made);
    return built;
  }
  state_->tree = made;
  return {};
}

void file_system::thaw() noexcept {
  if (!frozen()) return;
  destroy_object(*config_.memory, memory_tag::vfs, std::exchange(state_->tree, nullptr));
}

bool file_system::frozen() const noexcept {
  return state_ && state_->tree;
}

// --- What is mounted -----------------------------------------------------------------------------

std::size_t file_system::mount_count() const noexcept {
  return state_ ? state_->mounts.size() : 0;
}

mount_info file_system::mount_at(std::size_t index) const noexcept {
  return state_->mounts[index].info();
}

mount_info file_system::mount_of(mount_id mount) const noexcept {
  const vfs::mount* const found = state_ ? state_->mounts.find(mount) : nullptr;
  return found ? found->info() : mount_info{};
}

std::size_t file_system::skipped_count() const noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < mount_count(); ++i) count += state_->mounts[i].content.skipped.size();
  return count;
}

skipped_name file_system::skipped(std::size_t index) const noexcept {
  for (std::size_t i = 0; i < mount_count(); ++i) {
    const vfs::archive& content = state_->mounts[i].content;
    if (index < content.skipped.size()) {
      const vfs::skipped_entry& found = content.skipped[index];
      return {state_->mounts[i].id,
              {content.names.data() + found.name, found.name_bytes},
              found.reason};
    }
    index -= content.skipped.size();
  }
  return {};
}

// --- The frozen tree -----------------------------------------------------------------------------

std::size_t file_system::entry_count() const noexcept {
  return frozen() ? state_->tree->size() : 0;
}

entry_info file_system::entry(entry_index index) const noexcept {
  if (index >= entry_count()) return {};
  const vfs::tree_entry& found = (*state_->tree)[index];
  const vfs::mount& winner = state_->mounts[found.mount];
  const vfs::archive_entry& content = winner.content.entries[found.entry];
  return {found.path(), content.id, winner.id, content.bytes,
          static_cast<std::uint32_t>(state_->tree->losers_of(index).size())};
}

std::size_t file_system::hidden_count() const noexcept {
  return frozen() ? state_->tree->losers().size() : 0;
}

hidden_entry file_system::hidden(std::size_t index) const noexcept {
  const vfs::tree_loser& loser = state_->tree->losers()[index];
  return {loser.entry, state_->mounts[loser.mount].id,
          state_->mounts[(*state_->tree)[loser.entry].mount].id};
}

result<entry_index> file_system::find(asset_path path) const noexcept {
  if (!frozen()) return fail(errc::not_found, "the file system is not frozen");
  const entry_index found = state_->tree->find(path);
  if (found == UINT32_MAX) return fail(errc::not_found, "no mount has this path");
  return found;
}

std::size_t file_system::providers(entry_index index, std::span<mount_id> mounts) const noexcept {
  if (index >= entry_count()) return 0;
  const std::span<const vfs::tree_loser> losers = state_->tree->losers_of(index);
  if (!mounts.empty()) mounts[0] = state_->mounts[(*state_->tree)[index].mount].id;
  for (std::size_t i = 0; i < losers.size() && i + 1 < mounts.size(); ++i) {
    mounts[i + 1] = state_->mounts[losers[i].mount].id;
  }
  return losers.size() + 1;
}

// --- Opening and reading -------------------------------------------------------------------------

result<opened_file> file_system::open(entry_index index) noexcept {
  if (index >= entry_count()) return fail(errc::not_found, "no such entry");
  const vfs::tree_entry& found = (*state_->tree)[index];
  const vfs::mount& winner = state_->mounts[found.mount];
  const vfs::archive& content = winner.content;
  result<vfs::opened_entry> opened =
      content.format->open(content, content.entries[found.entry], *config_.os);
  if (!opened) {
    error why = opened.error();
    why.source = winner.source;
    return tl::unexpected(why);
  }
  opened_file file;
  file.place_ = opened->place;
  file.place_.source = winner.source;
  if (!opened->handle.get().valid()) return file;
  const result<source_id> source =
      state_->sources.add(opened->handle.get(), {winner.id, found.entry});
  if (!source) return tl::unexpected(source.error());
  (void)opened->handle.release();
  file.place_.source = *source;
  file.files_ = this;
  return file;
}

result<opened_file> file_system::open(asset_path path) noexcept {
  return find(path).and_then([this](entry_index index) { return open(index); });
}

void file_system::close_source(source_id id) noexcept {
  config_.os->close(state_->sources.remove(id));
}

opened_file::opened_file(opened_file&& other) noexcept
    : files_(std::exchange(other.files_, nullptr)), place_(other.place_) {}

opened_file& opened_file::operator=(opened_file&& other) noexcept {
  file_system* const closing = std::exchange(files_, std::exchange(other.files_, nullptr));
  const source_id closed = std::exchange(place_, other.place_).source;
  if (closing) closing->close_source(closed);
  return *this;
}

opened_file::~opened_file() {
  if (files_) files_->close_source(place_.source);
}

result<std::span<const std::byte>> file_system::packed_part(
    const file_place& place, std::span<const std::byte> read) noexcept {
  return vfs::zip_packed_part(place, read);
}

result<open_source> file_system::source(source_id id) noexcept {
  os_handle handle;
  vfs::source_owner owner;
  if (!state_ || !state_->sources.find(id, handle, owner)) {
    return fail(errc::not_found, "the file is not open any more", id);
  }
  return open_source{config_.os, handle};
}

}  // namespace overture
