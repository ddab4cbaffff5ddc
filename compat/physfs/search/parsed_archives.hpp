// SPDX-License-Identifier: Zlib
//
// Archives that were unmounted, kept for when they are mounted again: games do that, and parsing
// one takes milliseconds. The file must be the same: by device, inode, size and the times of its
// last changes.
#pragma once

#include "overture/base/os.hpp"
#include "storage.hpp"

namespace physfs {

// At most so much of their memory is kept, and so many.
inline constexpr std::uint64_t kept_archive_bytes_max = 32u << 20;
inline constexpr std::size_t kept_archives_max = 16;

// Null if it is not kept.
[[nodiscard]] storage* take_kept_archive(const char* path,
                                         const overture::file_status& now) noexcept;
// Takes over an archive that is not mounted any more. `status` is that of the file before it was
// read, at the time `opened_ns`; `bytes` is the memory that it uses.
void keep_archive(storage* archive, const char* kept_path, const overture::file_status& status,
                  std::int64_t opened_ns, std::uint64_t bytes) noexcept;
void end_kept_archives() noexcept;

}  // namespace physfs
