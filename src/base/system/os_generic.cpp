// SPDX-License-Identifier: Zlib
#include "base/system/os_generic.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/vec.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/portable_name.hpp"
#include "overture/base/thread.hpp"

namespace overture {
namespace {

namespace fs = std::filesystem;

tl::unexpected<error> failed(const std::error_code& code, const char* reason) {
  return tl::unexpected<error>(os_failure(code.default_error_condition().value(), reason));
}

file_kind kind_of_type(fs::file_type type) {
  switch (type) {
    case fs::file_type::regular:
      return file_kind::file;
    case fs::file_type::directory:
      return file_kind::folder;
    case fs::file_type::symlink:
      return file_kind::link;
    default:
      return file_kind::other;
  }
}

// An open file, or a root folder for open_below(). stdio has one position per file, so a spin lock
// makes seek and read atomic.
struct open_file {
  std::FILE* stream = nullptr;
  fs::path path;
  atomic<bool> locked{false};
};

open_file& file_of(os_handle handle) {
  return *reinterpret_cast<open_file*>(handle.value);
}

class generic_system final : public operating_system {
 public:
  result<os_handle> open(const char* path) noexcept override {
    std::error_code code;
    const fs::file_status found = fs::status(path, code);
    if (code) return failed(code, "cannot open");
    auto* const file = base_detail::make_object<open_file>(default_allocator(), memory_tag::base);
    if (!file) return fail(errc::out_of_memory, "out of memory for an open file");
    file->path = path;
    if (found.type() != fs::file_type::directory) {
      file->stream = std::fopen(path, "rb");
      if (!file->stream) {
        const int failure = errno;
        base_detail::destroy_object(default_allocator(), memory_tag::base, file);
        return tl::unexpected<error>(os_failure(failure, "cannot open"));
      }
      (void)std::setvbuf(file->stream, nullptr, _IONBF, 0);
    }
    return os_handle{reinterpret_cast<std::int64_t>(file)};
  }

  result<os_handle> open_below(os_handle folder, const char* path) noexcept override {
    constexpr bool on_windows = fs::path::preferred_separator == '\\';
    const char* const flaw = on_windows ? portable_name_flaw(path) : nullptr;
    if (flaw) return fail(errc::not_a_file, flaw);
    return open((file_of(folder).path / path).string().c_str());
  }

  void close(os_handle handle) noexcept override {
    open_file& file = file_of(handle);
    if (file.stream) (void)std::fclose(file.stream);
    base_detail::destroy_object(default_allocator(), memory_tag::base, &file);
  }

  result<file_status> status(os_handle handle) noexcept override {
    return status(file_of(handle).path.string().c_str(), true);
  }

  result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    open_file& file = file_of(handle);
    if (!file.stream) return tl::unexpected<error>(os_failure(EISDIR, "cannot read a folder"));
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<long>::max()))
      return std::size_t{0};
    while (file.locked.exchange(true, std::memory_order_acquire)) yield_thread();
    std::size_t got = 0;
    bool broken = std::fseek(file.stream, static_cast<long>(offset), SEEK_SET) != 0;
    if (!broken) {
      got = std::fread(bytes.data(), 1, bytes.size(), file.stream);
      broken = got < bytes.size() && std::ferror(file.stream) != 0;
      std::clearerr(file.stream);
    }
    file.locked.store(false, std::memory_order_release);
    if (broken) return tl::unexpected<error>(os_failure(EIO, "cannot read"));
    return got;
  }

  result<file_status> status(const char* path, bool follow_links) noexcept override {
    std::error_code code;
    const fs::file_status found =
        follow_links ? fs::status(path, code) : fs::symlink_status(path, code);
    if (found.type() == fs::file_type::not_found) {
      return tl::unexpected<error>(os_failure(ENOENT, "cannot get the file status"));
    }
    if (code) return failed(code, "cannot get the file status");
    file_status status;
    status.kind = kind_of_type(found.type());
    if (status.kind == file_kind::file) status.size = fs::file_size(path, code);
    if (code) return failed(code, "cannot get the file status");
    const auto changed = fs::last_write_time(path, code);
    if (!code) {
      const auto since_1970 = std::chrono::file_clock::to_sys(changed).time_since_epoch();
      status.mtime_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count();
    }
    return status;
  }

  result<void> list(const char* path,
                    function_ref<void(const folder_entry&) noexcept> visit) noexcept override {
    std::error_code code;
    std::error_code unknown;  // of an entry whose kind cannot be found out
    for (fs::directory_iterator entry(path, code), end; !code && entry != end;
         entry.increment(code)) {
      const auto name = entry->path().filename().string();
      std::error_code failure;
      const fs::file_type type = entry->symlink_status(failure).type();
      if (type == fs::file_type::not_found) continue;  // removed meanwhile
      if (type == fs::file_type::none) {
        unknown = failure;
      } else {
        visit({name, kind_of_type(type)});
      }
    }
    if (!code) code = unknown;
    if (code) return failed(code, "cannot list the folder");
    return {};
  }

  result<std::size_t> canonical_path(const char* path, std::span<char> text) noexcept override {
    std::error_code code;
    const auto resolved = fs::canonical(path, code).string();
    if (code) return failed(code, "cannot resolve the path");
    if (resolved.size() >= text.size())
      return fail(errc::limit, "the path with its links resolved is too long");
    std::memcpy(text.data(), resolved.c_str(), resolved.size() + 1);
    return resolved.size();
  }

  result<os_handle> create(const char* path) noexcept override {
    std::error_code code;
    // fopen() would follow a link, so remove it first.
    if (fs::is_symlink(fs::symlink_status(path, code))) (void)fs::remove(path, code);
    auto* const file = base_detail::make_object<open_file>(default_allocator(), memory_tag::base);
    if (!file) return fail(errc::out_of_memory, "out of memory for an open file");
    file->path = path;
    file->stream = std::fopen(path, "w+b");
    if (!file->stream) {
      const int failure = errno;
      base_detail::destroy_object(default_allocator(), memory_tag::base, file);
      return tl::unexpected<error>(os_failure(failure, "cannot create"));
    }
    (void)std::setvbuf(file->stream, nullptr, _IONBF, 0);
    return os_handle{reinterpret_cast<std::int64_t>(file)};
  }

  result<std::size_t> write_at(os_handle handle, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept override {
    open_file& file = file_of(handle);
    if (!file.stream) return tl::unexpected<error>(os_failure(EISDIR, "cannot write to a folder"));
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<long>::max())) {
      return tl::unexpected<error>(os_failure(EFBIG, "cannot write"));
    }
    while (file.locked.exchange(true, std::memory_order_acquire)) yield_thread();
    std::size_t put = 0;
    int failure = 0;
    errno = 0;
    if (std::fseek(file.stream, static_cast<long>(offset), SEEK_SET) == 0) {
      put = std::fwrite(bytes.data(), 1, bytes.size(), file.stream);
    }
    if (put == 0) failure = errno != 0 ? errno : EIO;
    std::clearerr(file.stream);
    file.locked.store(false, std::memory_order_release);
    if (failure != 0) return tl::unexpected<error>(os_failure(failure, "cannot write"));
    return put;
  }

  // The standard library cannot flush to the disk.
  result<void> sync(os_handle) noexcept override { return {}; }

  result<void> rename(const char* from, const char* to) noexcept override {
    std::error_code code;
    fs::rename(from, to, code);
    if (code) return failed(code, "cannot rename");
    return {};
  }

  result<void> remove_file(const char* path) noexcept override {
    std::error_code code;
    if (fs::is_directory(fs::symlink_status(path, code))) {
      return tl::unexpected<error>(os_failure(EISDIR, "cannot remove"));
    }
    if (!fs::remove(path, code) && !code) {
      return tl::unexpected<error>(os_failure(ENOENT, "cannot remove"));
    }
    if (code) return failed(code, "cannot remove");
    return {};
  }

  result<mapping> map(os_handle) noexcept override {
    return fail(errc::unsupported, "memory mapping is not supported");
  }
  void unmap(mapping) noexcept override {}
};

}  // namespace

operating_system& base_detail::generic_os() noexcept {
  static generic_system instance;
  return instance;
}

}  // namespace overture
