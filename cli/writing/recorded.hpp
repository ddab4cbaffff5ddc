// SPDX-License-Identifier: Zlib
//
// The record of an earlier load, as an argument of commands.
#pragma once

#include <optional>
#include <string>

#include "overture/load/load_record.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::cli {

// Prints an error and returns nothing if it cannot be read.
[[nodiscard]] std::optional<load_record> read_record(const std::string& path);
// Says how many of the record's files the frozen tree does not have.
void warn_of_missing(const load_record& record, const std::string& path, const file_system& files);
// Returns the exit status.
[[nodiscard]] int write_record(const load_record& record, const std::string& path);

}  // namespace overture::cli
