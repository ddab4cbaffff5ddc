// SPDX-License-Identifier: Zlib
//
// ReadDirectoryChangesW. A folder is watched with everything below it: a handle of each folder
// below would keep users from renaming those above it. So folders that lie in a watched one only
// get a number; an event names a path, and goes to the number of its folder.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/system/paths_windows.hpp"
#include "base/vec.hpp"
#include "vfs/watch/folder_events.hpp"

namespace overture::vfs_detail {
using namespace base_detail;

namespace {

constexpr std::size_t name_bytes_max = 2 * limits::path_bytes_max;

// A folder that the system watches.
struct watched_tree {
  OVERLAPPED state{};  // first: the system hands back its address
  HANDLE folder = INVALID_HANDLE_VALUE;
  int number = -1;
  bool gone = false;
  wide_path path;
  watched_tree* next = nullptr;
  alignas(DWORD) std::byte room[32u << 10];

  [[nodiscard]] bool listen() noexcept {
    constexpr DWORD asked_for = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME |
                                FILE_NOTIFY_CHANGE_SIZE | FILE_NOTIFY_CHANGE_LAST_WRITE;
    return ReadDirectoryChangesW(folder, room, sizeof room, TRUE, asked_for, nullptr, &state,
                                 nullptr) != 0;
  }
};

struct numbered_folder {
  numbered_folder() noexcept : name(default_allocator(), memory_tag::vfs) {}
  int number = -1;
  watched_tree* in = nullptr;
  vec<char> name;  // relative to the tree's
  numbered_folder* next = nullptr;
  [[nodiscard]] std::string_view text() const noexcept { return {name.data(), name.size()}; }
};

tl::unexpected<error> no_memory_for_events() {
  return fail(errc::out_of_memory, "out of memory for watching folders");
}

template <class T>
T* make() noexcept {
  return make_object<T>(default_allocator(), memory_tag::vfs);
}
template <class T>
void destroy(T* object) noexcept {
  destroy_object(default_allocator(), memory_tag::vfs, object);
}

}  // namespace

struct folder_events::system_state {
  HANDLE port = nullptr;
  watched_tree* trees = nullptr;
  numbered_folder* folders = nullptr;
  int last_number = 0;

  [[nodiscard]] numbered_folder* find(const watched_tree* in, std::string_view name) noexcept {
    numbered_folder* at = folders;
    while (at && (at->in != in || at->text() != name)) at = at->next;
    return at;
  }
  [[nodiscard]] result<int> number(watched_tree& in, std::string_view name) noexcept;
  [[nodiscard]] result<watched_tree*> watch(HANDLE folder, const wide_path& path) noexcept;
  void stop(watched_tree& tree) noexcept;
  void end(watched_tree& tree) noexcept;
  void tell(watched_tree& in, const FILE_NOTIFY_INFORMATION& from,
            function_ref<void(const folder_event&)> visit) noexcept;
  void tell_all(watched_tree& in, DWORD bytes,
                function_ref<void(const folder_event&)> visit) noexcept;
};

result<int> folder_events::system_state::number(watched_tree& in, std::string_view name) noexcept {
  if (const numbered_folder* const known = find(&in, name)) return known->number;
  auto* const made = make<numbered_folder>();
  if (!made || !made->name.append(name.data(), name.size())) {
    if (made) destroy(made);
    return no_memory_for_events();
  }
  made->number = ++last_number;
  made->in = &in;
  made->next = std::exchange(folders, made);
  if (name.empty()) in.number = made->number;
  return made->number;
}

result<watched_tree*> folder_events::system_state::watch(HANDLE folder,
                                                         const wide_path& path) noexcept {
  auto* const made = make<watched_tree>();
  if (!made) return no_memory_for_events();
  made->folder = folder;
  made->path = path;
  if (!CreateIoCompletionPort(folder, port, 0, 0) || !made->listen()) {
    const auto failure = windows_failure("cannot watch the folder");
    destroy(made);
    return failure;
  }
  made->next = std::exchange(trees, made);
  return made;
}

// Its memory is the system's until the request has ended, which read() or close() will learn.
void folder_events::system_state::stop(watched_tree& tree) noexcept {
  tree.gone = true;
  (void)CloseHandle(std::exchange(tree.folder, INVALID_HANDLE_VALUE));
}

void folder_events::system_state::end(watched_tree& tree) noexcept {
  for (watched_tree** link = &trees; *link; link = &(*link)->next) {
    if (*link != &tree) continue;
    *link = tree.next;
    break;
  }
  if (tree.folder != INVALID_HANDLE_VALUE) (void)CloseHandle(tree.folder);
  destroy(&tree);
}

// There are no such events: each write is reported.
found_kind look_at(const char*) noexcept {
  return found_kind::unknown;
}

result<void> folder_events::open() noexcept {
  system_ = make<system_state>();
  if (!system_) return no_memory_for_events();
  system_->port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1);
  if (!system_->port) return windows_failure("cannot watch folders");
  return {};
}

void folder_events::close() noexcept {
  if (!system_) return;
  for (watched_tree* each = system_->trees; each; each = each->next) {
    if (!each->gone) system_->stop(*each);
  }
  while (system_->trees) {
    DWORD bytes = 0;
    ULONG_PTR key = 0;
    OVERLAPPED* ended = nullptr;
    (void)GetQueuedCompletionStatus(system_->port, &bytes, &key, &ended, INFINITE);
    if (!ended) break;  // the port is broken: better to leak than to free what may be written
    system_->end(*reinterpret_cast<watched_tree*>(ended));
  }
  while (numbered_folder* const first = system_->folders) {
    system_->folders = first->next;
    destroy(first);
  }
  if (system_->port) (void)CloseHandle(system_->port);
  destroy(std::exchange(system_, nullptr));
}

result<int> folder_events::add(const char* path) noexcept {
  wide_path given;
  if (!given.set(path)) return windows_failure("cannot watch the folder");
  const HANDLE folder = CreateFileW(
      given.c_str(), FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
      nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OVERLAPPED, nullptr);
  if (folder == INVALID_HANDLE_VALUE) return windows_failure("cannot watch the folder");
  wide_path actual;
  if (!actual.set(folder)) {
    const auto failure = windows_failure("cannot watch the folder");
    (void)CloseHandle(folder);
    return failure;
  }
  for (watched_tree* each = system_->trees; each; each = each->next) {
    if (each->gone || !actual.is_below(each->path)) continue;
    (void)CloseHandle(folder);
    std::wstring_view inner = actual.view().substr(each->path.view().size());
    if (inner.starts_with(L'\\')) inner.remove_prefix(1);
    char name[name_bytes_max];
    std::size_t length = 0;
    if (!to_utf8(inner, name, length)) return windows_failure("cannot watch the folder");
    std::replace(name, name + length, '\\', '/');
    return system_->number(*each, {name, length});
  }
  const result<watched_tree*> made = system_->watch(folder, actual);
  if (!made) {
    (void)CloseHandle(folder);
    return tl::unexpected<error>(made.error());
  }
  return system_->number(**made, {});
}

void folder_events::remove(int folder) noexcept {
  for (watched_tree* each = system_->trees; each; each = each->next) {
    if (!each->gone && each->number == folder) system_->stop(*each);
  }
  for (numbered_folder** link = &system_->folders; *link;) {
    numbered_folder* const at = *link;
    if (at->number != folder && !at->in->gone) {
      link = &at->next;
      continue;
    }
    *link = at->next;
    destroy(at);
  }
}

void folder_events::system_state::tell(watched_tree& in, const FILE_NOTIFY_INFORMATION& from,
                                       function_ref<void(const folder_event&)> visit) noexcept {
  using what = folder_event::what;
  char path[name_bytes_max];
  std::size_t length = 0;
  if (!to_utf8({from.FileName, from.FileNameLength / sizeof(wchar_t)}, path, length)) return;
  std::replace(path, path + length, '\\', '/');
  const std::string_view whole(path, length);
  const std::size_t slash = whole.rfind('/');
  const numbered_folder* const folder =
      find(&in, slash == whole.npos ? std::string_view{} : whole.substr(0, slash));
  if (!folder) return;
  folder_event told;
  told.folder = folder->number;
  told.name = whole.substr(slash + 1);
  if (from.Action == FILE_ACTION_REMOVED || from.Action == FILE_ACTION_RENAMED_OLD_NAME) {
    told.kind = find(&in, whole) ? what::folder_gone : what::removed;
    return visit(told);
  }
  wide_path now = in.path;
  const DWORD attributes =
      now.append(whole) ? GetFileAttributesW(now.c_str()) : INVALID_FILE_ATTRIBUTES;
  // What is gone again is told by an event to come; links are not followed.
  if (attributes == INVALID_FILE_ATTRIBUTES) return;
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return;
  const bool is_folder = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  if (is_folder && from.Action == FILE_ACTION_MODIFIED) return;
  told.kind = is_folder ? what::folder_here : what::written;
  visit(told);
}

void folder_events::system_state::tell_all(watched_tree& in, DWORD bytes,
                                           function_ref<void(const folder_event&)> visit) noexcept {
  // The visitor may end the watch, and with it the memory of the events.
  std::byte events[sizeof in.room];
  std::memcpy(events, in.room, bytes);
  if (!in.listen()) {
    folder_event told;
    told.kind = folder_event::what::forgotten;
    told.folder = in.number;
    visit(told);
  }
  const FILE_NOTIFY_INFORMATION* last = nullptr;
  for (DWORD at = 0;;) {
    const auto* const event = reinterpret_cast<const FILE_NOTIFY_INFORMATION*>(events + at);
    // One write makes several events.
    const bool again =
        last && event->FileNameLength == last->FileNameLength &&
        event->Action == FILE_ACTION_MODIFIED &&
        (last->Action == FILE_ACTION_MODIFIED || last->Action == FILE_ACTION_ADDED) &&
        std::memcmp(event->FileName, last->FileName, last->FileNameLength) == 0;
    if (!again) tell(in, *event, visit);
    last = event;
    if (event->NextEntryOffset == 0 || in.gone) return;
    at += event->NextEntryOffset;
  }
}

result<void> folder_events::read(function_ref<void(const folder_event&)> visit) noexcept {
  for (;;) {
    DWORD bytes = 0;
    ULONG_PTR key = 0;
    OVERLAPPED* ended = nullptr;
    const bool done = GetQueuedCompletionStatus(system_->port, &bytes, &key, &ended, 0) != 0;
    if (!ended) return {};
    auto& tree = *reinterpret_cast<watched_tree*>(ended);
    if (tree.gone) {
      system_->end(tree);
      continue;
    }
    if (done && bytes > 0) {
      system_->tell_all(tree, bytes, visit);
      continue;
    }
    folder_event told;
    const bool lost_some = (done || GetLastError() == ERROR_NOTIFY_ENUM_DIR) && tree.listen();
    if (!lost_some) {
      told.kind = folder_event::what::forgotten;
      told.folder = tree.number;
    }
    visit(told);
  }
}

}  // namespace overture::vfs_detail
