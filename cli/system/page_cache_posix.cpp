// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "system/descriptor_posix.hpp"
#include "system/page_cache.hpp"

namespace overture::cli {

namespace {

std::uint64_t page_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

#if defined(SYS_cachestat)
// Since Linux 6.5. False if this one does not have it, or does not tell this user.
bool ask_cachestat(int file, std::uint64_t& bytes) {
  struct {
    std::uint64_t begin = 0;
    std::uint64_t length = 0;  // to the end
  } range;
  struct {
    std::uint64_t cached = 0;
    std::uint64_t others[4] = {};
  } counts;
  if (::syscall(SYS_cachestat, file, &range, &counts, 0U) != 0) return false;
  bytes = counts.cached * page_bytes();
  return true;
}
#else
bool ask_cachestat(int, std::uint64_t&) {
  return false;
}
#endif

#if defined(__linux__)
using page_flag = unsigned char;
#else
using page_flag = char;
#endif

// mincore() calls every page resident in a file of others that the user may not write.
bool tells_the_truth(const std::string& path, const struct stat& status) {
  return status.st_uid == ::geteuid() || ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

std::optional<std::uint64_t> ask_mincore(int file, std::uint64_t size) {
  const std::uint64_t page = page_bytes();
  const std::uint64_t window_bytes = (std::uint64_t{1} << 14) * page;
  std::vector<page_flag> flags(std::min(window_bytes, size) / page + 1);
  std::uint64_t pages = 0;
  for (std::uint64_t at = 0; at < size; at += window_bytes) {
    const auto length = static_cast<std::size_t>(std::min(window_bytes, size - at));
    void* const seen = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file, static_cast<off_t>(at));
    if (seen == MAP_FAILED) return std::nullopt;
    const bool told = ::mincore(seen, length, flags.data()) == 0;
    (void)::munmap(seen, length);
    if (!told) return std::nullopt;
    pages += static_cast<std::uint64_t>(std::count_if(
        flags.begin(), flags.begin() + static_cast<std::ptrdiff_t>((length + page - 1) / page),
        [](page_flag each) { return (each & 1) != 0; }));
  }
  return pages * page;
}

std::optional<std::uint64_t> cached_bytes(int file, const std::string& path,
                                          const struct stat& status) {
  std::uint64_t bytes = 0;
  if (ask_cachestat(file, bytes)) return bytes;
  if (!tells_the_truth(path, status)) return std::nullopt;
  return ask_mincore(file, static_cast<std::uint64_t>(status.st_size));
}

// A pipe is never opened, which might wait.
int open_regular(const std::string& path, struct stat& status) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
  if (file >= 0) (void)::close(file);
  return -1;
}

}  // namespace

std::optional<std::uint64_t> bytes_in_page_cache(const std::string& path) {
  struct stat status{};
  const descriptor_of file(open_regular(path, status));
  if (file.get() < 0) return std::nullopt;
  return cached_bytes(file.get(), path, status);
}

dropped_files drop_file_from_page_cache(const std::string& path) {
  struct stat status{};
  const descriptor_of file(open_regular(path, status));
  if (file.get() < 0) return {};  // what cannot be opened is not read either
  dropped_files done;
  done.files = 1;
  done.bytes = static_cast<std::uint64_t>(status.st_size);
#if defined(POSIX_FADV_DONTNEED)
  const auto drop = [&] { return ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) == 0; };
  if (!drop()) {
    done.refused_files = 1;
    return done;
  }
  std::optional<std::uint64_t> left = cached_bytes(file.get(), path, status);
  if (left && *left > 0) {
    (void)::fdatasync(file.get());  // only what is on the disk can be dropped
    (void)drop();
    left = cached_bytes(file.get(), path, status);
  }
  if (!left) done.unknown_files = 1;
  done.kept_bytes = std::min(left.value_or(0), done.bytes);
#else
  done.refused_files = 1;
#endif
  return done;
}

}  // namespace overture::cli
