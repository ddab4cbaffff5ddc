// SPDX-License-Identifier: Zlib
//
// What the library asks the operating system for and Overture has no function for.
#pragma once

#include <string_view>

#include "names.hpp"

namespace physfs {

// Whether this process may write the file or into the folder.
[[nodiscard]] bool may_write(const char* path) noexcept;

// The folder of the program and that of the user, with '/' at the end. False, with an error, if it
// is not known.
[[nodiscard]] bool find_program_folder(const char* argv0, joined_name& folder) noexcept;
[[nodiscard]] bool find_user_folder(joined_name& folder) noexcept;
// Where programs of the user keep their files, with '/' at the end.
[[nodiscard]] bool find_data_folder(joined_name& folder) noexcept;
// Creates a folder and those above it.
[[nodiscard]] bool make_folders(const char* path) noexcept;

// The time of a packer's clock, in seconds, as if its time zone were that of this machine.
[[nodiscard]] long long from_local_time(long long seconds) noexcept;

}  // namespace physfs
