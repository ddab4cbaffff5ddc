// SPDX-License-Identifier: Zlib
#include "writing/output_file.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "system/native_path.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"

namespace overture::cli {

void sweep_folder_of(const std::string& path) {
  (void)sweep_temporaries(system_os(), folder_of(path).c_str());
  // A link is followed, and the temporary file lies beside what it leads to.
  std::error_code failed;
  const std::filesystem::path end = std::filesystem::canonical(native_path(path), failed);
  if (failed || !std::filesystem::is_symlink(native_path(path), failed)) return;
  (void)sweep_temporaries(system_os(), text_of(end.parent_path()).c_str());
}

namespace {

bool has_content(const std::string& path) {
  const result<file_status> there = system_os().status(path.c_str(), true);
  return there && there->size != 0;
}

}  // namespace

bool keeps_old_for_want_of_files(const std::string& path) {
  if (!has_content(path)) return false;
  print_error(fmt::format("{}: no file was loaded, so it is left as it is; is a disk not mounted?",
                          printable(path)));
  return true;
}

bool keeps_old_for_want_of_memory(const std::string& path) {
  if (!has_content(path)) return false;
  print_error(
      fmt::format("{}: memory ran out during the load, so it is left as it is", printable(path)));
  return true;
}

result<void> output_file::open(const std::string& path, replacing how) {
  sweep_folder_of(path);
  result<void> begun = replacement_.begin(system_os(), path.c_str(), how);
  if (begun) removed_.emplace(replacement_.temporary_path());
  return begun;
}

const char* remedy_for(const error& failure) {
  if (failure.code == errc::not_found) return "make its folder first, or choose another file";
  if (failure.code == errc::permission) return "choose another file";
  return "free some space or choose another file";
}

result<void> output_file::commit() {
  return commit([](const char*) noexcept { return true; });
}

result<void> output_file::commit(function_ref<bool(const char* path) noexcept> may_replace) {
  result<void> done = replacement_.commit([&]() noexcept -> result<void> {
    if (may_replace(replacement_.target_path())) return {};
    return fail(errc::exists, changed_meanwhile);
  });
  removed_.reset();
  return done;
}

result<void> output_file::commit(known_output& known) {
  const result<void> done = known.commit(replacement_);
  removed_.reset();
  return done;
}

}  // namespace overture::cli
