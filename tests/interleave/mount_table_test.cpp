// SPDX-License-Identifier: Zlib
//
// The shipped mount table with its live index, pins and sources: looking up, opening, mounting,
// unmounting and collecting, through all interleavings of small programs. What the explorer sees by
// itself: memory that is freed under a reader, or read before it is published.
#include "vfs/tree/mount_table.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <optional>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "support/refusing_os.hpp"

namespace overture {
namespace vfs_detail {

// In place of the scanner: a folder with two files, "both" and the mount's own path.
result<void> scan_mount(mount& made, const mount_request& request, const file_system_config& config,
                        descriptor_pool&) noexcept {
  static const archives_detail::archive_format listed{.lists_folders = true};
  const std::string_view own = request.path;
  (void)made.path.append(own.data(), own.size());
  (void)made.path.push_back('\0');
  made.os = config.os;
  made.content.format = &listed;
  for (const std::string_view name : {std::string_view("both"), own}) {
    archives_detail::archive_entry entry;
    entry.id = {hash64(name)};
    entry.name = static_cast<std::uint32_t>(made.content.names.size());
    entry.name_bytes = static_cast<std::uint16_t>(name.size());
    (void)made.content.names.append(name.data(), name.size());
    (void)made.content.names.push_back('\0');
    (void)made.content.entries.push_back(entry);
  }
  return {};
}

}  // namespace vfs_detail

namespace {

using interleave::check;
using interleave::run;
using vfs_detail::mount_table;
using vfs_detail::prepared_mount;

asset_path path(std::string_view text) {
  return {text, {hash64(text)}};
}

struct mounted_table {
  mounted_table() { base = mount("base"); }

  mount_id mount(const char* name) {
    const prepared_mount made = prepare(name);
    return add(made);
  }
  prepared_mount prepare(const char* name) {
    mount_request request;
    request.path = name;
    request.options.release = {
        [](void* self) noexcept { static_cast<mounted_table*>(self)->released.fetch_add(1); },
        this};
    const result<prepared_mount> made = table->prepare(request);
    check(made.has_value(), "it is listed");
    return *made;
  }
  mount_id add(const prepared_mount& made) {
    const mount_id id = made.mount->id;
    check(table->change({}, {&made, 1}, [] { return true; }).has_value(), "it is mounted");
    return id;
  }
  void unmount(mount_id id) {
    check(table->change({&id, 1}, {}, [] { return true; }).has_value(), "it is unmounted");
  }
  // Looks a path up and reads its name. The mount that has it, pinned; null if there is none.
  const vfs_detail::mount* look_up(std::string_view name, bool pin) {
    auto* const stripe = table->enter();
    const vfs_detail::live_entry found = table->current().index.find(path(name));
    if (found.owner != nullptr) {
      const auto& entry = found.owner->content.entries[found.number];
      check(found.owner->content.path_of(entry) == name, "it is the one that was asked for");
      if (pin) table->pin(*found.owner);
    }
    table->leave(stripe);
    return found.owner;
  }

  test::refusing_os os;
  atomic<int> released{0};
  std::optional<mount_table> table{std::in_place,
                                   file_system_config{.memory = &default_allocator(), .os = &os}};
  mount_id base;
};

// With plain stores and a fence, and with read-modify-writes where the system has no fence.
void expect_clean_in_both_ways(const std::function<void()>& program) {
  for (const bool fences : {false, true}) {
    interleave::system_has_fences = fences;
    interleave::expect_clean_nearby(program);
  }
}

TEST(a_mount_table_in_all_interleavings, shows_a_reader_all_of_a_mount_or_none) {
  expect_clean_in_both_ways([] {
    mounted_table of;
    const prepared_mount mod = of.prepare("mod");
    run({[&] {
           const bool seen = of.look_up("mod", false) != nullptr;
           const vfs_detail::mount* const both = of.look_up("both", false);
           check(both != nullptr && (!seen || both == mod.mount), "a later mount wins");
         },
         [&] { (void)of.add(mod); }});
  });
}

TEST(a_mount_table_in_all_interleavings, frees_a_mount_once_its_readers_have_left) {
  expect_clean_in_both_ways([] {
    mounted_table of;
    const mount_id mod = of.mount("mod");
    run({[&] { (void)of.look_up("mod", false); }, [&] { of.unmount(mod); }});
    check(of.released.load() == 1, "the last to leave has freed it");
    check(of.look_up("mod", false) == nullptr, "it is gone");
    of.table.reset();
    check(of.released.load() == 2, "each is freed once");
  });
}

TEST(a_mount_table_in_all_interleavings, frees_a_mount_once_with_two_readers) {
  expect_clean_in_both_ways([] {
    mounted_table of;
    const mount_id mod = of.mount("mod");
    run({[&] { (void)of.look_up("both", false); }, [&] { (void)of.look_up("mod", false); },
         [&] { of.unmount(mod); }});
    check(of.released.load() == 1, "the last to leave has freed it");
  });
}

TEST(a_mount_table_in_all_interleavings, keeps_a_mount_whose_file_is_open) {
  expect_clean_in_both_ways([] {
    mounted_table of;
    const mount_id mod = of.mount("mod");
    run({[&] {
           const vfs_detail::mount* const found = of.look_up("mod", true);
           if (found == nullptr) return;
           check(found->content.entries.size() == 2, "it is still there");
           of.table->unpin(*found);
         },
         [&] { of.unmount(mod); }});
    check(of.released.load() == 1, "the last to close has freed it");
  });
}

TEST(a_mount_table_in_all_interleavings, keeps_each_mount_until_its_own_files_are_closed) {
  expect_clean_in_both_ways([] {
    mounted_table of;
    const mount_id mod = of.mount("mod");
    const mount_id dlc = of.mount("dlc");
    const vfs_detail::mount* const in_mod = of.look_up("mod", true);
    const vfs_detail::mount* const in_dlc = of.look_up("dlc", true);
    of.unmount(mod);
    of.unmount(dlc);
    check(of.released.load() == 0, "both have open files");
    run({[&] { of.table->unpin(*in_mod); }, [&] { of.table->unpin(*in_dlc); }});
    check(of.released.load() == 2, "each was freed by the thread that closed its file");
  });
}

TEST(a_mount_table_in_all_interleavings, takes_changes_of_two_threads) {
  expect_clean_in_both_ways([] {
    mounted_table of;
    const mount_id mod = of.mount("mod");
    const prepared_mount dlc = of.prepare("dlc");
    run({[&] { of.unmount(mod); }, [&] { (void)of.add(dlc); },
         [&] { (void)of.look_up("both", false); }});
    check(of.released.load() == 1, "what was unmounted is freed");
    check(of.look_up("both", false) == dlc.mount, "the other one is mounted");
  });
}

}  // namespace
}  // namespace overture
