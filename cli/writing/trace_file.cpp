// SPDX-License-Identifier: Zlib
#include "writing/trace_file.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <span>
#include <string_view>

#include "system/exit_code.hpp"
#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"

namespace overture::cli {

namespace {

std::size_t write_text(std::string_view of, std::span<char> text) {
  return of.copy(text.data(), text.size());
}

class pipe_sink final : public text_sink {
 public:
  explicit pipe_sink(std::FILE* file) : file_(file) {}

  [[nodiscard]] result<void> write(std::string_view text) override {
    if (std::fwrite(text.data(), 1, text.size(), file_) == text.size()) return {};
    return tl::unexpected<error>(os_failure(errno, "cannot write"));
  }

 private:
  std::FILE* file_;
};

class file_sink final : public text_sink {
 public:
  explicit file_sink(os_handle file) : file_(file) {}

  [[nodiscard]] result<void> write(std::string_view text) override {
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    result<void> written = write_fully(system_os(), file_, at_, bytes);
    at_ += text.size();
    return written;
  }

 private:
  os_handle file_;
  std::uint64_t at_ = 0;
};

// What is neither a file nor a folder.
bool is_pipe(const std::string& path) {
  const result<file_status> found = system_os().status(path.c_str(), true);
  return found && found->kind == file_kind::other;
}

}  // namespace

bool trace_file::open(const std::string& path) {
  path_ = path;
  if (path == "-" || is_pipe(path)) {
    pipe_.reset(path == "-" ? duplicate_output() : open_pipe(path));
    if (pipe_) return true;
    if (errno == ECANCELED) {
      print_error(fmt::format("{}: interrupted; no program reads this pipe", printable(path_)));
      return false;
    }
    print_error(fmt::format("{}: cannot write the trace to it ({}); give another name",
                            printable(path_), system_message(errno)));
    return false;
  }
  const result<void> opened = file_.open(path);
  if (opened) return true;
  print_error(fmt::format("{}: cannot create the trace file ({}); choose a writable folder",
                          printable(path_), reason_of(opened.error())));
  return false;
}

int trace_file::write(const timeline& record, const file_system& files, known_output& old) {
  const auto path_of = [&files](std::uint32_t subject, std::span<char> text) -> std::size_t {
    if (subject >= files.entry_count()) return 0;
    return write_text(files.entry(subject).path, text);
  };
  const auto mount_of = [&files](std::uint32_t subject, std::span<char> text) -> std::size_t {
    if (subject >= files.entry_count()) return 0;
    return write_text(files.mount_of(files.entry(subject).mount).path, text);
  };
  function_ref<std::size_t(std::uint32_t, std::span<char>)> name_of = path_of;
  function_ref<std::size_t(std::uint32_t, std::span<char>)> layer_of = mount_of;
  const chrome_json_options options{
      .process_name = "overture", .subject_name = &name_of, .subject_layer = &layer_of};
  if (pipe_) {
    pipe_sink sink(pipe_.get());
    return finish_pipe(write_chrome_json(record, sink, options));
  }
  file_sink sink(file_.file());
  const result<void> done =
      write_chrome_json(record, sink, options).and_then([&] { return file_.commit(old); });
  if (done) return exit_ok;
  if (done.error().code == errc::exists) {
    print_error(fmt::format("{}: {}; the trace is lost", printable(path_), done.error().reason));
    return exit_output_failed;
  }
  print_error(fmt::format("{}: cannot write the trace ({}); {}", printable(path_),
                          reason_of(done.error()), remedy_for(done.error())));
  return exit_output_failed;
}

int trace_file::finish_pipe(const result<void>& written) {
  int failed = written ? 0 : written.error().os_error;
  if (std::fclose(pipe_.release()) != 0 && failed == 0) failed = errno;
  const bool reader_left = path_ == "-" && is_broken_pipe(failed);
  if ((written && failed == 0) || reader_left) return exit_ok;
  print_error(
      fmt::format("{}: the trace is incomplete ({}); free some space or choose another file",
                  printable(path_), failed != 0 ? system_message(failed) : written.error().reason));
  return exit_output_failed;
}

}  // namespace overture::cli
