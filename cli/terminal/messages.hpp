// SPDX-License-Identifier: Zlib
//
// Output: results to standard output, messages to standard error. All texts must be printable().
#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <string_view>

#include "overture/base/error.hpp"
#include "terminal/style.hpp"

namespace overture::cli {

// The style of messages on standard error; plain by default.
void set_message_style(const text_style& style);

// An error as text without the file's name: "cannot read (Input/output error), at byte 7". Where a
// host would have to do something else than the user of the command, it says what the user can do.
[[nodiscard]] std::string reason_of(const error& failure);

// How the reason begins why a file fails that takes longer than load_options::file_time_max.
inline constexpr const char* too_long_reason = "takes longer than the time for one file";
// The same with the time, and what to do.
[[nodiscard]] std::string too_long(std::chrono::nanoseconds time_max);

// Writes a result to standard output. Returns exit_ok, even if the reader closed the pipe, or
// prints an error and returns exit_output_failed.
int print(std::string_view text);
// The same for what has been written already: `failed` is 0 or the errno.
int print_output_error(int failed);
// Writes to standard error. Failures are ignored: there is nowhere to report them.
void print_to_stderr(std::string_view text);
// Print "error: TEXT" and "warning: TEXT".
void print_error(std::string_view text);
void print_warning(std::string_view text);
// Prints an exception that no command expects. Returns the exit status.
int print_exception(const std::exception& failure);
// Prints a usage error, a suggestion unless `meant` is empty, and where to find help. Returns
// exit_usage.
int print_usage_error(const std::string& text, const std::string& meant,
                      const std::string& help_command);

}  // namespace overture::cli
