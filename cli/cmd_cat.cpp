// overture cat: prints one file of the merged tree.
#include <fmt/format.h>

#include <optional>

#include "command.hpp"
#include "command_line.hpp"
#include "display.hpp"
#include "exit_code.hpp"
#include "messages.hpp"
#include "mounting.hpp"
#include "outputs.hpp"
#include "path_argument.hpp"

namespace overture::cli {

namespace {

constexpr const char* usage = "overture cat [OPTIONS] PATH MOUNT...";
constexpr const char* help_command = "overture help cat";

constexpr const char* examples = R"(  overture cat maps/rome.txt base.pk3 mods/better_ai.zip
  overture cat gfx/title.png base.pk3 > title.png
)";

const std::string footer = std::string(R"(Exit status
  0  the file was written
  1  the file was not found or is damaged; nothing was written
  2  invalid arguments
  3  a mount could not be opened
  5  output could not be written
)") + environment_footer;

}  // namespace

int cmd_cat(const std::vector<std::string>& words) {
  tree_arguments tree;
  std::string typed;
  when colour = when::automatic;
  command_line line({
      .name = "cat",
      .usage = usage,
      .description = "Print one file of the merged tree to standard output, unpacked. The "
                     "checksum is verified first.",
      .examples = examples,
      .footer = footer,
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
  const path_argument path(typed, help_command);
  if (!path.valid()) return exit_usage;
  file_system files(tree.config());
  if (!mount_all(files, tree)) return exit_mount_failed;

  buffer_pool buffers;
  read_queue reads(files, {.run_by_host = true});  // a single file: read it on this thread
  const result<blob> bytes = files.read_all(*path, buffers, reads);
  if (bytes) {
    const auto* const text = reinterpret_cast<const char*>(bytes->data());
    return print(bytes->empty() ? std::string_view{} : std::string_view{text, bytes->size()});
  }
  if (bytes.error().code == errc::not_found && !files.exists(*path)) {
    path.print_not_found(files);
  } else if (bytes.error().code == errc::not_found) {
    print_error(fmt::format("{0}: is a folder; list it with 'overture ls --in {0} MOUNT...'",
                            printable(path.text())));
  } else {
    path.print_failure(bytes.error());
  }
  return exit_files_failed;
}

}  // namespace overture::cli
