// SPDX-License-Identifier: Zlib
#include "vfs/tree/mount_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/limit_text.hpp"
#include "overture/base/contracts.hpp"

namespace overture::vfs_detail {
using namespace base_detail;

namespace {

tl::unexpected<error> no_memory_for_mounts() {
  return fail(errc::out_of_memory, "out of memory for the list of mounts");
}

std::size_t position_of(const vec<mount*>& mounts, mount_id id) noexcept {
  const auto found =
      std::find_if(mounts.begin(), mounts.end(), [id](const mount* one) { return one->id == id; });
  return static_cast<std::size_t>(found - mounts.begin());
}

void remove_at(vec<mount*>& mounts, std::size_t position) noexcept {
  std::copy(mounts.begin() + position + 1, mounts.end(), mounts.begin() + position);
  mounts.pop_back();
}

}  // namespace

const mount* snapshot::find(mount_id id) const noexcept {
  const std::size_t position = position_of(mounts, id);
  return position < mounts.size() ? mounts[position] : nullptr;
}

// --- Construction and destruction ----------------------------------------------------------------

mount_table::mount_table(const file_system_config& config) noexcept
    : config_(config), memory_(*config.memory), pins_(memory_), sources_(memory_) {
  snapshot* const first = make_object<snapshot>(memory_, memory_tag::vfs, memory_);
  if (first && first->index.begin()) {
    current_.store(first);
  } else {
    destroy_object(memory_, memory_tag::vfs, first);
  }
}

// There are no readers and no open files left.
mount_table::~mount_table() {
  pins_.no_more_readers();
  collect();
  snapshot* const last = current_.load();
  if (!last) return;
  if constexpr (detail::contracts) {
    bool open = draining_count_.load() != 0;
    for (const mount* const each : last->mounts) open = open || !pins_.unpinned(each->pins);
    detail::expects(!open,
                    "a file_system was destroyed while one of its files is open: destroy every "
                    "opened_file, mapped_file, file_reader and file_writer first");
  }
  last->index.free_all();
  while (!last->mounts.empty()) {
    destroy(last->mounts.back());
    last->mounts.pop_back();
  }
  destroy_object(memory_, memory_tag::vfs, last);
}

// --- Preparing mounts ----------------------------------------------------------------------------

result<prepared_mount> mount_table::prepare(const mount_request& request) noexcept {
  if constexpr (detail::contracts) {
    detail::expects(request.path != nullptr,
                    "mount(), mount_memory() or remount() was given a null path: every mount needs "
                    "one, an archive in memory a name");
  }
  const mount_options& options = request.options;
  if (options.wins_over != mount_id{} && options.loses_to != mount_id{}) {
    return fail(errc::invalid, "set wins_over or loses_to, not both");
  }
  mount* const made = make_object<mount>(memory_, memory_tag::vfs, memory_);
  if (!made) return no_memory_for_mounts();
  result<void> done =
      scan_mount(*made, request, config_, descriptors_).and_then([&] { return made->arrange(); });
  made->id = {next_id_.fetch_add(1)};
  if (done && !made->content.format->lists_folders) {
    const result<source_id> source =
        sources_.add(made->content.handle.get(), {made->id, source_owner::whole_archive, made->os});
    if (source) made->source = *source;
    if (!source) done = tl::unexpected(source.error());
  }
  if (!done) {
    destroy_object(memory_, memory_tag::vfs, made);
    return tl::unexpected(done.error());
  }
  made->release = options.release;
  return prepared_mount{made, made->id, options.wins_over, options.loses_to};
}

void mount_table::discard(mount* prepared) noexcept {
  prepared->release = {};
  destroy(prepared);
}

void mount_table::destroy(mount* gone) noexcept {
  if (gone->source.valid()) (void)sources_.remove(gone->source);
  const mount_release release = gone->release;
  destroy_object(memory_, memory_tag::vfs, gone);
  if (release.call) release.call(release.context);
}

// --- Changing ------------------------------------------------------------------------------------

result<void> mount_table::change(std::span<const mount_id> out, std::span<const prepared_mount> in,
                                 function_ref<bool()> may_change) noexcept {
  result<void> done;
  (void)pins_.mine();  // so that this thread's later opens need no allocation
  {
    const sync_detail::scoped_lock changing(changing_);
    if (!may_change()) return fail(errc::frozen, "the file system is frozen; thaw() it first");
    snapshot* const next = make_object<snapshot>(memory_, memory_tag::vfs, memory_);
    if (!next) return no_memory_for_mounts();
    mount* departing = nullptr;
    done = derive(*next, out, in, departing);
    if (done) {
      publish(next, departing);
    } else {
      next->index.discard();
      destroy_object(memory_, memory_tag::vfs, next);
    }
  }
  collect();
  return done;
}

result<void> mount_table::let_names_change(mount_id of, function_ref<bool()> may_change) noexcept {
  bool found = false;
  const result<void> done = change({}, {}, [&] {
    if (!may_change()) return false;
    for (mount* const each : current().mounts) {
      if (each->id != of) continue;
      each->names_change = found = true;
    }
    return true;
  });
  if (done && !found) return fail(errc::not_found, "no such mount");
  return done;
}

result<void> mount_table::derive(snapshot& next, std::span<const mount_id> out,
                                 std::span<const prepared_mount> in, mount*& departing) noexcept {
  const snapshot& old = *current_.load();
  if (old.mounts.size() + in.size() > limits::mounts_max + out.size()) {
    return fail(errc::limit, limit_text::mounts);
  }
  if (!next.mounts.reserve(old.mounts.size() + in.size())) return no_memory_for_mounts();
  for (mount* const kept : old.mounts) (void)next.mounts.push_back(kept);
  for (const mount_id id : out) {
    const std::size_t position = position_of(next.mounts, id);
    if (position == next.mounts.size()) return fail(errc::not_found, "no such mount");
    next.mounts[position]->next = std::exchange(departing, next.mounts[position]);
    remove_at(next.mounts, position);
  }
  std::size_t more = 0;
  for (const prepared_mount& added : in) {
    if (result<void> done = insert(next.mounts, added); !done) return done;
    more += added.mount->content.entries.size() + added.mount->folders.size();
  }
  next.first_wins = config_.first_wins;
  for (std::uint32_t i = 0; i < next.mounts.size(); ++i) {
    mount& each = *next.mounts[i];
    each.rank = i;
    if (each.names_change && !next.changing.push_back(&each)) return no_memory_for_mounts();
  }

  if (!next.index.begin(old.index, more)) return no_memory_for_mounts();
  for (const mount* gone = departing; gone; gone = gone->next) {
    if (!next.index.remove(*gone)) return no_memory_for_mounts();
  }
  for (const prepared_mount& added : in) {
    if (next.index.add(*added.mount, config_.first_wins)) continue;
    if (!next.index.overfull()) return no_memory_for_mounts();
    return fail(errc::collision, "too many paths share a hash; the mount is probably malicious");
  }
  return assign_numbers(next, in);
}

bool mount_table::number_positions(snapshot& next) noexcept {
  std::size_t end = 0;
  for (const mount* const each : next.mounts) end = std::max<std::size_t>(end, each->pins + 1);
  if (!next.positions.resize(end)) return false;
  for (std::uint32_t i = 0; i < next.mounts.size(); ++i) next.positions[next.mounts[i]->pins] = i;
  return true;
}

// Inserts a mount at its position. The list has room.
result<void> mount_table::insert(vec<mount*>& mounts, const prepared_mount& added) const noexcept {
  std::size_t position = mounts.size();
  const bool over = added.wins_over != mount_id{};
  if (over || added.loses_to != mount_id{}) {
    position = position_of(mounts, over ? added.wins_over : added.loses_to);
    if (position == mounts.size())
      return fail(errc::not_found, "wins_over or loses_to is not a mount");
    if (over != config_.first_wins) ++position;
  }
  (void)mounts.push_back(added.mount);
  std::rotate(mounts.begin() + position, mounts.end() - 1, mounts.end());
  return {};
}

result<void> mount_table::assign_numbers(snapshot& next,
                                         std::span<const prepared_mount> in) noexcept {
  std::uint64_t left[std::size(decltype(numbers_){})];
  std::copy(std::begin(numbers_), std::end(numbers_), std::begin(left));
  std::size_t word = 0;
  for (const prepared_mount& added : in) {
    while (word < std::size(left) && ~left[word] == 0) ++word;
    if (word == std::size(left))
      return fail(
          errc::limit,
          "too many unmounted archives and folders still have open files; close some of them");
    const int bit = std::countr_one(left[word]);
    left[word] |= std::uint64_t{1} << bit;
    added.mount->pins = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(bit));
  }
  if (!number_positions(next)) return no_memory_for_mounts();
  std::copy(std::begin(left), std::end(left), std::begin(numbers_));
  return {};
}

void mount_table::publish(snapshot* next, mount* departing) noexcept {
  snapshot* const old = current_.exchange(next);
  old->replaced = next->index.replaced();
  old->departing = departing;
  old->epoch = pins_.advance();
  (newest_retired_ ? newest_retired_->next : oldest_retired_) = old;
  newest_retired_ = old;
  retired_epoch_.store(old->epoch);
  pins_.fence();
}

void mount_table::hold(function_ref<void(const snapshot&)> act) noexcept {
  {
    const sync_detail::scoped_lock changing(changing_);
    act(current());
  }
  collect();
}

// --- Collecting ----------------------------------------------------------------------------------

// Never waits: if the lock is taken, it leaves a request, and the holder of the lock runs again.
void mount_table::collect() noexcept {
  do {
    collect_wanted_.exchange(true);
    if (!changing_.try_lock()) return;
    collect_wanted_.exchange(false);
    mount* unused = take_unused();
    changing_.unlock();
    while (unused) destroy(std::exchange(unused, unused->next));
  } while (collect_wanted_.exchange(false));
}

mount* mount_table::take_unused() noexcept {
  while (oldest_retired_ && pins_.have_left(oldest_retired_->epoch)) {
    snapshot* const left = std::exchange(oldest_retired_, oldest_retired_->next);
    while (mount* const gone = left->departing) {
      left->departing = gone->next;
      gone->next = std::exchange(draining_, gone);
      draining_count_.fetch_add(1);
    }
    live_index::free_blocks(left->replaced, memory_);
    destroy_object(memory_, memory_tag::vfs, left);
  }
  if (!oldest_retired_) {
    newest_retired_ = nullptr;
    retired_epoch_.store(0);
  }
  mount* unused = nullptr;
  for (mount** at = &draining_; *at;) {
    mount* const gone = *at;
    if (!pins_.unpinned(gone->pins)) {
      at = &gone->next;
      continue;
    }
    *at = std::exchange(gone->next, unused);
    unused = gone;
    draining_count_.fetch_sub(1);
    numbers_[gone->pins / 64] &= ~(std::uint64_t{1} << gone->pins % 64);
  }
  return unused;
}

}  // namespace overture::vfs_detail
