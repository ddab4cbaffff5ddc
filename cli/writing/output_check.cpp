// SPDX-License-Identifier: Zlib
#include "writing/output_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "overture/base/limits.hpp"
#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "overture/vfs/file_system.hpp"
#include "system/exit_code.hpp"
#include "system/native_path.hpp"
#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"

namespace overture::cli {

namespace {

file_identity file_identity_of(const file_status& status) {
  return {status.volume, status.number};
}

std::string joined(const std::string& folder, std::string_view name) {
  std::string path = folder;
  if (!path.empty() && !path.ends_with('/')) path += '/';
  path += name;
  return path;
}

std::string name_of(const std::string& path) {
  return text_of(native_path(path).filename());
}

// Of the name in its folder, where no file has it yet: two such outputs may be the same file. Some
// file systems ignore case.
std::optional<std::pair<file_identity, std::string>> place_of(const std::string& path) {
  const result<file_status> status = system_os().status(folder_of(path).c_str(), true);
  if (!status) return {};
  std::string name = name_of(path);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {{file_identity_of(*status), name}};
}

// The first bytes of a file; an error if they cannot be read.
result<std::string> beginning_of(const std::string& path) {
  const result<os_handle> file = system_os().open(path.c_str());
  if (!file) return tl::unexpected(file.error());
  std::string text(64, '\0');
  const result<std::size_t> read =
      system_os().read_at(*file, 0, std::as_writable_bytes(std::span(text)));
  system_os().close(*file);
  if (!read) return tl::unexpected(read.error());
  text.resize(*read);
  return text;
}

// The mounts of a command, without mounting them.
class mounted_files {
 public:
  mounted_files(const identity_set& wanted, identity_visit visit)
      : wanted_(wanted), visit_(visit) {}

  // Whether the mounts could not be searched.
  [[nodiscard]] const refusal& failure() const { return failure_; }

  void look_at(const mount_argument& mount) {
    const result<file_status> status = system_os().status(mount.path.c_str(), true);
    if (!status) return;
    if (status->kind == file_kind::file) return look_at_archive(mount, mount.path);
    if (status->kind != file_kind::folder) return;
    if (!mount.archives_in) return look_below(mount, mount.path, mount.at, 0);
    each_in(mount.path, [&](const std::string& path, std::string_view, const file_status& found) {
      if (found.kind != file_kind::folder && is_archive(mount, path)) look_at_archive(mount, path);
    });
  }

 private:
  using entry_visit =
      function_ref<void(const std::string& path, std::string_view name, const file_status&)>;

  void each_in(const std::string& folder, entry_visit visit) {
    std::vector<std::string> names;
    const result<void> listed =
        system_os().list(folder.c_str(), [&](const folder_entry& each) noexcept {
          if (!is_temporary_name(each.name)) names.emplace_back(each.name);
        });
    if (!listed) note_failure(folder, listed.error());
    for (const std::string& name : names) {
      const std::string path = joined(folder, name);
      const result<file_status> status = system_os().status(path.c_str(), false);
      if (status) visit(path, name, *status);
      if (!status && status.error().code != errc::not_found) note_failure(path, status.error());
    }
  }

  void note_failure(const std::string& path, const error& why) {
    failure_ = {fmt::format("{}: {}; no output can be told from the files in it", printable(path),
                            reason_of(why)),
                exit_for(why.code, exit_files_failed)};
  }

  // Other files beside the archives are not mounted.
  [[nodiscard]] bool is_archive(const mount_argument& mount, const std::string& path) const {
    const std::optional<file_identity> found = cli::identity_of(path);
    if (!found || !wanted_.contains(*found)) return false;
    file_system probe;
    const result<mount_id> mounted =
        probe.mount(path.c_str(), {.password = mount.password, .name_encoding = mount.names});
    return mounted || mounted.error().code != errc::unsupported;
  }

  void look_at_archive(const mount_argument& mount, const std::string& path) {
    const std::optional<file_identity> found = cli::identity_of(path);
    if (found && wanted_.contains(*found)) visit_(*found, {path, mount.path, {}});
  }

  // Links are not followed: what they lead to is in the folder too, or it is not mounted.
  void look_below(const mount_argument& mount, const std::string& folder, const std::string& at,
                  std::size_t depth) {
    if (depth > limits::folder_depth_max) return;
    each_in(folder, [&](const std::string& path, std::string_view name, const file_status& found) {
      const std::string tree_path = joined(at, name);
      if (found.kind == file_kind::folder) return look_below(mount, path, tree_path, depth + 1);
      const file_identity identity = file_identity_of(found);
      if (found.kind == file_kind::file && wanted_.contains(identity)) {
        visit_(identity, {path, mount.path, tree_path});
      }
    });
  }

  const identity_set& wanted_;
  identity_visit visit_;
  refusal failure_;
};

}  // namespace

std::optional<file_identity> identity_of(const std::string& path) {
  const result<file_status> status = system_os().status(path.c_str(), true);
  if (!status || status->kind != file_kind::file) return {};
  return file_identity_of(*status);
}

bool is_own_output(const std::string& path, std::string_view beginning) {
  const result<std::string> found = beginning_of(path);
  if (!found) return found.error().code == errc::not_found;
  return found->empty() || found->starts_with(beginning);
}

bool names_temporary(std::string_view path) {
  while (!path.empty()) {
    const std::size_t length = std::min(path.find('/'), path.size());
    if (is_temporary_name(path.substr(0, length))) return true;
    path.remove_prefix(std::min(length + 1, path.size()));
  }
  return false;
}

refusal find_mounted(const tree_arguments& tree, const identity_set& wanted, identity_visit visit) {
  if (wanted.empty()) return {};
  mounted_files files(wanted, visit);
  for (const mount_argument& mount : tree.mounts) files.look_at(mount);
  return files.failure();
}

void output_check::reads(const std::string& what, const std::string& path) {
  if (!path.empty()) inputs_.push_back({what, path, source::refused});
}

void output_check::writes(const std::string& what, const std::string& path, source how) {
  if (!path.empty()) outputs_.push_back({what, path, how});
}

void output_check::writes_like(const std::string& what, const std::string& path,
                               std::string_view beginning) {
  if (path.empty()) return;
  outputs_.push_back({what, path, source::refused, std::string(beginning)});
}

int output_check::run() {
  refusal found{flaw(), exit_usage};
  if (found.why.empty()) found = flaw_by_mounts();
  for (const file& output : outputs_) {
    if (!found.why.empty() || output.beginning.empty()) continue;
    if (!identity_of(output.path) || is_own_output(output.path, output.beginning)) continue;
    found = {foreign(output), exit_usage};
  }
  if (found.why.empty()) return exit_ok;
  print_error(found.why);
  return found.status;
}

// Why a file that is there is not replaced.
std::string output_check::foreign(const file& output) {
  const result<std::string> found = beginning_of(output.path);
  if (found) {
    return fmt::format(
        "{}: the file is there, and {} has not written it; give another name, or "
        "remove it first",
        printable(output.path), output.what);
  }
  return fmt::format(
      "{}: the file is there and cannot be read ({}), so it may be any file; give {} "
      "another name, or remove it first",
      printable(output.path), reason_of(found.error()), output.what);
}

// Without looking at the mounts.
std::string output_check::flaw() const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const file& output = outputs_[i];
    const std::optional<file_identity> identity = identity_of(output.path);
    for (std::size_t j = 0; j < i; ++j) {
      const bool same_file = identity && identity == identity_of(outputs_[j].path);
      const auto place = place_of(output.path);
      if (same_file || (place && place == place_of(outputs_[j].path))) {
        return fmt::format("{}: {} and {} would write the same file; give two names",
                           printable(output.path), outputs_[j].what, output.what);
      }
    }
    if (names_temporary(text_of(native_path(output.path)))) {
      return fmt::format("{}: later runs remove files of this name; give another",
                         printable(output.path));
    }
    if (!identity) continue;
    for (const file& input : inputs_) {
      if (identity != identity_of(input.path)) continue;
      return fmt::format("{}: {} would replace the file that {} reads ({}); give another name",
                         printable(output.path), output.what, input.what, printable(input.path));
    }
    for (const auto& [which, name] :
         {std::pair(stream::out, "standard output"), std::pair(stream::err, "standard error")}) {
      if (!goes_to(which, identity->volume, identity->number)) continue;
      return fmt::format("{}: {} goes to this file, too; give {} another name",
                         printable(output.path), name, output.what);
    }
  }
  return {};
}

refusal output_check::flaw_by_mounts() {
  identity_set wanted;
  std::map<file_identity, const file*> outputs;
  for (const file& output : outputs_) {
    if (const std::optional<file_identity> identity = identity_of(output.path)) {
      wanted.emplace(*identity, output.path);
      outputs.emplace(*identity, &output);
    }
  }
  std::string why;
  const auto refuse = [&](file_identity identity, const mounted_file& found) {
    const file& output = *outputs.at(identity);
    if (found.tree_path.empty() && output.how == source::allowed) {
      writes_a_source_ = true;
    } else if (why.empty()) {
      why = found.tree_path.empty()
                ? fmt::format("{}: {} would replace the mounted archive {}; give another name",
                              printable(output.path), output.what, printable(found.path))
                : fmt::format(
                      "{}: {} would replace {}, a file of the mounted folder {}; give "
                      "another name",
                      printable(output.path), output.what, printable(found.path),
                      printable(found.mount));
    }
  };
  const refusal failed = find_mounted(tree_, wanted, refuse);
  return why.empty() ? failed : refusal{why, exit_usage};
}

}  // namespace overture::cli
