// What the command says besides reports: results to standard output, everything else to standard
// error. Texts are printable already.
#pragma once

#include <string>
#include <string_view>

#include "overture/base/error.hpp"
#include "style.hpp"

namespace overture::cli {

// How messages on standard error look; plain until set.
void set_message_style(const text_style& style);

// An error's reason, what the system said, and where: "cannot read (Input/output error), at byte
// 7". The caller names the file.
[[nodiscard]] std::string reason_of(const error& failure);

// Writes a result to standard output and returns the exit code for it: exit_ok, also if the reader
// has gone away, or exit_output_failed, having said so.
int print(std::string_view text);
// Writes to standard error, which cannot usefully fail.
void say(std::string_view text);
// "error: TEXT", "warning: TEXT".
void complain(std::string_view text);
void warn(std::string_view text);
// A usage error and its way out; `meant` may be empty. Returns exit_usage.
int complain_about_usage(const std::string& text, const std::string& meant,
                         const std::string& help_command);

}  // namespace overture::cli
