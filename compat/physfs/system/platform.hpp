// SPDX-License-Identifier: Zlib
//
// What the library asks the operating system for and Overture has no function for. Platform by
// file.
#pragma once

#include <string_view>

#include "physfs.h"
#include "system/names.hpp"

namespace physfs {

// What the system puts between the elements of its paths.
[[nodiscard]] const char* separator() noexcept;
[[nodiscard]] bool is_separator(char c) noexcept;
// Whether a folder of the system can have a file of this path, which has '/' between its elements.
[[nodiscard]] bool is_possible(std::string_view path) noexcept;

// Whether a file is read-only, and, where the system remembers it, when it was made.
void complete_stat(const char* path, PHYSFS_Stat& found) noexcept;

// The folder of the program and that of the user, with the separator at the end. False, with an
// error, if it is not known.
[[nodiscard]] bool find_program_folder(const char* argv0, joined_name& folder) noexcept;
[[nodiscard]] bool find_user_folder(joined_name& folder) noexcept;
// Where a program of the user keeps its files, with the separator at the end. It may not be there.
[[nodiscard]] bool find_own_folder(const char* organisation, const char* application,
                                   joined_name& folder) noexcept;
// Creates a folder and those above it.
[[nodiscard]] bool make_folders(const char* path) noexcept;

// The time of a packer's clock, in seconds, as if its time zone were that of this machine.
[[nodiscard]] long long from_local_time(long long seconds) noexcept;

// Runs `run(with)` when the calling thread ends. For one use in each thread. False if the system
// has no room to remember it.
[[nodiscard]] bool run_at_end_of_thread(void (*run)(void*), void* with) noexcept;

}  // namespace physfs
