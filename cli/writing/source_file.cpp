// SPDX-License-Identifier: Zlib
#include "writing/source_file.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "overture/base/hash.hpp"

namespace overture::cli {

namespace {

using namespace std::chrono_literals;

// How long until the last change is old enough; 0 also for times of another clock.
std::chrono::nanoseconds unsettled_for(const file_state& state) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age = now - std::chrono::nanoseconds(std::max(state.mtime_ns, state.ctime_ns));
  const std::chrono::nanoseconds settled_after = clock_step_of(state);
  return age >= 0ns && age < settled_after ? settled_after - age : 0ns;
}

}  // namespace

std::string path_in_folder(file_system& files, const std::string& path) {
  const asset_path file{path, {hash64(path)}};
  mount_id from;
  // A frozen tree knows it without a look at the disk.
  if (const result<entry_index> entry = files.find(file)) {
    from = files.entry(*entry).mount;
  } else if (const result<file_stat> stat = files.stat(file)) {
    from = stat->mount;
  } else {
    return {};
  }
  const mount_info mount = files.mount_of(from);
  if (mount.format != mount_format::folder) return {};
  const std::size_t above = mount.at.empty() ? 0 : mount.at.size() + 1;
  return std::string(mount.path) + '/' + path.substr(std::min(above, path.size()));
}

source_file::source_file(file_system& files, const std::string& path)
    : files_(files), tree_path_(path), path_(path_in_folder(files, path)) {
  if (path_.empty()) return;
  before_ = state_at_end_of(path_.c_str());
  if (!before_) in_tree_before_ = look_in_tree();
  if (!before_ || unsettled_for(*before_) == 0ns) return;
  std::this_thread::sleep_for(unsettled_for(*before_));
  before_ = state_at_end_of(path_.c_str());
  is_being_written_ = before_ && unsettled_for(*before_) > 0ns;
}

bool source_file::has_changed() const {
  if (path_.empty()) return false;
  if (in_tree_before_) return look_in_tree() != in_tree_before_;
  return !before_ || is_being_written_ || state_at_end_of(path_.c_str()) != before_;
}

std::optional<source_file::in_tree> source_file::look_in_tree() const {
  const result<file_stat> stat = files_.stat({tree_path_, {hash64(tree_path_)}});
  if (!stat) return std::nullopt;
  return in_tree{stat->bytes, stat->mtime_ns};
}

mounted_archives::mounted_archives(const file_system& files) {
  for (std::size_t i = 0; i < files.mount_count(); ++i) {
    const mount_info mount = files.mount_at(i);
    if (mount.format == mount_format::folder) continue;
    const std::string path(mount.path);
    archives_.push_back({path, state_at_end_of(path.c_str())});
  }
}

std::string mounted_archives::changed() const {
  for (const archive& each : archives_) {
    if (state_at_end_of(each.path.c_str()) != each.before) return each.path;
  }
  return {};
}

}  // namespace overture::cli
