// SPDX-License-Identifier: Zlib
#include "search/search_path.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "errors.hpp"
#include "overture/base/thread.hpp"
#include "search/parsed_archives.hpp"
#include "system/platform.hpp"

namespace physfs {

// What a thread is reading. Kept when the thread ends, for the next one.
struct reader_record {
  overture::atomic<const snapshot*> held{nullptr};
  overture::atomic<bool> taken{true};
  reader_record* next = nullptr;
  // Only for the thread itself.
  const snapshot* last_counted = nullptr;
  std::uint64_t asked_in_vain = 0;  // in that snapshot
};

namespace {

struct kept {
  kept* next;
  std::size_t bytes;
  alignas(void*) char text[1];  // or a table of pointers
};

// To look a name up in an index costs about as much as to ask so many archives.
constexpr std::uint32_t few_archives = 4;

overture::atomic<const snapshot*> current{nullptr};  // null too while the library ends
overture::atomic<bool> running{false};
overture::atomic<reader_record*> records{nullptr};
std::mutex changing;

// Guarded by changes().
const snapshot* retired = nullptr;
const snapshot* suspended = nullptr;

// Guarded by keeping.
std::mutex keeping;
kept* kept_texts = nullptr;

reader_record* claim_record() noexcept {
  for (reader_record* each = records.load(); each; each = each->next) {
    if (!each->taken.exchange(true)) return each;
  }
  auto* const made = new (std::nothrow) reader_record;
  if (!made) return nullptr;
  made->next = records.load();
  while (!records.compare_exchange_weak(made->next, made)) {
  }
  return made;
}

// Null before the thread reads first, and once it is about to end.
constinit thread_local reader_record* own_record = nullptr;
constinit thread_local bool has_asked = false;

void give_back_record(void* record) {
  own_record = nullptr;
  static_cast<reader_record*>(record)->taken.store(false);
}

// Null if there is no memory: the thread reads more slowly.
[[gnu::noinline]] reader_record* first_record() noexcept {
  if (has_asked) return nullptr;
  reader_record* const record = claim_record();
  if (!record) return nullptr;
  has_asked = true;
  if (!run_at_end_of_thread(give_back_record, record)) {
    record->taken.store(false);
    return nullptr;
  }
  own_record = record;
  return record;
}

reader_record* record_of_thread() noexcept {
  reader_record* const own = own_record;
  return own ? own : first_record();
}

snapshot* new_snapshot(std::uint32_t count) noexcept {
  void* const room = allocate(sizeof(snapshot) + count * sizeof(mount*));
  if (!room) return nullptr;
  auto* const made = new (room) snapshot;
  made->count = count;
  return made;
}

bool is_read(const snapshot* old) noexcept {
  if (old->holders.load() != 0) return true;
  for (const reader_record* each = records.load(); each; each = each->next) {
    if (each->held.load() == old) return true;
  }
  return false;
}

// Takes the retired snapshots without readers out of the list.
const snapshot* take_unread() noexcept {
  const snapshot* unread = nullptr;
  for (const snapshot** link = &retired; *link;) {
    auto* const old = const_cast<snapshot*>(*link);
    if (is_read(old)) {
      link = const_cast<const snapshot**>(&old->next_retired);
      continue;
    }
    *link = old->next_retired;
    old->next_retired = unread;
    unread = old;
  }
  return unread;
}

bool is_anything_read() noexcept {
  for (const reader_record* each = records.load(); each; each = each->next) {
    if (each->held.load()) return true;
  }
  const std::scoped_lock lock(changing);
  if (suspended->holders.load() != 0) return true;
  for (const snapshot* each = retired; each; each = each->next_retired) {
    if (each->holders.load() != 0) return true;
  }
  return false;
}

// Not under changes(): the host's code may run when a mount goes.
void free_snapshots(const snapshot* unread) noexcept {
  while (unread) {
    auto* const old = const_cast<snapshot*>(unread);
    unread = old->next_retired;
    for (mount* each : *old) each->release(1);
    name_index::destroy(old->index.load());
    destroy(old);
  }
}

// Under changes(). Counts the mounts of `next` before it takes those of the old one away.
const snapshot* replace(snapshot* next) noexcept {
  for (mount* each : *next) {
    each->users.fetch_add(1);
    next->files_known += each->files_known;
  }
  auto* const old = const_cast<snapshot*>(current.exchange(next));
  if (old) {
    old->next_retired = retired;
    retired = old;
  }
  return take_unread();
}

mount* find(const snapshot& mounts, const char* name) noexcept {
  for (mount* each : mounts) {
    if (std::strcmp(each->name, name) == 0) return each;
  }
  return nullptr;
}

mount* new_mount(storage* contents, const char* name, const clean_name& point) noexcept {
  joined_name with_slash;
  const char* kept_point = "";
  if (!point.view().empty()) {
    if (!with_slash.join(point.view(), "/")) return nullptr;
    kept_point = kept_text(with_slash.view());
  }
  mount* const made = kept_point ? make<mount>() : nullptr;
  if (!made) return nullptr;
  made->name = name;
  made->point = kept_point;
  made->contents = contents;
  made->files_known = contents->known_files();
  return made;
}

}  // namespace

void mount::release(std::uint64_t count) noexcept {
  if (users.fetch_sub(count) != count) return;
  contents->retire();
  destroy(this);
}

mount::relation mount::relation_to(std::string_view path, std::string_view& rest) const noexcept {
  const std::string_view at(point);
  if (path.size() >= at.size()) {
    if (!path.starts_with(at)) return relation::outside;
    rest = path.substr(at.size());
    return relation::inside;
  }
  if (path.size() + 1 == at.size() && at.starts_with(path)) {
    rest = {};
    return relation::inside;
  }
  const bool above = at.starts_with(path) && (path.empty() || at[path.size()] == '/');
  return above ? relation::above : relation::outside;
}

mount::relation mount::locate(const clean_name& path, joined_name& room,
                              std::string_view& in_storage) const noexcept {
  const relation where = relation_to(path.view(), in_storage);
  if (where == relation::outside) set_error(PHYSFS_ERR_NOT_FOUND);
  const char* const below = root.load(std::memory_order_acquire);
  if (where != relation::inside || below[0] == '\0') return where;
  if (!room.join(below, in_storage)) return relation::outside;
  in_storage = room.view();
  return where;
}

reading::reading() noexcept {
  reader_record* const own = record_of_thread();
  if (own && !own->held.load(std::memory_order_relaxed)) {
    const snapshot* found = current.load(std::memory_order_acquire);
    for (;;) {
      // A change that does not see this store has replaced the snapshot before the second load.
      own->held.store(found);
      const snapshot* const again = current.load();
      if (again == found) break;
      found = again;
    }
    record_ = own;
    held_ = found;
  } else {
    // The thread is reading already: an archiver of the host calls back.
    const std::scoped_lock lock(changing);
    held_ = current.load();
    if (held_) const_cast<snapshot*>(held_)->holders.fetch_add(1);
  }
  if (!held_) set_error(PHYSFS_ERR_NOT_INITIALIZED);
}

reading::~reading() {
  if (record_) {
    record_->held.store(nullptr, std::memory_order_release);
  } else if (held_) {
    const_cast<snapshot*>(held_)->holders.fetch_sub(1);
  }
}

void reading::count_asked_in_vain(std::uint32_t count) const noexcept {
  if (!record_) return;
  if (record_->last_counted != held_) {
    record_->last_counted = held_;
    record_->asked_in_vain = 0;
  }
  record_->asked_in_vain += count;
  if (record_->asked_in_vain < held_->files_known || held_->is_indexed.load() ||
      held_->is_indexed.exchange(true)) {
    return;
  }
  held_->index.store(name_index::make(held_->mounts, held_->count, held_->files_known));
}

// A name with a '$' may end in a password.
asked_mounts::asked_mounts(const reading& mounts, const clean_name& name) noexcept
    : mounts_(mounts) {
  const std::string_view text = name.view();
  const name_index* const made = mounts.held_->index.load(std::memory_order_acquire);
  if (!made || text.empty() || text.find('$') != text.npos) return;
  index_ = made;
  first_ = made->first_with(text);
}

asked_mounts::~asked_mounts() {
  if (archives_ > few_archives) mounts_.count_asked_in_vain(archives_ - 1);
}

mount* asked_mounts::next() noexcept {
  const snapshot& all = *mounts_.held_;
  if (index_) {
    const std::uint32_t next = index_->next(at_, first_);
    if (next != at_) set_error(PHYSFS_ERR_NOT_FOUND);
    at_ = next;
  }
  if (at_ == all.count) return nullptr;
  mount* const found = all.mounts[at_++];
  if (!index_ && found->files_known > 0) ++archives_;
  return found;
}

std::mutex& changes() noexcept {
  return changing;
}

const char* kept_text(std::string_view text) noexcept {
  const std::scoped_lock lock(keeping);
  for (const kept* each = kept_texts; each; each = each->next) {
    if (text == std::string_view(each->text, each->bytes)) return each->text;
  }
  auto* const made = static_cast<kept*>(allocate(sizeof(kept) + text.size()));
  if (!made) return nullptr;
  made->next = kept_texts;
  made->bytes = text.size();
  if (!text.empty()) std::memcpy(made->text, text.data(), text.size());
  made->text[text.size()] = '\0';
  kept_texts = made;
  return made->text;
}

bool begin_search_path() noexcept {
  snapshot* const none = new_snapshot(0);
  if (!none) return false;
  current.store(none);
  running.store(true);
  return true;
}

bool suspend_search_path() noexcept {
  if (own_record && own_record->held.load()) return refuse(PHYSFS_ERR_BUSY);
  {
    const std::scoped_lock lock(changing);
    const snapshot* const last = current.exchange(nullptr);
    if (!last) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
    suspended = last;
  }
  while (is_anything_read()) overture::yield_thread();
  return true;
}

void resume_search_path() noexcept {
  current.store(std::exchange(suspended, nullptr));
}

void end_search_path() noexcept {
  running.store(false);
  if (auto* const last = const_cast<snapshot*>(std::exchange(suspended, nullptr))) {
    last->next_retired = retired;
    retired = last;
  }
  const snapshot* const all = retired;
  retired = nullptr;
  free_snapshots(all);
  end_kept_archives();  // they use kept texts
  while (kept_texts) deallocate(std::exchange(kept_texts, kept_texts->next));
}

bool is_running() noexcept {
  return running.load(std::memory_order_acquire);
}

bool add_mount(storage* contents, const char* name, const clean_name& point, bool append) noexcept {
  const char* const kept_name = kept_text(name);
  mount* const added = kept_name ? new_mount(contents, kept_name, point) : nullptr;
  if (!added) {
    contents->give_back();
    destroy(contents);
    return false;
  }
  added->users.store(1);  // this function
  const snapshot* unread = nullptr;
  bool done = false;
  bool known = false;
  {
    const std::scoped_lock lock(changing);
    const snapshot* const old = current.load();
    known = old && find(*old, name);
    if (!old) set_error(PHYSFS_ERR_NOT_INITIALIZED);
    if (old && !known) {
      snapshot* const next = new_snapshot(old->count + 1);
      done = next != nullptr;
      if (next) {
        next->mounts[append ? old->count : 0] = added;
        std::copy_n(old->mounts, old->count, next->mounts + (append ? 0 : 1));
        unread = replace(next);
      }
    }
  }
  free_snapshots(unread);
  if (!done) contents->give_back();
  added->release(1);
  return done || known;
}

mount* lone_mount(storage* contents, const char* name) noexcept {
  clean_name root;
  const char* const kept_name = root.clean("/") ? kept_text(name) : nullptr;
  mount* const made = kept_name ? new_mount(contents, kept_name, root) : nullptr;
  if (made) {
    made->users.store(1);
  } else {
    destroy(contents);
  }
  return made;
}

bool remove_mount(const char* name) noexcept {
  const snapshot* unread = nullptr;
  {
    const std::scoped_lock lock(changing);
    const snapshot* const found = current.load();
    if (!found) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
    const snapshot& old = *found;
    const mount* const removed = find(old, name);
    if (!removed) return refuse(PHYSFS_ERR_NOT_MOUNTED);
    if (removed->has_open_files()) return refuse(PHYSFS_ERR_FILES_STILL_OPEN);
    snapshot* const next = new_snapshot(old.count - 1);
    if (!next) return false;
    std::remove_copy(old.begin(), old.end(), next->mounts, removed);
    unread = replace(next);
  }
  free_snapshots(unread);
  return true;
}

// What is known of the mount's names was found in its old root: there must be another snapshot.
bool set_root(const char* name, const clean_name& folder) noexcept {
  const char* const kept = kept_text(folder.view());
  if (!kept) return false;
  const snapshot* unread = nullptr;
  {
    const std::scoped_lock lock(changing);
    const snapshot* const found = current.load();
    if (!found) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
    const snapshot& old = *found;
    mount* const changed = find(old, name);
    if (!changed) return true;
    snapshot* const next = new_snapshot(old.count);
    if (!next) return false;
    std::copy_n(old.mounts, old.count, next->mounts);
    changed->root.store(kept, std::memory_order_release);
    unread = replace(next);
  }
  free_snapshots(unread);
  return true;
}

}  // namespace physfs
