// SPDX-License-Identifier: Zlib
#include "writing/extracting.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "mounts/mounting.hpp"
#include "overture/base/atomic.hpp"
#include "system/exit_code.hpp"
#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/progress.hpp"
#include "terminal/progress_line.hpp"
#include "writing/output_check.hpp"
#include "writing/source_file.hpp"

namespace overture::cli {

namespace {

constexpr std::uint64_t whole_bytes_max = 8u << 20;  // larger files are read in pieces
constexpr std::size_t piece_bytes = 1u << 20;

class extractor {
 public:
  extractor(file_system& files, const std::vector<std::string>& paths, const extraction& how,
            const outputs& out)
      : files_(files),
        reads_(files, {.run_by_host = true}),
        paths_(paths),
        how_(how),
        reasons_(paths.size()),
        line_(how.progress, out.environment()) {}

  extracted run(job_system& jobs) {
    if (line_.shown()) bytes_total_ = size_of_all();
    parallel_for(
        jobs, 0, paths_.size(),
        [this](std::size_t i) {
          if (interrupted() || stopped_by_.load() != 0) return;
          reasons_[i] = extract(paths_[i]);
          files_done_.fetch_add(1);
          if (on_main_thread()) show_progress();
        },
        1);
    return outcome();
  }

 private:
  extracted outcome() {
    extracted done;
    done.stopped_by = stopped_by_.load();
    const bool failed =
        done.stopped_by != 0 || interrupted() || status_.load() != exit_ok || mounts_failed();
    done.changed_archive = how_.archives->changed();
    if (!done.changed_archive.empty()) raise_status(exit_files_failed);
    done.has_names = how_.how == placing::new_files ||
                     (done.changed_archive.empty() && (how_.how == placing::replacing || !failed));
    if (done.has_names) give_names(done);
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (reasons_[i].empty()) continue;
      ++done.failed;
      done.failures.push_back(fmt::format("{}: {}", printable(paths_[i]), printable(reasons_[i])));
    }
    done.whole = files_whole_.load();
    done.in_place = files_in_place_.load();
    if (done.has_names) {
      done.files = files_written_.load();
      done.bytes = bytes_done_.load();
    }
    done.status = status_.load();
    return done;
  }

  [[nodiscard]] bool mounts_failed() const { return status_of_mounts(files_) != exit_ok; }

  // Brings all to the disk. Files that replace others get their names now.
  void give_names(extracted& done) {
    const std::uint64_t begin_ns = now_ns();
    const output_folder::outcome finished = how_.to->finish();
    done.sync_ns = now_ns() - begin_ns;
    if (finished.disk_error != 0) {
      done.stopped_by = finished.disk_error;
      done.is_unsynced = true;
    }
    done.is_mixed = finished.is_mixed;
    for (const output_folder::kept& each : finished.old) {
      done.old.push_back(fmt::format("{}: its old content is in {}", printable(each.path),
                                     printable(each.old_content)));
    }
    const bool all_or_none = how_.how == placing::at_end;
    if (all_or_none && !finished.is_after_placing) done.has_names = false;
    if (finished.failed.empty()) return;
    std::map<std::string_view, int> failures;
    for (const output_folder::unplaced& each : finished.failed) {
      failures.emplace(each.path, each.os_error);
    }
    files_written_.fetch_sub(failures.size());
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const auto failed = failures.find(std::string_view(paths_[i]).substr(how_.above));
      if (failed != failures.end()) reasons_[i] = reason_of_write(failed->second);
    }
  }

  [[nodiscard]] std::uint64_t size_of_all() const {
    std::uint64_t bytes = 0;
    for (const std::string& path : paths_) {
      const result<file_stat> stat = files_.stat({path, {hash64(path)}});
      bytes += stat ? stat->bytes : 0;
    }
    return bytes;
  }

  // Returns why it failed; an empty string too if the extraction ends before the file is written.
  std::string extract(const std::string& path) {
    const asset_path file{path, {hash64(path)}};
    const std::uint64_t begin_ns = now_ns();
    if (how_.in_place.contains(path)) {
      files_in_place_.fetch_add(1);
      return {};
    }
    if (names_temporary(path)) {
      raise_status(exit_files_failed);
      return "the name is one of Overture's temporary files, which later runs remove";
    }
    const result<file_stat> stat = files_.stat(file);
    if (!stat) return failed(stat.error());
    const file_marks marks{stat->mtime_is_local ? from_local_time(stat->mtime_ns) : stat->mtime_ns,
                           stat->executable};
    if (how_.resume && is_whole(path, *stat)) {
      files_whole_.fetch_add(1);
      bytes_read_.fetch_add(stat->bytes);
      return {};
    }
    const source_file source(files_, path);
    if (stat->bytes > whole_bytes_max) {
      result<file_reader> reader = file_reader::open(files_, file);
      if (reader) return write_pieces(path, marks, *reader, source, begin_ns);
      // Its compression has to be unpacked whole.
      if (reader.error().code != errc::limit) return failed(reader.error());
    }
    const result<blob> bytes = files_.read_all(file, buffers_, reads_);
    bytes_read_.fetch_add(stat->bytes);
    if (!bytes) return failed(bytes.error());
    if (source.has_changed()) return failed({errc::io, 0, changed_while_read, {}, 0});
    if (is_late(begin_ns)) return failed({errc::limit, 0, too_long_reason, {}, 0});
    std::span<const std::byte> left = bytes->span();
    return write(path, marks, bytes->size(),
                 [&] { return std::optional(std::exchange(left, {})); });
  }

  std::string write_pieces(const std::string& path, const file_marks& marks, file_reader& reader,
                           const source_file& source, std::uint64_t begin_ns) {
    std::vector<std::byte> piece(piece_bytes);
    result<void> read;
    const std::string reason =
        write(path, marks, reader.size(), [&]() -> std::optional<std::span<const std::byte>> {
          if (interrupted() || stopped_by_.load() != 0) return std::nullopt;
          const result<std::size_t> count = reader.read(piece);
          if (!count) read = tl::unexpected(count.error());
          if (count && *count == 0 && source.has_changed()) {
            read = fail(errc::io, changed_while_read);
          }
          if (read && is_late(begin_ns)) read = fail(errc::limit, too_long_reason);
          if (!read) return std::nullopt;
          bytes_read_.fetch_add(*count);
          if (on_main_thread()) show_progress();
          return std::span<const std::byte>(piece).first(*count);
        });
    return read ? reason : failed(read.error());
  }

  std::string write(const std::string& path, const file_marks& marks, std::uint64_t bytes,
                    piece_source next) {
    const auto replaced = how_.replaced.find(path);
    std::optional<file_state> known;
    if (replaced != how_.replaced.end()) known = replaced->second;
    const int os_error = how_.to->write(path.substr(how_.above), marks, next, known);
    if (os_error == 0) {
      files_written_.fetch_add(1);
      bytes_done_.fetch_add(bytes);
      return {};
    }
    if (os_error == ECANCELED) return {};
    if (ends_all_writing(os_error)) {
      stopped_by_.store(os_error);
      return {};
    }
    return reason_of_write(os_error);
  }

  std::string reason_of_write(int os_error) {
    raise_status(is_of_output(os_error) ? exit_output_failed : exit_files_failed);
    switch (os_error) {
      case ELOOP:
        return "a link is in the way and is not followed; remove it";
      case EEXIST:
        return how_.how == placing::new_files
                   ? "file exists; replace it with --overwrite"
                   : "another file has got this name meanwhile, perhaps one of another case";
      case EXDEV:
        return "another disk is mounted there; extract that folder by itself, with --in";
      case error_read_only:
        return "the file that was to be replaced is read-only; allow writing to it, or remove it";
      case error_changed:
        return "the file that was to be replaced has changed meanwhile, and stays";
      case error_old_is_gone:
        return "it is the new one: this file system cannot put the old one back";
      case EISDIR:
        return "a folder has this name; remove it, or extract to another folder";
      case ENOTSUP:
        return "a FIFO, socket or device has this name; remove it";
      default:
        return fmt::format("cannot write ({})", system_message(os_error));
    }
  }

  // Whether the file is there as this would write it: by its size and checksum. Where the tree
  // knows no checksum, its content is read for one.
  bool is_whole(const std::string& path, const file_stat& wanted) {
    operating_system& os = system_os();
    const std::string there = how_.to_path + '/' + path.substr(how_.above);
    const result<file_status> found = os.status(there.c_str(), false);
    if (!found || found->kind != file_kind::file || found->size != wanted.bytes) return false;
    const std::optional<std::uint32_t> right = crc_of_entry({path, {hash64(path)}});
    const result<os_handle> file = os.open(there.c_str());
    if (!right || !file) return false;
    std::uint64_t at = 0;
    const bool same = right == crc_of(wanted.bytes, [&](std::span<std::byte> piece) {
                        const result<void> read = read_fully(os, *file, at, piece);
                        at += piece.size();
                        return read.has_value();
                      });
    os.close(*file);
    return same;
  }

  std::optional<std::uint32_t> crc_of_entry(const asset_path& path) {
    {
      const result<opened_file> opened = files_.open_any_size(path);
      if (!opened) return std::nullopt;
      if (opened->place().has_crc) return opened->place().crc32;
    }
    result<file_reader> reader = file_reader::open(files_, path);
    if (!reader) return std::nullopt;
    return crc_of(reader->size(), [&](std::span<std::byte> piece) {
      return reader->read_all_of(piece).has_value();
    });
  }

  static std::optional<std::uint32_t> crc_of(std::uint64_t bytes,
                                             function_ref<bool(std::span<std::byte>)> read) {
    std::vector<std::byte> room(std::min<std::uint64_t>(bytes, piece_bytes));
    std::uint32_t crc = 0;
    while (bytes > 0) {
      const std::span<std::byte> piece =
          std::span(room).first(std::min<std::uint64_t>(room.size(), bytes));
      if (interrupted() || !read(piece)) return std::nullopt;
      crc = crc32(piece, crc);
      bytes -= piece.size();
    }
    return crc;
  }

  std::string failed(const error& why) {
    raise_status(exit_for(why.code, exit_files_failed));
    return why.reason == too_long_reason ? too_long(how_.file_time_max) : reason_of(why);
  }

  [[nodiscard]] bool is_late(std::uint64_t begin_ns) const {
    return how_.file_time_max.count() > 0 &&
           now_ns() - begin_ns > static_cast<std::uint64_t>(how_.file_time_max.count());
  }

  void raise_status(int status) {
    int known = status_.load();
    while (known < status && !status_.compare_exchange_weak(known, status)) {
    }
  }

  [[nodiscard]] bool on_main_thread() const { return std::this_thread::get_id() == main_; }

  void show_progress() {
    const std::uint64_t elapsed_ns = now_ns() - begin_ns_;
    if (!line_.shown() || !meter_.due(elapsed_ns)) return;
    load_progress now;
    now.files_done = files_done_.load();
    now.files_total = paths_.size();
    now.bytes_done = bytes_read_.load();
    if (bytes_total_ > 0) {
      now.fraction =
          std::min(static_cast<double>(now.bytes_done) / static_cast<double>(bytes_total_), 1.0);
    }
    line_.paint(meter_.update(now, elapsed_ns));
  }

  file_system& files_;
  read_queue reads_;  // no threads: whoever waits for a file reads it
  const std::vector<std::string>& paths_;
  const extraction& how_;
  buffer_pool buffers_;
  std::vector<std::string> reasons_;     // parallel to paths_; each written by one thread
  atomic<std::uint64_t> files_done_{0};  // failed ones too
  atomic<std::uint64_t> files_written_{0};
  atomic<std::uint64_t> files_whole_{0};
  atomic<std::uint64_t> files_in_place_{0};
  atomic<std::uint64_t> bytes_read_{0};  // of failed files too
  atomic<std::uint64_t> bytes_done_{0};
  atomic<int> status_{exit_ok};
  atomic<int> stopped_by_{0};      // the errno after which nothing more can be written
  std::uint64_t bytes_total_ = 0;  // known only if progress is shown
  const std::thread::id main_ = std::this_thread::get_id();
  const std::uint64_t begin_ns_ = now_ns();
  progress_meter meter_;
  progress_line line_;
};

}  // namespace

namespace {

file_identity identity_in(const file_state& state) {
  return {state.volume, state.number};
}

// What has the name that a path of the tree gets, if it is a file or a link.
std::optional<file_state> state_at(const std::string& target, bool& is_link) {
  const result<file_status> found = system_os().status(target.c_str(), false);
  is_link = found && found->kind == file_kind::link;
  if (!found || (found->kind != file_kind::file && !is_link)) return {};
  return state_in(*found);
}

// Whether the path is read from this very file.
bool is_read_from(file_system& files, const std::string& path, const file_state& target) {
  const std::string read_from = path_in_folder(files, path);
  if (read_from.empty()) return false;
  bool is_link = false;
  const std::optional<file_state> source = state_at(read_from, is_link);
  return source && identity_in(*source) == identity_in(target);
}

}  // namespace

int check_replacing(const tree_arguments& tree, file_system& files,
                    const std::vector<std::string>& paths, extraction& how) {
  identity_set targets;
  std::map<file_identity, std::string> tree_paths;
  bool replaces_input = false;
  for (const std::string& path : paths) {
    const std::string target = how.to_path + '/' + path.substr(how.above);
    bool is_link = false;
    const std::optional<file_state> there = state_at(target, is_link);
    if (!there) continue;
    if (is_read_from(files, path, *there)) {
      how.in_place.insert(path);
      continue;
    }
    how.replaced.emplace(path, *there);
    replaces_input = replaces_input || is_link;  // it may be one of the mounts
    if (is_link) continue;
    targets.emplace(identity_in(*there), target);
    tree_paths.emplace(identity_in(*there), path);
  }
  std::string why;
  const auto look = [&](file_identity identity, const mounted_file& input) {
    const std::string& path = tree_paths.at(identity);
    replaces_input = true;
    if (!why.empty() || input.tree_path == path) return;
    why = fmt::format(
        "{}: {} would replace this file, which the tree reads as {} of {}; extract to another "
        "folder",
        printable(targets.at(identity)), printable(path),
        input.tree_path.empty() ? "the archive" : printable(input.tree_path),
        printable(input.mount));
  };
  const refusal failed = find_mounted(tree, targets, look);
  const int status = why.empty() ? failed.status : int{exit_usage};
  if (why.empty()) why = failed.why;
  how.how = replaces_input ? placing::at_end : placing::replacing;
  if (why.empty()) return exit_ok;
  print_error(why);
  return status;
}

extracted extract_files(file_system& files, const std::vector<std::string>& paths,
                        const extraction& how, job_system& jobs, const outputs& out) {
  return extractor(files, paths, how, out).run(jobs);
}

}  // namespace overture::cli
