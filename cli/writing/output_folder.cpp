// SPDX-License-Identifier: Zlib
//
// What is the same on all systems; the rest is in output_folder_posix.cpp and
// output_folder_windows.cpp.
#include "writing/output_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "system/native_path.hpp"

namespace overture::cli {

namespace {

int os_error_of(const error& failure) {
  return failure.os_error != 0 ? failure.os_error : EINVAL;
}

// The one that is open: a command has one.
atomic<output_folder*> folder_in_use{nullptr};

// How many threads write a file, and whether the process is about to exit without memory.
atomic<int> writing{0};
atomic<bool> exiting{false};
constinit thread_local bool writes_here = false;

// What is in it may come from a folder that only its user may enter. Returns 0 or the errno.
int make_private(os_handle above, const char* name) {
  const result<os_handle> folder = system_os().open_below(above, name);
  if (!folder) return os_error_of(folder.error());
  const result<void> done =
      system_os().status(*folder).and_then([&](file_status status) -> result<void> {
        if (status.permissions != file_status::unknown_permissions) status.permissions = 0700;
        return system_os().take_permissions(*folder, status);
      });
  system_os().close(*folder);
  return done ? 0 : os_error_of(done.error());
}

}  // namespace

output_folder::~output_folder() {
  folder_in_use.store(nullptr);
  for (const waiting_file& each : waiting_) {
    if (each.has_old) continue;
    (void)system_os().remove_below(folder_, temporary_of(each.number).text);
  }
  temporary_.reset();
  if (folder_.valid()) system_os().close(folder_);
}

int output_folder::open(const std::string& path, placing how, std::size_t files) {
  how_ = how;
  path_ = path;
  if (how != placing::new_files) waiting_.reserve(files);
  std::error_code failed;
  std::filesystem::create_directories(native_path(path), failed);
  if (failed) return failed.default_error_condition().value();
  (void)sweep_temporaries(system_os(), path.c_str());
  const result<os_handle> opened = system_os().open(path.c_str());
  if (!opened) return os_error_of(opened.error());
  folder_ = *opened;
  const result<void> begun = temporary_.emplace().begin(system_os(), folder_);
  if (!begun) return os_error_of(begun.error());
  folder_in_use.store(this);
  return make_private(folder_, std::string(temporary_->name()).c_str());
}

void output_folder::remove_at_exit() noexcept {
  const auto has_old = [](const waiting_file& each) { return each.has_old; };
  if (std::any_of(waiting_.begin(), waiting_.end(), has_old)) return;
  for (std::uint64_t i = 0, made = made_.load(); i < made; ++i) {
    (void)system_os().remove_below(folder_, temporary_of(i).text);
  }
  temporary_.reset();
}

write_in_progress::write_in_progress() {
  writing.fetch_add(1);
  writes_here = true;
}
write_in_progress::~write_in_progress() {
  writes_here = false;
  writing.fetch_sub(1);
}
bool write_in_progress::refused() const {
  return exiting.load();
}

void finish_writes_before_exit() {
  using namespace std::chrono_literals;
  // What this thread was writing it cannot finish.
  if (std::exchange(writes_here, false)) writing.fetch_sub(1);
  // The first thread exits for all.
  while (exiting.exchange(true)) std::this_thread::sleep_for(1h);
  while (writing.load() > 0) std::this_thread::sleep_for(1ms);
  if (output_folder* const folder = folder_in_use.exchange(nullptr)) folder->remove_at_exit();
}

int output_folder::write(const std::string& path, const file_marks& marks, piece_source pieces,
                         const std::optional<file_state>& known) {
  const write_in_progress held;
  return held.refused() ? ENOMEM : write_in(path, marks, pieces, known);
}

output_folder::temporary_path output_folder::temporary_of(std::uint64_t number) const {
  temporary_path made{};
  const std::string_view folder = temporary_->name();
  char* at = std::copy(folder.begin(), folder.end(), made.text);
  *at++ = '/';
  *std::to_chars(at, std::end(made.text) - 1, number).ptr = '\0';
  return made;
}

void output_folder::keep(const std::string& path, std::uint64_t number,
                         const std::optional<file_state>& replaced) {
  waiting_file file{path, number, replaced};
  // Without taking memory: a thread that runs out of it waits for those that write.
  const std::scoped_lock one_at_a_time(guard_);
  waiting_.push_back(std::move(file));
}

output_folder::outcome output_folder::finish() {
  outcome done;
  done.disk_error = sync();
  if (done.disk_error != 0 || waiting_.empty()) return done;
  // In the order of their paths, whatever thread wrote them.
  std::sort(waiting_.begin(), waiting_.end(),
            [](const waiting_file& a, const waiting_file& b) { return a.path < b.path; });
  done.disk_error = prepare_placing();
  if (done.disk_error != 0) return done;
  const bool all = place_all();
  done.is_after_placing = all || how_ != placing::at_end;
  if (done.is_after_placing) done.disk_error = sync();
  const bool is_done = done.is_after_placing && (done.disk_error == 0 || how_ != placing::at_end);
  for (waiting_file& each : waiting_) {
    if (is_done && each.os_error == 0) each.has_old = false;
  }
  note_outcome(done);
  return done;
}

// False if one has not got its name.
bool output_folder::place_all() {
  bool all = true;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    waiting_[i].os_error = place(waiting_[i]);
    if (waiting_[i].os_error == 0) continue;
    all = false;
    if (how_ != placing::at_end) continue;
    while (i-- > 0) waiting_[i].os_error = take_back(waiting_[i]);
    break;
  }
  return all;
}

void output_folder::note_outcome(outcome& done) {
  const auto has_old = [](const waiting_file& each) { return each.has_old; };
  if (how_ != placing::at_end && std::any_of(waiting_.begin(), waiting_.end(), has_old)) {
    (void)temporary_->keep();
  }
  for (const waiting_file& each : waiting_) {
    if (each.os_error != 0) done.failed.push_back({each.path, each.os_error});
    if (!done.is_after_placing && each.placed) done.is_mixed = true;
    if (each.has_old) done.old.push_back({each.path, path_ + '/' + temporary_of(each.number).text});
  }
}

}  // namespace overture::cli
