// SPDX-License-Identifier: Zlib
#include "load/choice.hpp"

#include <algorithm>
#include <tuple>

#include "base/guarded_call.hpp"
#include "load/load_order.hpp"
#include "overture/base/glob.hpp"
#include "overture/base/limits.hpp"

namespace overture::load_detail {
using namespace base_detail;

namespace {

struct chosen_file {
  entry_index entry = no_entry;
  load_priority priority = load_priority::normal;
};

tl::unexpected<error> no_memory_for_choice() {
  return fail(errc::out_of_memory, "out of memory for the load");
}

result<load_priority> priority_of(const load_state& load, entry_index entry,
                                  file_chooser* choose) noexcept {
  const std::span<const std::string_view> only = load.options.only;
  if (only.empty() && !choose) return load_priority::normal;
  const entry_info file = load.files.entry(entry);
  const bool matches =
      only.empty() || std::any_of(only.begin(), only.end(), [&](std::string_view pattern) {
        return matches_glob(pattern, file.path);
      });
  if (!matches) return load_priority::none;
  if (!choose) return load_priority::normal;
  return guarded_result("the function passed to start() threw an exception",
                        [&]() -> result<load_priority> { return (*choose)(file); });
}

// Those of the tree that are chosen; of a list all, with `none` for those that are not.
result<void> collect(const load_state& load, file_chooser* choose,
                     vec<chosen_file>& into) noexcept {
  const load_choice& choice = load.options.choice;
  const std::size_t entries = load.files.entry_count();
  const std::size_t count =
      choice.is_whole_tree() ? entries : choice.entries().size() + choice.paths().size();
  if (!into.reserve(count)) return no_memory_for_choice();
  for (std::uint32_t i = 0; i < count; ++i) {
    chosen_file file{.entry = i};
    if (!choice.paths().empty()) {
      file.entry = load.files.find(choice.paths()[i]).value_or(no_entry);
    } else if (!choice.is_whole_tree()) {
      file.entry = choice.entries()[i] < entries ? choice.entries()[i] : no_entry;
    }
    if (file.entry != no_entry) {
      const result<load_priority> priority = priority_of(load, file.entry, choose);
      if (!priority) return tl::unexpected<error>(priority.error());
      file.priority = *priority;
    }
    const bool is_left_out = choice.is_whole_tree() && file.priority == load_priority::none;
    if (!is_left_out) (void)into.push_back(file);  // has room
  }
  return {};
}

// A file with two paths is loaded once, by the one of the two that same_file() names.
bool drop_doubles(load_state& load) noexcept {
  const auto key = [&](std::uint32_t number) {
    const entry_index entry = load.records[number].entry;
    const entry_index same = load.files.same_file(entry);
    return std::tuple(same, entry != same, number);
  };
  if (!load.by_entry.reserve(load.records.size())) return false;
  for (std::uint32_t i = 0; i < load.records.size(); ++i) {
    if (load.records[i].entry != no_entry) (void)load.by_entry.push_back(i);  // has room
  }
  std::sort(load.by_entry.begin(), load.by_entry.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const std::uint32_t number : load.by_entry) {
    if (load.records[number].now() == file_state::none) continue;
    const bool is_double =
        kept != 0 && std::get<0>(key(load.by_entry[kept - 1])) == std::get<0>(key(number));
    if (is_double) {
      load.records[number].set(file_state::none);
    } else {
      load.by_entry[kept++] = number;
    }
  }
  return load.by_entry.resize(kept);
}

// Of one priority.
bool add_to_order(load_state& load, load_priority priority) noexcept {
  vec<ordered_file> files(load.memory, memory_tag::load);
  if (!files.reserve(load.records.size())) return false;
  for (std::uint32_t i = 0; i < load.records.size(); ++i) {
    const file_record& file = load.records[i];
    if (file.now() == file_state::none || load.priority_of(i) != priority) continue;
    const bool exists = file.entry != no_entry;
    (void)files.push_back(  // has room
        {i, file.listed_bytes, exists ? load.files.block_of(file.entry) : solid_block()});
  }
  if (!load.options.choice.is_whole_tree()) {
    if (!load.order.reserve(load.order.size() + files.size())) return false;
    for (const ordered_file& file : files) (void)load.order.push_back(file.number);  // has room
    return true;
  }
  const load_means means{
      .room_bytes = std::min(load.block_ledger.limit(), limits::blocks_kept_bytes),
      .threads = load.jobs.concurrency()};
  return order_files({files.data(), files.size()}, means, load.memory, load.order);
}

}  // namespace

result<void> choose_files(load_state& load, file_chooser* choose) noexcept {
  vec<chosen_file> chosen(load.memory, memory_tag::load);
  if (result<void> done = collect(load, choose, chosen); !done) return done;
  load.order.clear();
  load.by_entry.clear();
  load.listed_bytes = 0;
  if (!load.records.make(chosen.size())) return no_memory_for_choice();
  const bool is_whole =
      chosen.size() == load.files.entry_count() && load.options.choice.is_whole_tree();
  load.is_whole_tree = is_whole;
  bool has[4] = {};
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    file_record& file = load.records[i];
    file.entry = chosen[i].entry;
    file.priority.store(static_cast<std::uint8_t>(chosen[i].priority), std::memory_order_relaxed);
    const bool is_double = is_whole && load.files.same_file(i) != i;
    if (is_double || chosen[i].priority == load_priority::none) file.set(file_state::none);
    has[static_cast<std::size_t>(chosen[i].priority)] = true;
  }
  if (!is_whole && !drop_doubles(load)) return no_memory_for_choice();
  for (file_record& file : load.records) {
    if (file.now() == file_state::none || file.entry == no_entry) continue;
    file.listed_bytes = load.files.entry(file.entry).bytes;
    load.listed_bytes += file.listed_bytes;
  }
  for (const load_priority each :
       {load_priority::high, load_priority::normal, load_priority::low}) {
    if (has[static_cast<std::size_t>(each)] && !add_to_order(load, each))
      return no_memory_for_choice();
  }
  return {};
}

std::uint32_t number_of(const load_state& load, entry_index entry) noexcept {
  if (entry >= load.files.entry_count()) return index_stack::none;
  const entry_index same = load.files.same_file(entry);
  if (load.is_whole_tree) return same;
  const auto same_as = [&](std::uint32_t number) {
    return load.files.same_file(load.records[number].entry);
  };
  const std::uint32_t* const found = std::lower_bound(
      load.by_entry.begin(), load.by_entry.end(), same,
      [&](std::uint32_t number, entry_index wanted) { return same_as(number) < wanted; });
  const bool is_there = found != load.by_entry.end() && same_as(*found) == same;
  return is_there ? *found : index_stack::none;
}

}  // namespace overture::load_detail
