// What the command needs from the operating system and the library does not offer: terminals,
// signals, and output that can fail.
#pragma once

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "style.hpp"

namespace overture::cli {

enum class stream : unsigned char { out, err };

[[nodiscard]] bool is_terminal(stream which);
// Columns of the terminal behind a stream, 0 if there is none. COLUMNS is believed where the
// terminal does not say.
[[nodiscard]] unsigned terminal_width(stream which, const terminal_environment& environment);

// Writes all of it, past any buffer. Returns 0 or the errno.
[[nodiscard]] int write_all(stream which, std::string_view text);
// Makes a file of these bytes; one that is there is an error (EEXIST), or with `overwrite` replaced
// without following it, if it is a link. Returns 0 or the errno; no part of a file is left then,
// and the old one stays.
[[nodiscard]] int write_file(const std::string& path, std::span<const std::byte> bytes,
                             bool overwrite);
// Standard output as a stream of its own, which its owner closes; null with errno if that fails.
[[nodiscard]] std::FILE* duplicate_output();
// The sentence for an errno, such as "No space left on device".
[[nodiscard]] std::string system_message(int os_error);
[[nodiscard]] bool is_broken_pipe(int os_error);

// A reader that goes away, or a file that may not grow, must not kill the process: writes say so
// instead.
void let_writes_fail();
// From now on the first SIGINT or SIGTERM only sets a flag; the second ends the process at once
// with exit_interrupted. A signal that the parent had ignored stays ignored.
void watch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace overture::cli
