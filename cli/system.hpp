// SPDX-License-Identifier: Zlib
//
// What the command needs from the operating system beyond the library: terminals, signals, and
// output that can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/function_ref.hpp"
#include "style.hpp"

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

// Writes everything, unbuffered. Returns 0 or the errno.
[[nodiscard]] int write_all(stream which, std::string_view text);
// Takes a time since 1970 of a clock here, as if that were UTC, and gives the actual one; 0 if
// there is none.
[[nodiscard]] std::int64_t from_local_time(std::int64_t ns);

// What a file keeps of the one it is a copy of.
struct file_marks {
  std::int64_t mtime_ns = 0;  // since 1970; 0: now
  bool executable = false;
};

// The next bytes of a file, none at its end, or nullopt to give the file up.
using piece_source = function_ref<std::optional<std::span<const std::byte>>()>;

// A folder that files are written to, at any depth. Its own path may lead through links; below it
// none is followed. Any thread may write.
class output_folder {
 public:
  output_folder() = default;
  output_folder(const output_folder&) = delete;
  output_folder& operator=(const output_folder&) = delete;
  ~output_folder();

  // Creates the folder, and those above it, if they are missing. Returns 0 or the errno. Once.
  [[nodiscard]] int open(const std::string& path);
  // Creates a file, and the folders on its way. An existing file is an error (EEXIST); with
  // `overwrite` it is replaced, and so is a link. A link on the way is an error (ELOOP). Returns 0
  // or the errno, ECANCELED if it was given up; no partial file is left then, and the old file is
  // unchanged.
  [[nodiscard]] int write(const std::string& path, bool overwrite, const file_marks& marks,
                          piece_source pieces) const;

 private:
  int write_in(const std::string& path, bool overwrite, const file_marks& marks,
               piece_source pieces) const;

  int folder_ = -1;
};
// Whether the system tells a read that its page cache could serve from one that it could not.
[[nodiscard]] bool tells_page_cache();
// Drops a file from the system's page cache. False if the system cannot, or keeps some of it.
[[nodiscard]] bool drop_file_from_page_cache(const std::string& path);
// Standard output as a new FILE that the caller closes; null if that fails, with errno set.
[[nodiscard]] std::FILE* duplicate_output();
// Creates a file, or empties it; null if that fails, with errno set. Waits until a program reads a
// pipe, or this one is interrupted (ECANCELED).
[[nodiscard]] std::FILE* create_file(const std::string& path);
// The message for an errno, such as "No space left on device".
[[nodiscard]] std::string system_message(int os_error);
[[nodiscard]] bool is_broken_pipe(int os_error);
// Whether no other file can be written either: the disk is full, broken or read-only.
[[nodiscard]] bool ends_all_writing(int os_error);

// From now on the process prints an error and exits with exit_output_failed where operator new
// would throw, on any thread: an exception might have to pass the library or a destructor, where it
// ends the process without a word. Files that are being written are finished first.
void exit_when_out_of_memory();
// Before it exits so, it removes these two files; null: none. The texts must stay.
void remove_when_out_of_memory(const char* path, const char* other);
// Tells the user that memory ran out, without using any.
void print_out_of_memory();
// Whether the main thread's stack may be as large as the commands need; prints an error if not.
[[nodiscard]] bool has_room_for_stack();
// Where the process may have little address space, its threads share what they allocate from.
void save_address_space();
// Makes a closed pipe or a file size limit an error of the write instead of a fatal signal.
void make_write_errors_nonfatal();
// From now on the first SIGINT or SIGTERM sets a flag; the second exits at once with
// exit_interrupted. Signals that were ignored at start stay ignored.
void watch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace overture::cli
