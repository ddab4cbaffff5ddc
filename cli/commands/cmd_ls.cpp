// SPDX-License-Identifier: Zlib
//
// overture ls: lists a folder of the merged tree.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "commands/command.hpp"
#include "mounts/mounting.hpp"
#include "mounts/path_argument.hpp"
#include "mounts/skipped_names.hpp"
#include "mounts/unmatched_globs.hpp"
#include "report/report_json.hpp"
#include "system/exit_code.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/json_output.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "terminal/table.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr const char* ls_usage = "overture ls [OPTIONS] MOUNT...";
constexpr const char* ls_own_group = "Listing";
constexpr const char* ls_help_command = "overture help ls";
constexpr int ls_schema = 1;

constexpr const char* ls_examples = R"(  overture ls base.pk3 mods/better_ai.zip
  overture ls -l --in maps base.pk3 dlc/rome/
  overture ls -r base.pk3 --mount-point gfx/fonts fonts/
)";

const std::string ls_footer = std::string(R"(Exit status
  0  the folder was listed
  1  the folder was not found, or a folder of a mount could not be listed
  2  invalid arguments
  3  a mount could not be opened
  5  output could not be written, or memory ran out
)") + environment_footer;

struct ls_arguments {
  tree_arguments tree;
  std::string folder;
  std::vector<std::string> exclude;  // globs
  bool recursive = false;
  bool details = false;
  bool json = false;
  when colour = when::automatic;
};

struct listed_item {
  std::string name;
  std::string path;
  entry_kind kind = entry_kind::file;
  std::string mount;
  std::optional<std::uint64_t> bytes;  // empty if unknown
};

std::optional<int> parse_ls(const std::vector<std::string>& words, ls_arguments& into) {
  command_line line({
      .name = "ls",
      .usage = ls_usage,
      .description = "List a folder of the merged tree. A name that several mounts have is listed "
                     "once. Names of the mounts that are not in the tree are reported as skipped.",
      .examples = ls_examples,
      .footer = ls_footer,
  });
  line.word({"--in PATH", ls_own_group, "the folder to list, a path in the tree (default: /)"},
            into.folder);
  line.flag({"-r,--recursive", ls_own_group, "list all files below it"}, into.recursive);
  line.flag({"-l,--long", ls_own_group, "show sizes and the winning mount"}, into.details);
  add_exclude(line, ls_own_group, into.exclude);
  mount_options mounts(line);
  mounts.add_tree(into.tree);
  add_json(line, into.json);
  add_colour(line, into.colour);
  if (const std::optional<int> over = line.parse(words)) return over;
  if (const std::optional<int> over = mounts.mistake()) return over;
  if (into.tree.empty()) {
    return line.usage_error("nothing to list: give a folder or an archive");
  }
  return std::nullopt;
}

result<std::vector<listed_item>> list(file_system& files, asset_path folder,
                                      const ls_arguments& arguments) {
  std::vector<listed_item> items;
  const bool sizes = arguments.details || arguments.json;
  const auto add = [&](const folder_item& item) {
    std::string path(item.path);
    if (item.kind == entry_kind::folder) path += '/';
    if (matches_any(arguments.exclude, path)) return true;
    items.push_back({std::string(item.name),
                     std::string(item.path),
                     item.kind,
                     std::string(files.mount_of(item.mount).path),
                     {}});
    if (sizes && item.kind == entry_kind::file) {
      if (const result<file_stat> stat = item.stat()) items.back().bytes = stat->bytes;
    }
    return true;
  };
  const result<void> done =
      arguments.recursive ? files.walk(folder, add) : files.enumerate(folder, add);
  if (!done) return tl::unexpected(done.error());
  return items;
}

// Warns of patterns that match no file below the folder. Files that are not listed count too: a
// pattern for deeper ones is not a mistake.
void warn_of_unmatched(file_system& files, asset_path folder, const ls_arguments& arguments) {
  unmatched_globs unmatched(arguments.exclude);
  const auto look = [&](const folder_item& item) {
    unmatched.look_at(item.path);
    return !unmatched.empty();
  };
  if (!unmatched.empty()) (void)files.walk(folder, look);
  unmatched.warn();
}

std::string name_text(const listed_item& item) {
  return printable(item.name) + (item.kind == entry_kind::folder ? "/" : "");
}

std::string plain_text(const std::vector<listed_item>& items, const text_style& style) {
  std::string text;
  for (const listed_item& item : items) {
    const std::string name = name_text(item);
    text += (item.kind == entry_kind::folder ? style.bold(name) : name) + '\n';
  }
  return text;
}

std::string long_text(const std::vector<listed_item>& items, const text_style& style) {
  table rows({{"size"}, {"mount", table::align::left}, {"name", table::align::left}});
  for (const listed_item& item : items) {
    const std::string size = item.bytes ? human_bytes(static_cast<double>(*item.bytes))
                             : item.kind == entry_kind::folder ? "-"
                                                               : "?";
    table::cell name{name_text(item)};
    if (item.kind == entry_kind::folder) name.look = &text_style::bold;
    rows.add({size, printable(item.mount), name});
  }
  return rows.render(style);
}

std::string listing_json(const file_system& files, const std::vector<listed_item>& items,
                         const std::string& folder) {
  json list = json::array();
  for (const listed_item& item : items) {
    json row = {{"name", item.name},
                {"path", item.path},
                {"kind", item.kind == entry_kind::folder ? "folder" : "file"},
                {"mount", item.mount}};
    row.set("bytes", item.bytes ? json(*item.bytes) : json());
    list.push_back(row);
  }
  return json_text({{"schema", ls_schema},
                    {"folder", folder},
                    {"items", list},
                    {"skipped_names", skipped_json(skipped_names(files))}});
}

}  // namespace

int cmd_ls(const std::vector<std::string>& words) {
  ls_arguments arguments;
  if (const std::optional<int> over = parse_ls(words, arguments)) return *over;
  const outputs out(arguments.colour);
  const path_argument folder(arguments.folder, ls_help_command);
  if (!folder.valid()) return exit_usage;
  file_system files(arguments.tree.config());
  if (const int failed = mount_all(files, arguments.tree); failed != exit_ok) return failed;

  const result<std::vector<listed_item>> items = list(files, *folder, arguments);
  if (!items) {
    if (items.error().code == errc::not_found) {
      folder.print_not_found(files);
    } else {
      folder.print_failure(items.error());
    }
    return exit_for(items.error().code, exit_files_failed);
  }
  warn_of_unmatched(files, *folder, arguments);
  const text_style style = out.style(stream::out);
  const int outcome = print(arguments.json      ? listing_json(files, *items, folder.text())
                            : arguments.details ? long_text(*items, style)
                                                : plain_text(*items, style));
  if (!arguments.json) warn_of_skipped(files, folder.text().empty() ? skipped_shown_max : 0);
  return std::max(outcome, status_of_mounts(files));
}

}  // namespace overture::cli
