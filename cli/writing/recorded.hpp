// SPDX-License-Identifier: Zlib
//
// The record of an earlier load, as an argument of commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "overture/load/load_record.hpp"
#include "overture/vfs/file_system.hpp"
#include "writing/known_output.hpp"

namespace overture::cli {

// What a record begins with.
inline constexpr std::string_view record_beginning = "overture-load-record ";

// Prints an error and returns nothing if it cannot be read.
[[nodiscard]] std::optional<load_record> read_record(const std::string& path);
// Says how many of the record's files the frozen tree does not have.
// Whether it says no more of an order than the names of its files.
[[nodiscard]] bool is_in_path_order(const load_record& record);
void warn_of_missing(const load_record& record, const std::string& path, const file_system& files);
// What has got its name meanwhile stays, and a record of nothing replaces no other one. Returns the
// exit status.
[[nodiscard]] int write_record(const load_record& record, const std::string& path,
                               known_output& old);

}  // namespace overture::cli
