// SPDX-License-Identifier: Zlib
//
// Saves: bytes of yours in a file that is either whole or refused.
//
//   overture_save_write("slot1.save", &game, sizeof game, &why);
//   ...
//   overture_bytes* bytes = NULL;
//   overture_save_read("slot1.save", &bytes, &why);
//
// A save replaces the old file in one step: a crash or a full disk leaves the old one. Its checksum
// (XXH64) tells a damaged file from a good one; it does not keep anyone from forging one. What the
// bytes mean is the program's business. For objects as text, with names and versions, C++ has
// overture/text/save.hpp. Nothing here goes through a tree: a save in a mounted folder is a file
// that another program has written, see "Writing" in vfs.h.
//
// The file: "OVTRSAVE", the number 1 in 32 bits, 32 bits of zero, the size of the bytes in 64,
// their XXH64, the XXH64 of the 32 bytes so far, then the bytes. All numbers are little-endian.
#pragma once

#include "overture/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes a save; `path` is one of the system. Returns when it is on the disk. One thread at a time
// for each path. The file is a new one: it replaces a symbolic link rather than what that leads to,
// and has the permissions of new files. Errors: no_space, permission, io, not_found (the folder),
// not_a_file, limit, invalid.
OVERTURE_C_API overture_code overture_save_write(const char* path, const void* bytes,
                                                 size_t byte_count, overture_error* error);
// Reads and verifies a save. Errors: not_found, corrupt (not a save, or damaged), truncated,
// unsupported (written by a later version), not_a_file, permission, io, out_of_memory, invalid.
OVERTURE_C_API overture_code overture_save_read(const char* path, overture_bytes** bytes,
                                                overture_error* error);

#ifdef __cplusplus
}
#endif
