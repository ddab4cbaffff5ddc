// SPDX-License-Identifier: Zlib
//
// Verifies archives and folders: overture/c/check.h.
//
// Each path is mounted into a folder of its own, named by its number, so that no mount hides files
// of another. One load reads everything; what is too large for it is read in pieces afterwards.
#include "overture/c/check.h"

#include <algorithm>
#include <charconv>

#include "c/duration.hpp"
#include "c/handles.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/vfs/file_reader.hpp"

using namespace overture;
using namespace overture::c;

namespace {

constexpr std::size_t checked_bytes = 256u << 10;

// The number of a mount and a path in it, from "12/maps/rome.txt".
struct numbered_path {
  explicit numbered_path(std::string_view path) noexcept {
    const std::size_t digits = std::min(path.find('/'), path.size());
    for (const char digit : path.substr(0, digits)) mount = 10 * mount + std::size_t(digit - '0');
    text = path.substr(std::min(digits + 1, path.size()));
  }
  std::size_t mount = 0;
  std::string_view text;
};

class archive_check {
 public:
  archive_check(overture_check_problem problem, void* context) noexcept
      : problem_(problem), context_(context) {}

  overture_code mount(const char* const* paths, std::size_t count, const char* password,
                      overture_error* error) noexcept;
  result<void> run(unsigned threads) noexcept;
  [[nodiscard]] const overture_check_summary& summary() const noexcept { return sum_; }
  [[nodiscard]] const file_system& files() const noexcept { return files_; }

 private:
  void tell(std::size_t mount, std::string_view path, const error& why) noexcept;
  void tell_of_mounts() noexcept;
  // Reads a file that is too large to load.
  result<std::uint64_t> read_in_pieces(std::string_view path) noexcept;

  overture_check_problem problem_;
  void* context_;
  overture_check_summary sum_ = {};
  file_system files_;
};

overture_code archive_check::mount(const char* const* paths, std::size_t count,
                                   const char* password, overture_error* error) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (paths[i] == nullptr) return invalid(error, "a path is NULL");
    char number[20];
    const char* const end = std::to_chars(number, number + sizeof number, i).ptr;
    const mount_options options{.at = {number, std::size_t(end - number)},
                                .password = password == nullptr ? "" : password};
    if (const result<mount_id> mounted = files_.mount(paths[i], options); !mounted) {
      return failed(error, mounted.error(), paths[i]);
    }
  }
  const result<void> frozen = files_.freeze();
  return frozen ? OVERTURE_OK : failed(error, frozen.error(), files_);
}

void archive_check::tell(std::size_t mount, std::string_view path, const error& why) noexcept {
  ++sum_.problems;
  if (problem_ == nullptr) return;
  overture_error said = {};
  said.size = sizeof said;
  // The path comes beside it, without the number of its mount.
  error bare = why;
  bare.path = {};
  bare.source = {};
  failed(&said, bare);
  const c_path text(path);
  problem_(context_, mount, text.text(), &said);
}

void archive_check::tell_of_mounts() noexcept {
  for (std::size_t i = 0; i < files_.failure_count(); ++i) {
    const mount_failure failure = files_.failure(i);
    const numbered_path at(files_.mount_of(failure.mount).at);
    tell(at.mount, failure.path, failure.why);
  }
}

result<std::uint64_t> archive_check::read_in_pieces(std::string_view path) noexcept {
  buffer_pool buffers;
  const result<blob> room = buffers.take(checked_bytes);
  if (!room) return tl::unexpected(room.error());
  result<file_reader> reader = file_reader::open(files_, {path, {hash64(path)}});
  if (!reader) return tl::unexpected(reader.error());
  for (;;) {
    const result<std::size_t> got = reader->read(room->span());
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return reader->size();
  }
}

result<void> archive_check::run(unsigned threads) noexcept {
  tell_of_mounts();
  thread_pool jobs{{.workers = std::max(1u, threads - 1)}};
  if (result<void> status = jobs.status(); !status) return status;
  read_queue reads{files_};
  if (result<void> status = reads.status(); !status) return status;
  load_scope load{files_, reads, jobs, {.decode = false}};
  if (result<void> started = load.start(); !started) return started;
  while (!load.wait_for(duration_of(UINT64_MAX))) {
  }
  const load_summary loaded = load.summary();
  sum_.files = loaded.files;
  sum_.bytes = loaded.bytes;
  return load.for_each_file([this](const loaded_file& file) noexcept {
    if (file.failure == nullptr) return;
    error why = *file.failure;
    if (why.code == errc::limit) {
      const result<std::uint64_t> bytes = read_in_pieces(file.path);
      if (bytes) {
        ++sum_.files;
        sum_.bytes += *bytes;
        return;
      }
      why = bytes.error();
    }
    const numbered_path path(file.path);
    tell(path.mount, path.text, why);
  });
}

}  // namespace

overture_code overture_check(const char* const* paths, size_t path_count,
                             const overture_check_options* options, overture_check_problem problem,
                             void* context, overture_check_summary* summary,
                             overture_error* error) {
  if (paths == nullptr && path_count != 0) return invalid(error, "there are no paths");
  overture_check_options wanted;
  if (const overture_code flaw = read_options(options, wanted, error)) return flaw;
  if (wanted.threads > limits::pool_workers_max) {
    return failed(error, errc::limit, "more threads than there may be");
  }
  if (summary != nullptr) {
    if (const overture_code flaw = write_result(summary, overture_check_summary{}, error)) {
      return flaw;
    }
  }
  archive_check check(problem, context);
  if (const overture_code flaw = check.mount(paths, path_count, wanted.password, error)) {
    return flaw;
  }
  const unsigned threads = wanted.threads != 0 ? wanted.threads : processor_count();
  if (const result<void> done = check.run(threads); !done) {
    return failed(error, done.error(), check.files());
  }
  return summary == nullptr ? fine(error) : write_result(summary, check.summary(), error);
}
