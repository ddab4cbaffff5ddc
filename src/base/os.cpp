// SPDX-License-Identifier: Zlib
#include "overture/base/os.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <charconv>
#include <cstring>
#include <iterator>

#include "base/guarded_call.hpp"
#include "base/limit_text.hpp"
#include "base/system_text.hpp"
#include "overture/base/hash.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/thread.hpp"

namespace overture {
namespace {

constexpr std::string_view temporary_prefix = ".overture-";

// Different in each process, as good as surely, also in one that was forked.
std::uint64_t number_of_process() noexcept {
  constexpr std::uint64_t spread = 0x9E3779B97F4A7C15u;
  static const std::uint64_t number =
      now_ns() * spread + reinterpret_cast<std::uintptr_t>(&temporary_prefix);
#if __has_include(<unistd.h>)  // MinGW has it too
  return number + static_cast<std::uint64_t>(getpid()) * spread;
#else
  return number;
#endif
}

// Syncs the names of the folder that contains `path`.
result<void> sync_folder_of(operating_system& os, const char* path) {
  char folder[limits::path_bytes_max + 1];
  std::size_t length = base_detail::folder_bytes(path);
  std::memcpy(folder, path, length);
  // The separator stays where it says that the folder is a root or a drive.
  if (length > 1 && folder[length - 1] != ':' && folder[length - 2] != ':') --length;
  if (length == 0) folder[length++] = '.';
  folder[length] = '\0';
  const result<os_handle> opened = os.open(folder);
  if (!opened) return tl::unexpected<error>(opened.error());
  const result<void> synced = sync_names(os, *opened);
  os.close(*opened);
  return synced;
}

}  // namespace

result<void> read_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                        std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const result<std::size_t> got = os.read_at(handle, offset + done, bytes.subspan(done));
    if (!got) return tl::unexpected<error>(got.error());
    if (*got == 0) {
      return fail(errc::truncated, "the file ends before the requested bytes", {}, offset + done);
    }
    done += *got;
  }
  return {};
}

result<void> write_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                         std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const result<std::size_t> put = os.write_at(handle, offset + done, bytes.subspan(done));
    if (!put) return tl::unexpected<error>(put.error());
    if (*put == 0) return fail(errc::io, "the system wrote no bytes", {}, offset + done);
    done += *put;
  }
  return {};
}

result<void> read_parts_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                              std::span<std::span<std::byte>> parts) {
  while (!parts.empty()) {
    if (parts[0].empty()) {
      parts = parts.subspan(1);
      continue;
    }
    if (parts.size() == 1) return read_fully(os, handle, offset, parts[0]);
    const result<std::size_t> got = os.read_parts_at(handle, offset, parts);
    if (!got) return tl::unexpected<error>(got.error());
    if (*got == 0) {
      return fail(errc::truncated, "the file ends before the requested bytes", {}, offset);
    }
    offset += *got;
    for (std::size_t left = *got; left > 0;) {
      const std::size_t filled = left < parts[0].size() ? left : parts[0].size();
      left -= filled;
      parts[0] = parts[0].subspan(filled);
      if (parts[0].empty()) parts = parts.subspan(1);
    }
  }
  return {};
}

result<void> sync_names(operating_system& os, os_handle folder) {
  const result<void> synced = os.sync(folder);
  if (!synced && synced.error().code != errc::invalid && synced.error().code != errc::unsupported) {
    return synced;
  }
  return {};
}

bool temporary_path_of(const char* path, std::span<char> room) noexcept {
  const std::string_view whole(path);
  const std::string_view folder = whole.substr(0, base_detail::folder_bytes(whole));
  char name[temporary_prefix.size() + 13];  // 64 bits to base 36
  std::memcpy(name, temporary_prefix.data(), temporary_prefix.size());
  const std::uint64_t number = number_of_process() ^ hash64(whole);
  const char* const end =
      std::to_chars(name + temporary_prefix.size(), std::end(name), number, 36).ptr;
  const auto length = static_cast<std::size_t>(end - name);
  if (folder.size() + length >= room.size()) return false;
  folder.copy(room.data(), folder.size());
  std::memcpy(room.data() + folder.size(), name, length);
  room[folder.size() + length] = '\0';
  return true;
}

result<void> replace_file(operating_system& os, const char* path,
                          function_ref<result<void>(os_handle file)> write) {
  char temporary[limits::path_bytes_max + 1];
  if (!temporary_path_of(path, temporary)) {
    return fail(errc::limit, limit_text::temporary_path);
  }

  // rename() would replace a device or a pipe too.
  const result<file_status> old = os.status(path, false);
  if (!old && old.error().code != errc::not_found) return tl::unexpected<error>(old.error());
  if (old && old->kind != file_kind::file && old->kind != file_kind::link) {
    return fail(errc::not_a_file, "not a regular file");
  }
  const result<os_handle> file = os.create(temporary);
  if (!file) return tl::unexpected<error>(file.error());
  result<void> done = base_detail::guarded_result("the function that writes the file threw",
                                                  [&] { return write(*file); });
  if (done) done = os.sync(*file);
  os.close(*file);
  if (done) done = os.rename(temporary, path);
  if (!done) {
    (void)os.remove_file(temporary);
    return done;
  }
  done = sync_folder_of(os, path);
  if (!done) done.error().reason = "replaced, but the folder could not be synced";
  return done;
}

}  // namespace overture
