// SPDX-License-Identifier: Zlib
#include "overture/vfs/file_watch.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/guarded_call.hpp"
#include "overture/base/replace_file.hpp"
#include "sync/object_use.hpp"
#include "vfs/state.hpp"
#include "vfs/tree/path_key.hpp"
#include "vfs/watch/folder_events.hpp"
#include "vfs/writing.hpp"

namespace overture {
using namespace base_detail;

namespace {

tl::unexpected<error> no_memory_for_watching() {
  return fail(errc::out_of_memory, "out of memory for watching folders");
}

// A NUL-terminated path built on the stack; empty if it is too long.
class joined {
 public:
  joined(std::string_view front, std::string_view back) noexcept {
    const bool separated = !front.empty() && !back.empty() && front.back() != '/';
    const std::size_t bytes = front.size() + back.size() + (separated ? 1 : 0);
    if (bytes >= sizeof text_) return;
    char* at = std::copy(front.begin(), front.end(), text_);
    if (separated) *at++ = '/';
    *std::copy(back.begin(), back.end(), at) = '\0';
    length_ = bytes;
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_, length_}; }
  [[nodiscard]] const char* c_str() const noexcept { return text_; }

 private:
  std::size_t length_ = 0;
  char text_[2 * limits::path_bytes_max] = "";
};

}  // namespace

struct OVERTURE_HIDDEN file_watch::state {
  // A watched folder. The system's numbers grow, so the list is sorted by them.
  struct watched {
    int number = -1;
    std::uint32_t root = 0;
    std::uint32_t name = 0;  // relative to the mount's folder; offset in `names`
    std::uint32_t name_bytes = 0;
    bool gone = false;
  };
  struct root {
    mount_id mount;
    std::uint32_t path = 0;  // on disk, NUL-terminated; offset in `names`
    std::uint32_t path_bytes = 0;
    std::uint32_t at = 0;  // the mount point; offset in `names`
    std::uint32_t at_bytes = 0;
    bool removed = false;
    bool rescan = false;        // to be reported by the next poll()
    bool names_change = false;  // new files come into the tree
  };
  // A file that was created, and of which nothing more was heard. It may be unfinished, or a link.
  struct creation {
    int folder = -1;
    std::uint32_t name = 0;  // offset in `names` of its list
    std::uint32_t name_bytes = 0;
  };
  struct creations {
    explicit creations(allocator& from) noexcept
        : list(from, memory_tag::vfs), names(from, memory_tag::vfs) {}
    [[nodiscard]] std::string_view name_of(const creation& each) const noexcept {
      return {names.data() + each.name, each.name_bytes};
    }
    [[nodiscard]] bool add(int folder, std::string_view name) noexcept;
    void forget(int folder, std::string_view name) noexcept;

    vec<creation> list;
    vec<char> names;
  };
  enum class reporting : std::uint8_t { nothing, files };

  state(allocator& from, file_system& tree) noexcept
      : uses({{&tree,
               "a file_system was destroyed while a file_watch looks at its mounts: destroy the "
               "file_watch first"}}),
        memory(from),
        files(tree),
        roots(from, memory_tag::vfs),
        folders(from, memory_tag::vfs),
        names(from, memory_tag::vfs),
        created(from) {}
  ~state() { events.close(); }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  [[nodiscard]] std::string_view text(std::uint32_t at, std::uint32_t bytes) const noexcept {
    return bytes == 0 ? std::string_view{} : std::string_view{names.data() + at, bytes};
  }
  [[nodiscard]] std::string_view name_of(const watched& folder) const noexcept {
    return text(folder.name, folder.name_bytes);
  }
  [[nodiscard]] bool keep(std::string_view text, std::uint32_t& at, std::uint32_t& bytes) noexcept;
  [[nodiscard]] watched* find(int number) noexcept;
  [[nodiscard]] result<void> watch(std::uint32_t root_number, std::string_view name,
                                   reporting what) noexcept;
  [[nodiscard]] result<void> watch_one(std::uint32_t root_number, std::string_view name) noexcept;
  void forget_below(std::uint32_t root_number, std::string_view name) noexcept;
  void drop(std::uint32_t root_number) noexcept;
  void forget_names() noexcept;
  void take(const vfs_detail::folder_event& event) noexcept;
  void take_created() noexcept;
  void take_link(root& of, std::string_view name) noexcept;
  void report(change_kind kind, root& of, std::string_view name) noexcept;
  void note(change_kind kind, root& of, asset_path path, std::string_view name) noexcept;

  [[no_unique_address]] sync_detail::object_uses<1> uses;
  allocator& memory;
  file_system& files;
  bool ignore_case = false;
  vfs_detail::folder_events events;
  vec<root> roots;
  vec<watched> folders;
  vec<char> names;
  creations created;
  // When `names` exceeds this, names of folders that are gone are removed.
  std::size_t names_bytes_max = names_bytes_min;
  static constexpr std::size_t names_bytes_min = 16u << 10;
  // During poll().
  const function_ref<void(const file_change&)>* visit = nullptr;
  bool threw = false;
  std::size_t reported = 0;
};

bool file_watch::state::keep(std::string_view text, std::uint32_t& at,
                             std::uint32_t& bytes) noexcept {
  if (names.size() + text.size() + 1 > UINT32_MAX) return false;
  at = static_cast<std::uint32_t>(names.size());
  bytes = static_cast<std::uint32_t>(text.size());
  return (text.empty() || names.append(text.data(), text.size())) && names.push_back('\0');
}

file_watch::state::watched* file_watch::state::find(int number) noexcept {
  watched* const at =
      std::lower_bound(folders.begin(), folders.end(), number,
                       [](const watched& each, int wanted) { return each.number < wanted; });
  return at != folders.end() && at->number == number && !at->gone ? at : nullptr;
}

result<void> file_watch::state::watch_one(std::uint32_t root_number,
                                          std::string_view name) noexcept {
  const root& of = roots[root_number];
  const joined path(text(of.path, of.path_bytes), name);
  watched added{-1, root_number, 0, 0, false};
  if (!keep(name, added.name, added.name_bytes) || !folders.reserve(folders.size() + 1)) {
    return no_memory_for_watching();
  }
  const result<int> number = events.add(path.c_str());
  if (!number) return tl::unexpected(number.error());
  added.number = *number;
  // Already watched, maybe under another name: the folder was moved within the mount.
  if (watched* const known = find(*number)) {
    if (known->root != root_number) {
      return fail(errc::exists, "the folder is already watched for another mount");
    }
    *known = added;
    return {};
  }
  if (!folders.empty() && folders.back().number >= *number) {
    return fail(errc::limit, "the system has run out of watch numbers; open a new file_watch");
  }
  (void)folders.push_back(added);
  return {};
}

// Watches a folder and all folders below it. Each is watched before it is listed, so no file is
// missed: later files arrive as events, earlier ones are reported here if `what` asks for it.
result<void> file_watch::state::watch(std::uint32_t root_number, std::string_view name,
                                      reporting what) noexcept {
  vec<char> pending(memory, memory_tag::vfs);  // names, each NUL-terminated
  if (!pending.append(name.data(), name.size()) || !pending.push_back('\0'))
    return no_memory_for_watching();
  for (std::size_t at = 0; at < pending.size();) {
    const joined folder(pending.data() + at, {});
    at += folder.view().size() + 1;
    if (std::count(folder.view().begin(), folder.view().end(), '/') >
        std::ptrdiff_t{limits::folder_depth_max}) {
      continue;
    }
    result<void> one = watch_one(root_number, folder.view());
    const bool top = folder.view().size() == name.size();
    if (!one && !top && one.error().code == errc::not_found) continue;  // already gone
    if (!one) return one;
    const root& of = roots[root_number];
    const joined path(text(of.path, of.path_bytes), folder.view());
    bool complete = true;
    (void)system_os().list(path.c_str(), [&](const folder_entry& entry) noexcept {
      const joined inner(folder.view(), entry.name);
      if (inner.view().empty() || is_temporary_name(entry.name)) return;  // empty: too long
      if (entry.kind == file_kind::folder) {
        complete = complete && pending.append(inner.c_str(), inner.view().size() + 1);
      } else if (entry.kind == file_kind::file && what == reporting::files) {
        report(change_kind::written, roots[root_number], inner.view());
      }
    });
    if (!complete) return no_memory_for_watching();
  }
  return {};
}

// Called when a folder was moved or removed, with everything below it.
void file_watch::state::forget_below(std::uint32_t root_number, std::string_view name) noexcept {
  for (watched& each : folders) {
    if (each.gone || each.root != root_number) continue;
    const std::string_view inner = name_of(each);
    const bool below =
        name.empty() || inner == name ||
        (inner.starts_with(name) && inner.size() > name.size() && inner[name.size()] == '/');
    if (!below) continue;
    each.gone = true;
    events.remove(each.number);
  }
}

void file_watch::state::drop(std::uint32_t root_number) noexcept {
  roots[root_number].removed = true;
  forget_below(root_number, {});
}

// Removes folders that are gone, and their names. Does nothing if out of memory.
void file_watch::state::forget_names() noexcept {
  vec<char> before(memory, memory_tag::vfs);
  if (!before.append(names.data(), names.size())) return;
  // No more is kept than there was, so keep() has room.
  names.clear();
  const auto move = [&](std::uint32_t& at, std::uint32_t& bytes) noexcept {
    (void)keep({before.data() + at, bytes}, at, bytes);
  };
  for (root& each : roots) {
    if (each.removed) each.path_bytes = each.at_bytes = 0;
    move(each.path, each.path_bytes);
    move(each.at, each.at_bytes);
  }
  watched* const last =
      std::remove_if(folders.begin(), folders.end(), [](const watched& each) { return each.gone; });
  (void)folders.resize(static_cast<std::size_t>(last - folders.begin()));
  for (watched& each : folders) move(each.name, each.name_bytes);
  names_bytes_max = std::max(names_bytes_min, 2 * names.size());
}

// Tells the tree. What cannot be told for want of memory makes a rescan.
void file_watch::state::note(change_kind kind, root& of, asset_path path,
                             std::string_view name) noexcept {
  if (!of.names_change || kind == change_kind::rescan) return;
  const file_system::reading now(*files.state_);
  const vfs_detail::mount* const in = now->find(of.mount);
  if (!in) return;
  const bool made = kind == change_kind::written;
  if (!vfs_detail::note_change_by_others(*in, path, name, made)) of.rescan = true;
}

void file_watch::state::report(change_kind kind, root& of, std::string_view name) noexcept {
  const joined path(text(of.at, of.at_bytes), name);
  if (path_flaw(path.view()) != nullptr) return;  // cannot be in the tree
  const vfs_detail::path_key key({path.view(), {hash64(path.view())}}, ignore_case);
  const asset_path reported_path = key;
  note(kind, of, reported_path, name);
  ++reported;
  const file_change change{kind, reported_path.text, reported_path.id, of.mount};
  if (!base_detail::guarded_call([&] { (*visit)(change); })) threw = true;
}

bool file_watch::state::creations::add(int folder, std::string_view name) noexcept {
  const std::size_t at = names.size();
  if (at + name.size() > UINT32_MAX) return false;
  if (!names.append(name.data(), name.size())) return false;
  return list.push_back(
      {folder, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(name.size())});
}

// A file is mostly closed right after it was created. One that is not found is reported twice.
void file_watch::state::creations::forget(int folder, std::string_view name) noexcept {
  constexpr std::size_t looked_at_max = 64;
  for (std::size_t i = 0; i < std::min(list.size(), looked_at_max); ++i) {
    creation& each = list[list.size() - 1 - i];
    if (each.folder == folder && name_of(each) == name) {
      each.folder = -1;
      return;
    }
  }
}

// A file is created by a link, too: complete, and no writer will close it.
void file_watch::state::take_created() noexcept {
  if (created.list.empty()) return;
  creations unfinished(memory);
  for (const creation& each : created.list.span()) {
    const watched* const folder = each.folder < 0 ? nullptr : find(each.folder);
    if (!folder) continue;
    root& of = roots[folder->root];
    const std::string_view in_folder = created.name_of(each);
    const joined name(name_of(*folder), in_folder);
    const joined path(text(of.path, of.path_bytes), name.view());
    using found_kind = vfs_detail::found_kind;
    const found_kind found = vfs_detail::look_at(path.c_str());
    if (found == found_kind::file) report(change_kind::written, of, name.view());
    if (found == found_kind::link) take_link(of, name.view());
    if (found == found_kind::unfinished && !unfinished.add(each.folder, in_folder)) {
      of.rescan = true;
    }
  }
  created.list = std::move(unfinished.list);
  created.names = std::move(unfinished.names);
}

// The system reports no changes behind links, so what a link to a folder shows needs a new list.
void file_watch::state::take_link(root& of, std::string_view name) noexcept {
  const std::string_view top = text(of.path, of.path_bytes);
  const joined path(top, name);
  char target[2 * limits::path_bytes_max];
  const result<std::size_t> length = system_os().canonical_path(path.c_str(), target);
  if (!length) return;
  const std::string_view leads_to(target, *length);
  if (!leads_to.starts_with(top) || leads_to.substr(top.size(), 1) != "/") return;
  const result<file_status> status = system_os().status(target, true);
  if (!status) return;
  if (status->kind == file_kind::folder) of.rescan = true;
  if (status->kind == file_kind::file) report(change_kind::written, of, name);
}

void file_watch::state::take(const vfs_detail::folder_event& event) noexcept {
  using what = vfs_detail::folder_event::what;
  if (event.kind == what::overflow) {
    for (root& each : roots) each.rescan = true;
    return;
  }
  watched* const folder = find(event.folder);
  if (!folder || is_temporary_name(event.name)) return;
  const std::uint32_t root_number = folder->root;
  root& of = roots[root_number];
  const joined name(name_of(*folder), event.name);
  created.forget(event.folder, event.name);
  switch (event.kind) {
    case what::written:
      return report(change_kind::written, of, name.view());
    case what::created:
      if (!created.add(event.folder, event.name)) of.rescan = true;
      return;
    case what::moved_here: {
      const joined path(text(of.path, of.path_bytes), name.view());
      const bool is_link = vfs_detail::look_at(path.c_str()) == vfs_detail::found_kind::link;
      return is_link ? take_link(of, name.view()) : report(change_kind::written, of, name.view());
    }
    case what::removed:
      return report(change_kind::removed, of, name.view());
    case what::folder_here:
      if (!watch(root_number, name.view(), reporting::files)) of.rescan = true;
      return;
    case what::folder_gone:
      // The system does not say which files were in it.
      forget_below(root_number, name.view());
      of.rescan = true;
      return;
    case what::forgotten:
    case what::moved:
      if (folder->name_bytes == 0) of.rescan = true;  // the mounted folder itself
      if (event.kind == what::forgotten) folder->gone = true;
      return;
    case what::overflow:
      return;
  }
}

result<file_watch> file_watch::open(file_system& files, const file_watch_config& config) noexcept {
  allocator& memory = config.memory ? *config.memory : default_allocator();
  state* const made = make_object<state>(memory, memory_tag::vfs, memory, files);
  if (!made) return no_memory_for_watching();
  file_watch watch(made);
  made->ignore_case = files.config_.ignore_case;
  if (result<void> opened = made->events.open(); !opened) return tl::unexpected(opened.error());
  return watch;
}

file_watch::~file_watch() {
  if (state_) destroy_object(state_->memory, memory_tag::vfs, state_);
}

namespace {

using sync_detail::not_moved;

constexpr const char* watch_moved_from =
    "a file_watch was used after it was moved from: use the one that it was moved to";

}  // namespace

result<void> file_watch::add(mount_id mount) noexcept {
  state& mine = not_moved(state_, watch_moved_from);
  if (!mine.files.state_) return fail(errc::not_found, "no such mount");
  file_system::state& tree = *mine.files.state_;
  state::root added{.mount = mount};
  bool writable = false;  // what is written through the tree notes itself, and events come late
  {
    const file_system::reading now(tree);
    const vfs_detail::mount* const found = now->find(mount);
    if (!found) return fail(errc::not_found, "no such mount");
    writable = found->writable;
    added.names_change = !writable && now->names_change(*found);
    if (!found->content.format->lists_folders) {
      return fail(errc::not_a_file, "archives cannot be watched, only folders");
    }
    if (found->narrowed || found->custom_os) {
      return fail(errc::unsupported,
                  "only whole folders on the system's own storage can be watched");
    }
    char whole[2 * limits::path_bytes_max];
    const result<std::size_t> length = system_os().canonical_path(found->path.data(), whole);
    if (!length) return tl::unexpected(length.error());
    if (!mine.keep({whole, *length}, added.path, added.path_bytes) ||
        !mine.keep(found->at(), added.at, added.at_bytes)) {
      return no_memory_for_watching();
    }
  }
  if (!writable && !added.names_change) {
    const auto is_thawed = [&tree] { return tree.frozen_tree() == nullptr; };
    const result<void> done = tree.mounts.let_names_change(mount, is_thawed);
    if (!done && done.error().code != errc::frozen) return done;
    added.names_change = done.has_value();
  }
  state::root* at = std::find_if(mine.roots.begin(), mine.roots.end(),
                                 [](const state::root& each) { return each.removed; });
  if (at == mine.roots.end()) {
    if (!mine.roots.push_back(added)) return no_memory_for_watching();
    at = &mine.roots.back();
  }
  *at = added;
  const auto number = static_cast<std::uint32_t>(at - mine.roots.begin());
  const result<void> watched = mine.watch(number, {}, state::reporting::nothing);
  if (!watched) mine.drop(number);
  return watched;
}

void file_watch::remove(mount_id mount) noexcept {
  state& mine = not_moved(state_, watch_moved_from);
  for (std::uint32_t i = 0; i < mine.roots.size(); ++i) {
    if (mine.roots[i].mount == mount) mine.drop(i);
  }
}

result<std::size_t> file_watch::poll(function_ref<void(const file_change&)> visit) noexcept {
  state& mine = not_moved(state_, watch_moved_from);
  if constexpr (detail::contracts) {
    detail::expects(mine.visit == nullptr,
                    "a visitor of file_watch::poll() called poll() of the same watch: return from "
                    "it first");
  }
  mine.visit = &visit;
  mine.reported = 0;
  mine.threw = false;
  const result<void> read =
      mine.events.read([&](const vfs_detail::folder_event& event) { mine.take(event); });
  mine.take_created();
  for (state::root& each : mine.roots) {
    if (!std::exchange(each.rescan, false) || each.removed) continue;
    mine.report(change_kind::rescan, each, {});
  }
  mine.visit = nullptr;
  if (mine.names.size() > mine.names_bytes_max) mine.forget_names();
  if (!read) return tl::unexpected(read.error());
  if (mine.threw) return fail(errc::threw, base_detail::visitor_threw);
  return mine.reported;
}

int file_watch::descriptor() const noexcept {
  return state_ ? state_->events.descriptor() : -1;
}

}  // namespace overture
