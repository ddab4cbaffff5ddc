// Errors as small values, and result<T>, which is either a T or an error.
//
//   result<mount_id> mods = files.mount("mods/");
//   if (!mods && mods.error().code == errc::not_found) ...
//
// Kinds differ where a caller would act differently. An error owns nothing and can be copied
// freely; `reason` is a string literal. To print the file behind `source`, ask the source_info
// that gave the id (a file_system is one).
#pragma once

#include <cstdint>
#include <tl/expected.hpp>

#include "overture/base/source_id.hpp"

namespace overture {

enum class errc : std::uint8_t {
  not_found,   // no such file, folder or entry
  not_a_file,  // a folder (or a device) where a file is needed
  bad_path,    // a path that breaks the rules of overture/base/path.hpp
  corrupt,     // the bytes contradict themselves or their checksum
  truncated,   // the file ends before the bytes that were asked for (it shrank, or never had them)
  io,          // the operating system failed to read or write; see os_error
  permission,  // the operating system refused, or a password is missing or does not fit
  frozen,      // the file_system is frozen: thaw() first
  collision,   // two different paths have one path_id
  cancelled,   // given up on request
  limit,       // larger than a limit in overture/base/limits.hpp, or than one the host has set
  out_of_memory,  // the allocator said no
  unsupported,    // a compression method, an encryption or a variant that Overture does not read
  no_space,       // the disk, or a buffer of the caller's, is full
  busy,           // in use; try again when it is not
  invalid,        // an argument that makes no sense
  exists,         // something is in the way: a file of this name, or files in the folder
  replaced,       // what was mounted is not on the disk any more, or is another file now
};

// The name of a kind as it is written above. Any thread.
[[nodiscard]] const char* to_string(errc code) noexcept;

struct error {
  errc code = errc::io;
  int os_error = 0;          // errno of the failed call, or 0
  const char* reason = "";   // a literal: what was wrong, in a few words
  source_id source = {};     // the physical file, if one is known
  std::uint64_t offset = 0;  // where in it

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

// The error for a failed system call: the kind follows from errno. Any thread.
[[nodiscard]] error os_failure(int os_error, const char* reason) noexcept;

}  // namespace overture
