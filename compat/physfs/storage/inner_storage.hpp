// SPDX-License-Identifier: Zlib
//
// An archive that lies in the search path: in memory, or a large one in an open file, which belong
// to this storage and not to the host.
#pragma once

#include <utility>

#include "physfs_overture.h"
#include "storage.hpp"

namespace physfs {

class inner_storage final : public storage {
 public:
  static constexpr PHYSFS_sint64 kept_bytes_max = 64 << 20;

  inner_storage() = default;
  ~inner_storage() override {
    destroy(archive_);
    PHYSFS_overture_giveBack(&memory_);
    if (file_ && !archive_closes_) (void)PHYSFS_close(file_);
  }

  // False, with an error, if it cannot be read.
  [[nodiscard]] bool load(const char* name) noexcept {
    file_ = PHYSFS_openRead(name);
    if (!file_) return false;
    if (PHYSFS_fileLength(file_) > kept_bytes_max) return true;
    (void)PHYSFS_close(std::exchange(file_, nullptr));
    return PHYSFS_overture_readFile(name, &memory_) != 0;
  }
  [[nodiscard]] loan lent() const noexcept {
    return {.bytes = memory_.bytes, .file = file_, .size = memory_.size};
  }
  // The archive in what was lent; null if it is not one.
  [[nodiscard]] bool take(storage* archive) noexcept {
    archive_ = archive;
    archive_closes_ = archive != nullptr;
    return archive_closes_;
  }

  bool stat(std::string_view path, PHYSFS_Stat& found) noexcept override {
    return archive_->stat(path, found);
  }
  bool exists(std::string_view path) noexcept override { return archive_->exists(path); }
  content* open(std::string_view path) noexcept override { return archive_->open(path); }
  bool list(std::string_view path, text_list& names) noexcept override {
    return archive_->list(path, names);
  }
  std::uint64_t known_files() const noexcept override { return archive_->known_files(); }
  bool visit_files(std::string_view folder,
                   overture::function_ref<bool(std::string_view path)> visit) noexcept override {
    return archive_->visit_files(folder, visit);
  }
  void give_back() noexcept override {
    archive_->give_back();
    archive_closes_ = false;
  }

 private:
  PHYSFS_overture_Memory memory_{};
  PHYSFS_File* file_ = nullptr;
  storage* archive_ = nullptr;
  bool archive_closes_ = false;  // the file
};

}  // namespace physfs
