// SPDX-License-Identifier: Zlib
#include "output_check.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "display.hpp"
#include "messages.hpp"
#include "native_path.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "overture/vfs/file_system.hpp"
#include "system.hpp"

namespace overture::cli {

namespace {

file_identity identity_of(const file_status& status) {
  return {status.volume, status.number};
}

std::string joined(const std::string& folder, std::string_view name) {
  std::string path = folder;
  if (!path.empty() && !path.ends_with('/')) path += '/';
  path += name;
  return path;
}

// Of the name in its folder, where no file has it yet: two such outputs may be the same file.
std::optional<std::pair<file_identity, std::string>> place_of(const std::string& path) {
  const result<file_status> status = system_os().status(folder_of(path).c_str(), true);
  if (!status) return {};
  return {{identity_of(*status), text_of(native_path(path).filename())}};
}

// The mounts of a command, without mounting them.
class mounted_files {
 public:
  mounted_files(const identity_set& wanted, identity_visit visit)
      : wanted_(wanted), visit_(visit) {}

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

  static void each_in(const std::string& folder, entry_visit visit) {
    std::vector<std::string> names;
    (void)system_os().list(folder.c_str(), [&](const folder_entry& each) noexcept {
      if (!is_temporary_name(each.name)) names.emplace_back(each.name);
    });
    for (const std::string& name : names) {
      const std::string path = joined(folder, name);
      if (const result<file_status> status = system_os().status(path.c_str(), false)) {
        visit(path, name, *status);
      }
    }
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
      const file_identity identity = identity_of(found);
      if (found.kind == file_kind::file && wanted_.contains(identity)) {
        visit_(identity, {path, mount.path, tree_path});
      }
    });
  }

  const identity_set& wanted_;
  identity_visit visit_;
};

}  // namespace

std::optional<file_identity> identity_of(const std::string& path) {
  const result<file_status> status = system_os().status(path.c_str(), true);
  if (!status || status->kind != file_kind::file) return {};
  return identity_of(*status);
}

void find_mounted(const tree_arguments& tree, const identity_set& wanted, identity_visit visit) {
  if (wanted.empty()) return;
  mounted_files files(wanted, visit);
  for (const mount_argument& mount : tree.mounts) files.look_at(mount);
}

void output_check::reads(const std::string& what, const std::string& path) {
  if (!path.empty()) inputs_.push_back({what, path});
}

void output_check::writes(const std::string& what, const std::string& path, source how) {
  if (!path.empty() && path != "-") outputs_.push_back({what, path, how});
}

bool output_check::passes() {
  std::string why = refusal();
  if (why.empty()) why = refusal_by_mounts();
  if (why.empty()) return true;
  print_error(why);
  return false;
}

// Without looking at the mounts.
std::string output_check::refusal() const {
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
    if (!identity) continue;
    for (const file& input : inputs_) {
      if (identity != identity_of(input.path)) continue;
      return fmt::format("{}: {} would replace the file that {} reads ({}); give another name",
                         printable(output.path), output.what, input.what, printable(input.path));
    }
    if (is_standard_output(identity->volume, identity->number)) {
      return fmt::format("{}: standard output goes to this file, too; give {} another name",
                         printable(output.path), output.what);
    }
  }
  return {};
}

std::string output_check::refusal_by_mounts() {
  identity_set wanted;
  std::map<file_identity, const file*> outputs;
  for (const file& output : outputs_) {
    if (const std::optional<file_identity> identity = identity_of(output.path)) {
      wanted.emplace(*identity, output.path);
      outputs.emplace(*identity, &output);
    }
  }
  std::string why;
  find_mounted(tree_, wanted, [&](file_identity identity, const mounted_file& found) {
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
  });
  return why;
}

}  // namespace overture::cli
