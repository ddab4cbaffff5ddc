// SPDX-License-Identifier: Zlib
//
// The shipped written_names.cpp: names added by several threads and read by others, through all
// interleavings. That a name is complete where it is found, the explorer sees by itself.
#include "vfs/mounts/written_names.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::vfs_detail::written_names_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

// All three lie on one branch.
constexpr asset_path first{"a", {1}};
constexpr asset_path second{"b", {2}};

TEST(written_names_in_all_interleavings, add_a_name_once) {
  expect_clean_nearby([] {
    written_names names(default_allocator());
    written_name* made[2] = {};
    const auto add = [&names](written_name*& into) {
      into = names.insert(first, "a");
      check(into->path() == "a", "it is complete");
      into->state.store(written_state::file);
    };
    run({[&] { add(made[0]); }, [&] { add(made[1]); }});
    check(made[0] == made[1], "both have the same");
    check(names.newest() == made[0] && names.newest()->older == nullptr, "there is no other");
  });
}

TEST(written_names_in_all_interleavings, lose_none_of_two_that_are_added_at_once) {
  expect_clean_nearby([] {
    written_names names(default_allocator());
    run({[&] { check(names.insert(first, "a") != nullptr, "added"); },
         [&] { check(names.insert(second, "b") != nullptr, "added"); }});
    check(names.find(first) != nullptr && names.find(second) != nullptr, "both are found");
    check(names.newest()->older != nullptr && names.newest()->older->older == nullptr, "listed");
    check(names.newest_in(nullptr)->older_sibling != nullptr, "listed in their folder");
  });
}

TEST(written_names_in_all_interleavings, are_complete_where_they_are_found) {
  expect_clean_nearby([] {
    written_names names(default_allocator());
    const written_name* const folder = names.insert(first, "a");
    run({[&] { (void)names.insert(second, "b", const_cast<written_name*>(folder)); },
         [&] {
           const written_name* const found = names.find(second);
           check(found == nullptr || found->path() == "b", "found by its path");
         },
         [&] {
           const written_name* const newest = names.newest();
           check(newest->path() == "a" || newest->older == folder, "found in the list");
           const written_name* const below = names.newest_in(folder);
           check(below == nullptr || below->path() == "b", "found in its folder");
         }});
  });
}

}  // namespace
}  // namespace overture::vfs_detail::written_names_test
