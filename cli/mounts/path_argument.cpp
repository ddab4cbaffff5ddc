// SPDX-License-Identifier: Zlib
#include "mounts/path_argument.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "mounts/skipped_names.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/suggestion.hpp"

namespace overture::cli {

namespace {

std::vector<std::string> names_in(file_system& files, std::string_view folder) {
  std::vector<std::string> names;
  (void)files.enumerate({folder, {hash64(folder)}}, [&](const folder_item& item) {
    names.emplace_back(item.name);
    return true;
  });
  return names;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return std::string(name);
  const std::string lower = lower_case(name);
  for (const std::string& each : names) {
    if (lower_case(each) == lower) return each;
  }
  return nearest(name, names);
}

}  // namespace

std::string nearest_path(file_system& files, std::string_view path) {
  std::string found;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string name = nearest_name(path.substr(0, slash), names_in(files, found));
    if (name.empty()) return {};
    if (!found.empty()) found += '/';
    found += name;
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return found;
}

path_argument::path_argument(const std::string& typed, const char* help_command) {
  const result<asset_path> normal = normalise(typed, room_);
  if (normal) {
    path_ = *normal;
    return;
  }
  (void)print_usage_error(fmt::format("'{}': {}", typed, normal.error().reason), "", help_command);
}

void path_argument::print_failure(const error& failure) const {
  const std::string shown = path_->text.empty() ? "/" : printable(path_->text);
  print_error(fmt::format("{}: {}", shown, reason_of(failure)));
}

void path_argument::print_not_found(file_system& files) const {
  if (const result<mount_id> remover = files.remover(*path_)) {
    print_error(fmt::format("{}: removed by {}; 'overture which' shows what it removes",
                            printable(path_->text), printable(files.mount_of(*remover).path)));
    return;
  }
  std::string sentence = fmt::format("{}: not found in any mount", printable(path_->text));
  if (const std::string skipped = why_skipped(files, path_->text); !skipped.empty()) {
    print_error(fmt::format("{}; {}", sentence, skipped));
    return;
  }
  const std::string meant = nearest_path(files, path_->text);
  if (!meant.empty()) sentence += fmt::format("; did you mean '{}'?", printable(meant));
  print_error(sentence);
}

}  // namespace overture::cli
