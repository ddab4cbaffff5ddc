// SPDX-License-Identifier: Zlib
//
// What the errors are called, in the order of PHYSFS_ErrorCode.
#pragma once

namespace physfs {

// Programs show these to their users, some compare them.
inline constexpr const char* error_texts[] = {"no error",
                                              "unknown error",
                                              "out of memory",
                                              "not initialized",
                                              "already initialized",
                                              "argv[0] is NULL",
                                              "unsupported",
                                              "past end of file",
                                              "files still open",
                                              "invalid argument",
                                              "not mounted",
                                              "not found",
                                              "symlinks are forbidden",
                                              "write directory is not set",
                                              "file open for reading",
                                              "file open for writing",
                                              "not a file",
                                              "read-only filesystem",
                                              "corrupted",
                                              "infinite symbolic link loop",
                                              "i/o error",
                                              "permission denied",
                                              "no space available for writing",
                                              "filename is illegal or insecure",
                                              "tried to modify a file the OS needs",
                                              "directory isn't empty",
                                              "OS reported an error",
                                              "duplicate resource",
                                              "bad password",
                                              "app callback reported error"};

}  // namespace physfs
