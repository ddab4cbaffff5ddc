// SPDX-License-Identifier: Zlib
//
// How an operation gets its file from the source_files, and gives it back.
//
// A registered reader borrows open files with borrow(), and may open as many files for itself as it
// has permits. Other queues, and files that borrow() does not have, use pin().
//
// Any thread; opening and closing may block.
#pragma once

#include "io/schedule/read_operation.hpp"

namespace overture::io_detail {

class file_access {
 public:
  explicit file_access(source_files& files) noexcept : files_(files) {}

  // Whether the queue was accepted by add_reader(). Before anything is read.
  void set_known(bool known) noexcept { is_known_ = known; }
  [[nodiscard]] bool is_known() const noexcept { return is_known_; }

  // Opens the file into op.file. The operation is in flight, which says what it reads.
  [[nodiscard]] result<void> open(read_operation& op, bool may_wait) noexcept;
  // The path of a file that the caller opens, reads and closes by itself; null: open() is the way.
  [[nodiscard]] const char* path_to_open(read_operation& op) noexcept;
  // Opens the file of an operation that has not begun, and has the system begin to read it. False:
  // open() does it later. close_ahead() closes it again if the operation was recalled.
  [[nodiscard]] bool open_ahead(read_operation& op) noexcept;
  [[nodiscard]] bool close_ahead(read_operation& op) noexcept;
  // The bytes of the request where they lie, without a read.
  [[nodiscard]] result<std::span<const std::byte>> view(const read_request& request) noexcept {
    return files_.view(request.source, request.offset, request.bytes);
  }
  // The read is over. close() closes what release() returns, if that is the operation's own, and
  // may come later.
  [[nodiscard]] open_source release(read_operation& op) noexcept;
  void close(read_operation& op, const open_source& used) noexcept;

 private:
  source_files& files_;
  bool is_known_ = false;
};

}  // namespace overture::io_detail
