// SPDX-License-Identifier: Zlib
#include "search/parsed_archives.hpp"

#include <algorithm>
#include <mutex>

#include "start_pack/settling.hpp"

namespace physfs {
namespace {

struct kept_archive {
  storage* archive = nullptr;
  const char* path = nullptr;  // the same pointer for equal paths
  overture::file_status status;
  std::uint64_t bytes = 0;
};

std::mutex keeping_archives;
kept_archive all[kept_archives_max];  // the one kept longest first
std::size_t count = 0;
std::uint64_t bytes_kept = 0;

bool is_same_file(const overture::file_status& a, const overture::file_status& b) noexcept {
  return a.number != 0 && a.number == b.number && a.volume == b.volume && a.size == b.size &&
         a.mtime_ns == b.mtime_ns && a.ctime_ns == b.ctime_ns;
}

storage* remove(std::size_t index) noexcept {
  storage* const removed = all[index].archive;
  bytes_kept -= all[index].bytes;
  std::move(all + index + 1, all + count, all + index);
  --count;
  return removed;
}

}  // namespace

storage* take_kept_archive(const char* path, const overture::file_status& now) noexcept {
  storage* stale = nullptr;
  storage* found = nullptr;
  {
    const std::scoped_lock lock(keeping_archives);
    for (std::size_t i = 0; i < count; ++i) {
      if (std::string_view(all[i].path) != path) continue;
      (is_same_file(all[i].status, now) ? found : stale) = remove(i);
      break;
    }
  }
  destroy(stale);
  return found;
}

void keep_archive(storage* archive, const char* kept_path, const overture::file_status& status,
                  std::int64_t opened_ns, std::uint64_t bytes) noexcept {
  storage* dropped[kept_archives_max + 1];
  std::size_t drops = 0;
  const bool had_settled = overture::start_pack::settles_in_ns(status.ctime_ns, opened_ns) == 0;
  if (bytes > kept_archive_bytes_max || !had_settled) {
    dropped[drops++] = archive;
  } else {
    const std::scoped_lock lock(keeping_archives);
    while (count == kept_archives_max ||
           (count > 0 && bytes_kept + bytes > kept_archive_bytes_max)) {
      dropped[drops++] = remove(0);
    }
    all[count++] = {archive, kept_path, status, bytes};
    bytes_kept += bytes;
  }
  for (std::size_t i = 0; i < drops; ++i) destroy(dropped[i]);
}

void end_kept_archives() noexcept {
  for (;;) {
    storage* removed = nullptr;
    {
      const std::scoped_lock lock(keeping_archives);
      if (count == 0) return;
      removed = remove(0);
    }
    destroy(removed);
  }
}

}  // namespace physfs
