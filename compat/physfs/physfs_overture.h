/* SPDX-License-Identifier: Zlib */
/* What Overture's libphysfs.so.1 has beyond the interface of PhysicsFS (physfs.h).
 *
 * A game that is always shipped with this library links to these functions. One that may meet
 * another libphysfs asks for them:
 *
 *   int (*map_file)(const char*, PHYSFS_overture_Memory*) =
 *       (int (*)(const char*, PHYSFS_overture_Memory*))dlsym(RTLD_DEFAULT,
 *                                                            "PHYSFS_overture_mapFile");
 *   if (map_file) ...
 *
 * They return 0 for an error, as in physfs.h, and may be called on any thread, several at a time.
 *
 * What needs no function of its own:
 * - Entries of ZIP archives that are compressed by zstd are read like all others.
 * - Several write folders: PHYSFS_mountRW() mounts one more at a place of its own in the tree, and
 *   PHYSFS_openWrite() and the others write there for names below it. */
#ifndef OVERTURE_COMPAT_PHYSFS_OVERTURE_H
#define OVERTURE_COMPAT_PHYSFS_OVERTURE_H

#include "physfs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of a file. They stay, whatever is unmounted, until they are given back, which must be
 * before PHYSFS_deinit(). */
typedef struct PHYSFS_overture_Memory {
  const void* bytes;
  PHYSFS_uint64 size;
  void* opaque;
} PHYSFS_overture_Memory;

/* Reads a whole file in one call. A NUL that does not count as a byte of it comes after the last
 * one. The memory is that of PHYSFS_setAllocator(). Errors: those of PHYSFS_openRead() and
 * PHYSFS_readBytes(), OUT_OF_MEMORY. After an error `memory` is empty. */
PHYSFS_DECL int PHYSFS_overture_readFile(const char* path, PHYSFS_overture_Memory* memory);

/* The same, but a file of 256 KiB or more in a folder is not copied: its pages are mapped, and read
 * from the disk when they are touched. There is no NUL after those. Only for files that stay as
 * they are: if one gets shorter meanwhile, touching what was cut off ends the process (SIGBUS). */
PHYSFS_DECL int PHYSFS_overture_mapFile(const char* path, PHYSFS_overture_Memory* memory);

/* Empties `memory`. It may be empty already, or null. */
PHYSFS_DECL void PHYSFS_overture_giveBack(PHYSFS_overture_Memory* memory);

/* Mounts an archive that lies in the search path, such as a mod's pack inside the mod's ZIP.
 * `archive` is also the name for PHYSFS_unmount(); the others are as for PHYSFS_mount(). Up to 64
 * MiB it is kept in memory, and the mount that it comes from may go first. A larger one is read
 * where it is and keeps a file open there, which is slow if it is compressed once more. */
PHYSFS_DECL int PHYSFS_overture_mountInside(const char* archive, const char* mount_point,
                                            int append);

/* Finds a file or folder whose name differs from `path` only in upper and lower case, and writes
 * its name to `found`; a name that is right is found first. If there are several, the first by
 * bytes. `room` includes the NUL: three times the bytes of `path`, and one, are always enough.
 * Costs a look-up for each part of the name, and lists the folders in which one is spelled
 * otherwise: nothing is scanned at start. Folders of Windows ignore case, so a name in them comes
 * as it was asked for. Errors: NOT_FOUND, INVALID_ARGUMENT (too little room), BAD_FILENAME. */
PHYSFS_DECL int PHYSFS_overture_findName(const char* path, char* found, PHYSFS_uint64 room);

/* Renames a file or folder in the write folder, or in one of PHYSFS_mountRW(), in one step: a
 * reader of `to` meanwhile gets the old file or the new one, whole. A file that is there is
 * replaced. Not from one write folder to another or in an archive (UNSUPPORTED). The folder of
 * `to` must be there (NOT_FOUND). */
PHYSFS_DECL int PHYSFS_overture_rename(const char* from, const char* to);

#ifdef __cplusplus
}
#endif

#endif
