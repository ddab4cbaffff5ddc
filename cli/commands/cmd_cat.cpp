// SPDX-License-Identifier: Zlib
//
// overture cat: prints one file of the merged tree.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "commands/command.hpp"
#include "mounts/mounting.hpp"
#include "mounts/path_argument.hpp"
#include "overture/overture.hpp"
#include "system/exit_code.hpp"
#include "system/system.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"

namespace overture::cli {

namespace {

constexpr const char* cat_usage = "overture cat [OPTIONS] PATH MOUNT...";
constexpr const char* cat_help_command = "overture help cat";

constexpr const char* cat_examples = R"(  overture cat maps/rome.txt base.pk3 mods/better_ai.zip
  overture cat gfx/title.png base.pk3 > title.png
)";

const std::string cat_footer = std::string(R"(Exit status
  0  the file was written
  1  the file was not found or is damaged, and nothing was written (of a file
     above 64 MiB: what was in front of the damage); or a folder of a mount
     could not be listed, which might have a file that wins
  2  invalid arguments
  3  a mount could not be opened
  5  output could not be written, or memory ran out
)") + environment_footer;

constexpr std::uint64_t cat_whole_bytes_max = 64u << 20;
constexpr std::size_t cat_piece_bytes = 1u << 20;

std::string_view as_text(std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Each gives the exit code of the output, or why the file cannot be read.

result<int> print_pieces(file_reader& reader) {
  std::vector<std::byte> piece(cat_piece_bytes);
  for (;;) {
    const result<std::size_t> count = reader.read(piece);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) return exit_ok;
    const int failed = write_all(stream::out, as_text(std::span(piece).first(*count)));
    if (failed != 0) return print_output_error(failed);
  }
}

result<int> print_file(file_system& files, asset_path path) {
  const result<file_stat> stat = files.stat(path);
  if (stat && stat->bytes > cat_whole_bytes_max) {
    result<file_reader> reader = file_reader::open(files, path);
    if (reader) return print_pieces(*reader);
    // Its compression has to be unpacked whole.
    if (reader.error().code != errc::limit) return tl::unexpected(reader.error());
  }
  buffer_pool buffers;
  read_queue reads(files, {.run_by_host = true});  // a single file: read it on this thread
  return files.read_all(path, buffers, reads).map([](const blob& bytes) {
    return print(as_text(bytes.span()));
  });
}

}  // namespace

int cmd_cat(const std::vector<std::string>& words) {
  tree_arguments tree;
  std::string typed;
  when colour = when::automatic;
  command_line line({
      .name = "cat",
      .usage = cat_usage,
      .description = "Print one file of the merged tree to standard output, unpacked. Its checksum "
                     "is verified: first, if the file has at most 64 MiB.",
      .examples = cat_examples,
      .footer = cat_footer,
  });
  line.word({"PATH", "File", "path in the merged tree"}, typed);
  mount_options mounts(line);
  mounts.add_tree(tree);
  add_colour(line, colour);
  if (const std::optional<int> over = line.parse(words)) return *over;
  if (const std::optional<int> over = mounts.mistake()) return *over;
  if (typed.empty() || tree.empty()) {
    return line.usage_error("give a PATH in the tree, then one or more folders or archives");
  }
  const outputs out(colour);
  const path_argument path(typed, cat_help_command);
  if (!path.valid()) return exit_usage;
  file_system files(tree.config());
  if (const int failed = mount_all(files, tree); failed != exit_ok) return failed;

  const result<int> outcome = print_file(files, *path);
  if (outcome) return std::max(*outcome, status_of_mounts(files));
  if (outcome.error().code == errc::not_found) {
    path.print_not_found(files);
  } else if (const auto there = files.stat(*path); there && there->kind == entry_kind::folder) {
    print_error(fmt::format("{0}: is a folder; list it with 'overture ls --in {0} MOUNT...'",
                            printable(path.text())));
  } else {
    path.print_failure(outcome.error());
  }
  return exit_for(outcome.error().code, exit_files_failed);
}

}  // namespace overture::cli
