// SPDX-License-Identifier: Zlib
#include "writing/working_folder.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include "system/native_path.hpp"

namespace overture::cli {

namespace fs = std::filesystem;

working_folder::working_folder(const std::string& above) {
  make(above);
}

working_folder::working_folder() {
  std::error_code failed;
  const fs::path above = fs::temp_directory_path(failed);
  if (failed) {
    failure_ = tl::unexpected(os_failure(failed.value(), "no folder for temporary files"));
    return;
  }
  make(text_of(above));
}

void working_folder::make(const std::string& above) {
  (void)sweep_temporaries(system_os(), above.c_str());
  const result<os_handle> opened = system_os().open(above.c_str());
  if (!opened) {
    failure_ = tl::unexpected(opened.error());
    return;
  }
  above_ = *opened;
  // From when it is made until its name is known for removal, nothing takes memory.
  constexpr std::size_t name_bytes_max = 64;
  path_.reserve(above.size() + name_bytes_max);
  lock_.reserve(above.size() + name_bytes_max);
  failure_ = folder_.emplace().begin(system_os(), above_);
  if (!failure_) return;
  path_.append(above).append("/").append(folder_->name());
  lock_.append(path_).append("/lock");
  removed_path_.emplace(path_.c_str());
  removed_lock_.emplace(lock_.c_str());
  std::error_code failed;
  fs::permissions(native_path(path_), fs::perms::owner_all, failed);
  if (failed) failure_ = tl::unexpected(os_failure(failed.value(), "cannot make it private"));
}

working_folder::~working_folder() {
  std::vector<std::string> files;
  if (!path_.empty()) {
    (void)system_os().list(path_.c_str(), [&](const folder_entry& each) noexcept {
      if (each.name != "lock") files.push_back(path_ + '/' + std::string(each.name));
    });
  }
  for (const std::string& each : files) (void)system_os().remove_file(each.c_str());
  folder_.reset();
  if (above_.valid()) system_os().close(above_);
}

}  // namespace overture::cli
