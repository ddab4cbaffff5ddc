// SPDX-License-Identifier: Zlib
#include "games/boosting.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "overture/base/blob.hpp"
#include "overture/base/hash.hpp"
#include "overture/base/os.hpp"
#include "overture/io/unpack.hpp"
#include "overture/vfs/file_system.hpp"
#include "start_pack/pack_index.hpp"
#include "start_pack/pack_writer.hpp"
#include "start_pack/private_file.hpp"
#include "start_pack/settling.hpp"
#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "writing/output_file.hpp"

namespace overture::cli {

namespace {

using start_pack::identity_of;
using start_pack::pack_index;
using start_pack::pack_writer;
using start_pack::settles_in_ns;
using start_pack::wall_clock_ns;

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

// The files of a pack, each as the game got it.
class recorded_files {
 public:
  result<blob> read(const boost_record& record) {
    if (record.name.empty()) return read_loose(record.path);
    const result<file_system*> archive = archive_at(record.path);
    if (!archive) return tl::unexpected(archive.error());
    return (*archive)->read_all({record.name, {hash64(record.name)}}, buffers_);
  }

 private:
  result<blob> read_loose(const std::string& path) {
    operating_system& os = system_os();
    const result<os_handle> file = os.open(path.c_str());
    if (!file) return tl::unexpected(file.error());
    result<blob> content =
        os.status(*file).and_then([&](const file_status& status) -> result<blob> {
          if (status.kind != file_kind::file) return fail(errc::not_a_file, "not a regular file");
          if (status.size > start_pack::entry_bytes_max) {
            return fail(errc::limit, "the file exceeds 64 MiB");
          }
          return buffers_.take(static_cast<std::size_t>(status.size));
        });
    if (content) {
      const result<void> done = read_fully(os, *file, 0, content->span());
      if (!done) content = tl::unexpected(done.error());
    }
    os.close(*file);
    return content;
  }

  result<file_system*> archive_at(const std::string& path) {
    std::unique_ptr<file_system>& archive = archives_[path];
    if (!archive) archive = std::make_unique<file_system>();
    if (archive->mount_count() == 0) {
      if (result<mount_id> mounted = archive->mount(path.c_str()); !mounted) {
        return tl::unexpected(mounted.error());
      }
    }
    return archive.get();
  }

  buffer_pool buffers_;
  std::map<std::string, std::unique_ptr<file_system>> archives_;
};

// Files that changed just now, which a pack must not have: they may change again and look the same.
// Waiting for all of them takes no longer than for one.
class young_files {
 public:
  // The status of a file that has settled.
  result<file_status> settled_status(const std::string& path) {
    result<file_status> found = system_os().status(path.c_str(), true);
    if (!found) return found;
    const std::int64_t wait_ns = settles_in_ns(found->ctime_ns, wall_clock_ns());
    if (wait_ns == 0) return found;
    if (wait_ns <= left_ns_) {
      left_ns_ -= wait_ns;
      std::this_thread::sleep_for(std::chrono::nanoseconds(wait_ns));
      found = system_os().status(path.c_str(), true);
      if (found && settles_in_ns(found->ctime_ns, wall_clock_ns()) == 0) return found;
    }
    return fail(errc::io, "the file is still being changed");
  }

 private:
  std::int64_t left_ns_ = start_pack::settled_after_ns;
};

bool is_short_of_resources(const error& failure) {
  return failure.code == errc::out_of_memory || lacks_resources(failure.os_error);
}

}  // namespace

std::vector<boost_record> parse_records(std::string_view bytes) {
  std::vector<boost_record> records;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  while (bytes.size() >= 8) {
    const std::uint64_t path_bytes = number_at(bytes, 0);
    const std::uint64_t name_bytes = number_at(bytes, 4);
    if (bytes.size() - 8 < path_bytes + name_bytes) break;
    const std::string_view path = bytes.substr(8, path_bytes);
    const std::string_view name = bytes.substr(8 + path_bytes, name_bytes);
    if (seen.emplace(path, name).second) {
      records.push_back({std::string(path), std::string(name)});
    }
    bytes.remove_prefix(8 + path_bytes + name_bytes);
  }
  return records;
}

std::string pack_folder() {
  namespace fs = std::filesystem;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  fs::path folder;
  if (cache && *cache == '/') {
    folder = cache;
  } else if (home && *home == '/') {
    folder = fs::path(home) / ".cache";
  } else {
    return {};
  }
  return (folder / "overture" / "boost").string();
}

bool make_pack_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  if (folder.empty()) {
    print_error(no_pack_folder);
    return false;
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!failed) fs::permissions(folder, fs::perms::owner_all, failed);
  if (!failed) return true;
  print_error(
      fmt::format("{}: cannot create the folder ({})", printable(folder), failed.message()));
  return false;
}

std::string pack_of(const std::string& folder, const std::string& program) {
  constexpr std::size_t shown_bytes_max = 100;  // a file's name has at most 255
  const std::string name = std::filesystem::path(program).filename().string();
  return fmt::format("{}/{}-{:016x}.pack", folder, name.substr(0, shown_bytes_max),
                     hash64(program));
}

std::optional<packed_files> write_pack(const std::string& pack, const std::string& program,
                                       const std::vector<boost_record>& records) {
  operating_system& os = system_os();
  packed_files done;
  recorded_files files;
  young_files young;
  const auto write = [&](os_handle file) -> result<void> {
    pack_writer writer(os, file, default_allocator());
    for (const boost_record& record : records) {
      const result<file_status> before = young.settled_status(record.path);
      result<blob> content;
      if (before) content = files.read(record);
      // A pack that lacks files for this would be worth less than the old one.
      if (before && !content && is_short_of_resources(content.error())) {
        return tl::unexpected(content.error());
      }
      const result<file_status> after = os.status(record.path.c_str(), true);
      const bool same = before && after && identity_of(*before) == identity_of(*after);
      if (!same || !content || content->size() > start_pack::entry_bytes_max) {
        ++done.left_out;
        continue;
      }
      result<void> added =
          writer.add(record.path, record.name, identity_of(*before), content->span());
      if (!added) return added;
    }
    done.files = writer.entry_count();
    done.bytes = writer.data_bytes();
    if (done.files == 0 && os.status(pack.c_str(), false)) {
      return fail(errc::not_found,
                  "no file that the game has read can be had any more, so the old start pack is "
                  "left as it is; is a disk not mounted?");
    }
    return writer.finish(program);
  };
  output_file out;
  const result<file_status> old = os.status(pack.c_str(), false);
  result<void> written;
  if (old && old->kind != file_kind::file) {
    written = fail(errc::not_a_file, "this is no start pack; move it away, then record again");
  } else {
    written = out.open(pack).and_then([&] { return write(out.file()); }).and_then([&] {
      return out.commit();
    });
  }
  if (written) return done;
  print_error(fmt::format("{}: {}", printable(pack), reason_of(written.error())));
  return {};
}

namespace {

struct opened_pack {
  os_handle file;
  pack_index index;
};

// The file is the caller's to close.
std::optional<opened_pack> open_pack(const std::string& pack, std::string& why) {
  operating_system& os = system_os();
  const result<os_handle> file = os.open(pack.c_str());
  if (!file) {
    why = reason_of(file.error());
    return {};
  }
  if (!start_pack::is_private_file(pack.c_str())) {
    why = "the start pack is a link, or other users could have made it";
  } else {
    result<pack_index> index = pack_index::read(os, *file, default_allocator());
    if (index) return opened_pack{*file, *std::move(index)};
    why = reason_of(index.error());
  }
  os.close(*file);
  return {};
}

}  // namespace

std::string why_unusable(const std::string& pack) {
  std::string why;
  if (const std::optional<opened_pack> opened = open_pack(pack, why)) {
    system_os().close(opened->file);
  }
  return why;
}

std::optional<pack_state> look_at_pack(const std::string& pack, bool verify, std::string& why) {
  const std::optional<opened_pack> opened = open_pack(pack, why);
  if (!opened) return {};
  operating_system& os = system_os();
  pack_state state;
  state.program = opened->index.program();
  std::vector<std::byte> room;
  for (const start_pack::entry& each : opened->index.entries()) {
    ++state.files;
    state.bytes += each.packed_bytes;
    const result<file_status> real = os.status(std::string(each.path).c_str(), true);
    if (real && identity_of(*real) == each.real) ++state.current;
    if (!verify) continue;
    room.resize(static_cast<std::size_t>(each.packed_bytes));
    const bool right = read_fully(os, opened->file, each.offset, room) && crc32(room) == each.crc32;
    if (!right) ++state.damaged;
  }
  os.close(opened->file);
  return state;
}

}  // namespace overture::cli
