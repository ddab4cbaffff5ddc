// SPDX-License-Identifier: Zlib
//
// A folder that files are written to, at any depth. Its own path may lead through links; below it
// none is followed.
//
// Each file is written under a temporary name, in a folder ".overture-....tmp" that lies in this
// one, and gets its own name once it is whole. So whatever ends the program leaves whole files, and
// that folder, which the next open() removes.
//
// With placing::at_end that folder is named "overture-old-..." before the first file gets its name,
// and no later run removes it: what the files replace is in it until all of them have theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/atomic.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "writing/file_state.hpp"

namespace overture::cli {

// What a file keeps of the one it is a copy of.
struct file_marks {
  std::int64_t mtime_ns = 0;  // since 1970; 0: now
  bool executable = false;
};

// The next bytes of a file, none at its end, or nullopt to give the file up.
using piece_source = function_ref<std::optional<std::span<const std::byte>>()>;

// In the place of an errno: the file is not the one that it was; it is read-only; it has been
// replaced, and the file system cannot put the old one back.
inline constexpr int error_changed = -1;
inline constexpr int error_read_only = -2;
inline constexpr int error_old_is_gone = -3;

// When files get their names.
enum class placing : unsigned char {
  new_files,  // at once; a file that is there is an error (EEXIST)
  replacing,  // at once if the name is free; else at the end, once all bytes are on the disk
  at_end,     // all of them at the end; if one of them fails, the others lose their names again
};

class output_folder {
 public:
  output_folder() = default;
  output_folder(const output_folder&) = delete;
  output_folder& operator=(const output_folder&) = delete;
  // Removes what has no name yet.
  ~output_folder();

  // Creates the folder, and those above it, if they are missing. At most `files` will be written.
  // Returns 0 or the errno. Once.
  [[nodiscard]] int open(const std::string& path, placing how, std::size_t files);
  // Writes a file, and creates the folders on its way. A link on the way is an error (ELOOP), so is
  // a folder of that name (EISDIR), a FIFO or device (ENOTSUP), and a read-only file
  // (error_read_only); a link of that name is replaced. A file that replaces another gets its
  // permissions, and its owner as far as the process may. A new one gets what its folder gives to
  // new files. `known`: what had the name at the start, if anything had; if that is not so by the
  // time, that is an error (error_changed; not with placing::new_files). Returns 0 or the errno,
  // ECANCELED if it was given up; then nothing has changed. Any thread.
  [[nodiscard]] int write(const std::string& path, const file_marks& marks, piece_source pieces,
                          const std::optional<file_state>& known = std::nullopt);

  // For an exit without memory: removes what has no name yet, without using any. What was replaced
  // stays, unless all files have their names.
  void remove_at_exit() noexcept;

  struct unplaced {
    std::string path;
    int os_error = 0;
  };
  struct kept {
    std::string path;
    std::string old_content;  // the path of the file that has it
  };
  struct outcome {
    int disk_error = 0;             // not 0: the disk failed
    bool is_after_placing = false;  // only then, so all files have their names
    std::vector<unplaced> failed;   // have not got their names
    bool is_mixed = false;          // with placing::at_end: some could not be taken back
    std::vector<kept> old;          // what they replaced is kept
  };
  // Brings everything to the disk and gives the files that wait for it their names. With
  // placing::at_end all of them get theirs, or none.
  [[nodiscard]] outcome finish();

 private:
  struct waiting_file {
    std::string path;
    std::uint64_t number = 0;               // of its temporary file
    std::optional<file_state> replaced;     // none: the name was free
    std::optional<file_state> placed = {};  // once it has its name
    bool has_old = false;                   // what it replaced is the temporary file now
    int os_error = 0;                       // why it has not got its name, or cannot lose it again
  };
  // Relative to the folder.
  struct temporary_path {
    char text[64];
  };

  int write_in(const std::string& path, const file_marks& marks, piece_source pieces,
               const std::optional<file_state>& known);
  // Of POSIX alone.
  [[nodiscard]] int take_permissions(std::uint64_t number, const std::string& path) const;
  // What was there stays under the temporary name, if the system can exchange names.
  [[nodiscard]] int place(waiting_file& file);
  // Returns 0, or error_changed if it is not there any more as it was placed; then that stays; or
  // error_old_is_gone.
  [[nodiscard]] int take_back(waiting_file& file);
  [[nodiscard]] int place_new(const std::string& path, const char* temporary, int folder) const;
  // Takes the memory for place() and take_back(), which use none: without it some files would be
  // new and others old. With placing::at_end, also keeps the folder for temporary files.
  [[nodiscard]] int prepare_placing();
  [[nodiscard]] int folder_to_place_in(std::string_view path);
  [[nodiscard]] bool place_all();
  void note_outcome(outcome& done);
  struct inner_folder;
  [[nodiscard]] std::shared_ptr<inner_folder> open_inner(std::string_view path);
  [[nodiscard]] int sync() const;
  [[nodiscard]] temporary_path temporary_of(std::uint64_t number) const;
  void keep(const std::string& path, std::uint64_t number,
            const std::optional<file_state>& replaced);

  placing how_ = placing::new_files;
  std::string path_;
  os_handle folder_;
  std::optional<temporary_folder> temporary_;
  atomic<std::uint64_t> made_{0};
  std::mutex guard_;
  std::vector<waiting_file> waiting_;
  std::shared_ptr<inner_folder> inner_;    // the last one that was opened
  std::shared_ptr<inner_folder> placing_;  // the last one that a file was placed in
};

// Held while a file is being written: a process that exits without memory waits for it.
class write_in_progress {
 public:
  write_in_progress();
  ~write_in_progress();
  write_in_progress(const write_in_progress&) = delete;
  write_in_progress& operator=(const write_in_progress&) = delete;
  // The process is about to exit.
  [[nodiscard]] bool refused() const;
};

// Waits until no other thread writes a file, keeps them from beginning another, and removes what
// has no name yet. Does not return if another thread has called it.
void finish_writes_before_exit();

}  // namespace overture::cli
