// SPDX-License-Identifier: Zlib
#include "io/schedule/position_index.hpp"

#include <algorithm>
#include <tuple>

namespace overture::io_detail {
using namespace base_detail;

namespace {

bool by_position(const position_entry& a, const position_entry& b) noexcept {
  return std::tie(a.position, a.ticket) < std::tie(b.position, b.ticket);
}

candidate as_candidate(const position_entry& entry) noexcept {
  return {.position = entry.position, .ticket = entry.ticket, .slot = entry.slot};
}

}  // namespace

void position_index::clear() noexcept {
  fresh_.clear();
  entries_ = 0;
  while (run_count_ > 0) give_back(runs_[--run_count_]);
}

position_index::~position_index() {
  clear();
  while (spare_count_ > 0) destroy_object(memory_, memory_tag::io, spare_[--spare_count_]);
}

// An empty run with room for so many, or null.
position_index::run* position_index::take_run(std::size_t entries) noexcept {
  run* const taken = spare_count_ > 0 ? spare_[--spare_count_]
                                      : make_object<run>(memory_, memory_tag::io, memory_);
  if (!taken || taken->entries.reserve(entries)) return taken;
  give_back(taken);
  return nullptr;
}

void position_index::give_back(run* left) noexcept {
  left->entries.clear();
  left->cursor = 0;
  left->skipped = 0;
  if (spare_count_ < spare_max) {
    spare_[spare_count_++] = left;
  } else {
    destroy_object(memory_, memory_tag::io, left);
  }
}

void position_index::compact(run& in, ticket_column tickets) noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < in.entries.size(); ++i) {
    if (i == in.cursor) in.cursor = kept;
    if (is_valid(in.entries[i], tickets)) in.entries[kept++] = in.entries[i];
  }
  entries_ -= in.entries.size() - kept;
  while (in.entries.size() > kept) in.entries.pop_back();
  in.cursor = std::min(in.cursor, kept);
  in.skipped = 0;
}

void position_index::remove_void(ticket_column tickets) noexcept {
  for (std::size_t i = 0; i < run_count_; ++i) compact(*runs_[i], tickets);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    if (is_valid(fresh_[i], tickets)) fresh_[kept++] = fresh_[i];
  }
  entries_ -= fresh_.size() - kept;
  while (fresh_.size() > kept) fresh_.pop_back();
}

// The index of the first valid entry at or after the position; the size if there is none.
std::size_t position_index::first_from(run& in, const disk_position& position,
                                       ticket_column tickets) noexcept {
  const auto before = [&](std::size_t i) { return in.entries[i].position < position; };
  // Nearly always the head is where the last look ended, or a little further.
  std::size_t at = std::min(in.cursor, in.entries.size());
  const std::size_t end = in.entries.size();
  if (at > 0 && !before(at - 1)) at = end + 1;
  for (int step = 0; at < end && step < 4 && before(at); ++step) ++at;
  if (at > end || (at < end && before(at))) {
    at = static_cast<std::size_t>(
        std::lower_bound(in.entries.begin(), in.entries.end(), position,
                         [](const position_entry& entry, const disk_position& wanted) {
                           return entry.position < wanted;
                         }) -
        in.entries.begin());
  }
  const std::size_t first = at;
  while (at < end && !is_valid(in.entries[at], tickets)) ++at;
  in.skipped += at - first;
  in.cursor = first;
  return at;
}

position_index::run* position_index::merge(const run& a, const run& b,
                                           ticket_column tickets) noexcept {
  run* const merged = take_run(a.entries.size() + b.entries.size());
  if (!merged) return nullptr;
  const position_entry* left = a.entries.begin();
  const position_entry* right = b.entries.begin();
  const auto take = [&](const position_entry*& from) {
    if (is_valid(*from, tickets)) (void)merged->entries.push_back(*from);
    ++from;
  };
  while (left != a.entries.end() && right != b.entries.end()) {
    take(by_position(*left, *right) ? left : right);
  }
  while (left != a.entries.end()) take(left);
  while (right != b.entries.end()) take(right);
  return merged;
}

// If memory is refused the new entries stay unsorted, or the runs unmerged: slower, not wrong.
void position_index::settle(ticket_column tickets) noexcept {
  if (fresh_.size() > fresh_max && run_count_ < runs_max) {
    // The new entries and the run swap memory, so that as many can be added again.
    if (run* const added = take_run(fresh_.size())) {
      std::sort(fresh_.begin(), fresh_.end(), by_position);
      std::swap(added->entries, fresh_);
      runs_[run_count_++] = added;
    }
  }
  for (std::size_t i = 0; i < run_count_; ++i) {
    if (runs_[i]->skipped > runs_[i]->entries.size()) compact(*runs_[i], tickets);
  }
  while (run_count_ >= 2) {
    run* const shorter = runs_[run_count_ - 1];
    run* const longer = runs_[run_count_ - 2];
    if (2 * shorter->entries.size() < longer->entries.size()) break;
    run* const merged = merge(*longer, *shorter, tickets);
    if (!merged) break;
    entries_ -= longer->entries.size() + shorter->entries.size() - merged->entries.size();
    give_back(shorter);
    give_back(longer);
    runs_[--run_count_ - 1] = merged;
  }
}

const position_entry* position_index::next(const disk_position& head,
                                           ticket_column tickets) noexcept {
  settle(tickets);
  const position_entry* best = nullptr;
  const moment now{.head = head};
  const auto consider = [&](const position_entry& entry) {
    if (!best || goes_before(as_candidate(entry), as_candidate(*best), now)) best = &entry;
  };
  for (std::size_t i = 0; i < run_count_; ++i) {
    run& in = *runs_[i];
    const std::size_t onwards = first_from(in, head, tickets);
    if (onwards < in.entries.size()) {
      consider(in.entries[onwards]);
      if (in.entries[onwards].position.file == head.file) continue;
    }
    // Back in the same file, or from the beginning of the disk.
    const std::size_t back = first_from(in, {head.file, 0}, tickets);
    if (back < in.entries.size()) consider(in.entries[back]);
    if (onwards == in.entries.size()) {
      const std::size_t first = first_from(in, {}, tickets);
      if (first < in.entries.size()) consider(in.entries[first]);
    }
  }
  for (const position_entry& entry : fresh_) {
    if (is_valid(entry, tickets)) consider(entry);
  }
  return best;
}

std::size_t position_index::following(const disk_position& from, ticket_column tickets,
                                      std::span<position_entry> out) noexcept {
  std::size_t count = 0;
  const auto insert = [&](const position_entry& entry) {
    if (count == out.size() && !by_position(entry, out[count - 1])) return false;
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(count);
    const auto at = std::upper_bound(out.begin(), end, entry, by_position);
    if (count < out.size()) {
      std::move_backward(at, end, end + 1);
      ++count;
    } else {
      std::move_backward(at, end - 1, end);
    }
    *at = entry;
    return true;
  };
  for (std::size_t i = 0; i < run_count_; ++i) {
    run& in = *runs_[i];
    for (std::size_t at = first_from(in, from, tickets); at < in.entries.size(); ++at) {
      if (in.entries[at].position.file != from.file) break;
      if (is_valid(in.entries[at], tickets) && !insert(in.entries[at])) break;
    }
  }
  for (const position_entry& entry : fresh_) {
    if (entry.position.file == from.file && entry.position >= from && is_valid(entry, tickets)) {
      (void)insert(entry);
    }
  }
  return count;
}

}  // namespace overture::io_detail
