// SPDX-License-Identifier: Zlib
//
// Errors as small values, and result<T>: either a T or an error.
//
//   result<mount_id> mods = files.mount("mods/");
//   if (!mods && mods.error().code == errc::not_found) ...
//
// There is one errc for each way a caller might react. An error owns nothing and is cheap to copy;
// `reason` is a string literal. file_system::explain() prints the file that `source` and `path`
// refer to.
#pragma once

#include <cstdint>
#include <tl/expected.hpp>

#include "overture/base/api.hpp"
#include "overture/base/path_id.hpp"
#include "overture/base/source_id.hpp"

namespace overture {

enum class errc : std::uint8_t {
  not_found,      // no such file, folder or entry
  not_a_file,     // a folder (or a device) where a file is needed
  bad_path,       // the path breaks the rules of overture/base/path.hpp
  corrupt,        // the data is inconsistent, or does not match its checksum
  truncated,      // the file ends before the requested bytes
  io,             // the operating system failed to read or write; see os_error
  permission,     // the operating system refused access
  password,       // the file is encrypted, and its password is missing or wrong
  frozen,         // the file_system is frozen: thaw() first
  collision,      // two different paths have one path_id
  cancelled,      // cancelled on request
  limit,          // exceeds a limit of overture/base/limits.hpp, or one that the host has set
  out_of_memory,  // the allocator returned null
  unsupported,    // a compression method, encryption or variant that Overture does not support
  no_space,       // the disk or the caller's buffer is full
  busy,           // in use; try again later
  invalid,        // invalid argument
  exists,         // the name is taken, or the folder is not empty
  replaced,       // the mounted file has been deleted from the disk or replaced
  threw,          // a function of the host threw an exception
};

// The name of the enumerator, such as "not_found". Any thread.
[[nodiscard]] OVERTURE_API const char* to_string(errc code) noexcept;

struct error {
  errc code = errc::io;
  int os_error = 0;          // errno of the failed call, or 0
  const char* reason = "";   // a literal: what went wrong, in a few words
  source_id source = {};     // the physical file, if known
  std::uint64_t offset = 0;  // the byte offset in it; of out_of_memory: the bytes asked for, or 0
  path_id path = {};         // of the virtual path, if known; {} otherwise

  friend constexpr bool operator==(const error& a, const error& b) noexcept {
    return a.code == b.code && a.os_error == b.os_error && a.source == b.source &&
           a.offset == b.offset;
  }
};

template <class T>
using result = tl::expected<T, error>;

// return fail(errc::corrupt, "no end record");
[[nodiscard]] inline tl::unexpected<error> fail(errc code, const char* reason,
                                                source_id source = {}, std::uint64_t offset = 0) {
  return tl::unexpected<error>(error{code, 0, reason, source, offset});
}
// The same about a path.
[[nodiscard]] inline tl::unexpected<error> fail(errc code, const char* reason, path_id path) {
  return tl::unexpected<error>(error{.code = code, .reason = reason, .path = path});
}
// Adds the path to the error that `made` may be.
template <class T>
[[nodiscard]] result<T> about(path_id path, result<T> made) {
  if (!made) made.error().path = path;
  return made;
}

// The error of a failed system call; errno determines the code. Any thread.
[[nodiscard]] OVERTURE_API error os_failure(int os_error, const char* reason) noexcept;

}  // namespace overture
