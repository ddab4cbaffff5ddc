// SPDX-License-Identifier: Zlib
//
// Opens a file of the tree as a FILE* of C, for libraries that take one: libpng, libjpeg, Lua.
//
//   result<std::FILE*> picture = open_stdio(files, "gfx/title.png"_path);
//   if (!picture) return report(picture.error());
//   png_init_io(png, *picture);
//   ...
//   std::fclose(*picture);
//
// On Linux (by fopencookie), macOS and the BSDs (by funopen). Windows has nothing of the kind:
// there, and elsewhere, it fails as errc::unsupported. A library that takes a FILE* often takes
// functions that read, too, which work everywhere.
//
// It is a file_reader (overture/vfs/file_reader.hpp) behind the C library's own buffer. So a large
// file is read in pieces, seeking in compressed ones costs what is said there, and what passes
// through as a whole has its checksum verified. A file that is wanted at once is read faster by
// file_system::read_all(), and fmemopen() makes a FILE* of that.
//
// Errors: what cannot be read, and what is damaged, ends a read with ferror() and errno EIO.
// Seeking beyond the end works, as with any FILE*, and nothing can be read there. It cannot be
// written to, and has no descriptor: fileno() fails.
//
// Lifetime and threads: the file stays open, even if its mount is unmounted, until fclose(). The
// file_system must outlive it. Threads may share it as any FILE*.
#pragma once

#include <cstdio>

#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

// Close it with fclose(). Errors: those of file_reader::open(); unsupported, see above;
// out_of_memory. Any thread.
[[nodiscard]] OVERTURE_API result<std::FILE*> open_stdio(
    file_system& files, asset_path path, const file_reader_config& config = {}) noexcept;

}  // namespace overture
