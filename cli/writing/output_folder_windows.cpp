// SPDX-License-Identifier: Zlib
#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <cerrno>
#include <utility>

#include "writing/output_folder.hpp"

namespace overture::cli {

namespace {

int os_error_of(const error& failure) {
  if (failure.code == errc::exists) return EEXIST;
  return failure.os_error != 0 ? failure.os_error : EINVAL;
}

// A file below a folder, which is closed and, unless it is whole, removed at the end.
class new_file {
 public:
  new_file(os_handle folder, std::string path) : folder_(folder), path_(std::move(path)) {
    const result<os_handle> made =
        system_os().open_to_write(folder_, path_.c_str(), write_mode::create);
    if (made) file_ = *made;
    failure_ = made ? 0 : os_error_of(made.error());
  }
  ~new_file() {
    if (!file_.valid()) return;
    system_os().close(file_);
    if (failure_ != 0) (void)system_os().remove_below(folder_, path_.c_str());
  }
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;

  [[nodiscard]] int failure() const { return failure_; }
  void write(piece_source next) {
    std::uint64_t at = 0;
    while (failure_ == 0) {
      const std::optional<std::span<const std::byte>> piece = next();
      if (piece && piece->empty()) return;
      if (!piece) failure_ = ECANCELED;
      if (failure_ != 0) return;
      const result<void> written = write_fully(system_os(), file_, at, *piece);
      if (!written) failure_ = os_error_of(written.error());
      at += piece->size();
    }
  }
  void set_time(std::int64_t mtime_ns) const {
    if (mtime_ns == 0 || failure_ != 0) return;
    constexpr std::int64_t from_1601_to_1970 = 116'444'736'000'000'000;
    ULARGE_INTEGER time;
    time.QuadPart = static_cast<ULONGLONG>(mtime_ns / 100 + from_1601_to_1970);
    const FILETIME written{time.LowPart, time.HighPart};
    (void)SetFileTime(reinterpret_cast<HANDLE>(file_.value), nullptr, nullptr, &written);
  }
  // Gives it its name, which must be free.
  void rename_to(const std::string& name) {
    if (failure_ != 0) return;
    const result<void> renamed = system_os().rename_new_below(folder_, path_.c_str(), name.c_str());
    if (!renamed) failure_ = os_error_of(renamed.error());
  }

 private:
  os_handle folder_;
  std::string path_;
  os_handle file_;
  int failure_ = 0;
};

// 0 if the name is free; EEXIST if a file has it, and otherwise why it cannot be had.
int look_at(os_handle folder, const std::string& path, std::optional<file_state>& there) {
  const result<os_handle> opened = system_os().open_below(folder, path.c_str());
  if (!opened) return opened.error().code == errc::not_found ? 0 : os_error_of(opened.error());
  const result<file_status> found = system_os().status(*opened);
  system_os().close(*opened);
  if (!found) return os_error_of(found.error());
  if (found->kind == file_kind::folder) return EISDIR;
  if (found->kind != file_kind::file) return ENOTSUP;
  if (found->is_read_only()) return error_read_only;
  there = state_in(*found);
  return EEXIST;
}

}  // namespace

int output_folder::write_in(const std::string& path, const file_marks& marks, piece_source pieces,
                            const std::optional<file_state>& known) {
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const result<void> made = system_os().make_folder_below(folder_, path.substr(0, slash).c_str());
    if (!made && made.error().code != errc::exists) return os_error_of(made.error());
  }
  std::optional<file_state> replaced;
  const int there = look_at(folder_, path, replaced);
  if (there == error_read_only && how_ == placing::new_files) return EEXIST;
  if (there != 0 && (there != EEXIST || how_ == placing::new_files)) return there;
  if (how_ != placing::new_files && replaced != known) return error_changed;
  const std::uint64_t number = made_.fetch_add(1);
  new_file file(folder_, temporary_of(number).text);
  file.write(pieces);
  file.set_time(marks.mtime_ns);
  const bool waits = replaced || how_ == placing::at_end;
  if (waits && file.failure() == 0) keep(path, number, replaced);
  if (!waits) file.rename_to(path);
  return file.failure();
}

int output_folder::place(waiting_file& file) {
  std::optional<file_state> found;
  const int there = look_at(folder_, file.path, found);
  if (there != 0 && there != EEXIST) return there;
  if (file.replaced && found != file.replaced) return error_changed;
  if (!file.replaced && there != 0) return there;
  operating_system& os = system_os();
  const temporary_path temporary = temporary_of(file.number);
  const result<void> renamed =
      file.replaced ? os.rename_below(folder_, temporary.text, file.path.c_str())
                    : os.rename_new_below(folder_, temporary.text, file.path.c_str());
  if (!renamed) return os_error_of(renamed.error());
  (void)look_at(folder_, file.path, file.placed);
  return 0;
}

int output_folder::prepare_placing() {
  return 0;
}

// Windows cannot exchange names, so only new files lose theirs again.
int output_folder::take_back(waiting_file& file) {
  if (file.replaced) return error_old_is_gone;
  const result<void> renamed =
      system_os().rename_below(folder_, file.path.c_str(), temporary_of(file.number).text);
  if (!renamed) return os_error_of(renamed.error());
  file.placed.reset();
  return 0;
}

// Windows syncs a whole volume for administrators only.
int output_folder::sync() const {
  return 0;
}

}  // namespace overture::cli
