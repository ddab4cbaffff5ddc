// SPDX-License-Identifier: Zlib
#include "writing/packing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "overture/base/atomic.hpp"
#include "system/exit_code.hpp"
#include "system/native_path.hpp"
#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/progress.hpp"
#include "terminal/progress_line.hpp"
#include "writing/pieces.hpp"
#include "writing/source_file.hpp"

namespace overture::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t batch_bytes_max = 64u << 20;
constexpr std::size_t batch_files_max = 4096;
constexpr std::size_t window_pieces = 16;  // of a file that is packed in pieces, in memory at once

tl::unexpected<error> interrupted_error() {
  return fail(errc::cancelled, "interrupted");
}

// A file that is packed in memory.
struct whole_file {
  std::size_t number = 0;  // in the order
  result<blob> bytes = fail(errc::cancelled, "not read");
  std::uint32_t crc32 = 0;
  std::size_t first_piece = 0;
  std::size_t piece_count = 0;
};

struct file_facts {
  std::uint64_t bytes = 0;
  bool executable = false;
};

class tree_packer {
 public:
  tree_packer(file_system& files, const std::vector<entry_index>& order, const packing& how,
              job_system& jobs, const outputs& out, os_handle file)
      : files_(files),
        reads_(files, {.run_by_host = true}),
        order_(order),
        how_(how),
        jobs_(jobs),
        zip_(system_os(), file),
        facts_(order.size()),
        failures_(order.size()),
        line_(how.progress, out.environment()) {}

  result<packed_tree> run() {
    look_at_all();
    std::vector<whole_file> batch;
    std::uint64_t batch_bytes = 0;
    const auto pack_batch = [&]() -> result<void> {
      batch_bytes = 0;
      return pack_whole(std::exchange(batch, {}));
    };
    result<void> done;
    for (std::size_t i = 0; done && i < order_.size(); ++i) {
      if (interrupted()) return interrupted_error();
      if (failures_[i]) continue;
      const std::uint64_t bytes = facts_[i].bytes;
      if (batch_bytes + bytes > batch_bytes_max || batch.size() == batch_files_max) {
        done = pack_batch();
      }
      bool in_pieces = false;
      if (done && bytes > batch_bytes_max) done = pack_in_pieces(i, in_pieces);
      if (in_pieces) continue;
      batch_bytes += bytes;
      batch.push_back({.number = i});
    }
    if (done) done = pack_batch();
    if (done) done = zip_.finish();
    if (!done) return tl::unexpected(done.error());
    return outcome();
  }

 private:
  [[nodiscard]] asset_path path_of(std::size_t number) const {
    const entry_info info = files_.entry(order_[number]);
    return {info.path, info.id};
  }

  void look_at_all() {
    parallel_for(jobs_, 0, order_.size(), [this](std::size_t i) {
      const result<file_stat> stat = files_.stat(path_of(i));
      if (!stat) failures_[i] = stat.error();
      if (stat) facts_[i] = {stat->bytes, stat->executable};
    });
    for (const file_facts& each : facts_) bytes_total_ += each.bytes;
    fail_files_named_like_folders();
  }

  // --- Files in memory --------------------------------------------------------------------------
  result<void> pack_whole(std::vector<whole_file> batch) {
    parallel_for(
        jobs_, 0, batch.size(),
        [&](std::size_t i) {
          if (interrupted()) return;
          whole_file& file = batch[i];
          const source_file source(files_, std::string(path_of(file.number).text));
          file.bytes = files_.read_all(path_of(file.number), buffers_, reads_);
          if (file.bytes && source.has_changed()) file.bytes = fail(errc::io, changed_while_read);
          if (file.bytes) file.crc32 = crc32(file.bytes->span());
          if (!file.bytes) failures_[file.number] = file.bytes.error();
        },
        1);
    std::vector<piece> pieces;
    for (whole_file& file : batch) {
      if (!file.bytes) continue;
      file.first_piece = pieces.size();
      cut(file.bytes->span(), method_for(file.bytes->size()), pieces);
      file.piece_count = pieces.size() - file.first_piece;
    }
    if (result<void> done = pack_pieces(pieces); !done) return done;
    for (const whole_file& file : batch) {
      if (!file.bytes) continue;
      if (result<void> done = add(file, pieces); !done) return done;
    }
    return {};
  }

  // Large files always as DEFLATE: they can be read in pieces, and their pieces can be unpacked on
  // several threads. zstd could also pack them so well that readers take them for bombs.
  [[nodiscard]] compression method_for(std::uint64_t bytes) const {
    return bytes > batch_bytes_max ? compression::deflate : how_.method;
  }

  result<void> pack_pieces(std::vector<piece>& pieces) {
    parallel_for(
        jobs_, 0, pieces.size(),
        [&](std::size_t i) {
          if (interrupted()) return;
          packer_.pack(pieces[i]);
          bytes_done_.fetch_add(pieces[i].bytes.size());
          if (std::this_thread::get_id() == main_) show_progress();
        },
        1);
    if (interrupted()) return interrupted_error();
    for (const piece& part : pieces) {
      if (part.failure) return tl::unexpected(*part.failure);
    }
    return {};
  }

  result<void> add(const whole_file& file, const std::vector<piece>& all) {
    const std::span<const piece> pieces =
        std::span(all).subspan(file.first_piece, file.piece_count);
    const std::span<const std::byte> bytes = file.bytes->span();
    const bool packs = is_worth_it(bytes.size(), packed_sum(pieces)) && !bytes.empty();
    result<void> done =
        begin(file.number, packs ? method_for(bytes.size()) : compression::none, bytes.size());
    if (done && !packs) done = zip_.write(bytes);
    for (std::size_t i = 0; done && packs && i < pieces.size(); ++i) {
      done = zip_.write(pieces[i].packed());
    }
    return done.and_then([&] { return end(bytes.size(), file.crc32); });
  }

  // --- Files in pieces --------------------------------------------------------------------------
  // Sets `in_pieces` unless the file must be packed in memory. An entry that has been begun cannot
  // be taken back, so the file is read twice: first to see whether it is whole.
  result<void> pack_in_pieces(std::size_t number, bool& in_pieces) {
    const source_file source(files_, std::string(path_of(number).text));
    result<file_reader> opened = file_reader::open(files_, path_of(number));
    if (!opened && opened.error().code == errc::limit) return {};
    in_pieces = true;
    if (!opened) {
      failures_[number] = opened.error();
      return {};
    }
    file_reader& reader = *opened;
    const std::uint64_t size = zip_piece_bytes(reader.size());
    std::vector<std::byte> room(window_pieces * size + size);
    result<std::uint32_t> crc = checksum(reader, room);
    if (crc && source.has_changed()) crc = fail(errc::io, changed_while_read);
    if (!crc && crc.error().code == errc::cancelled) return tl::unexpected(crc.error());
    if (!crc) {
      failures_[number] = crc.error();
      return {};
    }
    return reader.seek(0).and_then([&] { return copy(number, reader, *crc, room); });
  }

  static result<std::uint32_t> checksum(file_reader& reader, std::span<std::byte> room) {
    std::uint32_t crc = 0;
    for (std::uint64_t left = reader.size(); left > 0;) {
      if (interrupted()) return interrupted_error();
      const std::span<std::byte> part = room.first(std::min<std::uint64_t>(room.size(), left));
      if (const result<void> read = reader.read_all_of(part); !read) {
        return tl::unexpected(read.error());
      }
      crc = crc32(part, crc);
      left -= part.size();
    }
    return crc;
  }

  // The first window decides whether the file is packed.
  result<void> copy(std::size_t number, file_reader& reader, std::uint32_t crc,
                    std::span<std::byte> room) {
    bool begun = false;
    bool packs = true;
    std::uint32_t crc_now = 0;
    while (reader.position() < reader.size()) {
      result<std::vector<piece>> pieces = next_window(reader, room);
      if (!pieces) return tl::unexpected(pieces.error());
      for (const piece& each : *pieces) crc_now = crc32(each.bytes, crc_now);
      result<void> done;
      if (packs) done = pack_pieces(*pieces);
      if (!begun) {
        packs = is_worth_it(bytes_sum(*pieces), packed_sum(*pieces));
        begun = true;
        if (done) {
          done = begin(number, packs ? compression::deflate : compression::none, reader.size());
        }
      }
      for (std::size_t i = 0; done && i < pieces->size(); ++i) {
        done = zip_.write(packs ? (*pieces)[i].packed() : (*pieces)[i].bytes);
      }
      if (done && interrupted()) return interrupted_error();
      if (!done) return done;
    }
    if (crc_now != crc) {
      return fail(errc::io, "a file of more than 64 MiB has changed while it was packed");
    }
    return end(reader.size(), crc);
  }

  // --- The archive ------------------------------------------------------------------------------
  result<void> begin(std::size_t number, compression method, std::uint64_t bytes) {
    const entry_info info = files_.entry(order_[number]);
    const mount_info mount = files_.mount_of(info.mount);
    if (mount.format == mount_format::folder) loose_bytes_ += bytes;
    const std::string comment = "from " + origin_of(std::string(mount.path));
    return zip_.begin({.name = info.path,
                       .comment = comment,
                       .method = method,
                       .bytes = bytes,
                       .piece_bytes = method == compression::deflate ? zip_piece_bytes(bytes) : 0,
                       .executable = facts_[number].executable});
  }

  result<void> end(std::uint64_t bytes, std::uint32_t crc) {
    const result<void> done = zip_.end(crc);
    const std::uint64_t taken = zip_.size() - std::exchange(size_before_, zip_.size());
    ++outcome_.files;
    outcome_.bytes += bytes;
    if (bytes != 0 && !known_.insert({bytes, crc}).second) {
      ++outcome_.repeated;
      outcome_.repeated_bytes += taken;
    }
    return done;
  }

  // The mount's own name: where it lies differs from machine to machine.
  static std::string origin_of(const std::string& mount) {
    std::error_code ignored;
    fs::path path = fs::absolute(native_path(mount), ignored).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    return printable(text_of(path.filename()));
  }

  // The file system may have a file and a folder of one name, in two mounts; an archive may not.
  void fail_files_named_like_folders() {
    std::set<std::string_view> folders;
    for (const entry_index each : order_) {
      const std::string_view path = files_.entry(each).path;
      for (std::size_t slash = path.rfind('/'); slash != path.npos && slash > 0;
           slash = path.rfind('/', slash - 1)) {
        if (!folders.insert(path.substr(0, slash)).second) break;
      }
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (!folders.contains(files_.entry(order_[i]).path)) continue;
      failures_[i] = error{errc::collision, 0, "a folder of another mount has this name", {}, 0};
    }
  }

  packed_tree outcome() {
    packed_tree done = outcome_;
    done.archive_bytes = zip_.size();
    done.mounts_bytes = loose_bytes_;
    for (std::size_t i = 0; i < files_.mount_count(); ++i) {
      const mount_info mount = files_.mount_at(i);
      if (mount.format == mount_format::folder) continue;
      std::error_code failed;
      const std::uintmax_t bytes = fs::file_size(native_path(mount.path), failed);
      if (!failed) done.mounts_bytes += bytes;
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (!failures_[i]) continue;
      ++done.failed;
      const bool lacked_room =
          failures_[i]->code == errc::out_of_memory || lacks_resources(failures_[i]->os_error);
      done.lacked_room = done.lacked_room || lacked_room;
      const int status = lacked_room ? exit_output_failed : exit_files_failed;
      done.status = std::max(done.status, status);
      done.failures.push_back(
          fmt::format("{}: {}", printable(path_of(i).text), printable(reason_of(*failures_[i]))));
    }
    return done;
  }

  void show_progress() {
    const std::uint64_t elapsed_ns = now_ns() - begin_ns_;
    if (!line_.shown() || !meter_.due(elapsed_ns)) return;
    load_progress now;
    now.files_done = outcome_.files;
    now.files_total = order_.size();
    now.bytes_done = bytes_done_.load();
    if (bytes_total_ > 0) {
      now.fraction =
          std::min(static_cast<double>(now.bytes_done) / static_cast<double>(bytes_total_), 1.0);
    }
    line_.paint(meter_.update(now, elapsed_ns));
  }

  file_system& files_;
  read_queue reads_;  // no threads: whoever waits for a file reads it
  const std::vector<entry_index>& order_;
  const packing& how_;
  job_system& jobs_;
  buffer_pool buffers_;
  piece_packer packer_;
  zip_builder zip_;
  std::vector<file_facts> facts_;               // parallel to order_, as is the next
  std::vector<std::optional<error>> failures_;  // each written by one thread
  packed_tree outcome_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> known_;  // size and checksum of what is in
  std::uint64_t size_before_ = 0;
  std::uint64_t loose_bytes_ = 0;
  std::uint64_t bytes_total_ = 0;
  atomic<std::uint64_t> bytes_done_{0};
  const std::thread::id main_ = std::this_thread::get_id();
  const std::uint64_t begin_ns_ = now_ns();
  progress_meter meter_;
  progress_line line_;
};

}  // namespace

result<packed_tree> pack_files(file_system& files, const std::vector<entry_index>& order,
                               const packing& how, job_system& jobs, const outputs& out,
                               os_handle file) {
  return tree_packer(files, order, how, jobs, out, file).run();
}

}  // namespace overture::cli
