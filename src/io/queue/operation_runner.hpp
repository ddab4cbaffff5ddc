// SPDX-License-Identifier: Zlib
//
// The steps of one operation after it was taken: its file is opened, its bytes are read, its
// requests complete or go on to be unpacked. Back ends call these steps when it suits them.
//
// Any thread, each with an operation of its own; no lock of the queue is held.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/queue/file_access.hpp"
#include "io/queue/request_completion.hpp"
#include "io/queue/unpack_queue.hpp"
#include "io/schedule/queue_clock.hpp"

namespace overture::io_detail {

class operation_runner {
 public:
  // `unpacks`: null if memory for it was refused. `owner` ends what was unpacked.
  operation_runner(const read_queue_config& config, source_files& files, buffer_pool& pool,
                   unpack_queue* unpacks, unpack_owner& owner) noexcept;

  // --- Opening ---
  // open: the file is open, and there is room for the bytes. ended: the operation has ended. busy:
  // too many files are open, and only the end of another read can change that.
  enum class opening : std::uint8_t { open, ended, busy };
  [[nodiscard]] opening open(read_operation& op, bool may_wait) noexcept;
  // For back ends that open, read and close in one go. open: `path` names the file, which is not
  // open, and there is room for the bytes. busy: use open() instead.
  [[nodiscard]] opening open_by_path(read_operation& op, const char*& path) noexcept;
  // Opens the file after open_by_path() has made room, because something went wrong there.
  [[nodiscard]] opening open_after_all(read_operation& op, bool may_wait) noexcept;

  // --- Reading ---
  // All steps; blocks.
  void perform(read_operation& op) noexcept {
    if (open(op, true) == opening::open) read_here(op);
  }
  // Reads all of an operation that open() has opened; blocks.
  void read_here(read_operation& op) noexcept;
  // A read of it has ended: bytes, or minus errno. True: the operation has ended. False: the rest
  // of it is to be read.
  [[nodiscard]] bool advance(read_operation& op, std::int64_t outcome) noexcept;

  // --- Unpacking ---
  // Whether packed bytes are unpacked by the polling thread.
  [[nodiscard]] bool unpacks_here() const noexcept { return unpacks_here_; }
  // Error: there is no memory, or no executor, to unpack the request.
  [[nodiscard]] result<void> check_unpacking(const read_request& request) const noexcept;
  // Unpacks everything that waits, on this thread. Returns how many requests have completed.
  std::size_t unpack_here() noexcept;
  // Ends an item that was unpacked, and its requests.
  struct unpacked_requests {
    read_tally tally;
    std::uint64_t unpack_ns = 0;  // since they were read
  };
  [[nodiscard]] unpacked_requests end_unpacked(packed_item& item) const noexcept;

  [[nodiscard]] file_access& files() noexcept { return files_; }
  [[nodiscard]] const request_completion& completion() const noexcept { return completion_; }

 private:
  [[nodiscard]] bool show(read_operation& op) noexcept;
  [[nodiscard]] result<void> make_room(read_operation& op) noexcept;
  [[nodiscard]] result<void> read_alone(read_operation& op, std::size_t member) noexcept;
  void finish(read_operation& op, const result<void>& outcome) noexcept;
  void end_followers(read_operation& op, std::uint64_t finished_ns) noexcept;
  void prepare_unpacking(read_operation& op) noexcept;
  [[nodiscard]] executor* unpacker_of(const read_request& request) const noexcept {
    return unpack_executor_ ? unpack_executor_ : request.on;
  }

  file_access files_;
  buffer_pool& pool_;
  const request_completion completion_;
  const queue_clock clock_;
  unpack_queue* const unpacks_;
  unpack_owner& owner_;
  executor* const unpack_executor_;
  const bool unpacks_here_;
};

}  // namespace overture::io_detail
