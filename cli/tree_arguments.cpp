#include "tree_arguments.hpp"

#include <fmt/format.h>

#include <map>

#include "command_line.hpp"
#include "display.hpp"
#include "messages.hpp"
#include "overture/limits.hpp"
#include "overture/path.hpp"

namespace overture::cli {

namespace {

constexpr const char* mounts_group = "Mounts";
constexpr const char* output_group = "Output";

void add_when(CLI::App& app, const char* name, const char* description, when& into) {
  app.add_option_function<std::string>(
         name,
         [&into](const std::string& word) {
           into = word == "always" ? when::always : word == "never" ? when::never : when::automatic;
         },
         description)
      ->type_name("WHEN")
      ->check(one_of({"auto", "always", "never"}))
      ->group(output_group);
}

std::optional<int> refuse_point(const std::string& point, const std::string& help_command) {
  path_buffer room;
  const result<asset_path> path = normalise(point, room);
  if (path) return std::nullopt;
  return complain_about_usage(fmt::format("--mount-point '{}': {}; it is a path such as gfx/fonts",
                                          printable(point), path.error().reason),
                              "", help_command);
}

}  // namespace

CLI::Option* mount_options_parser::add(const std::string& name, const std::string& description,
                                       std::vector<mount_argument>& into, bool takes_many) {
  // CLI11 keeps the words; a callback would not know where among others they stood.
  CLI::Option* const option =
      takes_many
          ? app_.add_option_function<std::vector<std::string>>(
                name, [](const std::vector<std::string>&) {}, description)
          : app_.add_option_function<std::string>(name, [](const std::string&) {}, description);
  option->group(mounts_group);
  if (!option->get_positional()) option->allow_extra_args(false);
  collected_.push_back({option, &into});
  return option;
}

void mount_options_parser::add_mount_point() {
  point_ = app_.add_option_function<std::vector<std::string>>(
      "--mount-point", [](const std::vector<std::string>&) {},
      "where in the tree the mounts behind this option go, '/' for its root; may be given several "
      "times");
  point_->type_name("PATH")->allow_extra_args(false)->group(mounts_group);
}

void mount_options_parser::add_password() {
  password_ = app_.add_option_function<std::vector<std::string>>(
      "--password", [](const std::vector<std::string>&) {},
      "of the encrypted files in the archives behind this option; may be given several "
      "times");
  password_->type_name("WORD")->allow_extra_args(false)->group(mounts_group);
}

void mount_options_parser::add_tree(tree_arguments& into) {
  add("MOUNT", "a folder or an archive; later ones win", into.mounts);
  add("--archives-in",
      "mount every archive that lies in DIR, in the order of their names, after the MOUNTs; may be "
      "given several times",
      into.archives_in)
      ->type_name("DIR");
  add_mount_point();
  add_password();
  app_.add_flag("--first-wins", into.first_wins, "earlier mounts win")->group(mounts_group);
  add_ignore_case(into.ignore_case);
  add_removal_markers(into.removal_markers);
}

void mount_options_parser::add_removal_markers(bool& into) {
  app_.add_flag("--removal-markers", into,
                "a file .wh.NAME removes the file NAME of the mounts that lose to its own")
      ->group(mounts_group);
}

void mount_options_parser::add_ignore_case(bool& into) {
  app_.add_flag("--ignore-case", into, "paths that differ only by case are one; shown folded")
      ->group(mounts_group);
}

std::optional<int> mount_options_parser::take(const std::string& help_command) const {
  std::map<const CLI::Option*, std::size_t> taken;
  std::string point;
  std::string password;
  const CLI::Option* unused = nullptr;
  bool any = false;
  for (CLI::Option* const option : app_.parse_order()) {
    const std::size_t number = taken[option]++;
    if (option == point_) {
      point = option->results()[number];
      if (const std::optional<int> over = refuse_point(point, help_command)) return over;
    }
    if (option == password_) password = option->results()[number];
    if (option == point_ || option == password_) unused = option;
    for (const collected& each : collected_) {
      if (each.option != option) continue;
      each.into->push_back({option->results()[number], point, password});
      unused = nullptr;
      any = true;
    }
  }
  if (!unused || !any) return std::nullopt;
  return complain_about_usage(
      fmt::format("{} holds for the mounts behind it, and there is none; name it in front of them",
                  unused->get_name()),
      "", help_command);
}

void add_json(CLI::App& app, bool& into) {
  app.add_flag("--json", into, "one JSON object on standard output instead of text")
      ->group(output_group);
}

void add_colour(CLI::App& app, when& into) {
  add_when(app, "--color", "auto (on a terminal), always or never", into);
}

void add_progress(CLI::App& app, when& into) {
  add_when(app, "--progress", "the bar on standard error: auto (on a terminal), always or never",
           into);
}

void add_quiet(CLI::App& app, bool& into, const std::string& description) {
  app.add_flag("-q,--quiet", into, description)->group(output_group);
}

void add_threads(CLI::App& app, unsigned& into) {
  app.add_option("--threads", into,
                 "threads that unpack and decode, the main thread included (default: one for each "
                 "processor)")
      ->type_name("N")
      ->check(whole_number(1, limits::pool_workers_max + 1))
      ->group("Loading");
}

void add_help(CLI::App& app) {
  app.set_help_flag("-h,--help", "this text")->group("Other");
}

}  // namespace overture::cli
