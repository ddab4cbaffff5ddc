// SPDX-License-Identifier: Zlib
#include "terminal/messages.hpp"

#include <fmt/core.h>

#include <new>

#include "system/exit_code.hpp"
#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr const char* password_advice = "; give its password with --password";

// limit_text::bomb ends so.
constexpr std::string_view bomb_advice_to_hosts = "mount it with allow_bombs";
constexpr const char* bomb_advice = "read it with --allow-bombs";

text_style message_style;

}  // namespace

void set_message_style(const text_style& style) {
  message_style = style;
}

std::string reason_of(const error& failure) {
  std::string reason = failure.reason;
  if (reason.empty()) reason = to_string(failure.code);
  if (failure.code == errc::password) {
    // A host gives the password when it mounts, a user with an option.
    const std::size_t advice = reason.find("; ");
    if (advice != std::string::npos) reason.replace(advice, reason.npos, password_advice);
    return reason;  // without the offset: it does not help to find a password
  }
  if (failure.code == errc::limit && reason.ends_with(bomb_advice_to_hosts)) {
    reason.replace(reason.size() - bomb_advice_to_hosts.size(), reason.npos, bomb_advice);
    return reason;  // it is so wherever it lies
  }
  if (failure.os_error != 0) reason += fmt::format(" ({})", system_message(failure.os_error));
  if (failure.code == errc::out_of_memory) {
    if (failure.offset == 0) return reason;
    return fmt::format("{} ({} asked for)", reason,
                       human_bytes(static_cast<double>(failure.offset)));
  }
  // What is unsupported is so wherever it lies, and its reason ends with advice.
  if (failure.offset != 0 && failure.code != errc::unsupported)
    reason += fmt::format(", at byte {}", failure.offset);
  return reason;
}

std::string too_long(std::chrono::nanoseconds time_max) {
  return fmt::format(
      "takes longer than {} s; allow more with --file-time-max, or leave the file out",
      std::chrono::duration_cast<std::chrono::seconds>(time_max).count());
}

int print(std::string_view text) {
  return print_output_error(write_all(stream::out, text));
}

int print_output_error(int failed) {
  if (failed == 0 || is_broken_pipe(failed)) return exit_ok;
  print_error(fmt::format("cannot write to standard output ({}); the output is incomplete",
                          system_message(failed)));
  return exit_output_failed;
}

void print_to_stderr(std::string_view text) {
  (void)write_all(stream::err, text);
}

void print_error(std::string_view text) {
  print_to_stderr(fmt::format("{} {}\n", message_style.red("error:"), text));
}

void print_warning(std::string_view text) {
  print_to_stderr(fmt::format("{} {}\n", message_style.yellow("warning:"), text));
}

int print_exception(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) {
    print_out_of_memory();
  } else {
    print_error(fmt::format("internal error: {}", printable(failure.what())));
  }
  return exit_output_failed;
}

int print_usage_error(const std::string& text, const std::string& meant,
                      const std::string& help_command) {
  std::string sentence = printable(text);
  if (!meant.empty()) sentence += fmt::format("; did you mean '{}'?", meant);
  print_error(sentence);
  print_to_stderr(fmt::format("Run '{}' for help.\n", help_command));
  return exit_usage;
}

}  // namespace overture::cli
