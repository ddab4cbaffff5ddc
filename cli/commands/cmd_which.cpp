// SPDX-License-Identifier: Zlib
//
// overture which: lists the mounts that have a path, the winner first.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "commands/command.hpp"
#include "mounts/mounting.hpp"
#include "mounts/path_argument.hpp"
#include "overture/archives/zip_comments.hpp"
#include "overture/base/case_fold.hpp"
#include "system/exit_code.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/json_output.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "terminal/table.hpp"

namespace overture::cli {

namespace {

constexpr const char* which_usage = "overture which [OPTIONS] PATH MOUNT...";
constexpr const char* which_help_command = "overture help which";
constexpr int which_schema = 1;

constexpr const char* which_examples =
    R"(  overture which maps/rome.txt base.pk3 dlc/rome/ mods/better_ai.zip
  overture which rules.txt --archives-in mods --json | jq .mounts[0].path
)";

const std::string which_footer = std::string(R"(Exit status
  0  the path was found
  1  the path was not found or a mod removes it, or a folder of a mount could
     not be listed
  2  invalid arguments
  3  a mount could not be opened
  5  output could not be written, or memory ran out
)") + environment_footer;

std::vector<mount_info> providers_of(file_system& files, asset_path path) {
  std::vector<mount_id> ids(files.mount_count());
  ids.resize(std::min(ids.size(), files.providers(path, ids)));
  std::vector<mount_info> mounts;
  mounts.reserve(ids.size());
  for (const mount_id id : ids) mounts.push_back(files.mount_of(id));
  return mounts;
}

// A mount that has the path, and what its archive says of the file: `overture pack` notes there
// where it came from.
struct provider {
  mount_info mount;
  std::string comment;
};

std::string comment_of(const mount_info& mount, std::string_view path, bool ignore_case) {
  if (mount.format != mount_format::zip) return {};
  if (!mount.at.empty()) path.remove_prefix(mount.at.size() + 1);
  const auto folded = [ignore_case](std::string_view text, path_buffer& room) {
    const std::size_t count = ignore_case ? fold_case(text, room) : folded_text_too_long;
    return count == folded_text_too_long ? text : std::string_view(room.data(), count);
  };
  path_buffer room;
  path_buffer room_of_name;
  const std::string_view wanted = folded(path, room);
  std::string found;
  // The mount was read without an error before, so ignore this one.
  (void)visit_zip_comments(std::string(mount.path).c_str(),
                           [&](std::string_view name, std::string_view comment) {
                             if (folded(name, room_of_name) == wanted) found = comment;
                           });
  return found;
}

std::vector<provider> with_comments(const std::vector<mount_info>& mounts, asset_path path,
                                    bool ignore_case) {
  std::vector<provider> all;
  for (const mount_info& each : mounts) {
    // A folder's path is at or above the mount point.
    const bool is_below = path.text.size() > each.at.size();
    all.push_back({each, is_below ? comment_of(each, path.text, ignore_case) : std::string()});
  }
  return all;
}

// What a removal marker does to a path.
struct removal {
  mount_info remover;               // none: without an id
  std::vector<mount_info> removed;  // the mounts that have the path in vain
};

// Mounts everything once more in `all`, without regard to markers: what they remove is not in the
// tree.
removal removal_of(file_system& files, file_system& all, const tree_arguments& tree,
                   asset_path path) {
  const result<mount_id> removing = files.remover(path);
  if (!removing) return {};
  removal found{files.mount_of(*removing), {}};
  tree_arguments unmarked = tree;
  unmarked.removal_markers = false;
  if (status_of_mounts(files) != exit_ok || mount_all(all, unmarked) != exit_ok) return found;
  found.removed = providers_of(all, path);
  // Both number their mounts alike.
  for (const mount_info& left : providers_of(files, path)) {
    std::erase_if(found.removed, [&](const mount_info& each) { return each.id == left.id; });
  }
  return found;
}

std::string which_text(const std::vector<provider>& found, bool folder, const removal& gone,
                       const text_style& style) {
  table rows({{"", table::align::left}, {"", table::align::left}, {"", table::align::left}});
  for (std::size_t i = 0; i < found.size(); ++i) {
    table::cell role{folder ? "has it" : i == 0 ? "wins" : "hidden"};
    if (!folder) role.look = i == 0 ? &text_style::bold : &text_style::dim;
    std::string mount = printable(found[i].mount.path);
    if (!found[i].comment.empty()) mount += fmt::format(" ({})", printable(found[i].comment));
    rows.add({role, std::string(to_string(found[i].mount.format)), mount});
  }
  if (gone.remover.id != mount_id{}) {
    rows.add(
        {{"removes"}, std::string(to_string(gone.remover.format)), printable(gone.remover.path)});
  }
  for (const mount_info& each : gone.removed) {
    rows.add(
        {{"removed", &text_style::dim}, std::string(to_string(each.format)), printable(each.path)});
  }
  return rows.render(style);
}

std::string which_json(const std::vector<provider>& found, bool folder, const removal& gone,
                       const std::string& path) {
  json removed = json::array();
  for (const mount_info& each : gone.removed) {
    removed.push_back(
        {{"path", each.path}, {"format", to_string(each.format)}, {"mount_point", each.at}});
  }
  json list = json::array();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const mount_info& mount = found[i].mount;
    list.push_back({{"path", mount.path},
                    {"format", to_string(mount.format)},
                    {"mount_point", mount.at},
                    {"wins", i == 0},
                    {"comment", found[i].comment}});
  }
  json what = {
      {"schema", which_schema}, {"path", path},          {"kind", folder ? "folder" : "file"},
      {"mounts", list},         {"removed_by", nullptr}, {"removed", removed}};
  if (gone.remover.id != mount_id{}) what.set("removed_by", gone.remover.path);
  return json_text(what);
}

}  // namespace

int cmd_which(const std::vector<std::string>& words) {
  tree_arguments tree;
  std::string typed;
  bool as_json = false;
  when colour = when::automatic;
  command_line line({
      .name = "which",
      .usage = which_usage,
      .description = "List the mounts that have a path: the winner, then the ones it hides, in "
                     "order of precedence. Folders are merged, so every mount that has a folder "
                     "contributes. With --removal-markers, also show the mount that removes the "
                     "path. A file's comment in a ZIP is shown too: 'overture pack' notes there "
                     "where it came from.",
      .examples = which_examples,
      .footer = which_footer,
  });
  line.word({"PATH", "File", "path in the merged tree"}, typed);
  mount_options mounts(line);
  mounts.add_tree(tree);
  add_json(line, as_json);
  add_colour(line, colour);
  if (const std::optional<int> over = line.parse(words)) return *over;
  if (const std::optional<int> over = mounts.mistake()) return *over;
  if (typed.empty() || tree.empty()) {
    return line.usage_error("give a PATH in the tree, then one or more folders or archives");
  }
  const outputs out(colour);
  const path_argument path(typed, which_help_command);
  if (!path.valid()) return exit_usage;
  file_system files(tree.config());
  if (const int failed = mount_all(files, tree); failed != exit_ok) return failed;

  const std::vector<provider> found =
      with_comments(providers_of(files, *path), *path, tree.ignore_case);
  file_system all(tree.config());
  const removal gone = removal_of(files, all, tree, *path);
  if (found.empty() && gone.remover.id == mount_id{}) {
    path.print_not_found(files);
    return std::max<int>(exit_files_failed, status_of_mounts(files));
  }
  const result<file_stat> stat = files.stat(*path);
  const bool folder = stat && stat->kind == entry_kind::folder;
  const int outcome = print(as_json ? which_json(found, folder, gone, path.text())
                                    : which_text(found, folder, gone, out.style(stream::out)));
  const int missing = found.empty() ? exit_files_failed : exit_ok;
  return std::max({outcome, missing, status_of_mounts(files)});
}

}  // namespace overture::cli
