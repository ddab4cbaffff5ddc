/* SPDX-License-Identifier: Zlib */
/* The interface of PhysicsFS 3.2.0, as Overture's libphysfs.so.1 provides it.
 *
 *   PHYSFS_init(argv[0]);
 *   PHYSFS_mount("base.zip", NULL, 1);
 *   PHYSFS_File* file = PHYSFS_openRead("maps/rome.txt");
 *   PHYSFS_sint64 got = PHYSFS_readBytes(file, buffer, sizeof(buffer));
 *   PHYSFS_close(file);
 *   PHYSFS_deinit();
 *
 * Functions that return int return 0 for an error unless stated otherwise;
 * PHYSFS_getLastErrorCode() then says which, for the calling thread. One thread at a time may use a
 * PHYSFS_File. */
#ifndef OVERTURE_COMPAT_PHYSFS_H
#define OVERTURE_COMPAT_PHYSFS_H

#include <stddef.h>
#include <stdint.h>

#define PHYSFS_VER_MAJOR 3
#define PHYSFS_VER_MINOR 2
#define PHYSFS_VER_PATCH 0

/* A program may define these two by itself. */
#if defined(PHYSFS_DECL)
#elif defined(_WIN32)
#define PHYSFS_DECL __declspec(dllexport)
#elif defined(__GNUC__)
#define PHYSFS_DECL __attribute__((visibility("default")))
#else
#define PHYSFS_DECL
#endif
#if defined(PHYSFS_DEPRECATED)
#elif defined(__GNUC__)
#define PHYSFS_DEPRECATED __attribute__((deprecated))
#else
#define PHYSFS_DEPRECATED
#endif

#define PHYSFS_file PHYSFS_File /* the spelling of version 1 */

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t PHYSFS_uint8;
typedef int8_t PHYSFS_sint8;
typedef uint16_t PHYSFS_uint16;
typedef int16_t PHYSFS_sint16;
typedef uint32_t PHYSFS_uint32;
typedef int32_t PHYSFS_sint32;
typedef unsigned long long PHYSFS_uint64;
typedef signed long long PHYSFS_sint64;

typedef struct PHYSFS_File {
  void* opaque;
} PHYSFS_File;

typedef struct PHYSFS_Version {
  PHYSFS_uint8 major;
  PHYSFS_uint8 minor;
  PHYSFS_uint8 patch;
} PHYSFS_Version;

typedef struct PHYSFS_ArchiveInfo {
  const char* extension;
  const char* description;
  const char* author;
  const char* url;
  int supportsSymlinks;
} PHYSFS_ArchiveInfo;

typedef struct PHYSFS_Allocator {
  int (*Init)(void);
  void (*Deinit)(void);
  void* (*Malloc)(PHYSFS_uint64 bytes);
  void* (*Realloc)(void* memory, PHYSFS_uint64 bytes);
  void (*Free)(void* memory);
} PHYSFS_Allocator;

typedef enum PHYSFS_FileType {
  PHYSFS_FILETYPE_REGULAR,
  PHYSFS_FILETYPE_DIRECTORY,
  PHYSFS_FILETYPE_SYMLINK,
  PHYSFS_FILETYPE_OTHER
} PHYSFS_FileType;

/* Times are seconds since 1970; -1 where something is not known. */
typedef struct PHYSFS_Stat {
  PHYSFS_sint64 filesize;
  PHYSFS_sint64 modtime;
  PHYSFS_sint64 createtime;
  PHYSFS_sint64 accesstime;
  PHYSFS_FileType filetype;
  int readonly;
} PHYSFS_Stat;

typedef struct PHYSFS_Io {
  PHYSFS_uint32 version; /* 0 */
  void* opaque;
  PHYSFS_sint64 (*read)(struct PHYSFS_Io* io, void* to, PHYSFS_uint64 bytes);
  PHYSFS_sint64 (*write)(struct PHYSFS_Io* io, const void* from, PHYSFS_uint64 bytes);
  int (*seek)(struct PHYSFS_Io* io, PHYSFS_uint64 position);
  PHYSFS_sint64 (*tell)(struct PHYSFS_Io* io);
  PHYSFS_sint64 (*length)(struct PHYSFS_Io* io);
  struct PHYSFS_Io* (*duplicate)(struct PHYSFS_Io* io);
  int (*flush)(struct PHYSFS_Io* io);
  void (*destroy)(struct PHYSFS_Io* io);
} PHYSFS_Io;

typedef enum PHYSFS_EnumerateCallbackResult {
  PHYSFS_ENUM_ERROR = -1,
  PHYSFS_ENUM_STOP = 0,
  PHYSFS_ENUM_OK = 1
} PHYSFS_EnumerateCallbackResult;

typedef void (*PHYSFS_StringCallback)(void* data, const char* text);
typedef void (*PHYSFS_EnumFilesCallback)(void* data, const char* folder, const char* name);
typedef PHYSFS_EnumerateCallbackResult (*PHYSFS_EnumerateCallback)(void* data, const char* folder,
                                                                   const char* name);

typedef struct PHYSFS_Archiver {
  PHYSFS_uint32 version; /* 0 */
  PHYSFS_ArchiveInfo info;
  void* (*openArchive)(PHYSFS_Io* io, const char* name, int for_write, int* claimed);
  PHYSFS_EnumerateCallbackResult (*enumerate)(void* archive, const char* folder,
                                              PHYSFS_EnumerateCallback callback,
                                              const char* shown_folder, void* data);
  PHYSFS_Io* (*openRead)(void* archive, const char* path);
  PHYSFS_Io* (*openWrite)(void* archive, const char* path);
  PHYSFS_Io* (*openAppend)(void* archive, const char* path);
  int (*remove)(void* archive, const char* path);
  int (*mkdir)(void* archive, const char* path);
  int (*stat)(void* archive, const char* path, PHYSFS_Stat* stat);
  void (*closeArchive)(void* archive);
} PHYSFS_Archiver;

typedef enum PHYSFS_ErrorCode {
  PHYSFS_ERR_OK,
  PHYSFS_ERR_OTHER_ERROR,
  PHYSFS_ERR_OUT_OF_MEMORY,
  PHYSFS_ERR_NOT_INITIALIZED,
  PHYSFS_ERR_IS_INITIALIZED,
  PHYSFS_ERR_ARGV0_IS_NULL,
  PHYSFS_ERR_UNSUPPORTED,
  PHYSFS_ERR_PAST_EOF,
  PHYSFS_ERR_FILES_STILL_OPEN,
  PHYSFS_ERR_INVALID_ARGUMENT,
  PHYSFS_ERR_NOT_MOUNTED,
  PHYSFS_ERR_NOT_FOUND,
  PHYSFS_ERR_SYMLINK_FORBIDDEN,
  PHYSFS_ERR_NO_WRITE_DIR,
  PHYSFS_ERR_OPEN_FOR_READING,
  PHYSFS_ERR_OPEN_FOR_WRITING,
  PHYSFS_ERR_NOT_A_FILE,
  PHYSFS_ERR_READ_ONLY,
  PHYSFS_ERR_CORRUPT,
  PHYSFS_ERR_SYMLINK_LOOP,
  PHYSFS_ERR_IO,
  PHYSFS_ERR_PERMISSION,
  PHYSFS_ERR_NO_SPACE,
  PHYSFS_ERR_BAD_FILENAME,
  PHYSFS_ERR_BUSY,
  PHYSFS_ERR_DIR_NOT_EMPTY,
  PHYSFS_ERR_OS_ERROR,
  PHYSFS_ERR_DUPLICATE,
  PHYSFS_ERR_BAD_PASSWORD,
  PHYSFS_ERR_APP_CALLBACK
} PHYSFS_ErrorCode;

#define PHYSFS_VERSION(x)          \
  {                                \
    (x)->major = PHYSFS_VER_MAJOR; \
    (x)->minor = PHYSFS_VER_MINOR; \
    (x)->patch = PHYSFS_VER_PATCH; \
  }

/* --- Life ------------------------------------------------------------------------------------ */
PHYSFS_DECL int PHYSFS_init(const char* argv0);
PHYSFS_DECL int PHYSFS_deinit(void);
PHYSFS_DECL int PHYSFS_isInit(void);
PHYSFS_DECL void PHYSFS_getLinkedVersion(PHYSFS_Version* version);
PHYSFS_DECL int PHYSFS_setAllocator(const PHYSFS_Allocator* allocator);
PHYSFS_DECL const PHYSFS_Allocator* PHYSFS_getAllocator(void);
PHYSFS_DECL const PHYSFS_ArchiveInfo** PHYSFS_supportedArchiveTypes(void);
PHYSFS_DECL int PHYSFS_registerArchiver(const PHYSFS_Archiver* archiver);
PHYSFS_DECL int PHYSFS_deregisterArchiver(const char* extension);

/* --- Folders of the system ------------------------------------------------------------------- */
PHYSFS_DECL const char* PHYSFS_getDirSeparator(void);
PHYSFS_DECL const char* PHYSFS_getBaseDir(void);
PHYSFS_DECL const char* PHYSFS_getUserDir(void) PHYSFS_DEPRECATED;
PHYSFS_DECL const char* PHYSFS_getPrefDir(const char* organisation, const char* application);
PHYSFS_DECL char** PHYSFS_getCdRomDirs(void);
PHYSFS_DECL void PHYSFS_getCdRomDirsCallback(PHYSFS_StringCallback callback, void* data);
PHYSFS_DECL int PHYSFS_setSaneConfig(const char* organisation, const char* application,
                                     const char* archive_extension, int include_cd_roms,
                                     int archives_first);
PHYSFS_DECL const char* PHYSFS_getWriteDir(void);
PHYSFS_DECL int PHYSFS_setWriteDir(const char* folder);

/* --- The search path --------------------------------------------------------------------------
 * `append`: 0 puts the new mount before all others, so that it wins; otherwise it goes last. */
PHYSFS_DECL int PHYSFS_mount(const char* path, const char* mount_point, int append);
PHYSFS_DECL int PHYSFS_mountIo(PHYSFS_Io* io, const char* name, const char* mount_point,
                               int append);
PHYSFS_DECL int PHYSFS_mountMemory(const void* bytes, PHYSFS_uint64 size, void (*release)(void*),
                                   const char* name, const char* mount_point, int append);
PHYSFS_DECL int PHYSFS_mountHandle(PHYSFS_File* file, const char* name, const char* mount_point,
                                   int append);
PHYSFS_DECL int PHYSFS_mountRW(const char* path, const char* mount_point, int append);
PHYSFS_DECL int PHYSFS_canUnmount(const char* path);
PHYSFS_DECL int PHYSFS_unmount(const char* path);
PHYSFS_DECL int PHYSFS_setRoot(const char* archive, const char* folder);
PHYSFS_DECL int PHYSFS_addToSearchPath(const char* path, int append) PHYSFS_DEPRECATED;
PHYSFS_DECL int PHYSFS_removeFromSearchPath(const char* path) PHYSFS_DEPRECATED;
PHYSFS_DECL char** PHYSFS_getSearchPath(void);
PHYSFS_DECL void PHYSFS_getSearchPathCallback(PHYSFS_StringCallback callback, void* data);
PHYSFS_DECL const char* PHYSFS_getMountPoint(const char* path);
PHYSFS_DECL void PHYSFS_permitSymbolicLinks(int permit);
PHYSFS_DECL int PHYSFS_symbolicLinksPermitted(void);

/* --- Names ----------------------------------------------------------------------------------- */
PHYSFS_DECL int PHYSFS_exists(const char* path);
PHYSFS_DECL int PHYSFS_stat(const char* path, PHYSFS_Stat* stat);
PHYSFS_DECL int PHYSFS_isDirectory(const char* path) PHYSFS_DEPRECATED;
PHYSFS_DECL int PHYSFS_isSymbolicLink(const char* path) PHYSFS_DEPRECATED;
PHYSFS_DECL PHYSFS_sint64 PHYSFS_getLastModTime(const char* path) PHYSFS_DEPRECATED;
PHYSFS_DECL const char* PHYSFS_getRealDir(const char* path);
PHYSFS_DECL int PHYSFS_enumerate(const char* folder, PHYSFS_EnumerateCallback callback, void* data);
PHYSFS_DECL char** PHYSFS_enumerateFiles(const char* folder);
PHYSFS_DECL void PHYSFS_enumerateFilesCallback(const char* folder,
                                               PHYSFS_EnumFilesCallback callback,
                                               void* data) PHYSFS_DEPRECATED;
PHYSFS_DECL void PHYSFS_freeList(void* list);
PHYSFS_DECL int PHYSFS_mkdir(const char* path);
PHYSFS_DECL int PHYSFS_delete(const char* path);

/* --- Files; a count of -1 is an error -------------------------------------------------------- */
PHYSFS_DECL PHYSFS_File* PHYSFS_openRead(const char* path);
PHYSFS_DECL PHYSFS_File* PHYSFS_openWrite(const char* path);
PHYSFS_DECL PHYSFS_File* PHYSFS_openAppend(const char* path);
PHYSFS_DECL int PHYSFS_close(PHYSFS_File* file);
PHYSFS_DECL PHYSFS_sint64 PHYSFS_readBytes(PHYSFS_File* file, void* to, PHYSFS_uint64 bytes);
PHYSFS_DECL PHYSFS_sint64 PHYSFS_writeBytes(PHYSFS_File* file, const void* from,
                                            PHYSFS_uint64 bytes);
PHYSFS_DECL PHYSFS_sint64 PHYSFS_read(PHYSFS_File* file, void* to, PHYSFS_uint32 object_bytes,
                                      PHYSFS_uint32 count) PHYSFS_DEPRECATED;
PHYSFS_DECL PHYSFS_sint64 PHYSFS_write(PHYSFS_File* file, const void* from,
                                       PHYSFS_uint32 object_bytes,
                                       PHYSFS_uint32 count) PHYSFS_DEPRECATED;
PHYSFS_DECL int PHYSFS_eof(PHYSFS_File* file);
PHYSFS_DECL PHYSFS_sint64 PHYSFS_tell(PHYSFS_File* file);
PHYSFS_DECL int PHYSFS_seek(PHYSFS_File* file, PHYSFS_uint64 position);
PHYSFS_DECL PHYSFS_sint64 PHYSFS_fileLength(PHYSFS_File* file);
PHYSFS_DECL int PHYSFS_setBuffer(PHYSFS_File* file, PHYSFS_uint64 bytes);
PHYSFS_DECL int PHYSFS_flush(PHYSFS_File* file);

/* --- Numbers of a given byte order ------------------------------------------------------------ */
#define OVERTURE_PHYSFS_NUMBER(KIND, TYPE)                                    \
  PHYSFS_DECL PHYSFS_##TYPE PHYSFS_swap##KIND(PHYSFS_##TYPE value);           \
  PHYSFS_DECL int PHYSFS_read##KIND(PHYSFS_File* file, PHYSFS_##TYPE* value); \
  PHYSFS_DECL int PHYSFS_write##KIND(PHYSFS_File* file, PHYSFS_##TYPE value);
OVERTURE_PHYSFS_NUMBER(SLE16, sint16)
OVERTURE_PHYSFS_NUMBER(ULE16, uint16)
OVERTURE_PHYSFS_NUMBER(SLE32, sint32)
OVERTURE_PHYSFS_NUMBER(ULE32, uint32)
OVERTURE_PHYSFS_NUMBER(SLE64, sint64)
OVERTURE_PHYSFS_NUMBER(ULE64, uint64)
OVERTURE_PHYSFS_NUMBER(SBE16, sint16)
OVERTURE_PHYSFS_NUMBER(UBE16, uint16)
OVERTURE_PHYSFS_NUMBER(SBE32, sint32)
OVERTURE_PHYSFS_NUMBER(UBE32, uint32)
OVERTURE_PHYSFS_NUMBER(SBE64, sint64)
OVERTURE_PHYSFS_NUMBER(UBE64, uint64)
#undef OVERTURE_PHYSFS_NUMBER

/* --- Errors, those of the calling thread ------------------------------------------------------ */
PHYSFS_DECL PHYSFS_ErrorCode PHYSFS_getLastErrorCode(void);
PHYSFS_DECL const char* PHYSFS_getErrorByCode(PHYSFS_ErrorCode code);
PHYSFS_DECL void PHYSFS_setErrorCode(PHYSFS_ErrorCode code);
PHYSFS_DECL const char* PHYSFS_getLastError(void) PHYSFS_DEPRECATED;

/* --- Unicode; `bytes` is the room at `to`, its NUL included ------------------------------------
 */
PHYSFS_DECL void PHYSFS_utf8FromUcs4(const PHYSFS_uint32* from, char* to, PHYSFS_uint64 bytes);
PHYSFS_DECL void PHYSFS_utf8ToUcs4(const char* from, PHYSFS_uint32* to, PHYSFS_uint64 bytes);
PHYSFS_DECL void PHYSFS_utf8FromUcs2(const PHYSFS_uint16* from, char* to, PHYSFS_uint64 bytes);
PHYSFS_DECL void PHYSFS_utf8ToUcs2(const char* from, PHYSFS_uint16* to, PHYSFS_uint64 bytes);
PHYSFS_DECL void PHYSFS_utf8FromUtf16(const PHYSFS_uint16* from, char* to, PHYSFS_uint64 bytes);
PHYSFS_DECL void PHYSFS_utf8ToUtf16(const char* from, PHYSFS_uint16* to, PHYSFS_uint64 bytes);
PHYSFS_DECL void PHYSFS_utf8FromLatin1(const char* from, char* to, PHYSFS_uint64 bytes);
PHYSFS_DECL int PHYSFS_caseFold(PHYSFS_uint32 from, PHYSFS_uint32* to); /* room for three */
PHYSFS_DECL int PHYSFS_utf8stricmp(const char* left, const char* right);
PHYSFS_DECL int PHYSFS_utf16stricmp(const PHYSFS_uint16* left, const PHYSFS_uint16* right);
PHYSFS_DECL int PHYSFS_ucs4stricmp(const PHYSFS_uint32* left, const PHYSFS_uint32* right);

#ifdef __cplusplus
}
#endif

#endif
