// SPDX-License-Identifier: Zlib
//
// The units of a small game, and what is printed of them.
#pragma once

#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>

#include "overture/loaders/json_loader.hpp"
#include "overture/overture.hpp"

struct unit {
  std::string name;
  int health = 0;
};
using unit_list = std::map<std::string, overture::asset<unit>, std::less<>>;  // by their paths

// "  loaded units/yeti.json", or why not.
inline void print(const overture::asset_store& store, const overture::asset_event& event) {
  using enum overture::asset_event_kind;
  if (event.kind == unloaded) return;
  std::cout << "  " << to_string(event.kind) << ' ';
  std::array<char, 400> why{};
  const bool is_failure = event.kind == failed || event.kind == reload_failed;
  if (is_failure) (void)store.subject_failure(event.subject, why);
  std::cout << (is_failure ? std::string_view(why.data()) : event.path.text) << '\n';
}

// "  guard.json: giant guard, 300 (giants over base)".
inline void print(overture::file_system& files, const unit_list& units) {
  for (const auto& [path, each] : units) {
    std::cout << "  " << path << ": ";
    each.is_ready() ? std::cout << each->name << ", " << each->health : std::cout << "none";
    std::array<overture::mount_id, 8> from;
    const std::size_t count = files.providers(each.path(), from);
    for (std::size_t i = 0; i < std::min(count, from.size()); ++i) {
      const std::filesystem::path mod(files.mount_of(from[i]).path);
      std::cout << (i == 0 ? " (" : " over ") << mod.filename().string();
    }
    std::cout << ")\n";
  }
}
