// SPDX-License-Identifier: Zlib
//
// What the command needs from the operating system beyond the library: terminals, signals, and
// output that can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "system/terminal_environment.hpp"

namespace overture::cli {

enum class stream : unsigned char { out, err };

// The arguments of this process in UTF-8, without its name; main()'s may have another encoding.
[[nodiscard]] std::vector<std::string> own_words(int count, char** words);
// Readies the terminal for UTF-8 and colours, and adds to the environment what the system knows and
// the variables do not say.
void prepare_terminal(terminal_environment& environment);
[[nodiscard]] bool is_terminal(stream which);
// The width of a stream's terminal in columns, 0 if it is not a terminal. Falls back to COLUMNS,
// then to 80.
[[nodiscard]] unsigned terminal_width(stream which, const terminal_environment& environment);
// Its lines; 0 if it is not a terminal, or not known.
[[nodiscard]] unsigned terminal_height(stream which);

// Writes everything, unbuffered. Returns 0 or the errno.
[[nodiscard]] int write_all(stream which, std::string_view text);
// Takes a time since 1970 of a clock here, as if that were UTC, and gives the actual one; 0 if
// there is none.
[[nodiscard]] std::int64_t from_local_time(std::int64_t ns);

// Whether the system tells a read that its page cache could serve from one that it could not.
[[nodiscard]] bool tells_page_cache();
// Standard output as a new FILE that the caller closes; null if that fails, with errno set.
[[nodiscard]] std::FILE* duplicate_output();
// Opens a pipe or a character device to write to; null if that fails, with errno set. Waits until a
// program reads a pipe, or this one is interrupted (ECANCELED).
[[nodiscard]] std::FILE* open_pipe(const std::string& path);
// Whether a stream goes to the file with this device and inode.
[[nodiscard]] bool goes_to(stream which, std::uint64_t volume, std::uint64_t number);
// The message for an errno, such as "No space left on device".
[[nodiscard]] std::string system_message(int os_error);
[[nodiscard]] bool is_broken_pipe(int os_error);
// Whether no other file can be written either: the disk is full, broken or read-only.
[[nodiscard]] bool ends_all_writing(int os_error);
// Whether the disk, or what the user may have of it, is full.
[[nodiscard]] bool lacks_room(int os_error);
// Whether the process has run out of memory or descriptors.
[[nodiscard]] bool lacks_resources(int os_error);
// Whether a file could not be written for want of room, memory or descriptors, or because it is too
// large for the disk: the file itself is fine.
[[nodiscard]] bool is_of_output(int os_error);

// From now on the process prints an error and exits with exit_output_failed where operator new
// would throw, on any thread: an exception might have to pass the library or a destructor, where it
// ends the process without a word. Calls finish_writes() first, which must take no memory.
void exit_when_out_of_memory(void (*finish_writes)());

// While it lives, its file or empty folder is removed if the process exits so, or at a second
// interrupt, the latest first. The text must stay; null: none.
class removed_at_exit {
 public:
  explicit removed_at_exit(const char* path);
  ~removed_at_exit();
  removed_at_exit(const removed_at_exit&) = delete;
  removed_at_exit& operator=(const removed_at_exit&) = delete;

 private:
  std::size_t slot_;
};
// Tells the user that memory ran out, without using any.
void print_out_of_memory();
// Whether the main thread's stack may be as large as the commands need; prints an error if not.
[[nodiscard]] bool has_room_for_stack();
// Where the process may have little address space, its threads share what they allocate from.
void save_address_space();
// Makes a closed pipe or a file size limit an error of the write instead of a fatal signal.
void make_write_errors_nonfatal();
// From now on the first SIGINT, SIGTERM or SIGHUP sets a flag; the second exits at once with
// exit_interrupted. Signals that were ignored at start stay ignored.
void watch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace overture::cli
