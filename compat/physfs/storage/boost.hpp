// SPDX-License-Identifier: Zlib
//
// Start packs: a game's first reads from one file, see start_pack/.
//
// The command sets one of two variables: OVERTURE_BOOST_RECORD names a file that is there, to which
// each first opening of a file is appended; each process that does so holds a shared lock (flock)
// on it. OVERTURE_BOOST_PACK names a pack. Neither counts in a program with more rights than its
// user. Without them nothing here does anything, and there is no thread.
//
// Record: for each file u32 bytes of its path, u32 bytes of the name in it (0 unless it is an
// archive), both texts. Numbers are little-endian.
#pragma once

#include <string_view>

#include "overture/base/os.hpp"
#include "storage.hpp"

namespace physfs {

// In PHYSFS_init() and PHYSFS_deinit(); no file is open.
void begin_boost() noexcept;
void end_boost() noexcept;
// Whether one of the variables counts.
[[nodiscard]] bool is_boosted() noexcept;

// Records the opening of a file, or gives its content from the pack. Null, with no error set: open
// it where it is. `path` is that of the file or archive in the system, `name` one in the archive.
[[nodiscard]] content* boosted(std::string_view path, std::string_view name) noexcept;

}  // namespace physfs
