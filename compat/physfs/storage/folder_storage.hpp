// SPDX-License-Identifier: Zlib
//
// A folder of the system. Nothing of it is remembered: games create files by other means than this
// library and expect to find them. The folder's name is used as it is, so a relative one follows
// the current folder.
#pragma once

#include "storage.hpp"

namespace physfs {

// Whether links in folders may be followed. Any thread, initialised or not.
[[nodiscard]] bool links_permitted() noexcept;
void permit_links(bool permit) noexcept;

class folder_storage final : public storage, public write_target {
 public:
  folder_storage(const char* kept_path, bool writable) noexcept
      : folder_(kept_path), writable_(writable) {}

  [[nodiscard]] bool stat(std::string_view path, PHYSFS_Stat& found) noexcept override;
  [[nodiscard]] bool exists(std::string_view path) noexcept override;
  [[nodiscard]] content* open(std::string_view path) noexcept override;
  [[nodiscard]] bool list(std::string_view path, text_list& names) noexcept override;

  [[nodiscard]] write_target* writable() noexcept override { return writable_ ? this : nullptr; }
  [[nodiscard]] content* create(std::string_view path, bool append) noexcept override;
  [[nodiscard]] bool make_folder(std::string_view path) noexcept override;
  [[nodiscard]] bool remove(std::string_view path) noexcept override;
  [[nodiscard]] bool rename(std::string_view from, std::string_view to) noexcept override;

 private:
  const char* folder_;
  const bool writable_;
};

}  // namespace physfs
