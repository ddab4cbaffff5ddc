// SPDX-License-Identifier: Zlib
//
// What a handle_cache does for read queues, which are registered as its readers: they borrow open
// files without pinning them, and open some of their own.
#include <algorithm>
#include <cerrno>

#include "io/files/handle_cache_state.hpp"

namespace overture {
using namespace base_detail;

using io_detail::handle_entry;

source_files::reader_terms handle_cache::add_reader(source_reader& reader, unsigned reads_max,
                                                    unsigned own_files_wanted) noexcept {
  if (!state_) return {};
  const sync_detail::scoped_lock hold(state_->lock);
  if (!state_->readers.push_back({&reader, 0})) return {};
  if (state_->waiting.load(std::memory_order_relaxed) != 0) reader.notify_every_release(true);
  unsigned own_files = state_->give_entries(std::max(reads_max, own_files_wanted));
  if (own_files == 0) own_files = state_->give_entries(reads_max);
  state_->readers.back().own_files = own_files;
  return {true, own_files};
}

void handle_cache::remove_reader(source_reader& reader) noexcept {
  if (!state_) return;
  bool wake = false;
  {
    const sync_detail::scoped_lock hold(state_->lock);
    vec<state::reader>& readers = state_->readers;
    state::reader* const at =
        std::find_if(readers.begin(), readers.end(),
                     [&](const state::reader& each) { return each.asked == &reader; });
    if (at == readers.end()) return;
    const reader_counts counts = reader.counts();
    state_->stats.hits += counts.hits;
    state_->stats.opens += counts.opens;
    state_->entry_limit += at->own_files;
    *at = readers.back();
    readers.pop_back();
    wake = state_->note_change();
  }
  state_->wake_waiting(wake);
}

result<open_source> handle_cache::borrow(source_id id, std::uint64_t read_number) noexcept {
  if (!state_) return fail(errc::out_of_memory, "out of memory for the handle cache");
  state& mine = *state_;
  if (!mine.files.knows(id)) return fail(errc::not_found, "unknown file", id);
  state::file& wanted = mine.files.at(id.index);
  const std::uint32_t where = wanted.entry.load(std::memory_order_acquire);
  os_handle handle;
  if (where != state::no_entry) {
    if (mine.entries[where].lend(id.index, handle)) return open_source{config_.os, handle};
    return fail(errc::busy, "the file is not open", id);
  }
  if (read_number == 0) return fail(errc::busy, "the file is not open", id);
  if (!mine.is_read_once(wanted, read_number)) {
    return fail(errc::busy, "the file is not open", id);
  }
  result<os_handle> opened = config_.os->open(wanted.path);
  if (opened) return open_source{config_.os, *opened, true};
  // pin() copes with a lack of descriptors; see free_descriptor().
  const int why = opened.error().os_error;
  if (why == EMFILE || why == ENFILE)
    return fail(errc::busy, "too many open files in this process", id);
  opened.error().source = id;
  return tl::unexpected<error>(opened.error());
}

const char* handle_cache::path_to_open(source_id id, std::uint64_t read_number) noexcept {
  if (!state_ || config_.os != &system_os() || !state_->files.knows(id)) return nullptr;
  state::file& wanted = state_->files.at(id.index);
  if (wanted.entry.load(std::memory_order_acquire) != state::no_entry) return nullptr;
  return state_->is_read_once(wanted, read_number) ? wanted.path : nullptr;
}

void handle_cache::released(source_id id) noexcept {
  state& mine = *state_;
  os_handle closed;
  bool wake = false;
  {
    const sync_detail::scoped_lock hold(mine.lock);
    // The end of every read may be reported, so the id may be one that was never given out.
    const std::uint32_t at = mine.files.knows(id)
                                 ? mine.files.at(id.index).entry.load(std::memory_order_relaxed)
                                 : state::no_entry;
    if (at != state::no_entry) {
      const handle_entry::state now = mine.entries[at].look();
      if (now.is_closing()) (void)mine.vacate(at, now, closed);
    }
    wake = mine.note_change();
  }
  if (closed.valid()) config_.os->close(closed);
  mine.wake_waiting(wake);
}

}  // namespace overture
